import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type CallToSend, prepareCall } from "../testing/calling.ts";
import { sampleBody } from "../testing/samples.ts";
import type { CallContext, CallKind } from "./calls.ts";
import { createReceiver, type ReceiverOptions } from "./receiver.ts";

const url = "https://shop.example.com/hooks";
const signingSecrets = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const credentials = { username: "signalbox", secret: "s3cret:with colon" };
const kinds: CallKind[] = [
  "message",
  "handoff_requested",
  "user_message",
  "handoff_closed",
  "operator_event",
];

type Heard = { kind: CallKind; body: object; context: CallContext };

function listen(options: ReceiverOptions = {}) {
  const heard: Heard[] = [];
  const errors: unknown[] = [];
  const note = (kind: CallKind) => (body: object, context: CallContext) =>
    void heard.push({ kind, body, context });
  const receiver = createReceiver({
    ...credentials,
    signingSecrets,
    onMessage: note("message"),
    onHandoffRequested: note("handoff_requested"),
    onUserMessage: note("user_message"),
    onHandoffClosed: note("handoff_closed"),
    onOperatorEvent: note("operator_event"),
    onError: (error) => errors.push(error),
    ...options,
  });
  const send = async (call: Partial<CallToSend> = {}) => {
    const kind = call.kind ?? "message";
    const { url: target, ...init } = await prepareCall({
      url,
      kind,
      body: sampleBody(kind),
      ...credentials,
      signingSecrets,
      ...call,
    });
    const response = await receiver.fetch(new Request(target, init));
    return { status: response.status, body: await response.json(), headers: response.headers };
  };
  return { heard, errors, receiver, send };
}

