import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { readJsonEvents } from "./model-events.ts";

async function* inPieces(bytes: Buffer, cuts: number[]): AsyncGenerator<Buffer> {
  let from = 0;
  for (const cut of [...cuts, bytes.length]) {
    const to = Math.max(from, Math.min(cut, bytes.length));
    yield bytes.subarray(from, to);
    from = to;
  }
}

const eventsIn = (text: string, cuts: number[] = []) =>
  Array.fromAsync(readJsonEvents(inPieces(Buffer.from(text), cuts)));

describe("events of a streamed model reply", () => {
  it("events are read the same wherever the bytes are cut and however lines end", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ text: fc.string({ unit: "binary" }) }, { noNullPrototype: true }), {
          maxLength: 5,
        }),
        fc.constantFrom("\n", "\r\n"),
        fc.constantFrom("data:", "data: "),
        fc.array(fc.nat(400), { maxLength: 6 }),
        async (events, end, field, cuts) => {
          const written = events.map(
            (event) => `: a comment${end}${field}${JSON.stringify(event)}${end}${end}`,
          );
          const cutAt = cuts.toSorted((one, other) => one - other);
          assert.deepEqual(await eventsIn(`${written.join("")}data: [DONE]${end}${end}`, cutAt), events);
        },
      ),
    );
  });

  it("nothing is read behind the last event, nor an event that is not whole", async () => {
    assert.deepEqual(await eventsIn('data: {"a":1}\n\ndata: [DONE]\n\ndata: {"a":2}\n\n'), [{ a: 1 }]);
    assert.deepEqual(await eventsIn('data: {"a":1}\n\ndata: {"a":2}\n'), [{ a: 1 }]);
  });

  it("data on several lines is one event", async () => {
    assert.deepEqual(await eventsIn('event: x\ndata: {"a":\ndata: 1}\n\n'), [{ a: 1 }]);
  });

  it("an event that reports an error, or is not JSON, fails the reply", async () => {
    await assert.rejects(eventsIn('data: {"error":{"message":"overloaded"}}\n\n'), /overloaded/);
    await assert.rejects(eventsIn('data: {"error":"overloaded"}\n\n'), /overloaded/);
    await assert.rejects(eventsIn("data: {\n\n"), SyntaxError);
  });
});
