import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Pair } from "@signalbox/contract";
import { cloneDatabase, type ClonedDatabase } from "@signalbox/tests/support/databases.ts";
import { borrowCluster } from "@signalbox/tests/support/shared-cluster.ts";
import pg from "pg";
import {
  createSealer,
  newId,
  openWorkDatabase,
  Refusal,
  type Database,
  type OperatorCaller,
} from "../../platform/index.ts";
import { publishText } from "../documents/publish-text.ts";
import { findPairs, readBases } from "../retrieval/find-pairs.ts";
import { createStatisticsCache } from "../retrieval/statistics-cache.ts";
import { addPair } from "./add-pair.ts";
import { changePair, deletePair, restorePair } from "./edit-pairs.ts";
import { listPairs } from "./list-pairs.ts";
import { listPairHistory } from "./pair-versions.ts";

describe("editing a pair", () => {
  const open = new AsyncDisposableStack();
  const agentId = newId();
  let work: Database;
  let owner: pg.Client;
  let parts: Parameters<typeof addPair>[0];

  before(async () => {
    const { cluster } = open.use(await borrowCluster());
    const database: ClonedDatabase = await cloneDatabase(cluster);
    open.defer(() => database.drop());
    const options = { url: database.url, poolSize: 4, onError: () => undefined };
    work = open.adopt(openWorkDatabase(options), (handle) => handle.close()).db;
    owner = new pg.Client({ connectionString: database.maintenanceUrl });
    await owner.connect();
    open.defer(() => owner.end());
    await owner.query("insert into agent (id, name) values ($1, 'n')", [agentId]);
    const sealer = createSealer([{ id: "k1", material: Buffer.alloc(32, 7) }]);
    parts = { db: work, sealer, pairsMax: 10_000, closeQuestions: async () => {} };
  });
  after(() => open.disposeAsync());

  const caller: OperatorCaller = {
    kind: "operator",
    actor: "operator_token",
    actorId: newId(),
    actorName: "lead",
    sessionId: undefined,
    agentIds: undefined,
    request: { id: newId(), address: "127.0.0.1" },
    idempotency: undefined,
  };
  const textsOf = (number: number) => ({
    question: `What does part ${number} of the machine do?`,
    answer: `Part ${number} turns wheel ${number % 7}.`,
  });
  const pairsOf = (count: number) => Array.from({ length: count }, (_, index) => textsOf(index));
  const inDocument = (docId: string) => ({
    agent_id: agentId,
    knowledge_base_id: undefined,
    doc_id: docId,
    question_id: undefined,
  });
  const made = <Result>(result: Result | Refusal): Result => {
    assert.ok(!(result instanceof Refusal), result instanceof Refusal ? result.advice : "");
    return result;
  };

  /** A document in a base of its own. */
  async function makeDocument(pairs: ReturnType<typeof pairsOf>): Promise<{ baseId: string; docId: string }> {
    const [baseId, docId] = [newId(), newId()];
    await owner.query("insert into knowledge_base (id, agent_id, name) values ($1, $2, 'n')", [
      baseId,
      agentId,
    ]);
    await owner.query(
      "insert into document (id, agent_id, knowledge_base_id, name, purpose) values ($1, $2, $3, 'n', 'QA_TEXT')",
      [docId, agentId, baseId],
    );
    await work
      .transaction()
      .execute((db) => publishText(db, { agentId, knowledgeBaseId: baseId, documentId: docId }, pairs));
    return { baseId, docId };
  }

  async function listed(docId: string): Promise<Pair[]> {
    return made(await listPairs(parts, { ...inDocument(docId), text: undefined, tag: undefined, limit: 100 }))
      .list;
  }
  const change = async (pair_id: string, texts: Partial<Pair>) =>
    made(await changePair(parts, caller, { agent_id: agentId, pair_id, question_id: undefined, ...texts }));
  const countsOf = async (baseId: string) =>
    createStatisticsCache(work).of((await readBases(work, agentId, [baseId]))[0]!);

  it("edits leave the word counts of a document written so at once, in few parts", async () => {
    const edited = await makeDocument(pairsOf(40));
    const pairs = await listed(edited.docId);
    for (const [index, { pair_id }] of pairs.entries()) {
      if (index < 30) await change(pair_id, textsOf(100 + index));
      else if (index < 35) await deletePair(parts, caller, { agent_id: agentId, pair_id });
    }
    for (const number of [200, 201, 202])
      made(await addPair(parts, caller, { ...inDocument(edited.docId), ...textsOf(number) }));
    const written = await makeDocument([
      ...Array.from({ length: 30 }, (_, index) => textsOf(100 + index)),
      ...pairsOf(40).slice(35),
      ...[200, 201, 202].map(textsOf),
    ]);
    assert.deepEqual(await countsOf(edited.baseId), await countsOf(written.baseId));
    const { rows } = await owner.query(
      "select count(statistics)::integer as parts from document_revision where document_id = $1",
      [edited.docId],
    );
    assert.ok(rows[0].parts <= 7, `${rows[0].parts} parts of word counts for 38 edits`);
    const sizes = async (docId: string) => {
      const { rows: latest } = await owner.query(
        "select pairs, characters::integer from document_revision where document_id = $1 order by revision desc limit 1",
        [docId],
      );
      return latest;
    };
    assert.deepEqual(await sizes(edited.docId), await sizes(written.docId));
    const texts = (docId: string) => listed(docId).then((list) => list.map(({ question }) => question));
    assert.deepEqual(await texts(edited.docId), await texts(written.docId));
  });

  it("an edit writes only its pair, not the 3,000 that are there", async () => {
    const { docId } = await makeDocument(pairsOf(3_000));
    const pairs = await listed(docId);
    // Other databases of the same cluster write too: the smallest of a few is nearest to what the edit wrote.
    const walBytes: number[] = [];
    for (const [index, { pair_id }] of pairs.slice(0, 8).entries()) {
      const { rows: before } = await owner.query("select pg_current_wal_insert_lsn() as lsn");
      await change(pair_id, { answer: `Nothing ${index}.` });
      const { rows: after } = await owner.query(
        "select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), $1)::integer as bytes",
        [before[0].lsn],
      );
      walBytes.push(after[0].bytes);
    }
    assert.ok(Math.min(...walBytes) < 200_000, `${walBytes.join(", ")} bytes of WAL`);
  });

  it("the position of a deleted pair is not reused", async () => {
    const { baseId, docId } = await makeDocument(pairsOf(3));
    const last = (await listed(docId)).at(-1)!;
    made(await deletePair(parts, caller, { agent_id: agentId, pair_id: last.pair_id }));
    const added = made(await addPair(parts, caller, { ...inDocument(docId), ...textsOf(9) }));
    assert.notEqual(added.pair_id, last.pair_id);
    made(await restorePair(parts, caller, { agent_id: agentId, pair_id: last.pair_id, version: 1 }));
    assert.deepEqual(
      (await listed(docId)).map(({ question }) => question),
      [0, 1, 2, 9].map((number) => textsOf(number).question),
    );
    const bases = await readBases(work, agentId, [baseId]);
    const asked = textsOf(2).question;
    const [found] = await findPairs(work, createStatisticsCache(work), { agentId, bases, asked, most: 1 });
    assert.equal(found?.answer, textsOf(2).answer);
  });

  it("versions of pairs whose document was replaced are deleted once no reader is left", async () => {
    const { baseId, docId } = await makeDocument(pairsOf(2));
    const [pair] = await listed(docId);
    await change(pair!.pair_id, { answer: "Another." });
    const key = { agentId, knowledgeBaseId: baseId, documentId: docId };
    await work.transaction().execute((db) => publishText(db, key, pairsOf(1)));
    const history = await listPairHistory(parts, {
      agent_id: agentId,
      pair_id: pair!.pair_id,
      limit: 10,
    });
    assert.ok(history instanceof Refusal, "its pairs have other ids now");
    await owner.query("select signalbox_sweep_revision($1, $2, 1)", [agentId, docId]);
    const { rows } = await owner.query("select from qa_pair_version where document_id = $1", [docId]);
    assert.equal(rows.length, 0);
  });
});
