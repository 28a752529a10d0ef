import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { accessOf } from "./access.ts";

describe("access by role", () => {
  it("a role for one agent is limited to that agent", () => {
    const { may, isForAgentsOnly } = accessOf("ann", [{ role: "developer", agent_id: "a" }]);
    assert.equal(isForAgentsOnly, true);
    assert.deepEqual(
      ["a", "b", undefined].map((agent) => may("listDeliveries", agent)),
      [true, false, false],
    );
    assert.equal(may("listAccounts", "a"), false);
  });

  it("a role for the installation applies to every agent", () => {
    const { may, isForAgentsOnly } = accessOf("ann", [
      { role: "viewer", agent_id: null },
      { role: "owner", agent_id: "a" },
    ]);
    assert.equal(isForAgentsOnly, false);
    assert.deepEqual(
      ["a", "b", undefined].map((agent) => [may("searchConversations", agent), may("listApiKeys", agent)]),
      [
        [true, true],
        [true, false],
        [true, false],
      ],
    );
  });
});