describe("receiver", () => {
  it("a receiver passes each call to its handler and acknowledges it as the specification says", async () => {
    const { heard, send } = listen();
    for (const kind of kinds) {
      const sent = sampleBody(kind);
      const answer = await send({ kind, body: sent, webhookId: `id-${kind}`, sequence: 7, attempt: 2 });
      const word = kind === "message" ? "msg" : "message";
      assert.deepEqual([answer.status, answer.body], [200, { code: 200, [word]: "success" }]);
      const last = heard.at(-1);
      assert.equal(last?.kind, kind);
      assert.deepEqual(last?.body, sent);
      assert.equal(last?.context.webhookId, `id-${kind}`);
      assert.deepEqual([last?.context.sequence, last?.context.attempt], [7, 2]);
    }
  });

  it("a receiver tells the agent's conversation from the handoff, and one lane from another", async () => {
    const { heard, send } = listen();
    await send();
    await send({ kind: "user_message" });
    const [message, chat] = heard.map(({ context }) => context);
    assert.equal(message?.conversationId, sampleBody("message").conversation_id);
    assert.equal(chat?.conversationId, sampleBody("message").conversation_id);
    assert.notEqual(message?.laneId, chat?.laneId);
    assert.deepEqual([message?.sender, chat?.sender], ["ai", "user"]);
  });

  it("a receiver knows a call by its path when the event header is missing", async () => {
    const { heard, send } = listen();
    for (const kind of kinds.slice(0, 4)) await send({ kind, headers: { "signalbox-event": undefined } });
    assert.deepEqual(
      heard.map(({ kind }) => kind),
      kinds.slice(0, 4),
    );
  });

  it("a receiver answers an availability test on every path without calling a handler", async () => {
    const { heard, send } = listen({ onHandoffRequested: () => "busy" });
    for (const kind of kinds) {
      const body = { ...sampleBody(kind), istest: true };
      const first = await send({ kind, body, webhookId: "same" });
      assert.equal(first.status, 200);
    }
    assert.deepEqual(heard, []);
    assert.equal((await send({ webhookId: "same" })).status, 200);
    assert.equal(heard.length, 1);
    const unhandled = createReceiver({ ...credentials });
    const { url: target, ...init } = await prepareCall({
      url,
      kind: "user_message",
      body: { ...sampleBody("user_message"), istest: true },
      ...credentials,
    });
    assert.equal((await unhandled.fetch(new Request(target, init))).status, 200);
  });

  it("a receiver refuses wrong, missing or partial credentials, also in a test", async () => {
    const { heard, send } = listen();
    const wrong = [
      { username: "other" },
      { secret: "wrong" },
      { secret: undefined },
      { username: undefined, secret: undefined },
      { headers: { authorization: "Basic" } },
      { headers: { authorization: `Bearer ${credentials.username}` } },
    ];
    for (const change of wrong) {
      assert.equal((await send(change)).status, 401);
      assert.equal((await send({ ...change, body: { ...sampleBody("message"), istest: true } })).status, 401);
    }
    assert.deepEqual(heard, []);
  });

  it("a receiver accepts Bearer with a username alone, and a signature alone without one", async () => {
    const bearer = listen({ secret: undefined });
    assert.equal((await bearer.send({ secret: undefined })).status, 200);
    assert.equal((await bearer.send({})).status, 401);
    const signed = listen({ username: undefined, secret: undefined });
    assert.equal((await signed.send({ username: undefined })).status, 200);
    assert.equal((await signed.send({ username: undefined, signingSecrets: undefined })).status, 401);
  });

  it("a receiver accepts both signing secrets during a rotation", async () => {
    const next = "whsec_c2Vjb25kIHNlY3JldCBvZiBhIHJvdGF0aW9u";
    const { send } = listen({ signingSecrets: [next, signingSecrets, undefined] });
    assert.equal((await send()).status, 200);
    assert.equal((await send({ signingSecrets: next })).status, 200);
    assert.equal((await send({ signingSecrets: [next, signingSecrets] })).status, 200);
    assert.equal((await send({ signingSecrets: "whsec_b3RoZXI=" })).status, 401);
  });

  it("a receiver says what is wrong with a signature", async () => {
    const { send } = listen();
    const old = await send({ signedAtMs: Date.now() - 600_000 });
    assert.deepEqual([old.status, old.body], [401, { code: 401, message: "the signature is too old" }]);
    const missing = await send({ headers: { "webhook-signature": undefined } });
    assert.match(JSON.stringify(missing.body), /headers are missing/);
  });

  it("a receiver handles a repeated call once, also while the first is running", async () => {
    const gate = Promise.withResolvers<void>();
    let handled = 0;
    const { send } = listen({
      async onMessage() {
        handled += 1;
        await gate.promise;
      },
    });
    const together = [send({ webhookId: "a" }), send({ webhookId: "a", attempt: 2 })];
    setTimeout(gate.resolve, 30);
    for (const { status } of await Promise.all(together)) assert.equal(status, 200);
    assert.equal((await send({ webhookId: "a", attempt: 3 })).status, 200);
    assert.equal(handled, 1);
    await send({ webhookId: "b" });
    assert.equal(handled, 2);
  });

  it("a receiver handles a failed call again, and a replayed call only if configured to", async () => {
    let failures = 1;
    const { send, errors } = listen({
      onMessage() {
        failures -= 1;
        if (failures === 0) throw new Error("database is away");
      },
    });
    const failed = await send({ webhookId: "a" });
    assert.deepEqual(
      [failed.status, failed.body],
      [500, { code: 500, message: "the handler failed; see the receiver's log" }],
    );
    assert.match(String(errors[0]), /database is away/);
    assert.equal((await send({ webhookId: "a" })).status, 200);
    assert.equal(failures, -1);
    const replay = { webhookId: "a", headers: { "signalbox-replay": "true" } };
    await send(replay);
    assert.equal(failures, -1);

    const eager = listen({ handleReplays: true });
    for (const call of [{ webhookId: "a" }, { webhookId: "a" }, replay, replay]) await eager.send(call);
    assert.deepEqual(
      eager.heard.map(({ context }) => context.isReplay),
      [false, true, true],
    );
  });

  it("a receiver tells calls without an id apart by their content", async () => {
    const { heard, send } = listen({ signingSecrets: undefined });
    const headers = { "webhook-id": undefined };
    for (const text of ["one", "two", "one"])
      await send({
        kind: "user_message",
        headers,
        body: { ...sampleBody("user_message", { timestamp: 1 }), body: text },
      });
    for (const message_id of ["1", "1", "2"])
      await send({ headers, body: sampleBody("message", { message_id }) });
    assert.equal(heard.length, 4);
  });

  it("a receiver answers 500 when both the handler and onError throw", async (test) => {
    const printed = test.mock.method(console, "error", () => undefined);
    const fail = () => {
      throw new Error("everything is away");
    };
    const { send } = listen({ onMessage: fail, onError: fail });
    assert.equal((await send()).status, 500);
    assert.equal(printed.mock.callCount(), 1);
  });

  it("a receiver with a shared store turns away a call that another process is handling", async () => {
    const { send, heard } = listen({
      deduplication: {
        claim: (id) => Promise.resolve(id === "theirs" ? "in_progress" : "claimed"),
        confirm: () => Promise.reject(new Error("store is away")),
        release: () => Promise.resolve(),
      },
    });
    const theirs = await send({ webhookId: "theirs" });
    assert.deepEqual([theirs.status, theirs.headers.get("retry-after")], [409, "1"]);
    assert.deepEqual(heard, []);
    assert.equal((await send({ webhookId: "mine" })).status, 500);
  });

  it("a receiver that answers busy does not remember the handoff request", async () => {
    let humans = 0;
    let taken = 0;
    const { send } = listen({
      onHandoffRequested() {
        if (humans === 0) return "busy";
        taken += 1;
        return undefined;
      },
    });
    const busy = await send({ kind: "handoff_requested", webhookId: "h" });
    assert.deepEqual([busy.status, busy.body], [409, { code: 409, message: "busy" }]);
    humans = 1;
    assert.equal((await send({ kind: "handoff_requested", webhookId: "h" })).status, 200);
    assert.equal(taken, 1);
  });

  it("a receiver stops reading a body at its size limit", async () => {
    const { receiver } = listen({ maxBodyBytes: 1_000 });
    let chunks = 0;
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        chunks += 1;
        controller.enqueue(new Uint8Array(100));
      },
    });
    const request = new Request(url, { method: "POST", body: endless, duplex: "half" });
    assert.equal((await receiver.fetch(request)).status, 413);
    assert.ok(chunks < 20);
  });

  it("a receiver says what is wrong with a body it refuses", async () => {
    const { send, receiver } = listen({ maxBodyBytes: 2_000 });
    const bodies: [string | object, number][] = [
      ["not json", 400],
      ["[]", 400],
      [{ conversation_id: "c" }, 400],
      [{ ...sampleBody("message"), padding: "x".repeat(2_000) }, 413],
    ];
    for (const [body, status] of bodies) assert.equal((await send({ body })).status, status);
    assert.equal((await receiver.fetch(new Request(url))).status, 405);
    const mute = createReceiver({ ...credentials });
    const { url: target, ...init } = await prepareCall({
      url,
      kind: "message",
      body: sampleBody("message"),
      ...credentials,
    });
    const answer = await mute.fetch(new Request(target, init));
    assert.deepEqual(
      [answer.status, await answer.json()],
      [404, { code: 404, message: "no handler for message" }],
    );
    assert.equal((await send({ headers: { "signalbox-event": "typing" } })).status, 404);
  });

  it("a receiver accepts a body with unknown fields", async () => {
    const { heard, send } = listen();
    assert.equal((await send({ body: { ...sampleBody("message"), mood: "good" } })).status, 200);
    assert.equal(heard.length, 1);
  });

  it("a receiver without any credentials or secrets cannot be created by mistake", () => {
    assert.throws(
      () => createReceiver({ username: undefined, signingSecrets: [undefined] }),
      /anyone could send requests/,
    );
    assert.throws(() => createReceiver({ signingSecrets: "hunter2!" }), /whsec_ followed by Base64/);
    assert.throws(() => createReceiver({ secret: "s", signingSecrets }), /secret needs a username/);
    assert.ok(createReceiver({ allowAnybody: true }));
  });
});
