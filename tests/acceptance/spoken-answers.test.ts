import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { AgentResponseMessage } from "@signalbox/contract";
import { makeAgent, operatorOf, type MadeAgent } from "../support/agents.ts";
import { openBed, type Bed } from "../support/bed.ts";
import { faults, startModelServer, type ModelServer } from "../support/model-server.ts";
import { eventually } from "../support/processes.ts";

const PAIR = { question: "When do you open?", answer: "At nine, every day." };
const LONG = { question: "What are the terms?", answer: "Terms. ".repeat(600) };
const PUBLIC_URL = "https://signalbox.example";

describe("spoken answers", () => {
  const open = new AsyncDisposableStack();
  let clocks: string;
  let bed: Bed;
  let model: ModelServer;
  let agent: MadeAgent;

  before(async () => {
    model = open.use(await startModelServer());
    clocks = mkdtempSync(join(tmpdir(), "signalbox-clocks-"));
    open.defer(() => rmSync(clocks, { recursive: true }));
    const environment = {
      PUBLIC_URL: `${PUBLIC_URL}/`,
      NODE_OPTIONS: `--import=${new URL("../support/skewed-clock.ts", import.meta.url).href}`,
      SIGNALBOX_TEST_CLOCKS: clocks,
      // Signatures of the engine are dated, and these clocks jump by days.
      ENGINE_IDENTITY_KEYS: "",
    };
    bed = open.use(await openBed({ apis: 1, workers: 1, environment }));
    agent = await makeAgent(bed, { qaList: [PAIR, LONG] });
    await operatorOf(bed).models.setSpeech({
      agent_id: agent.agentId,
      url: model.url,
      model: "speaker",
      voice: "ada",
      api_key: "sk-test",
      output_credits_per_million: 1_000_000,
    });
  });
  after(() => open.disposeAsync());

  async function ask(text: string): Promise<AgentResponseMessage> {
    const before = agent.arrived().length;
    await agent.ask(await agent.converse(), text);
    return (await agent.arrivals(before + 1)).at(-1)?.body as AgentResponseMessage;
  }
  const audioOf = ({ output }: Pick<AgentResponseMessage, "output">) => output[0]?.content.audio ?? [];
  const fetchAt = (url: string, headers = {}) => fetch(url.replace(PUBLIC_URL, bed.baseUrl), { headers });

  it("a spoken answer has its text, a URL that plays it, and its cost", async () => {
    const message = await ask(PAIR.question);
    const [spoken, ...more] = audioOf(message);
    assert.deepEqual([spoken?.transcript, more], [PAIR.answer, []]);
    assert.equal(message.output[0]?.content.text, PAIR.answer);
    const heard = await fetchAt(spoken?.audio ?? "");
    assert.deepEqual([heard.status, heard.headers.get("content-type")], [200, "audio/mpeg"]);
    assert.equal(await heard.text(), `ada says: ${PAIR.answer}`);
    assert.equal(heard.headers.get("x-content-type-options"), "nosniff");
    const words = `ada says: ${PAIR.answer}`;
    for (const [range, part] of [
      ["bytes=0-2", "ada"],
      ["bytes=4-", words.slice(4)],
      ["bytes=-4", words.slice(-4)],
      ["bytes=4-9999", words.slice(4)],
    ] as const) {
      const answer = await fetchAt(spoken?.audio ?? "", { range });
      assert.deepEqual([answer.status, await answer.text()], [206, part], range);
    }
    for (const range of ["bytes=9999-", "bytes=2-1", "bytes=0-1,3-4", "lines=1-2"])
      assert.equal((await fetchAt(spoken?.audio ?? "", { range })).status, 200, range);
    const { credits } = message.usage;
    assert.deepEqual(
      [credits.audio_output_credits, credits.total_credits],
      [PAIR.answer.length, PAIR.answer.length],
    );
    const asked = model.requests.at(-1);
    assert.deepEqual(
      [asked?.path, asked?.headers["authorization"], asked?.body["response_format"]],
      ["/v1/audio/speech", "Bearer sk-test", "mp3"],
    );
  });

  it("a spoken answer is not found at a guessed, changed or expired URL", async () => {
    const [spoken] = audioOf(await ask(PAIR.question));
    const url = spoken?.audio ?? "";
    const token = url.split("/").at(-1) ?? "";
    const changed = url.replace(token, `${token.slice(0, -8)}AAAAAAAA`);
    for (const wrong of [changed, url.replace(token, "x"), url.replace(token, token.slice(1))]) {
      const answer = await fetchAt(wrong);
      assert.deepEqual([answer.status, ((await answer.json()) as { code: number }).code], [404, 40401]);
    }
    const inHours = async (hours: number) => {
      writeFileSync(join(clocks, new URL(bed.baseUrl).port), String(hours * 3_600_000));
      const expected = hours < 48 ? 200 : 404;
      await eventually(`answered with ${expected}`, async () => (await fetchAt(url)).status === expected);
    };
    await inHours(49);
    await inHours(47);
  });

  it("an answer is sent without sound when speech fails or it is too long", async () => {
    for (const reply of [faults.broken(), faults.rateLimited()]) {
      model.next(reply);
      const message = await ask(PAIR.question);
      assert.deepEqual(
        [message.output[0]?.content, message.usage.credits.total_credits],
        [{ text: PAIR.answer, audio: [] }, 0],
      );
    }
    assert.deepEqual(audioOf(await ask(LONG.question)), []);
  });

  it("an answer is spoken in blocking mode too, and never by an agent without a voice", async () => {
    const request = {
      conversation_id: await agent.converse(),
      response_mode: "blocking" as const,
      messages: [{ role: "user" as const, content: PAIR.question }],
    };
    const reply = await agent.client.conversations.sendMessage(request);
    assert.equal(audioOf(reply)[0]?.transcript, PAIR.answer);
    await operatorOf(bed).models.deleteSpeech({ agent_id: agent.agentId });
    assert.deepEqual(audioOf(await ask(PAIR.question)), []);
  });
});
