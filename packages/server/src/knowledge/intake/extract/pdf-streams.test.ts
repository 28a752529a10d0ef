import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { deflateSync } from "node:zlib";
import { pdfOf, pdfOfStreams } from "@signalbox/tests/support/pdf-files.ts";
import { isSwollen } from "./pdf-streams.ts";

const MEGABYTE = 1_048_576;

describe("compressed PDF streams", () => {
  it("a PDF stream that decompresses to more than a page can be is refused, anywhere in the file", () => {
    const small = Buffer.from("BT ET");
    assert.equal(isSwollen(pdfOfStreams([small, Buffer.alloc(40 * MEGABYTE, " "), small])), true);
  });

  it("a PDF of many streams that each stay below the limit is refused by their total, however many follow", () => {
    const packed = deflateSync(Buffer.alloc(31 * MEGABYTE, " "), { level: 9 });
    const stream = Buffer.concat([
      Buffer.from("\n9 0 obj\n<< >>\nstream\n"),
      packed,
      Buffer.from("\nendstream\n"),
    ]);
    assert.equal(isSwollen(Buffer.concat(Array.from({ length: 150 }, () => stream))), true);
    assert.equal(isSwollen(Buffer.concat([stream, stream])), false);
  });

  it("a PDF stream of a page, an image of any size or undecodable data is accepted", () => {
    assert.equal(isSwollen(pdfOf([[{ text: "When do you open?" }]])), false);
    const picture = Buffer.concat([
      Buffer.from("7 0 obj\n<< /Type /XObject /Subtype /Image /Filter /FlateDecode >>\nstream\r\n"),
      deflateSync(Buffer.alloc(40 * MEGABYTE)),
    ]);
    assert.equal(isSwollen(picture), false);
    assert.equal(isSwollen(Buffer.from("stream\nx is no packed text\nendstream stream")), false);
  });
});
