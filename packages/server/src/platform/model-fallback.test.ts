import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import { faults, serveModel, type ModelReply } from "@signalbox/tests/support/model-server.ts";
import type { ModelFailure } from "./model-client.ts";
import { openChatModelWithFallback } from "./model-fallback.ts";
import { unmetered, type ModelCalls } from "./model-quota.ts";
import { openOutbound } from "./outbound-http.ts";

const { server: first, outbound } = await serveModel(openOutbound);
const { server: second } = await serveModel(openOutbound);

const messages = [{ role: "user" as const, content: "When do you open?" }];

function open(options: {
  withinMs?: number;
  calls?: ModelCalls;
  onFailed?: (failure: ModelFailure) => void;
}) {
  const { calls = unmetered(), ...rest } = options;
  const address = { key: undefined, timeoutMs: 20_000 };
  return openChatModelWithFallback(
    outbound,
    {
      chat: { ...address, url: first.url, model: "first" },
      fallback: { ...address, url: second.url, model: "second", kind: "chat_fallback" },
    },
    calls,
    rest,
  );
}

describe("chat model with a fallback", () => {
  beforeEach(() => {
    first.answer(() => ({ say: "first" }));
    second.answer(() => ({ say: "second" }));
  });

  it("a first model that says nothing is left in time for its fallback, and one that speaks goes on", async () => {
    const slowly: ModelReply = { say: "1234567890 ".repeat(12), pieceEveryMs: 450 };
    first.answer(({ body }) => (body.stream === true ? slowly : faults.silence()));
    const begun = performance.now();
    let told = "";
    const [left, spoken] = await Promise.all([
      open({ withinMs: 7_000 }).say({ messages }),
      open({ withinMs: 7_000 }).say({
        messages,
        onText: (text) => void (told += text),
        isTold: () => told !== "",
      }),
    ]);
    assert.ok(performance.now() - begun < 7_000);
    assert.equal(left.kind === "said" && left.text, "second");
    assert.equal(spoken.kind === "said" && spoken.text, told);
    assert.ok(told.startsWith("1234567890 1234"));
  });

  it("two models that fail give the failure of the first, and the other is told of", async () => {
    const failures: string[] = [];
    first.next({ status: 401, error: { message: "no" } });
    second.next(faults.rateLimited());
    const said = await open({ onFailed: ({ cause }) => void failures.push(cause) }).say({ messages });
    assert.equal(said.kind === "failed" && said.cause, "unauthorised");
    assert.deepEqual(failures, ["rate_limited"]);
  });

  it("a call that is called off asks no fallback", async () => {
    first.next(faults.silence());
    const said = await open({ withinMs: 20_000 }).say({ messages, signal: AbortSignal.timeout(100) });
    assert.equal(said.kind === "failed" && said.cause, "called_off");
    assert.equal(second.requests.length, 0);
  });

  it("an agent that has used what it may asks no fallback", async () => {
    let asked = 0;
    const meter: ModelCalls["meter"] = async () => {
      asked += 1;
      return { kind: "failed", cause: "rate_limited", detail: "no place", isOwnLimit: true };
    };
    const said = await open({ calls: { ...unmetered(), meter } }).say({ messages });
    assert.equal(said.kind === "failed" && said.cause, "rate_limited");
    assert.equal(asked, 1);
  });
});
