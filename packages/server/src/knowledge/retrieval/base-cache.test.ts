import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { cloneDatabase } from "@signalbox/tests/support/databases.ts";
import { eventually } from "@signalbox/tests/support/processes.ts";
import { borrowCluster } from "@signalbox/tests/support/shared-cluster.ts";
import pg from "pg";
import {
  newId,
  openAgentDatabase,
  openSearchDatabase,
  type AgentDatabase,
  type Database,
} from "../../platform/index.ts";
import { appendPairs } from "../documents/append-pairs.ts";
import { readContent } from "../documents/content-change.ts";
import { lockDocuments } from "../documents/document-store.ts";
import { publishText, storedPair } from "../documents/publish-text.ts";
import { createBaseCache, type BaseCache } from "./base-cache.ts";
import type { BaseIndex } from "./base-index.ts";
import { findCandidates, readWholeAnswers, type Candidate, type CandidateSearch } from "./candidates.ts";
import { loadBases } from "./load-base.ts";
import { findLikeliest } from "./find-likeliest.ts";
import { findPairs, readBases } from "./find-pairs.ts";
import { ENGLISH_WEIGHTS } from "./likelihood.ts";
import type { SearchByWords } from "./search-base.ts";
import { createStatisticsCache, type VersionedBase } from "./statistics-cache.ts";
import { termsOf } from "./terms.ts";

const WORDS = "red green blue lamp wheel door 退款 密码 café C++ north price key garden 订单 boat".split(" ");
const DIMENSIONS = 8;

