import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { cloneDatabase, type ClonedDatabase } from "@signalbox/tests/support/databases.ts";
import { atMost } from "@signalbox/tests/support/machine.ts";
import { borrowCluster } from "@signalbox/tests/support/shared-cluster.ts";
import { Kysely, PostgresDialect, type CompiledQuery } from "kysely";
import pg from "pg";
import { newId, type Database } from "../../platform/index.ts";
import { createPairIndexer } from "../documents/index-pairs.ts";
import { insertPairs } from "../documents/pair-store.ts";
import { findPairs, readBases } from "./find-pairs.ts";
import type { FoundPair } from "./search-base.ts";
import { createStatisticsCache, type StatisticsCache } from "./statistics-cache.ts";

const AGENTS = 20;
const BASES = 200;
const PAIRS_A_BASE = 90;
/** One base is large enough for its terms to be worth an index: 20,000 pairs in all. */
const LARGE = 77;
const PAIRS_OF_LARGE = 20_000 - (BASES - 1) * PAIRS_A_BASE;
const WORDS = [
  "password",
  "invoice",
  "delivery",
  "refund",
  "account",
  "opening",
  "hours",
  "printer",
  "密码",
  "退款",
];

interface PlanNode {
  "Node Type": string;
  "Relation Name"?: string;
  "Index Name"?: string;
  "Actual Rows"?: number;
  "Rows Removed by Filter"?: number;
  "Rows Removed by Index Recheck"?: number;
  Plans?: PlanNode[];
}

/** How long the event loop was held up at most, in time of its thread: by the clock, others who use the machine would count. */
async function longestTurnMs(work: Promise<unknown>): Promise<number> {
  let isDone = false;
  const done = work.finally(() => (isDone = true));
  const spentMs = () => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1_000;
  };
  let longest = 0;
  for (let since = spentMs(); !isDone;) {
    await nextTurn();
    const now = spentMs();
    longest = Math.max(longest, now - since);
    since = now;
  }
  await done;
  return longest;
}

