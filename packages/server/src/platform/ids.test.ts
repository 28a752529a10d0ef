import assert from "node:assert/strict";
import { describe, it, mock } from "node:test";
import fc from "fast-check";
import { derivedId, newId, randomText } from "./ids.ts";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-([0-9a-f])[0-9a-f]{3}-([89ab])[0-9a-f]{3}-[0-9a-f]{12}$/;

describe("new ids", () => {
  it("a new id is a UUID version 7 with its time of creation", () => {
    const before = Date.now();
    const id = newId();
    assert.equal(UUID.exec(id)?.[1], "7");
    const madeAt = Number.parseInt(id.replaceAll("-", "").slice(0, 12), 16);
    assert.ok(madeAt >= before && madeAt <= Date.now());
  });

  it("a new id sorts as text after every id of an earlier millisecond", (context) => {
    context.after(() => mock.timers.reset());
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 2 ** 47 }),
        fc.integer({ min: 1, max: 2 ** 40 }),
        (now, laterMs) => {
          mock.timers.enable({ apis: ["Date"], now });
          const earlier = newId();
          mock.timers.setTime(now + laterMs);
          const later = newId();
          mock.timers.reset();
          assert.match(earlier, UUID);
          assert.ok(earlier < later, `${earlier} does not sort before ${later}`);
        },
      ),
    );
  });

  it("no id is given twice", () => {
    const ids = Array.from({ length: 20_000 }, newId);
    assert.equal(new Set(ids).size, ids.length);
  });
});

describe("derived ids", () => {
  it("a derived id is the same on every node and in every version", () => {
    const id = derivedId(
      "lane",
      "0194c2b0-0000-7000-8000-000000000001",
      "0194c2b0-0000-7000-8000-000000000002",
    );
    assert.equal(id, "8ee790b4-a332-86af-ac77-8e9e71a1c99c");
    assert.equal(UUID.exec(id)?.[1], "8");
  });

  it("a derived id is a UUID for any parts, and differs for other parts", () => {
    const parts = fc.array(fc.uuid(), { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(parts, parts, (one, other) => {
        assert.match(derivedId(...one), UUID);
        const isSame = JSON.stringify(one) === JSON.stringify(other);
        assert.equal(derivedId(...one) === derivedId(...other), isSame);
      }),
    );
    assert.notEqual(derivedId("lane", "a"), derivedId("turn", "a"));
    assert.notEqual(derivedId("a", "b"), derivedId("b", "a"));
    assert.notEqual(derivedId("a", "b"), derivedId("ab"));
  });
});

describe("random text", () => {
  it("random text has the requested length, with letters and digits evenly distributed", () => {
    for (const length of [0, 1, 40, 1_000]) assert.equal(randomText(length).length, length);
    const counts = new Map<string, number>();
    for (const character of randomText(62_000)) counts.set(character, (counts.get(character) ?? 0) + 1);
    assert.equal(counts.size, 62);
    assert.ok([...counts.keys()].every((character) => /[A-Za-z0-9]/.test(character)));
    // Ten standard deviations: a fair draw leaves this band once in the life of the universe.
    assert.ok(
      [...counts.values()].every((count) => Math.abs(count - 1_000) < 320),
      JSON.stringify([...counts]),
    );
  });
});
