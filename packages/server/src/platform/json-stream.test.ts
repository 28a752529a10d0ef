import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { JsonStream } from "./json-stream.ts";

interface Body {
  name: string;
  rows: { id: number; words: string[] }[];
  none: string[];
}

describe("streamed JSON body", () => {
  it("a streamed JSON body is the same document as one written whole", async () => {
    async function* words() {
      yield* ['a "quoted" word', "line\nbreak"];
    }
    async function* rows() {
      yield { id: 1, words: words() };
      yield { id: 2, words: [] };
    }
    async function* nothing() {}
    const stream = JsonStream.of<Body>({ name: "export", rows: rows(), none: nothing() });
    const text = (await Array.fromAsync(stream.chunks())).join("");
    assert.deepEqual(JSON.parse(text), {
      name: "export",
      rows: [
        { id: 1, words: ['a "quoted" word', "line\nbreak"] },
        { id: 2, words: [] },
      ],
      none: [],
    });
  });
});
