import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { cloneDatabase } from "@signalbox/tests/support/databases.ts";
import { borrowCluster } from "@signalbox/tests/support/shared-cluster.ts";
import fc from "fast-check";
import pg from "pg";
import { newId } from "../../platform/index.ts";
import { lexemesOf, overlap, termsOf } from "./terms.ts";

/** Text as people and machines send it, with what SQL, tsvector and tsquery could trip over in every second place. */
const text = fc
  .array(
    fc.oneof(
      fc.string({ unit: "grapheme" }),
      fc.string({ unit: "binary" }),
      fc.constantFrom(
        "'",
        "\\",
        "''",
        "\\'",
        "\0",
        ":*",
        "!",
        "&",
        "|",
        "<->",
        "(",
        ")",
        ":1A",
        "$1",
        "--",
        "\u{feff}",
      ),
      fc.constantFrom(
        "重置密码",
        "パスワード",
        "İstanbul",
        "ﬁne",
        "ＡＢＣ",
        "straße",
        "re\u0301sume",
        "ﷺ",
        "𠀀𠀁",
        "①②",
        "x".repeat(200),
      ),
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(""));

const terms = fc.uniqueArray(fc.string({ minLength: 1, maxLength: 3 }), { maxLength: 20 });

describe("the terms of a text", () => {
  it("hold nothing that means something to PostgreSQL, are of bounded length, and each is there once", () => {
    fc.assert(
      fc.property(text, (given) => {
        const found = termsOf(given);
        assert.equal(new Set(found).size, found.length);
        for (const term of found) {
          assert.match(term, /^[\p{L}\p{N}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]+$/u);
          assert.doesNotMatch(term, /['"\\:|&!()<>*\s\0]/);
          assert.ok([...term].length <= 64, term);
        }
      }),
      { numRuns: 2_000 },
    );
  });

  it("do not depend on case, width or composition, nor on what stands between the words", () => {
    fc.assert(
      fc.property(text, (given) => {
        assert.deepEqual(termsOf(given.normalize("NFKC")), termsOf(given));
        assert.deepEqual(termsOf(`  ${given} ?!`), termsOf(given));
      }),
    );
    assert.deepEqual(termsOf("ＲＥＳＥＴ my\tPassword?!"), ["reset", "my", "password"]);
    assert.deepEqual(termsOf("it's O'Reilly\\'s"), ["it", "s", "o", "reilly"]);
  });

  it("are pairs of neighbours where words are written without spaces", () => {
    assert.deepEqual(termsOf("重置密码"), ["重置", "置密", "密码"]);
    assert.deepEqual(termsOf("水"), ["水"]);
    assert.deepEqual(termsOf("WiFi密码是?"), ["密码", "码是", "wifi"]);
    assert.deepEqual(termsOf("𠀀𠀁𠀂"), ["𠀀𠀁", "𠀁𠀂"]);
  });

  it("are none where nothing can be read", () => {
    for (const nothing of ["", "   ", "?!…", "🙂🙂", "\u0000", "\u200b\u200d", "--'\\"])
      assert.deepEqual(termsOf(nothing), [], JSON.stringify(nothing));
  });
});

describe("the overlap of two sets of terms", () => {
  it("is 1 for equals, 0 for strangers, the same both ways, and never outside", () => {
    fc.assert(
      fc.property(terms, terms, (one, other) => {
        const score = overlap(one, other);
        assert.ok(score >= 0 && score <= 1);
        assert.equal(overlap(other, one), score);
        if (one.length > 0) assert.equal(overlap(one, one), 1);
        const strangers = !one.some((term) => other.includes(term));
        assert.equal(score === 0, strangers);
      }),
    );
  });

  it("grows with each term shared and falls with each that is not", () => {
    const asked = ["a", "b", "c"];
    const scores = [["a"], ["a", "b"], ["a", "b", "c"]].map((other) => overlap(asked, other));
    assert.deepEqual(
      scores,
      scores.toSorted((a, b) => a - b),
    );
    assert.ok(overlap(asked, ["a", "b", "c", "d"]) < 1);
  });
});

describe("a base's lexemes", () => {
  const open = new AsyncDisposableStack();
  let client: pg.Client;

  before(async () => {
    const { cluster } = open.use(await borrowCluster());
    const database = await cloneDatabase(cluster);
    open.defer(() => database.drop());
    client = new pg.Client({ connectionString: database.url });
    await client.connect();
    open.defer(() => client.end());
  });
  after(() => open.disposeAsync());

  it("come out of PostgreSQL as they went in, whatever the text was, and find themselves", async () => {
    const base = newId();
    const samples = fc.sample(text, { numRuns: 3_000, seed: 20_261_115 });
    const bare = samples.map((sample) =>
      lexemesOf(base, termsOf(sample)).map((lexeme) => lexeme.slice(1, -1)),
    );
    const { rows } = await client.query<{ lexemes: string[]; finds: boolean }>(
      `select tsvector_to_array(vector) as lexemes, vector @@ query as finds
       from unnest($1::text[], $2::text[]) with ordinality as sample(stored, asked, position),
         lateral (select stored::tsvector as vector, asked::tsquery as query) parsed
       order by position`,
      [
        samples.map((sample) => lexemesOf(base, termsOf(sample)).join(" ")),
        samples.map((sample) => lexemesOf(base, termsOf(sample)).join(" | ")),
      ],
    );
    assert.equal(rows.length, samples.length);
    for (const [index, { lexemes, finds }] of rows.entries()) {
      assert.deepEqual(lexemes.toSorted(), bare[index]?.toSorted(), JSON.stringify(samples[index]));
      assert.equal(finds, lexemes.length > 0);
    }
  });

  it("differ from those of every other base, also of one made in the same moment", () => {
    const bases = Array.from({ length: 1_000 }, newId);
    const lexemes = bases.flatMap((base) => lexemesOf(base, ["password"]));
    assert.equal(new Set(lexemes).size, bases.length);
  });
});
