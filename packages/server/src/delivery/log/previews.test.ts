import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { DELIVERY_PREVIEW_MAX_CHARACTERS, type DeliveryEvent } from "@signalbox/contract";
import { previewOf } from "./previews.ts";

const preview = (event: DeliveryEvent, body: unknown) => previewOf(event, Buffer.from(JSON.stringify(body)));
const message = (...texts: string[]) => ({ output: texts.map((text) => ({ content: { text } })) });

describe("preview of a delivery", () => {
  it("the preview is what each event says: the message, the last words before a handoff, the user's message", () => {
    assert.equal(preview("message", message("At nine.", "Every day.")), "At nine. Every day.");
    const items = [{ text: "Hello" }, { text: "A person, please" }];
    assert.equal(preview("handoff_requested", { body: items }), "A person, please");
    assert.equal(preview("message_left", { body: items }), "A person, please");
    assert.equal(preview("user_message", { body: "Are you there?" }), "Are you there?");
  });

  it("the preview is one line of at most 80 characters, cut between characters", () => {
    assert.equal(preview("message", message("  At\nnine,\t\tevery day.\n")), "At nine, every day.");
    const faces = "😀".repeat(DELIVERY_PREVIEW_MAX_CHARACTERS);
    assert.equal(preview("message", message(faces)), faces);
    const cut = preview("message", message(`${faces}😀`)) ?? "";
    assert.equal([...cut].length, DELIVERY_PREVIEW_MAX_CHARACTERS);
    assert.ok(cut.endsWith("😀…") && cut.isWellFormed());
  });

  it("a body that says nothing, or is not what its event sends, has no preview", () => {
    for (const event of [
      "message",
      "handoff_requested",
      "user_message",
      "handoff_closed",
      "operator_event",
    ] as const)
      for (const body of [
        {},
        null,
        [],
        "text",
        { output: "x", body: 7 },
        { output: [null], body: [null] },
        message(" "),
      ])
        assert.equal(preview(event, body), undefined, `${event} ${JSON.stringify(body)}`);
    assert.equal(previewOf("message", Buffer.from([0xff, 0x00])), undefined);
  });
});
