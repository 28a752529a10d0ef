import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { deflateSync } from "node:zlib";
import { pdfOf, pdfOfStreams } from "@signalbox/tests/support/pdf-files.ts";
import { hasSwollenStream } from "./pdf-streams.ts";

const MEGABYTE = 1_048_576;

describe("compressed PDF streams", () => {
  it("a PDF stream that decompresses to more than a page can be is refused, anywhere in the file", () => {
    const small = Buffer.from("BT ET");
    assert.equal(hasSwollenStream(pdfOfStreams([small, Buffer.alloc(40 * MEGABYTE, " "), small])), true);
  });

  it("a PDF stream of a page, an image of any size or undecodable data is accepted", () => {
    assert.equal(hasSwollenStream(pdfOf([[{ text: "When do you open?" }]])), false);
    const picture = Buffer.concat([
      Buffer.from("7 0 obj\n<< /Type /XObject /Subtype /Image /Filter /FlateDecode >>\nstream\r\n"),
      deflateSync(Buffer.alloc(40 * MEGABYTE)),
    ]);
    assert.equal(hasSwollenStream(picture), false);
    assert.equal(hasSwollenStream(Buffer.from("stream\nx is no packed text\nendstream stream")), false);
  });
});