describe("search for pairs", () => {
  const open = new AsyncDisposableStack();
  const caught: CompiledQuery[] = [];
  const bases: { id: string; agent: number }[] = [];
  const agents = Array.from({ length: AGENTS }, newId);
  let database: ClonedDatabase;
  let superuser: pg.Client;
  let db: Database;
  let statistics: StatisticsCache;

  async function findPair(agentId: string, baseId: string, asked: string): Promise<FoundPair | undefined> {
    const bases = await readBases(db, agentId, [baseId]);
    const [found] = await findPairs(db, statistics, { agentId, bases, asked, most: 5 });
    return found;
  }

  before(async () => {
    const { cluster } = open.use(await borrowCluster());
    database = await cloneDatabase(cluster);
    open.defer(() => database.drop());
    superuser = new pg.Client({ connectionString: database.superuserUrl });
    await superuser.connect();
    open.defer(() => superuser.end());
    const pool = new pg.Pool({ connectionString: database.url, options: "-c role=signalbox_work", max: 2 });
    db = new Kysely({ dialect: new PostgresDialect({ pool }), log: ({ query }) => void caught.push(query) });
    open.defer(() => db.destroy());
    statistics = createStatisticsCache(db);
    await superuser.query("insert into agent (id, name) select id, 'n' from unnest($1::uuid[]) id", [agents]);
    // All in one partition, as it would be with 64 times as many: an empty partition proves no plan.
    const { rows } = await superuser.query<{ id: string }>(
      "select id from unnest($1::uuid[]) id where satisfies_hash_partition('qa_pair'::regclass, 64, 5, id) limit $2",
      [Array.from({ length: BASES * 90 }, newId), BASES],
    );
    for (const [index, { id }] of rows.entries()) {
      bases.push({ id, agent: index % AGENTS });
      await addBase(agents[index % AGENTS] ?? "", id, index === LARGE ? PAIRS_OF_LARGE : PAIRS_A_BASE);
    }
    const counted = await superuser.query("select count(*)::integer as pairs from qa_pair");
    assert.deepEqual(counted.rows, [{ pairs: 20_000 }]);
    await superuser.query("vacuum analyze qa_pair, document");
  });
  after(() => open.disposeAsync());

  /** A base whose questions are of the words that every other base's are of. */
  async function addBase(agentId: string, baseId: string, pairs: number): Promise<void> {
    const questions = Array.from({ length: pairs }, (_, index) => {
      const word = (step: number) => WORDS[(index * step + 3) % WORDS.length];
      return `How about ${word(1)} ${word(3)} ${word(7)} number ${index}?`;
    });
    await superuser.query("insert into knowledge_base (id, agent_id, name) values ($1, $2, 'n')", [
      baseId,
      agentId,
    ]);
    await addDocument(agentId, baseId, questions, `answer of ${baseId}`);
  }

  async function addDocument(
    agentId: string,
    baseId: string,
    questions: string[],
    answer: string,
    alternates: string[] = [],
  ): Promise<string> {
    const documentId = newId();
    await superuser.query(
      "insert into document (id, agent_id, knowledge_base_id, name, purpose) values ($1, $2, $3, 'n', 'QA_TEXT')",
      [documentId, agentId, baseId],
    );
    await addRevision(agentId, baseId, documentId, 1, questions, answer, alternates);
    await pointAt(documentId, 1);
    return documentId;
  }

  async function addRevision(
    agentId: string,
    baseId: string,
    documentId: string,
    revision: number,
    questions: string[],
    answer: string,
    alternates: string[] = [],
  ): Promise<void> {
    const indexer = createPairIndexer(baseId);
    const pairs = await indexer.index(
      questions.map((question) => ({ question, answer, alternates, origin: "row" })),
    );
    await insertPairs(db, { agentId, knowledgeBaseId: baseId, documentId, revision }, pairs);
    await superuser.query(
      `insert into document_revision (agent_id, document_id, revision, id, knowledge_base_id, import_id, reading, state, rows_read, pairs,
         statistics, terms_version)
       select $1, $2, $3, gen_random_uuid(), $4, gen_random_uuid(), 'text', 'superseded', $5, $5, $6, 2
       where exists (select from document where agent_id = $1 and id = $2) on conflict do nothing`,
      [agentId, documentId, revision, baseId, questions.length, indexer.statistics()],
    );
  }

  async function pointAt(documentId: string, revision: number): Promise<void> {
    await superuser.query("update document_revision set state = 'superseded' where document_id = $1", [
      documentId,
    ]);
    await superuser.query(
      "update document_revision set state = 'current' where document_id = $1 and revision = $2",
      [documentId, revision],
    );
    await superuser.query(
      `with moved as (update document set current_revision = $2 where id = $1 returning knowledge_base_id)
       update knowledge_base set version = version + 1 where id in (select knowledge_base_id from moved)`,
      [documentId, revision],
    );
  }

  async function planOf(role: string, agentId: string, query: CompiledQuery): Promise<PlanNode[]> {
    await superuser.query(`begin; set local role ${role}; set local signalbox.agent_id = '${agentId}'`);
    try {
      const { rows } = await superuser.query<{ "QUERY PLAN": [{ Plan: PlanNode }] }>(
        `explain (analyze, format json) ${query.sql}`,
        [...query.parameters],
      );
      return flatten(rows[0]?.["QUERY PLAN"][0].Plan);
    } finally {
      await superuser.query("rollback");
    }
  }

  // PostgreSQL applies @@ only behind a policy, as it is not marked leakproof: hence the work role, and the agent in the query.
  async function askedLarge(role: string): Promise<PlanNode[]> {
    const { id, agent } = bases[LARGE] ?? { id: "", agent: 0 };
    const agentId = agents[agent] ?? "";
    caught.length = 0;
    const found = await findPair(agentId, id, "is it 42, 77 or 1234");
    assert.equal(found?.answer, `answer of ${id}`);
    const query = caught.find(({ sql }) => sql.includes("ts_rank"));
    assert.ok(query !== undefined);
    const plan = await planOf(role, agentId, query);
    const tables = plan
      .flatMap((node) => node["Relation Name"] ?? [])
      .filter((name) => name.startsWith("qa_pair"));
    assert.deepEqual(new Set(tables), new Set(["qa_pair_05"]), "one partition");
    return plan;
  }

  it("a search uses the index of terms and reads entries of its base alone", async () => {
    const plan = await askedLarge("signalbox_work");
    const looked = plan.find((node) => node["Index Name"] === "qa_pair_05_terms_idx");
    const read = plan.find(
      (node) => node["Relation Name"] === "qa_pair_05" && node["Node Type"] === "Bitmap Heap Scan",
    );
    assert.ok(read !== undefined);
    assert.equal((read["Rows Removed by Filter"] ?? 0) + (read["Rows Removed by Index Recheck"] ?? 0), 0);
    assert.ok((read["Actual Rows"] ?? 0) > 0);
    assert.equal(looked?.["Actual Rows"], read["Actual Rows"]);
  });

  it("a search finds pairs of its own base, never of another base or agent", async () => {
    const wrong: string[] = [];
    for (const { id, agent } of bases.slice(0, 60)) {
      const found = await findPair(agents[agent] ?? "", id, "How about the refund of my invoice?");
      if (found?.answer !== `answer of ${id}`) wrong.push(`${id}: ${found?.answer}`);
      // The work role sees everything: that nothing is found is the query's own doing.
      const stranger = await findPair(agents[(agent + 1) % AGENTS] ?? "", id, "refund invoice");
      if (stranger !== undefined) wrong.push(`${id} found by another agent`);
    }
    assert.deepEqual(wrong, []);
  });

  it("a search does not find a pair of another agent that names this base", async () => {
    const [ours, theirs] = [bases[0], bases[1]];
    const [ourAgent = "", theirAgent = ""] = agents;
    assert.ok(ours !== undefined && theirs !== undefined);
    await addRevision(theirAgent, ours.id, newId(), 1, ["smuggled zebra question"], "smuggled");
    const document = await addDocument(theirAgent, theirs.id, ["unrelated"], "theirs");
    await addRevision(theirAgent, ours.id, document, 1, ["smuggled zebra question"], "smuggled");
    assert.equal(await findPair(ourAgent, ours.id, "smuggled zebra"), undefined);
  });

  it("a search finds the current revision whole, before and after it changes", async () => {
    const [agentId = ""] = agents;
    const baseId = newId();
    await superuser.query("insert into knowledge_base (id, agent_id, name) values ($1, $2, 'n')", [
      baseId,
      agentId,
    ]);
    const documentId = await addDocument(agentId, baseId, ["where is the lantern kept"], "old");
    await addRevision(agentId, baseId, documentId, 2, ["where is the lantern kept"], "new");
    const answer = async () => (await findPair(agentId, baseId, "lantern kept where"))?.answer;
    assert.equal(await answer(), "old");
    await pointAt(documentId, 2);
    assert.equal(await answer(), "new");
    await pointAt(documentId, 3);
    assert.equal(await answer(), undefined, "an empty revision holds no pairs of those before it");
  });

  it("a search blocks the event loop for at most 20 ms, whatever the message and alternates", async () => {
    const [agentId = ""] = agents;
    const baseId = newId();
    await superuser.query("insert into knowledge_base (id, agent_id, name) values ($1, $2, 'n')", [
      baseId,
      agentId,
    ]);
    const hostileText = (seed: number, characters: number) => {
      let text = "";
      for (let at = seed; text.length < characters; at += 7)
        text += `${WORDS[at % 8]}${at % 20} 密码${at % 13} `;
      return text.slice(0, characters);
    };
    const alternates = Array.from({ length: 50 }, (_, index) => hostileText(index, 1_000));
    const questions = Array.from({ length: 60 }, (_, index) => `printer ${index} ${hostileText(index, 900)}`);
    await addDocument(agentId, baseId, questions, "An answer.", alternates);
    const message = hostileText(5, 24_900);
    assert.ok((await findPair(agentId, baseId, message)) !== undefined);

    const turns: number[] = [];
    for (let round = 0; round < 3; round += 1)
      turns.push(await longestTurnMs(findPair(agentId, baseId, message)));
    atMost(Math.min(...turns), 20, "the longest turn of the event loop");
  });

  it("a search prefers the question with most in common", async () => {
    const [agentId = ""] = agents;
    const baseId = newId();
    await superuser.query("insert into knowledge_base (id, agent_id, name) values ($1, $2, 'n')", [
      baseId,
      agentId,
    ]);
    await addDocument(agentId, baseId, ["how do I reset my password today or tomorrow or later"], "long");
    await addDocument(agentId, baseId, ["how do I reset my password"], "exact");
    await addDocument(agentId, baseId, ["password"], "short");
    const found = await findPair(agentId, baseId, "How do I RESET my password?!");
    assert.deepEqual([found?.answer, found?.score], ["exact", 1]);
    assert.equal(await findPair(agentId, baseId, "unheard-of"), undefined);
    assert.equal(await findPair(agentId, baseId, "?!"), undefined);
  });

  it("a search ranks the exact question first, even where every word of it is common", async () => {
    const [agentId = ""] = agents;
    const baseId = newId();
    await superuser.query("insert into knowledge_base (id, agent_id, name) values ($1, $2, 'n')", [
      baseId,
      agentId,
    ]);
    const common = Array.from({ length: 3_000 }, (_, index) => `how do I do it at place ${index}`);
    await addDocument(agentId, baseId, common, "some place");
    await addDocument(agentId, baseId, ["How do I do it?"], "the very one");
    const found = await findPair(agentId, baseId, "how do i... DO it");
    assert.deepEqual([found?.answer, found?.score], ["the very one", 1]);
  });

  it("a search returns pairs with the same answer once, the nearest of them", async () => {
    const [agentId = ""] = agents;
    const baseId = newId();
    await superuser.query("insert into knowledge_base (id, agent_id, name) values ($1, $2, 'n')", [
      baseId,
      agentId,
    ]);
    await addDocument(agentId, baseId, ["where is the lamp", "where is my lamp", "lamp"], "on the shelf");
    await addDocument(agentId, baseId, ["where is the lamp oil"], "in the cellar");
    const found = await findPairs(db, statistics, {
      agentId,
      bases: await readBases(db, agentId, [baseId]),
      asked: "where is my lamp",
      most: 5,
    });
    assert.deepEqual(
      found.map(({ question, answer }) => [question, answer]),
      [
        ["where is my lamp", "on the shelf"],
        ["where is the lamp oil", "in the cellar"],
      ],
    );
  });

  it("a search accepts a message of maximum length and any characters", async () => {
    const base = bases[3] ?? { id: "", agent: 0 };
    const agentId = agents[base.agent] ?? "";
    const han = Array.from({ length: 25_000 }, (_, index) =>
      String.fromCodePoint(0x4e00 + ((index * 7919) % 20_000)),
    );
    const short = Array.from({ length: 8_000 }, (_, index) => index.toString(36));
    for (const asked of [han.join(""), short.join(" "), "'\\ \0 :* & | ! ( ) <-> '' $1 password"])
      await assert.doesNotReject(findPair(agentId, base.id, asked));
  });

  it("only an agent's own knowledge bases are listed", async () => {
    const [agentId = ""] = agents;
    const found = new Set((await readBases(db, agentId)).map(({ id }) => id));
    for (const { id, agent } of bases) assert.equal(found.has(id), agent === 0);
  });
});

function flatten(node: PlanNode | undefined): PlanNode[] {
  return node === undefined ? [] : [node, ...(node.Plans ?? []).flatMap(flatten)];
}
