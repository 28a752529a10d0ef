import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createOutput } from "./output.ts";

describe("progress bar", () => {
  const shown = (isWatched: boolean, asJson: boolean) => {
    let error = "";
    const bar = createOutput(
      { out: () => assert.fail("a bar is no result"), error: (text) => (error += text), isWatched },
      asJson,
    ).bar("faq.csv");
    bar.show(1_500, 3_000);
    bar.end();
    return error;
  };

  it("a progress bar is drawn on a terminal and erased at the end", () => {
    const written = shown(true, false);
    assert.match(written, /faq\.csv {2}█{15}░{15} {2}1,500 of 3,000/);
    assert.ok(written.endsWith("\r\u001B[K"));
  });

  it("a progress bar is not drawn without a terminal or with --json", () => {
    assert.deepEqual([shown(false, false), shown(true, true)], ["", ""]);
  });
});
