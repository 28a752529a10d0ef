import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { createClient, type Client } from "@signalbox/sdk";
import { makeAgent, type MadeAgent } from "../support/agents.ts";
import { openBed, type Bed } from "../support/bed.ts";
import { startFileServer, type FileServer } from "../support/file-server.ts";
import { LOAD_ENVIRONMENT } from "../support/load.ts";
import { eventually } from "../support/processes.ts";

/** How often the document is replaced; SIGNALBOX_TEST_REPLACES=1000 is the long form. */
const REPLACES = Number(process.env["SIGNALBOX_TEST_REPLACES"] ?? 40);
const PAIRS = 30;
const READERS = 4;
const KILLS = Math.max(5, Math.floor(REPLACES / 20));
const ALL_MS = 120_000 + REPLACES * 3_000;

interface Read {
  /** Which replaces the pairs came from. */
  tags: number[];
  pairs: number;
}

describe("document replaced while processes are killed", () => {
  const open = new AsyncDisposableStack();
  let bed: Bed;
  let files: FileServer;
  let agent: MadeAgent;
  let documentId: string;

  const listOf = (tag: number) =>
    Array.from({ length: PAIRS }, (_, index) => ({
      question: `What is entry ${index} of the catalogue?`,
      answer: `replace ${tag} entry ${index}`,
    }));

  before(async () => {
    files = open.use(await startFileServer());
    bed = open.use(await openBed({ ownCluster: true, environment: LOAD_ENVIRONMENT }));
    agent = await makeAgent(bed, { webhook: false });
    const { doc } = await agent.client.knowledge.add({
      purpose: "QA_TEXT",
      name: "Catalogue",
      qaList: listOf(0),
    });
    documentId = doc[0]?.doc_id ?? "";
  });
  after(() => open.disposeAsync());

  const nodes = (first: number) =>
    bed.apis.map((_, index) => bed.api((first + index) % bed.apis.length).baseUrl);
  const clientFor = (index: number): Client =>
    createClient({ baseUrls: nodes(index), apiKey: agent.apiKey, retries: 0, timeoutMs: 30_000 });

  /** Again and again with one key until it is answered: a call whose answer was lost may have been done. */
  async function replace(client: Client, tag: number): Promise<"replaced" | "failed"> {
    const asFile = tag % 2 === 0;
    const rows = listOf(tag).map(({ question, answer }) => `${question},${answer}`);
    const source_url = asFile ? files.put(`replace-${tag}.csv`, { bytes: rows.join("\n") }) : "";
    for (;;) {
      try {
        const { failed } = await client.knowledge.update(
          asFile
            ? { files: [{ doc_id: documentId, source_url, file_name: "catalogue.csv" }] }
            : { doc_id: documentId, qaList: listOf(tag) },
          { idempotencyKey: `replace-${tag}` },
        );
        return failed.length === 0 ? "replaced" : "failed";
      } catch {
        await sleep(50);
      }
    }
  }

  async function read(client: Client): Promise<Read | undefined> {
    try {
      const { list } = await client.knowledge.search({
        prompt: "entry of the catalogue",
        top_k: 50,
        data_ids: [documentId],
      });
      const tags = new Set(list.map(({ answer }) => Number(/^replace (\d+) /.exec(answer)?.[1])));
      return { tags: [...tags], pairs: list.length };
    } catch {
      // A node that is dead or without its database answers nothing: that is no read.
      await sleep(20);
      return undefined;
    }
  }

  /** Each of the parts in turn, killed outright and started again. */
  async function killInTurn(until: () => boolean, mayKill: (kills: number) => boolean): Promise<string[]> {
    const parts = [
      ...bed.workers.map((worker) => ({ ...worker, what: "worker" })),
      { ...bed.ownCluster(), what: "postgres" },
      ...bed.apis.map((api) => ({ ...api, what: "api" })),
    ];
    const killed: string[] = [];
    while (!until()) {
      await sleep(20);
      if (!mayKill(killed.length)) continue;
      const part = parts[killed.length % parts.length];
      if (part === undefined) break;
      await part.kill9();
      killed.push(part.what);
      await part.start();
    }
    return killed;
  }

  it(
    `readers see all of the old or all of the new content in ${REPLACES} replaces, and never none`,
    { timeout: ALL_MS },
    async () => {
      let done = 0;
      const refused: number[] = [];
      const isOver = () => done >= REPLACES;
      const replacing = (async () => {
        const client = clientFor(0);
        for (let tag = 1; tag <= REPLACES; tag += 1) {
          if ((await replace(client, tag)) === "failed") refused.push(tag);
          done = tag;
        }
      })();

      const torn: Read[] = [];
      const backwards: number[][] = [];
      let reads = 0;
      const reading = Array.from({ length: READERS }, async (_, index) => {
        const client = clientFor(index);
        let last = 0;
        while (!isOver()) {
          const seen = await read(client);
          if (seen === undefined) continue;
          reads += 1;
          const [tag = Number.NaN] = seen.tags;
          if (seen.tags.length !== 1 || seen.pairs !== PAIRS || !(tag <= done + 1)) torn.push(seen);
          else if (tag < last) backwards.push([last, tag]);
          else last = tag;
        }
      });

      const killing = killInTurn(isOver, (kills) => done >= ((kills + 1) * REPLACES) / (KILLS + 1));
      const [killed] = await Promise.all([killing, replacing, ...reading]);
      assert.deepEqual(torn.slice(0, 5), [], `of ${reads} reads`);
      assert.deepEqual(backwards.slice(0, 5), [], "a reader never goes back to an older content");
      assert.deepEqual(refused, [], "no death of ours is a fault of the file");
      assert.ok(reads > REPLACES, `${reads} reads`);
      for (const part of ["worker", "postgres", "api"])
        assert.ok(killed.filter((what) => what === part).length >= 1, `kills: ${killed.join(", ")}`);
      console.log(`${reads} reads during ${REPLACES} replaces and ${killed.length} kills`);
    },
  );

  it("the document holds the last replace in the end, with no import running", async () => {
    const client = clientFor(0);
    await eventually(
      "every import has ended",
      async () => {
        const rows = await bed.database.query<{ state: string }>(
          "select state from document_revision where document_id = $1 and state in ('waiting', 'working')",
          [documentId],
        );
        return rows.length === 0;
      },
      { timeoutMs: 60_000 },
    );
    assert.deepEqual(await read(client), { tags: [REPLACES], pairs: PAIRS });
    const [row] = await bed.database.query<{ current: number; last: number; foreign_pairs: number }>(
      `select d.current_revision as current, d.last_revision as last,
        (select count(*)::int from qa_pair p where p.document_id = d.id
          and not exists (select from document_revision r where r.document_id = d.id and r.revision = p.revision)) as foreign_pairs
       from document d where d.id = $1`,
      [documentId],
    );
    assert.deepEqual([row?.current, row?.foreign_pairs], [row?.last, 0]);
  });
});
