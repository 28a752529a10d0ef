import assert from "node:assert/strict";
import { once } from "node:events";
import { Readable } from "node:stream";
import { describe, it } from "node:test";
import { readBody } from "./read-body.ts";

const LIMITS = { announcedBytes: 0, bytesMax: 1_000, valuesMax: 10 };

function inPieces(text: string, length = 1): Readable {
  const bytes = Buffer.from(text);
  const count = Math.ceil(bytes.length / length);
  return Readable.from(
    Array.from({ length: count }, (_, index) => bytes.subarray(index * length, (index + 1) * length)),
    { objectMode: false },
  );
}

describe("reading a request body", () => {
  it("a body has the same value however the network splits it", async () => {
    const text = String.raw`{"a":["é\\",{"b":"\"}]"}]}`;
    for (const length of [1, 2, 3, text.length]) {
      const { bytes, value } = await readBody(inPieces(text, length), LIMITS);
      assert.deepEqual(value, JSON.parse(text));
      assert.equal(bytes.toString(), text);
    }
  });

  it("a body with too many values is refused before it has fully arrived, and its sender may finish", async () => {
    async function* send() {
      for (let sent = 0; sent < 100; sent += 1) {
        yield Buffer.from("[{},{},".repeat(10));
        await new Promise((resolve) => setImmediate(resolve));
      }
    }
    const stream = Readable.from(send(), { objectMode: false, highWaterMark: 100 });
    const ended = once(stream, "end");
    await assert.rejects(readBody(stream, LIMITS), { message: /more than 10 values/, valuesMax: 10 });
    assert.equal(stream.readableEnded, false);
    await ended;
  });

  it("a body over its byte limit is refused, in any number of chunks", async () => {
    await assert.rejects(readBody(inPieces(`"${"a".repeat(1_000)}"`, 10), LIMITS), { statusCode: 413 });
    const announced = { ...LIMITS, announcedBytes: 1_001 };
    await assert.rejects(readBody(new Readable({ read() {} }), announced), { statusCode: 413 });
    const { value } = await readBody(inPieces(`"${"a".repeat(998)}"`, 10), LIMITS);
    assert.equal(value, "a".repeat(998));
  });

  it("reading a body fails when the connection fails", async () => {
    const broken = new Readable({ read() {} });
    const reading = readBody(broken, LIMITS);
    broken.destroy(new Error("aborted"));
    await assert.rejects(reading, { message: "aborted" });
  });
});
