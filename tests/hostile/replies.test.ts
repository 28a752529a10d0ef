import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { Webhook } from "standardwebhooks";
import { makeAgentAt, type AgentAt } from "../support/agent-at.ts";
import { openBed, type Bed } from "../support/bed.ts";
import { eventually } from "../support/processes.ts";
import type { ReceivedRequest, Reply } from "../support/receiver.ts";
import { atMost } from "../support/machine.ts";

let bed: Bed;
const replies = new Map<string, (request: ReceivedRequest) => Reply | undefined>();

before(async () => {
  bed = await openBed({
    apis: 1,
    workers: 1,
    environment: { DELIVERY_RETRY_SECONDS: "0.3,0.6,1", RATE_LIMIT_PER_SECOND: "100000" },
  });
  bed.receiver.respond((request) => replies.get(request.path)?.(request));
});
after(() => bed?.[Symbol.asyncDispose]());

function arrivedAt(path: string): ReceivedRequest[] {
  return bed.receiver.requests.filter((request) => request.path === path);
}

function verify(secret: string, { bodyBytes, headers }: ReceivedRequest): unknown {
  return new Webhook(secret).verify(bodyBytes.toString("utf8"), headers as Record<string, string>);
}

/** What the log keeps of the answer to an attempt. */
async function keptOf({ agentId }: AgentAt): Promise<Buffer | null> {
  const [row] = await bed.database.query(
    "select response_body from attempt where agent_id = $1 order by number limit 1",
    [agentId],
  );
  return (row?.["response_body"] ?? null) as Buffer | null;
}

describe("replies of a webhook", () => {
  const SCRIPT = "<html><script>alert(document.cookie)</script></html>";
  const bodies: [what: string, body: unknown][] = [
    ["with a page of HTML", SCRIPT],
    ["with nothing", ""],
    ["with bytes that are no UTF-8", Buffer.from([0xc3, 0x28, 0xff, 0xfe, 0x00, 0x80])],
    ["with another code", '{"code":500,"msg":"success"}'],
    ["with JSON that is no object", "null"],
    ["with a NUL and line breaks", "\u0000\r\n\u0000"],
    ["with JSON a thousand levels deep", "[".repeat(20_000) + "]".repeat(20_000)],
  ];
  for (const [index, [what, body]] of bodies.entries()) {
    it(`a 200 ${what} is a delivery with a remark, and a failure where the webhook is strict`, async () => {
      const path = `/reply-${index}`;
      replies.set(path, () => ({ body }));
      const lenient = await makeAgentAt(bed, `${bed.receiver.url}${path}`);
      await lenient.say(await lenient.converse());
      const [delivery] = await lenient.settled(1);
      assert.deepEqual([delivery?.state, delivery?.attempts], ["delivered", 1]);
      const bytes = Buffer.isBuffer(body) ? body : Buffer.from(String(body));
      const kept = await keptOf(lenient);
      assert.ok(
        kept !== null && kept.equals(bytes.subarray(0, 4_096)),
        "the log keeps the bytes as they came",
      );

      const strict = await makeAgentAt(bed, `${bed.receiver.url}${path}`, { strict_acknowledgement: true });
      await strict.say(await strict.converse());
      const [first] = await strict.attempted(1);
      assert.deepEqual([first?.cause, first?.http_status], ["unacknowledged", 200]);
    });
  }

  it("a plain acknowledgement is not stored", async () => {
    const agent = await makeAgentAt(bed, `${bed.receiver.url}/ordinary`);
    await agent.say(await agent.converse());
    await agent.settled(1);
    assert.equal(await keptOf(agent), null);
  });

  it("a reply that echoes our credentials is stored without them", async () => {
    const path = "/echo";
    replies.set(path, ({ headers }) => ({ body: JSON.stringify(headers), status: 500 }));
    const agent = await makeAgentAt(bed, `${bed.receiver.url}${path}`, {
      username: "canary-name",
      secret: "canary-word",
    });
    await agent.say(await agent.converse());
    await agent.attempted(1);
    const text = (await keptOf(agent))?.toString("latin1") ?? "";
    assert.match(text, /signalbox-event/);
    for (const secret of [
      "canary-name",
      "canary-word",
      Buffer.from("canary-name:canary-word").toString("base64"),
    ])
      assert.equal(text.includes(secret), false, `the log keeps ${secret}`);
  });

  for (const status of [201, 202, 204, 206, 304]) {
    it(`${status} is a failure: only 200 is a delivery`, async () => {
      const path = `/status-${status}`;
      replies.set(path, ({ headers }) =>
        headers["signalbox-attempt"] === "1" ? { status, body: "" } : undefined,
      );
      const agent = await makeAgentAt(bed, `${bed.receiver.url}${path}`);
      await agent.say(await agent.converse());
      await agent.settled(1);
      const [first, second] = await agent.attempts();
      assert.deepEqual([first?.cause, first?.http_status], ["http_status", status]);
      assert.equal(second?.http_status, 200);
    });
  }
});

