import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { COMMANDS } from "./commands.ts";
import { refuseOldNode } from "./node-version.ts";

describe("the version of Node", () => {
  it("a Node older than the service's is refused in one sentence that says what to install", () => {
    assert.match(
      refuseOldNode("dev", "22.12.0") ?? "",
      /^signalbox dev needs Node 24 or newer, and this is Node 22\.12\.0\. Install Node 24 /,
    );
    for (const version of ["24.0.0", "26.1.0"]) assert.equal(refuseOldNode("dev", version), undefined);
  });

  it("the commands that load the service are checked, and of documents only a dry run", () => {
    const given = (isDry: boolean) => ({ text: () => undefined, texts: () => [], isOn: () => isDry });
    const checked = (isDry: boolean) =>
      COMMANDS.filter(({ runsService }) => runsService?.(given(isDry)) === true).map(({ name }) => name);
    const always = ["dev", "migrate", "secrets", "serve"];
    assert.deepEqual(checked(false).toSorted(), always);
    assert.deepEqual(checked(true).toSorted(), [...always, "documents"].toSorted());
  });
});
