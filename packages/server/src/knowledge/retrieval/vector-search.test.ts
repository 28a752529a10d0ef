import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { cloneDatabase } from "@signalbox/tests/support/databases.ts";
import { borrowCluster } from "@signalbox/tests/support/shared-cluster.ts";
import { sql } from "kysely";
import pg from "pg";
import { newId, openSearchDatabase, openWorkDatabase, type Database } from "../../platform/index.ts";
import { findCandidates } from "./candidates.ts";

const PAIRS = 600;
const MODEL = "m";
const DIMENSIONS = 16;

/** Pairs on a circle, so that the nearest of any point are known. */
const vectorAt = (place: number) =>
  Array.from({ length: DIMENSIONS }, (_, index) =>
    index === 0
      ? Math.cos((2 * Math.PI * place) / PAIRS)
      : index === 1
        ? Math.sin((2 * Math.PI * place) / PAIRS)
        : 0,
  );

describe("vector search", () => {
  const open = new AsyncDisposableStack();
  const [ours, theirs] = [
    { agentId: newId(), knowledgeBaseId: newId(), documentId: newId() },
    { agentId: newId(), knowledgeBaseId: newId(), documentId: newId() },
  ];
  let owner: pg.Client;
  let work: Database;
  let search: Database;

  before(async () => {
    const { cluster } = open.use(await borrowCluster());
    const database = await cloneDatabase(cluster);
    open.defer(() => database.drop());
    const options = { url: database.url, poolSize: 1, onError: () => undefined };
    work = open.adopt(openWorkDatabase(options), (handle) => handle.close()).db;
    search = open.adopt(openSearchDatabase(options), (handle) => handle.close()).db;
    owner = new pg.Client({ connectionString: database.maintenanceUrl });
    await owner.connect();
    open.defer(() => owner.end());
    for (const whose of [ours, theirs]) await addPairs(whose);
    await owner.query("analyze qa_pair, qa_embedding, document");
  });
  after(() => open.disposeAsync());

  async function addPairs({ agentId, knowledgeBaseId, documentId }: typeof ours): Promise<void> {
    await owner.query("insert into agent (id, name) values ($1, 'n')", [agentId]);
    await owner.query("insert into knowledge_base (id, agent_id, name) values ($1, $2, 'n')", [
      knowledgeBaseId,
      agentId,
    ]);
    await owner.query(
      "insert into document (id, agent_id, knowledge_base_id, name, purpose, current_revision, last_revision) values ($1, $2, $3, 'n', 'QA_TEXT', 2, 2)",
      [documentId, agentId, knowledgeBaseId],
    );
    // Revision 1 is no longer current, and every vector of it is as near as one of revision 2.
    for (const revision of [1, 2]) {
      await owner.query(
        `insert into qa_pair (agent_id, knowledge_base_id, document_id, revision, ordinal, question, answer, terms)
         select $1, $2, $3, $4, place, 'q' || place, 'a' || place, '' from generate_series(1, $5::integer) place`,
        [agentId, knowledgeBaseId, documentId, revision, PAIRS],
      );
      const places = Array.from({ length: PAIRS }, (_, index) => index + 1);
      await owner.query(
        `insert into qa_embedding (agent_id, knowledge_base_id, document_id, revision, ordinal, form, model, vector)
         select $1, $2, $3, $4, made.place, 0, $5, made.vector::halfvec from unnest($6::integer[], $7::text[]) as made(place, vector)`,
        [
          agentId,
          knowledgeBaseId,
          documentId,
          revision,
          MODEL,
          places,
          places.map((place) => `[${vectorAt(place).join(",")}]`),
        ],
      );
    }
  }

  const find = (whose: Pick<typeof ours, "agentId" | "knowledgeBaseId">, place: number, model = MODEL) =>
    findCandidates(search, {
      agentId: whose.agentId,
      knowledgeBaseId: whose.knowledgeBaseId,
      documentIds: undefined,
      tellingTerms: [],
      commonTerms: [],
      allTerms: [],
      exactQuestion: "none",
      vector: { model, numbers: vectorAt(place) },
    });

  async function nearest(place: number): Promise<number[]> {
    const found = await find(ours, place);
    assert.ok(found.every(({ revision, documentId }) => revision === 2 && documentId === ours.documentId));
    return found
      .toSorted((one, other) => (other.questionCosine ?? 0) - (one.questionCosine ?? 0))
      .slice(0, 5)
      .map(({ ordinal }) => ordinal)
      .toSorted((one, other) => one - other);
  }

  it("a vector search finds the nearest pairs of the current revision, with and without an index", async () => {
    assert.deepEqual(await nearest(100), [98, 99, 100, 101, 102]);
    const { rows } = await sql<{ built: boolean }>`
      select signalbox_index_vectors(${ours.knowledgeBaseId}, ${MODEL}, ${DIMENSIONS}) as built`.execute(
      work,
    );
    assert.deepEqual(rows, [{ built: true }]);
    // So small a base is scanned faster than the index is read: leave the planner no choice.
    await sql`set enable_sort = off`.execute(search);
    const before = await timesUsed();
    assert.deepEqual(await nearest(100), [98, 99, 100, 101, 102]);
    assert.equal((await find(ours, 300)).length, 100);
    assert.ok((await timesUsed()) > before, "the index was not used");
    await sql`reset enable_sort`.execute(search);
  });

  async function timesUsed(): Promise<number> {
    await owner.query("select pg_sleep(0.2), pg_stat_clear_snapshot()");
    const { rows } = await owner.query<{ used: number }>(
      "select coalesce(sum(idx_scan), 0)::integer as used from pg_stat_user_indexes where indexrelname like 'qa_embedding_hnsw_%'",
    );
    return rows[0]?.used ?? 0;
  }

  it("the vector index of a base follows its current model, with vectors of any length", async () => {
    await owner.query(
      "update qa_embedding set model = 'other', vector = '[1,2,3]' where knowledge_base_id = $1",
      [ours.knowledgeBaseId],
    );
    await sql`select signalbox_index_vectors(${ours.knowledgeBaseId}, 'other', 3)`.execute(work);
    const { rows } = await owner.query(
      "select count(*)::integer as indexes from pg_class where relkind = 'i' and relname like 'qa_embedding_hnsw_%'",
    );
    assert.deepEqual(rows, [{ indexes: 1 }]);
  });

  it("a vector search never returns a pair of another agent, whatever base it names", async () => {
    assert.equal((await find(theirs, 5)).length, 100);
    assert.deepEqual(await find({ ...theirs, agentId: ours.agentId }, 5), []);
    assert.deepEqual(await find({ ...ours, agentId: theirs.agentId }, 5), []);
  });

  it("a search cannot write", async () => {
    await assert.rejects(sql`update knowledge_base set version = 0`.execute(search), /read-only transaction/);
  });
});
