import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { deflateSync } from "node:zlib";
import { pdfOf, pdfOfStreams } from "@signalbox/tests/support/pdf-files.ts";
import { hasSwollenStream } from "./pdf-streams.ts";

const MEGABYTE = 1_048_576;

describe("a packed part of a PDF", () => {
  it("is refused when it unpacks to more than a page can be, wherever it stands", () => {
    const small = Buffer.from("BT ET");
    assert.equal(hasSwollenStream(pdfOfStreams([small, Buffer.alloc(40 * MEGABYTE, " "), small])), true);
  });

  it("is taken when it is a page, a picture of any size, or nothing that can be unpacked", () => {
    assert.equal(hasSwollenStream(pdfOf([[{ text: "When do you open?" }]])), false);
    const picture = Buffer.concat([
      Buffer.from("7 0 obj\n<< /Type /XObject /Subtype /Image /Filter /FlateDecode >>\nstream\r\n"),
      deflateSync(Buffer.alloc(40 * MEGABYTE)),
    ]);
    assert.equal(hasSwollenStream(picture), false);
    assert.equal(hasSwollenStream(Buffer.from("stream\nx is no packed text\nendstream stream")), false);
  });
});
