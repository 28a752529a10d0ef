import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readServerSentEvents } from "./server-sent-events.ts";

async function read(...chunks: (string | Uint8Array)[]) {
  const encoder = new TextEncoder();
  async function* bytes() {
    for (const chunk of chunks)
      yield await Promise.resolve(typeof chunk === "string" ? encoder.encode(chunk) : chunk);
  }
  return Array.fromAsync(readServerSentEvents(bytes()));
}

const one = { id: "7", event: "text", data: "héllo 你好" };
const wire = "id: 7\nevent: text\ndata: héllo 你好\n\n";

describe("server-sent events", () => {
  it("server-sent events are parsed alike wherever the bytes are split", async () => {
    for (const lineEnd of ["\n", "\r\n", "\r"]) {
      const bytes = new TextEncoder().encode(wire.replaceAll("\n", lineEnd));
      const whole = await read(bytes, lineEnd);
      assert.deepEqual(whole, [one]);
      for (let cut = 0; cut <= bytes.length; cut += 1)
        assert.deepEqual(await read(bytes.subarray(0, cut), bytes.subarray(cut), lineEnd), [one]);
      assert.deepEqual(await read(...Array.from(bytes, (byte) => Uint8Array.of(byte)), lineEnd), [one]);
    }
  });

  it("the data lines of an event are joined, the last id is kept and the name is reset", async () => {
    assert.deepEqual(await read("id: 1\nevent: a\ndata: x\ndata:y\ndata\n\ndata: z\n\n"), [
      { id: "1", event: "a", data: "x\ny\n" },
      { id: "1", event: "message", data: "z" },
    ]);
  });

  it("comments, events without data and an unfinished event yield nothing", async () => {
    assert.deepEqual(await read(": still here\n\nevent: a\n\ndata: cut"), []);
  });
});
