import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { startReceiver } from "@signalbox/tests/support/receiver.ts";
import fc from "fast-check";
import { openEngine } from "./client.ts";
import { isObjectKey, objectKey, readObjectKey, type ObjectKey } from "./object-key.ts";

describe("object key", () => {
  it("an object key contains the agent id and round-trips", () => {
    fc.assert(
      fc.property(fc.uuid(), fc.uuid(), (agentId, id) => {
        assert.deepEqual(readObjectKey(objectKey(agentId, id)), { agentId, id });
      }),
    );
  });

  it("an object key is exactly two ids, without user text or paths", () => {
    const id = "0194c2b0-0000-7000-8000-000000000001";
    for (const key of [
      "",
      id,
      `${id}.`,
      `${id}.${id}.${id}`,
      `${id}.${id}/x`,
      `${id} ${id}`,
      `hello.${id}`,
    ]) {
      assert.equal(isObjectKey(key), false, key);
      assert.equal(readObjectKey(key), undefined);
    }
    fc.assert(fc.property(fc.string(), (text) => !isObjectKey(text)));
  });

  it("the engine client sends nothing but an object key and refuses anything else", async () => {
    await using ingress = await startReceiver();
    const engine = openEngine({ ingressUrl: ingress.url });
    const id = "0194c2b0-0000-7000-8000-000000000001";
    try {
      assert.equal(await engine.send("lane", "drain", objectKey(id, id), 1_500.2), true);
      assert.deepEqual(
        ingress.requests.map(({ path, bodyBytes }) => [path, bodyBytes.length]),
        [[`/lane/${id}.${id}/drain/send?delay=1501ms`, 0]],
      );
      await assert.rejects(engine.send("lane", "drain", "a user's words" as ObjectKey), /only ids/);
      ingress.respond(() => ({ status: 500 }));
      assert.equal(await engine.send("lane", "drain", objectKey(id, id)), false);
      await ingress.close();
      assert.equal(await engine.send("lane", "drain", objectKey(id, id)), false);
      assert.notEqual(await engine.probe(), undefined);
    } finally {
      await engine.close();
    }
  });
});
