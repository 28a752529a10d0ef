import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ALWAYS, CLEAN, judge } from "./ledger.ts";
import { startReceiver } from "./receiver.ts";

function post(url: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return fetch(url, {
    method: "POST",
    body: text,
    headers: { "content-type": "application/json", ...headers },
  });
}

function message(conversationId: string, text: string, extra: object = {}) {
  return { conversation_id: conversationId, message_id: text, output: [{ content: { text } }], ...extra };
}

describe("test receiver", () => {
  it("the receiver records requests byte for byte and answers as 4.5 asks", async () => {
    await using receiver = await startReceiver();
    const response = await post(`${receiver.url}/hook?a=1`, '{ "a": "é" }', { "X-Case": "kept" });
    assert.deepEqual([response.status, await response.json()], [200, { code: 200, msg: "success" }]);
    const [request] = receiver.requests;
    assert.equal(request?.path, "/hook?a=1");
    assert.equal(request?.method, "POST");
    assert.equal(request?.bodyBytes.toString(), '{ "a": "é" }');
    assert.deepEqual(request?.body, { a: "é" });
    assert.equal(request?.headers["x-case"], "kept");
    assert.ok(
      request?.rawHeaders.some(([name, value]) => name.toLowerCase() === "x-case" && value === "kept"),
    );
    assert.equal(request?.index, 0);
    await (await post(receiver.url, "not json")).arrayBuffer();
    assert.equal(receiver.requests[1]?.body, undefined);
    assert.ok((receiver.requests[1]?.arrivedAt ?? 0) >= (request?.arrivedAt ?? 0));
  });

  it("the receiver answers as told: status, headers, body, delay, a cut connection", async () => {
    await using receiver = await startReceiver();
    receiver.respond(({ path }) => {
      if (path === "/busy")
        return { status: 429, headers: { "retry-after": "2" }, body: "later", delayMs: 60 };
      return path === "/cut" ? { destroySocket: true } : undefined;
    });
    const before = performance.now();
    const busy = await post(`${receiver.url}/busy`, {});
    assert.deepEqual([busy.status, busy.headers.get("retry-after"), await busy.text()], [429, "2", "later"]);
    assert.ok(performance.now() - before >= 55);
    await assert.rejects(post(`${receiver.url}/cut`, {}));
    assert.equal(
      receiver.requests.length,
      2,
      "the developer has the message although the caller saw a failure",
    );
    assert.equal((await post(receiver.url, {})).status, 200);
  });

  it("the receiver tells connections apart", async () => {
    await using receiver = await startReceiver();
    const close = { headers: { connection: "close" } };
    receiver.respond(() => close);
    for (let count = 0; count < 2; count += 1) await (await post(receiver.url, {})).arrayBuffer();
    assert.notEqual(receiver.requests[0]?.connectionId, receiver.requests[1]?.connectionId);
  });

  it("the receiver waits for a request, finds an earlier one, and says what it has when none comes", async () => {
    await using receiver = await startReceiver();
    const waiting = receiver.waitFor(({ path }) => path === "/second");
    for (const path of ["/first", "/second"]) await post(receiver.url + path, {});
    assert.equal((await waiting).index, 1);
    assert.equal((await receiver.waitFor(({ path }) => path === "/first")).index, 0);
    await receiver.waitForCount(2);
    await assert.rejects(
      receiver.waitFor(() => false, 20),
      /got 2 requests but none that fits/,
    );
    await assert.rejects(receiver.waitForCount(3, 20), /got 2 of 3/);
  });

  it("the receiver gives a ledger for judge, without availability tests and handoff calls", async () => {
    await using receiver = await startReceiver();
    const send = (body: object, id: string, sequence: number) =>
      post(receiver.url, body, {
        "webhook-id": id,
        "signalbox-sequence": String(sequence),
        "signalbox-attempt": "1",
      });
    await send(message("c", "one"), "m1", 1);
    await send(message("c", "two"), "m2", 2);
    await send(message("c", "two"), "m2", 2);
    await send(message("c", "probe", { istest: true }), "m3", 3);
    await send({ conversation_id: "h", timestamp: 1, body: "hello" }, "m4", 1);
    const accepted = ["one", "two"].map((key) => ({ conversationId: "c", key }));
    const verdict = judge({ accepted, received: receiver.ledger(), faults: [ALWAYS] });
    assert.deepEqual(verdict, { ...CLEAN, duplicates: [receiver.ledger()[2]] });
    assert.deepEqual(
      receiver.ledger(({ message_id }) => `<${message_id}>`).map(({ key }) => key),
      ["<one>", "<two>", "<two>"],
    );
  });

  it("the receiver can be closed and reopened on the same port", async () => {
    const first = await startReceiver();
    await first.close();
    await assert.rejects(post(first.url, {}));
    await using second = await startReceiver({ port: first.port });
    assert.equal(second.url, first.url);
    assert.equal((await post(first.url, {})).status, 200);
  });
});
