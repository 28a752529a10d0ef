import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { attachmentAt } from "./attachment-kind.ts";

describe("attachments by URL", () => {
  for (const [url, name, type, shown] of [
    ["https://files.example/a/Torn%20sleeve.JPG?size=2", "", "image", "Torn sleeve.JPG"],
    ["https://files.example/note.mp3", " Voice note ", "audio", "Voice note"],
    ["https://files.example/invoice", "", "document", "invoice"],
    ["https://files.example/", "", "document", undefined],
    ["no url.png", "", "document", undefined],
    ["https://files.example/%ff.png", "", "document", undefined],
  ] as const)
    it(`an attachment has the kind and name of its URL: ${url}`, () => {
      assert.deepEqual(attachmentAt(url, name), {
        type,
        url,
        ...(shown === undefined ? {} : { name: shown }),
      });
    });
});