describe("in-memory knowledge base", () => {
  const open = new AsyncDisposableStack();
  const agentId = newId();
  const stranger = newId();
  let agents: AgentDatabase;
  let search: Database;
  let owner: pg.Client;

  before(async () => {
    const { cluster } = open.use(await borrowCluster());
    const database = await cloneDatabase(cluster);
    open.defer(() => database.drop());
    const options = { url: database.url, poolSize: 4, onError: () => undefined };
    agents = openAgentDatabase(options);
    open.defer(() => agents.close());
    search = open.adopt(openSearchDatabase(options), (handle) => handle.close()).db;
    owner = new pg.Client({ connectionString: database.maintenanceUrl });
    await owner.connect();
    open.defer(() => owner.end());
    for (const id of [agentId, stranger])
      await owner.query("insert into agent (id, name) values ($1, 'n')", [id]);
  });
  after(() => open.disposeAsync());

  /** The same for the same number; words repeat, so that many pairs are as near as each other. */
  const textOf = (seed: number, words: number) =>
    Array.from({ length: words }, (_, at) => WORDS[(seed * 7 + at * at * 3 + at * seed) % WORDS.length]).join(
      " ",
    );

  const pairsOf = (from: number, count: number) =>
    Array.from({ length: count }, (_, index) => {
      const seed = from + index;
      return {
        question: `${textOf(seed, 1 + (seed % 4))} ${seed % 50}?`,
        answer: seed % 97 === 0 ? textOf(seed, 600) : `${textOf(seed + 5, 6)}.`,
        keywords: seed % 3 === 0 ? [textOf(seed + 2, 2), "shared words"] : [],
      };
    });

  async function makeBase(documents: number, pairsEach: number) {
    const baseId = newId();
    await owner.query("insert into knowledge_base (id, agent_id, name) values ($1, $2, 'n')", [
      baseId,
      agentId,
    ]);
    const documentIds: string[] = [];
    for (let index = 0; index < documents; index += 1) {
      const documentId = newId();
      documentIds.push(documentId);
      await owner.query(
        "insert into document (id, agent_id, knowledge_base_id, name, purpose) values ($1, $2, $3, 'n', 'QA_TEXT')",
        [documentId, agentId, baseId],
      );
      await agents.asAgent(agentId, (db) =>
        publishText(
          db,
          { agentId, knowledgeBaseId: baseId, documentId },
          pairsOf(index * pairsEach, pairsEach),
        ),
      );
    }
    return { baseId, documentIds };
  }

  async function versionOf(baseId: string): Promise<VersionedBase> {
    const [base] = await readBases(search, agentId, [baseId]);
    assert.ok(base !== undefined);
    return base;
  }

  async function loaded(cache: BaseCache, base: VersionedBase): Promise<BaseIndex> {
    let index: BaseIndex | undefined;
    await eventually("the base is in memory", async () => (index = cache.of(base, 1)) !== undefined, {
      everyMs: 5,
    });
    assert.ok(index !== undefined);
    return index;
  }

  const cacheOf = (bytesMax = 50_000_000) =>
    createBaseCache(search, { bytesMax, onError: (error) => assert.fail(String(error)) });

  const searchFor = (
    baseId: string,
    asked: string,
    telling: number,
    documentIds?: string[],
  ): CandidateSearch => {
    const terms = [...new Set(termsOf(asked))];
    return {
      agentId,
      knowledgeBaseId: baseId,
      documentIds,
      tellingTerms: terms.slice(0, telling),
      commonTerms: [],
      allTerms: terms,
      exactQuestion: asked,
      vector: undefined,
    };
  };
  /** What PostgreSQL gives of them. */
  const asRead = (found: Candidate[] | undefined) =>
    found?.map(({ indexed, ...candidate }) => {
      assert.ok(indexed !== undefined);
      return { ...candidate, answer: undefined };
    });
  const placeOf = ({ documentId, ordinal }: Candidate) => `${documentId} ${ordinal}`;

  it("the cache returns the same candidates as PostgreSQL, in the same order", async () => {
    const { baseId, documentIds } = await makeBase(3, 250);
    const index = await loaded(cacheOf(), await versionOf(baseId));
    let most = 0;
    for (let seed = 0; seed < 60; seed += 1) {
      const asked = seed % 5 === 0 ? pairsOf(seed, 1)[0]!.question : textOf(seed * 11, 1 + (seed % 7));
      const chosen = seed % 4 === 0 ? documentIds.slice(0, 2) : undefined;
      const sought = searchFor(baseId, asked, seed % 6, chosen);
      const expected = await findCandidates(search, sought);
      const found = index.find(sought);
      assert.deepEqual(asRead(found), expected, asked);
      assert.deepEqual(
        [...(await readWholeAnswers(search, agentId, baseId, found ?? [])).values()],
        [...(await readWholeAnswers(search, agentId, baseId, expected)).values()],
      );
      most = Math.max(most, expected.length);
    }
    assert.equal(most, 200, "as many as are looked at");
  });

  it("a pair whose texts were read before has the same score, to the last bit, as one read from PostgreSQL", async () => {
    const { baseId } = await makeBase(1, 250);
    const base = await versionOf(baseId);
    const cache = cacheOf();
    await loaded(cache, base);
    const statistics = createStatisticsCache(search);
    for (let seed = 0; seed < 12; seed += 1) {
      const question = { agentId, bases: [base], asked: textOf(seed * 11, 2 + (seed % 6)), most: 50 };
      const found = await findPairs(search, statistics, question, cache);
      assert.ok(found.length > 0);
      assert.deepEqual(found, await findPairs(search, statistics, question));
    }
  });

  it("the cache leaves common terms to PostgreSQL, which finds pairs with two of them", async () => {
    const { baseId } = await makeBase(1, 250);
    const index = await loaded(cacheOf(), await versionOf(baseId));
    const [one = "", other = ""] = [...new Set(termsOf(textOf(3, 6)))];
    const sought = { ...searchFor(baseId, "nothing like it", 0), commonTerms: [[one, other]] };
    assert.equal(index.find(sought), undefined);
    const found = (await findCandidates(search, sought)).map(placeOf);
    const holding = async (tellingTerms: string[]) => {
      const all = await findCandidates(search, { ...sought, tellingTerms, commonTerms: [] });
      assert.ok(all.length < 200, "not cut off");
      return new Set(all.map(placeOf));
    };
    const both = (await holding([one])).intersection(await holding([other]));
    assert.ok(both.size > 0);
    assert.deepEqual(found.toSorted(), [...both].toSorted());
    const either = await findCandidates(search, { ...sought, tellingTerms: [one] });
    assert.deepEqual(either.map(placeOf).toSorted(), [...(await holding([one]))].toSorted(), "each once");
  });

  async function addVectors(baseId: string): Promise<void> {
    await owner.query(
      `insert into qa_embedding (agent_id, knowledge_base_id, document_id, revision, ordinal, form, model, vector)
       select agent_id, knowledge_base_id, document_id, revision, ordinal, form, 'm',
         array(select sin(ordinal * (at + 2) + form * 3) from generate_series(1, $2::integer) at)::real[]::vector::halfvec
       from qa_pair, generate_series(-2, 1) form where knowledge_base_id = $1`,
      [baseId, DIMENSIONS],
    );
  }
  const vector = { model: "m", numbers: Array.from({ length: DIMENSIONS }, (_, at) => Math.sin(at + 1)) };

  it("the cache returns the same nearest vectors as PostgreSQL once every pair has one", async () => {
    const { baseId } = await makeBase(1, 300);
    const without = await loaded(cacheOf(), await versionOf(baseId));
    const sought = { ...searchFor(baseId, "red boat", 2), vector };
    assert.equal(without.find(sought), undefined, "PostgreSQL is asked as long as there are no vectors");
    await addVectors(baseId);
    const index = await loaded(cacheOf(), await versionOf(baseId));
    assert.equal(index.find({ ...sought, vector: { ...vector, model: "other" } }), undefined);
    const found = new Map(index.find(sought)?.map((candidate) => [placeOf(candidate), candidate]));
    const expected = await findCandidates(search, sought);
    assert.ok(expected.length > 100);
    assert.deepEqual([...found.keys()].toSorted(), expected.map(placeOf).toSorted());
    for (const candidate of expected) {
      const ours = found.get(placeOf(candidate));
      for (const cosine of ["questionCosine", "answerCosine", "pairCosine"] as const)
        assert.ok(Math.abs((ours?.[cosine] ?? Number.NaN) - (candidate[cosine] ?? Number.NaN)) < 1e-6);
    }
  });

  it("a search by meaning after one by words reuses its scores and finds the same", async () => {
    const { baseId } = await makeBase(1, 300);
    await addVectors(baseId);
    const statistics = createStatisticsCache(search);
    const question = { agentId, bases: [await versionOf(baseId)], asked: "red boat", most: 5 };
    const byWords: SearchByWords = new Map();
    const found = await findPairs(search, statistics, { ...question, byWords });
    assert.equal(found.length, 5);
    assert.ok((byWords.get(baseId)?.scores.size ?? 0) >= 5);
    const byMeaning = { ...question, vector, weights: ENGLISH_WEIGHTS };
    const afresh = await findLikeliest(search, statistics, byMeaning);
    assert.deepEqual(await findLikeliest(search, statistics, { ...byMeaning, byWords }), afresh);
    assert.notDeepEqual(afresh, found, "vectors count");
  });

  it("the cache is searched only at its own version, and shows an append whole from its commit", async () => {
    const { baseId, documentIds } = await makeBase(1, 20);
    const cache = cacheOf();
    const statistics = createStatisticsCache(search);
    const documentId = documentIds[0] ?? "";
    const before = await versionOf(baseId);
    await loaded(cache, before);
    await agents.asAgent(agentId, async (db) => {
      const document = (await lockDocuments(db, agentId, [documentId])).get(documentId);
      assert.ok(document !== undefined);
      const added = [{ question: "Where is the heron?", answer: "In the reeds." }].map(storedPair);
      await appendPairs(db, agentId, document, await readContent(db, agentId, document), added, {
        change: "append",
      });
    });
    const after = await versionOf(baseId);
    for (const isLoaded of [false, true]) {
      if (isLoaded) await loaded(cache, after);
      const [found] = await findPairs(
        search,
        statistics,
        { agentId, bases: [after], asked: "where is the heron", most: 1 },
        cache,
      );
      assert.equal(found?.answer, "In the reeds.");
    }
    assert.equal(cache.of(before, 1), undefined, "a reader of the version before asks PostgreSQL");
  });

  it("the cache evicts the least recently used base within its byte limit", async () => {
    const bases: VersionedBase[] = [];
    for (let index = 0; index < 5; index += 1) bases.push(await versionOf((await makeBase(1, 30)).baseId));
    const [{ bytes = 0 } = {}] = await loadBases(search, [bases[0]!], 30);
    const cache = cacheOf(4 * bytes);
    for (const base of bases.slice(0, 4)) await loaded(cache, base);
    assert.ok(cache.of(bases[0]!, 30), "used last now");
    await loaded(cache, bases[4]!);
    const isKept = bases.map((base) => cache.of(base, 30) !== undefined);
    assert.deepEqual(isKept, [true, false, true, true, true]);
  });

  it("a base with too many pairs or of another agent is not cached", async () => {
    const base = await versionOf((await makeBase(1, 30)).baseId);
    assert.deepEqual(await loadBases(search, [base], 29), [undefined]);
    assert.deepEqual(await loadBases(search, [{ ...base, agentId: stranger }], 30), [undefined]);
    const cache = cacheOf();
    await loaded(cache, base);
    assert.equal(cache.of({ ...base, agentId: stranger }, 30), undefined);
  });

  it("a base of few pairs is cached after its first search, many of them by one load", async () => {
    const bases = await Promise.all(
      Array.from({ length: 5 }, async () => versionOf((await makeBase(1, 3)).baseId)),
    );
    let loads = 0;
    const counting = new Proxy(search, {
      get(database, name) {
        if (name === "transaction") loads += 1;
        const value: unknown = Reflect.get(database, name, database);
        return typeof value === "function" ? value.bind(database) : value;
      },
    });
    const cache = createBaseCache(counting, {
      bytesMax: 1e8,
      onError: (error) => assert.fail(String(error)),
    });
    for (const base of bases) assert.equal(cache.of(base, 3), undefined, "PostgreSQL is asked once");
    // Not by searching again: the first search of each has to be enough.
    await eventually("the others are loaded behind the first", async () => loads === 2, { everyMs: 5 });
    await eventually("all bases are in memory", async () => bases.every((base) => cache.of(base, 3)), {
      everyMs: 5,
    });
    assert.equal(loads, 2);
    for (const [index, base] of bases.entries()) {
      const sought = searchFor(base.id, pairsOf(index % 3, 1)[0]!.question, 2);
      const found = cache.of(base, 3)?.find(sought);
      assert.deepEqual(asRead(found), await findCandidates(search, sought));
    }
  });

  it("one load of many bases keeps apart their pairs, and leaves out one that is too large or gone", async () => {
    const small = await Promise.all(
      [1, 2].map(async (pairs) => versionOf((await makeBase(1, pairs)).baseId)),
    );
    const large = await versionOf((await makeBase(1, 4)).baseId);
    const gone = { agentId, id: newId(), version: 1 };
    const loaded = await loadBases(search, [large, ...small, gone], 3);
    assert.deepEqual(
      loaded.map((one) => one !== undefined),
      [false, true, true, false],
    );
    for (const [index, base] of small.entries()) {
      const sought = searchFor(base.id, pairsOf(0, 1)[0]!.question, 2);
      const expected = await findCandidates(search, sought);
      const found = loaded[index + 1]?.index.find(sought);
      assert.ok(expected.length > 0);
      assert.deepEqual(asRead(found), expected);
    }
  });
});
