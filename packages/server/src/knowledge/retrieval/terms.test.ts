import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { cloneDatabase } from "@signalbox/tests/support/databases.ts";
import { borrowCluster } from "@signalbox/tests/support/shared-cluster.ts";
import fc from "fast-check";
import pg from "pg";
import { newId } from "../../platform/index.ts";
import { anyOf, exactly, indexedTexts, lexemePrefix, pairLexemes } from "./lexemes.ts";
import { termsOf, trigramsOf } from "./terms.ts";

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

/** Letters, digits and marks, whatever scripts without blanks put between theirs, and C++ and C#. */
const READABLE =
  /^(?:[\p{L}\p{N}\p{M}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]+|\p{L}{1,2}(?:\+\+|#))$/u;

describe("terms of a text", () => {
  it("terms hold no characters with a meaning to PostgreSQL and have a bounded length", () => {
    fc.assert(
      fc.property(text, (given) => {
        const found = termsOf(given);
        for (const term of found) {
          assert.match(term, READABLE);
          assert.doesNotMatch(term, /['"\\:|&!()<>*\s\0]/);
          assert.ok([...term].length <= 64, term);
        }
      }),
      { numRuns: 2_000 },
    );
  });

  it("terms do not depend on case, width, composition or separators", () => {
    fc.assert(
      fc.property(text, (given) => {
        assert.deepEqual(termsOf(given.normalize("NFKC")), termsOf(given));
        assert.deepEqual(termsOf(`  ${given} ?!`), termsOf(given));
      }),
    );
    assert.deepEqual(termsOf("ＲＥＳＥＴ my\tPassword?!"), ["reset", "my", "password"]);
    assert.deepEqual(termsOf("it's O'Reilly\\'s"), ["it", "s", "o", "reilli", "s"]);
    assert.deepEqual(termsOf("re\u0301sume\u0301 Änderung"), termsOf("resume anderung"));
  });

  it("terms are the same for forms of an English word, not for look-alikes", () => {
    const same = [
      ["resetting", "reset", "resets"],
      ["deliveries", "delivery"],
      ["creating", "created", "create", "creates"],
      ["hopping", "hop", "hopped"],
      ["addresses", "address"],
    ];
    for (const forms of same) assert.equal(new Set(forms.flatMap(termsOf)).size, 1, forms.join(" "));
    for (const [one, other] of [
      ["bus", "bu"],
      ["class", "clas"],
      ["need", "ne"],
      ["C++", "C#"],
      ["C#", "C"],
    ] as const)
      assert.notDeepEqual(termsOf(one), termsOf(other), `${one} ${other}`);
  });

  it("terms are character bigrams where words have no spaces", () => {
    assert.deepEqual(termsOf("重置密码"), ["重置", "置密", "密码"]);
    assert.deepEqual(termsOf("水"), ["水"]);
    assert.deepEqual(termsOf("WiFi密码是?"), ["密码", "码是", "wifi"]);
    assert.deepEqual(termsOf("𠀀𠀁𠀂"), ["𠀀𠀁", "𠀁𠀂"]);
  });

  it("a text without letters or digits has no terms", () => {
    for (const nothing of ["", "   ", "?!…", "🙂🙂", "\u0000", "\u200b\u200d", "--'\\"])
      assert.deepEqual(termsOf(nothing), [], JSON.stringify(nothing));
  });
});

describe("trigrams of a text", () => {
  it("trigrams are mostly the same after a typing error", () => {
    const [right, slip] = [
      new Set(trigramsOf("strikethrough text")),
      new Set(trigramsOf("stikethrough text")),
    ];
    assert.ok(right.intersection(slip).size >= 0.7 * right.size);
    assert.deepEqual(trigramsOf("ＡＢ c"), [" ab", "ab ", "b c", " c "]);
    assert.deepEqual(trigramsOf("𠀀𠀁"), [" 𠀀𠀁", "𠀀𠀁 "]);
    assert.deepEqual(trigramsOf("?!"), []);
  });
});

describe("lexemes of a base", () => {
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

  it("lexemes come out of PostgreSQL as they went in and match themselves", async () => {
    const prefix = lexemePrefix(newId());
    const samples = fc.sample(fc.tuple(text, text), { numRuns: 3_000, seed: 20_261_115 });
    const pairs = samples.map(([question, answer]) => ({ question, answer, alternates: [] }));
    const { rows } = await client.query<{ lexemes: string[]; finds: boolean; is_exact: boolean }>(
      `select tsvector_to_array(vector) as lexemes, vector @@ asked::tsquery as finds, vector @@ exact::tsquery as is_exact
       from unnest($1::text[], $2::text[], $3::text[]) with ordinality as sample(stored, asked, exact, position),
         lateral (select stored::tsvector as vector) parsed
       order by position`,
      [
        await Promise.all(
          pairs.map(async (pair) => pairLexemes(prefix, await indexedTexts(pair, () => undefined))),
        ),
        pairs.map(({ question }) => anyOf(prefix, termsOf(question))),
        pairs.map(({ question }) => exactly(prefix, question)),
      ],
    );
    assert.equal(rows.length, samples.length);
    for (const [index, { lexemes, finds, is_exact }] of rows.entries()) {
      const { question = "" } = pairs[index] ?? {};
      const terms = new Set(termsOf(question));
      for (const term of terms) assert.ok(lexemes.includes(prefix + term), JSON.stringify([question, term]));
      assert.equal(finds, terms.size > 0);
      assert.ok(is_exact, JSON.stringify(question));
    }
  });

  it("exact lexemes tell different questions apart and ignore case and punctuation", () => {
    const prefix = lexemePrefix(newId());
    assert.equal(exactly(prefix, "How do I pay?"), exactly(prefix, "  how do i PAY"));
    for (const other of ["How do I play?", "how do I pay C++", "how do I pay C#", "如何付款"])
      assert.notEqual(exactly(prefix, "How do I pay?"), exactly(prefix, other));
  });

  it("lexemes differ from those of every other base", () => {
    const prefixes = Array.from({ length: 1_000 }, () => lexemePrefix(newId()));
    // Four of 62 signs: a thousand bases meet by chance about once in thirty times.
    assert.ok(new Set(prefixes).size >= prefixes.length - 2);
    for (const prefix of prefixes) assert.match(prefix, /^[0-9A-Za-z]{4}$/);
  });

  it("only the first terms of an answer are indexed", async () => {
    const answer = Array.from({ length: 5_000 }, (_, index) => `word${index}`).join(" ");
    const texts = await indexedTexts({ question: "q", answer, alternates: [] }, () => undefined);
    const lexemes = pairLexemes("abcd", texts).split(" ");
    assert.ok(lexemes.length < 100);
    assert.ok(lexemes.includes("'abcdword0'"));
  });
});
