import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { makeAgent, operatorOf } from "../support/agents.ts";
import { type Bed, openBed } from "../support/bed.ts";
import { eventually, freePort } from "../support/processes.ts";
import { askWithClient, EXAMPLES, examples, judgeExample, startExample } from "./example-programs.ts";

// Most of a run is waiting for what must not happen.
describe("example receivers", { concurrency: 4 }, () => {
  for (const [name, example] of Object.entries(EXAMPLES)) {
    const { folder, file, linesMax, missing = false } = example;
    it(`the ${name} receiver keeps every rule, in under ${linesMax} lines`, { skip: missing }, async () => {
      const lines = readFileSync(join(examples, folder, file), "utf8").split("\n").length - 1;
      assert.ok(lines < linesMax, `${file} has ${lines} lines`);
      const { results } = await judgeExample(example);
      assert.deepEqual(
        results.filter(({ state }) => state !== "passed"),
        [],
      );
    });
  }
});

describe("example desks and clients", { concurrency: 4 }, () => {
  let bed: Bed;
  before(async () => {
    bed = await openBed({ apis: 1, workers: 1 });
  });
  after(() => bed[Symbol.asyncDispose]());

  for (const [name, example] of Object.entries(EXAMPLES)) {
    if (example.client === undefined) continue;
    const skip = example.missing ?? false;
    it(`the ${name} client asks, and the ${name} desk answers a user and closes`, { skip }, async () => {
      const agent = await makeAgent(bed, { qaList: [{ question: "When do you open?", answer: "At nine." }] });
      const port = await freePort();
      const url = `http://127.0.0.1:${port}/hooks`;
      const operator = operatorOf(bed);
      const desk = await operator.desks.create({ agent_id: agent.agentId, name: "Desk", url });
      const environment = {
        SIGNALBOX_URL: bed.baseUrl,
        SIGNALBOX_API_KEY: agent.apiKey,
        SIGNALBOX_SIGNING_SECRET: `${agent.signingSecret} ${desk.signing_secret}`,
      };
      const printed = await askWithClient(example, "When do you open?", environment);
      assert.deepEqual(printed.split(/\s*\n/), ["blocking:  At nine.", "streaming: At nine.", ""]);

      await using running = await startExample(example, environment, port);
      const { results } = await agent.client.webhooks.check();
      assert.ok(
        results.every(({ reachable }) => reachable),
        JSON.stringify(results),
      );
      const conversation_id = await agent.converse();
      await agent.client.handoffs.request({ conversation_id });
      const said = () =>
        agent.arrived().flatMap(({ body, headers }) => {
          const { output } = body as { output: { content: { text: string } }[] };
          const sender = String(headers["signalbox-sender"]);
          return ["human", "ai"].includes(sender) ? [`${sender}: ${output[0]?.content.text}`] : [];
        });
      const saidAll = (count: number) => eventually(`${count} replies`, () => said().length >= count);
      await saidAll(1);
      await agent.ask(conversation_id, "Grüße, 你好");
      await saidAll(2);
      await agent.ask(conversation_id, "bye");
      const control = async () => (await agent.client.handoffs.get({ conversation_id })).control;
      await eventually("the desk closes", async () => (await control()) === "bot");
      await agent.ask(conversation_id, "When do you open?");
      await saidAll(3);
      assert.deepEqual(said(), [
        "human: Hello, this is Ada. How can I help?",
        "human: You said: Grüße, 你好",
        "ai: At nine.",
      ]);
      assert.match(await running.printed(), /the user writes in \S+: bye/);
    });
  }
});
