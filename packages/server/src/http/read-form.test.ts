import assert from "node:assert/strict";
import { Readable } from "node:stream";
import { describe, it } from "node:test";
import fc from "fast-check";
import { UnreadableBody } from "./json-body.ts";
import { FormBody, readForm } from "./read-form.ts";

const TYPE = 'multipart/form-data; boundary="--b"';

/** The body in pieces of one size, as a network may cut it. */
function piecesOf(body: Buffer, size: number): Readable {
  const count = Math.ceil(body.length / size);
  return Readable.from(
    Array.from({ length: count }, (_, at) => body.subarray(at * size, (at + 1) * size)),
    { objectMode: false },
  );
}

async function partsOf(body: string | Buffer, { size = 7, type = TYPE } = {}) {
  const parts: { name: string; fileName: string | undefined; text: string }[] = [];
  for await (const { name, fileName, contents } of readForm(
    new FormBody(piecesOf(Buffer.from(body), size), type),
  )) {
    const pieces: Buffer[] = [];
    for await (const piece of contents) pieces.push(piece);
    parts.push({ name, fileName, text: Buffer.concat(pieces).toString("latin1") });
  }
  return parts;
}

const part = (disposition: string, text: string) =>
  `----b\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n${text}\r\n`;
const END = "----b--\r\n";

describe("multipart/form-data", () => {
  it("a form is read part by part, wherever the network cuts it", async () => {
    const body = `a preamble\r\n${part('name="a"', "one")}${part('name="file"; filename="f.csv"', "q,a\r\n--x\r\n")}${END}behind`;
    for (let size = 1; size < body.length + 1; size += 1)
      assert.deepEqual(await partsOf(body, { size }), [
        { name: "a", fileName: undefined, text: "one" },
        { name: "file", fileName: "f.csv", text: "q,a\r\n--x\r\n" },
      ]);
  });

  it("any bytes arrive as they were sent", async () => {
    const anyBytes = fc.uint8Array({ maxLength: 300 });
    await fc.assert(
      fc.asyncProperty(anyBytes, fc.integer({ min: 1, max: 64 }), async (bytes, size) => {
        const head = Buffer.from(part('name="file"; filename="f"', "").slice(0, -2));
        const body = Buffer.concat([head, bytes, Buffer.from(`\r\n${END}`)]);
        fc.pre(!Buffer.from(bytes).includes("\r\n----b"));
        const [read] = await partsOf(body, { size });
        assert.equal(read?.text, Buffer.from(bytes).toString("latin1"));
      }),
    );
  });

  it("contents that nobody reads are passed over", async () => {
    const names: string[] = [];
    const body = Buffer.from(`${part('name="a"', "x".repeat(500))}${part('name="b"', "y")}${END}`);
    for await (const { name } of readForm(new FormBody(piecesOf(body, 11), TYPE))) names.push(name);
    assert.deepEqual(names, ["a", "b"]);
  });

  it("names of files are read as clients write them, without folders", async () => {
    const names: [written: string, read: string][] = [
      ['filename="faq.csv"', "faq.csv"],
      ["filename=faq.csv", "faq.csv"],
      ['filename="常见问题.xlsx"', "常见问题.xlsx"],
      ["filename*=UTF-8''%E5%B8%B8.csv", "常.csv"],
      ["filename=\"x.csv\"; filename*=utf-8'en'y.csv", "y.csv"],
      ['filename="a%22b.csv"', 'a"b.csv'],
      ['filename="a\\"b.csv"', 'a"b.csv'],
      ['filename="C:\\Users\\ada\\faq.csv"', "faq.csv"],
      ['filename="../../etc/passwd"', "passwd"],
      ['filename=""', ""],
    ];
    for (const [written, read] of names)
      assert.equal((await partsOf(`${part(`name="file"; ${written}`, "x")}${END}`))[0]?.fileName, read);
  });

  const broken: [what: string, body: string, type?: string][] = [
    ["no boundary", END, "multipart/form-data"],
    ["an empty body", ""],
    ["a body that ends within a part", part('name="a"', "one").slice(0, -9)],
    ["a body without its end", part('name="a"', "one")],
    ["a part without a name", `${part("", "x")}${END}`],
    ["a part without headers", `----b\r\n\r\nx\r\n${END}`],
    ["a broken boundary", `----bx\r\n\r\nx\r\n${END}`],
    ["too many headers", `----b\r\nX: ${"y".repeat(20_000)}\r\n\r\nx\r\n${END}`],
    ["too many parts", `${part('name="a"', "").repeat(101)}${END}`],
  ];
  for (const [what, body, type = TYPE] of broken)
    it(`a broken form is refused in words: ${what}`, () =>
      assert.rejects(partsOf(body, { type }), (error) => error instanceof UnreadableBody));

  it("of a large part only a piece is in memory at a time", async () => {
    const piece = Buffer.alloc(65_536, "x");
    const stream = Readable.from(
      (function* () {
        yield Buffer.from(part('name="file"; filename="f"', "").slice(0, -2));
        for (let count = 0; count < 2_000; count += 1) yield piece;
        yield Buffer.from(`\r\n${END}`);
      })(),
      { objectMode: false },
    );
    let [bytes, largest] = [0, 0];
    for await (const { contents } of readForm(new FormBody(stream, TYPE)))
      for await (const read of contents) {
        bytes += read.length;
        largest = Math.max(largest, read.length);
      }
    assert.equal(bytes, 2_000 * 65_536);
    assert.ok(largest <= 2 * 65_536, `${largest} bytes`);
  });
});
