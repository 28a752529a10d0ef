import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { filterOf, isFiltered, readDeliverySearch } from "./search.ts";

const ID = "0199f3a2-6c1e-7b44-9d0a-5f2f6f1c8e21";

describe("delivery filters in the address", () => {
  it("the delivery filters read what the contract knows and drop everything else", () => {
    const read = readDeliverySearch({
      state: "dead",
      cause: "nonsense",
      webhook: "not an id",
      since: "24h",
      event: 7,
    });
    assert.equal(read.state, "dead");
    assert.equal(read.since, "24h");
    assert.deepEqual([read.cause, read.webhook, read.event], [undefined, undefined, undefined]);
    assert.equal(isFiltered(readDeliverySearch({ cause: "nonsense" })), false);
  });

  it("the delivery filters name a conversation only together with its agent", () => {
    const search = readDeliverySearch({ conversation: ID });
    assert.equal(filterOf(search, undefined, 0).conversation_id, undefined);
    assert.equal(filterOf(search, ID, 0).conversation_id, ID);
  });

  it("the delivery filters begin at a whole minute, so that the query stays the same for a minute", () => {
    const search = readDeliverySearch({ since: "1h" });
    assert.equal(filterOf(search, undefined, 3_661_000).from_time, 60_000);
    assert.equal(filterOf(search, undefined, 3_719_999).from_time, 60_000 * 1);
  });
});