describe("signature on the wire", () => {
  const ODD = [
    "Grüße, 你好, 안녕, \u05e9\u05dc\u05d5\u05dd",
    "line\u2028separator\u2029paragraph\u0085next",
    "\ud83d\ude80\ud83d\udc68\u200d\ud83d\udc69\u200d\ud83d\udc67 \u200b\ufeff zero width",
    "</script><script>alert(1)</script> &amp; \\u0041 \\\\ \" ' `",
    "e\u0301 \u00e9 \u212b",
    "tab\tnewline\nreturn\r\nend",
    "x".repeat(25_000),
    '{"code":200,"msg":"success"}',
  ];

  it("a signature covers the bytes on the wire, whatever they are, and is new for every attempt", async () => {
    const path = "/signed";
    replies.set(path, ({ headers }) => (headers["signalbox-attempt"] === "1" ? { status: 503 } : undefined));
    const qaList = ODD.map((answer, index) => ({ question: `question${index}`, answer }));
    const agent = await makeAgentAt(bed, `${bed.receiver.url}${path}`, {}, qaList);
    for (const [index, answer] of ODD.entries()) {
      const conversationId = await agent.converse();
      await agent.say(conversationId, `question${index}`);
      const requests = await eventually("it came twice", () => {
        const found = arrivedAt(path).filter(
          ({ body }) => (body as { conversation_id: string }).conversation_id === conversationId,
        );
        return found.length >= 2 && found;
      });
      const [first, second] = requests;
      assert.ok(first !== undefined && second !== undefined);
      assert.deepEqual(second.bodyBytes, first.bodyBytes);
      assert.equal(second.headers["webhook-id"], first.headers["webhook-id"]);
      for (const request of [first, second]) {
        const message = verify(agent.signingSecret, request) as { output: { content: { text: string } }[] };
        assert.equal(message.output[0]?.content.text, answer);
        assert.doesNotMatch(request.headers["webhook-id"] ?? ".", /\./);
      }
      assert.deepEqual(Object.keys(first.body as object), [
        "user_id",
        "anonymous_id",
        "conversation_id",
        "message_id",
        "create_time",
        "output",
        "usage",
      ]);
      const forged = { ...first, bodyBytes: Buffer.concat([first.bodyBytes, Buffer.from(" ")]) };
      assert.throws(() => verify(agent.signingSecret, forged));
      const moved = { ...first, headers: { ...first.headers, "webhook-id": "another" } };
      assert.throws(() => verify(agent.signingSecret, moved));
    }
  });
});

for (const [what, skewMs] of [
  ["ten minutes ahead", 600_000],
  ["ten minutes behind", -600_000],
] as const) {
  describe(`process clocks ${what} of the database's`, () => {
    let skewed: Bed;
    before(async () => {
      skewed = await openBed({
        apis: 1,
        workers: 1,
        environment: {
          NODE_OPTIONS: `--import=${new URL("../support/skewed-clock.ts", import.meta.url).href}`,
          SIGNALBOX_TEST_CLOCK_SKEW_MS: String(skewMs),
          // Signatures of the engine are dated, and this worker's clock is off.
          ENGINE_IDENTITY_KEYS: "",
          DELIVERY_RETRY_SECONDS: "1,2",
        },
      });
    });
    after(() => skewed?.[Symbol.asyncDispose]());

    it(`the service retries on time and in order with process clocks ${what}, and its signatures verify`, async () => {
      const answers = [{ status: 503 }, { status: 503, headers: { "retry-after": "2" } }];
      skewed.receiver.respond(() => answers.shift());
      const agent = await makeAgentAt(skewed, `${skewed.receiver.url}/skewed`);
      const conversationId = await agent.converse();
      for (let time = 0; time < 3; time += 1) await agent.say(conversationId);
      await agent.settled(3, 30_000);
      const { requests } = skewed.receiver;
      assert.deepEqual(
        requests.map(({ headers }) => headers["signalbox-sequence"]),
        ["1", "1", "1", "2", "3"],
      );
      const gaps = [1, 2].map(
        (index) => (requests[index]?.arrivedAt ?? 0) - (requests[index - 1]?.arrivedAt ?? 0),
      );
      assert.ok((gaps[0] ?? 0) >= 1_000, `${gaps.join()} ms`);
      atMost(gaps[0] ?? 0, 5_000, "the second attempt");
      assert.ok((gaps[1] ?? 0) >= 2_000, `${gaps.join()} ms`);
      atMost(gaps[1] ?? 0, 7_000, "the third attempt");
      for (const request of requests) {
        verify(agent.signingSecret, request);
        const offMs = Number(request.headers["webhook-timestamp"]) * 1_000 - request.arrivedAt;
        assert.ok(Math.abs(offMs) < 5_000, `dated ${offMs} ms off`);
      }
      const rotated = await agent.operator.webhooks.rotateSecret({
        agent_id: agent.agentId,
        overlap_seconds: 60,
      });
      await agent.say(conversationId);
      await agent.settled(4);
      const last = requests.at(-1);
      assert.ok(last !== undefined);
      for (const secret of [agent.signingSecret, rotated.signing_secret]) verify(secret, last);
    });

    it(`the process clocks are ${what} in this test`, () => {
      const line =
        skewed
          .worker()
          .logs()
          .split("\n")
          .find((text) => text.includes('"event":"service_ready"')) ?? "";
      const at = Date.parse((JSON.parse(line) as { time: string }).time);
      assert.ok(Math.abs(at - Date.now() - skewMs) < 120_000, line);
    });
  });
}
