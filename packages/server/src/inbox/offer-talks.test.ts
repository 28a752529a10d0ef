import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { candidatesFor, nextPerson } from "./offer-talks.ts";

const ann = { accountId: "ann", offeredAt: 200, load: 1, teamIds: ["billing"] };
const bob = { accountId: "bob", offeredAt: 100, load: 3, teamIds: [] };
const cleo = { accountId: "cleo", offeredAt: 300, load: 1, teamIds: ["billing"] };

describe("who is offered a chat", () => {
  it("by turn, the person who was offered a chat longest ago is next", () => {
    assert.equal(nextPerson([ann, bob, cleo], "turn"), bob);
  });

  it("by load, the person with the fewest chats is next, and of equals the one who waited longer", () => {
    assert.equal(nextPerson([cleo, bob, ann], "load"), ann);
  });

  it("nobody is offered a chat by hand, or when nobody is available", () => {
    assert.equal(nextPerson([ann], "manual"), undefined);
    assert.equal(nextPerson([], "load"), undefined);
  });

  it("a team's chat is for the team's available members, and for everybody while none is available", () => {
    assert.deepEqual(candidatesFor([ann, bob, cleo], "billing"), [ann, cleo]);
    assert.deepEqual(candidatesFor([ann, bob], "tier 2"), [ann, bob]);
    assert.deepEqual(candidatesFor([ann, bob], null), [ann, bob]);
  });
});
