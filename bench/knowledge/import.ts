import { readFileSync } from "node:fs";
import { createClient, type Client } from "@signalbox/sdk";
import type { Bed } from "@signalbox/tests/support/bed.ts";
import type { FileServer } from "@signalbox/tests/support/file-server.ts";
import { eventually } from "@signalbox/tests/support/processes.ts";
import { csvOf, syntheticPairs } from "./synthetic-pairs.ts";

export interface ImportFigures {
  seconds: number;
  megabytesOverIdle: number;
  /** Speed of the import as a share of the speed of the same rows in a bare COPY. */
  overCopy: number;
  overCopyWithoutIndexes: number;
  copySeconds: number;
  loopDelayP99Ms: number;
}

const MEGABYTE = 1024 * 1024;

export async function callerOf(bed: Bed): Promise<{ client: Client; agentId: string; baseId: string }> {
  const operator = createClient({ baseUrl: bed.baseUrl, operatorToken: bed.operatorToken });
  const agent = await operator.agents.create({ name: "Bench" });
  const { api_key } = await operator.keys.create({ agent_id: agent.agent_id, name: "bench" });
  const client = createClient({ baseUrl: bed.baseUrl, apiKey: api_key, timeoutMs: 120_000 });
  return { client, agentId: agent.agent_id, baseId: agent.default_knowledge_base_id };
}

export async function importFile(client: Client, url: string, name: string): Promise<string> {
  const { doc } = await client.knowledge.add({
    purpose: "QA_FILE",
    files: [{ file_url: url, file_name: name }],
  });
  const id = doc[0]?.doc_id ?? "";
  await eventually(
    `${name} is in`,
    async () => {
      const [detail] = await client.knowledge.getDocuments({ data_ids: [id] });
      if (detail?.data_status === "FAILED") throw new Error(JSON.stringify(detail.last_import));
      return detail?.data_status === "AVAILABLE";
    },
    { timeoutMs: 600_000, everyMs: 50 },
  );
  return id;
}

/** One CSV of this many pairs through the whole service, beside a COPY of the rows it made. */
export async function measureImport(bed: Bed, files: FileServer, pairs: number): Promise<ImportFigures> {
  const { client } = await callerOf(bed);
  await importFile(client, files.put("warm.csv", { bytes: csvOf(syntheticPairs(100, 1)) }), "warm.csv");
  const url = files.put("large.csv", { bytes: csvOf(syntheticPairs(pairs, 2)) });
  await loopDelayMs(bed);
  const idle = residentBytes(bed);
  let most = idle;
  const watch = setInterval(() => (most = Math.max(most, residentBytes(bed))), 50);
  const began = performance.now();
  const documentId = await importFile(client, url, "large.csv");
  const seconds = (performance.now() - began) / 1000;
  clearInterval(watch);
  const delay = await loopDelayMs(bed);
  const withIndexes = await measureCopy(bed, documentId, "including all");
  const without = await measureCopy(bed, documentId, "");
  return {
    seconds,
    megabytesOverIdle: (most - idle) / MEGABYTE,
    overCopy: withIndexes / seconds,
    overCopyWithoutIndexes: without / seconds,
    copySeconds: withIndexes,
    loopDelayP99Ms: delay,
  };
}

function residentBytes(bed: Bed): number {
  const status = readFileSync(`/proc/${bed.worker().pid()}/status`, "utf8");
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? 0) * 1024;
}

/** Since it was last asked for: asking sets the worker's own histogram back. */
async function loopDelayMs(bed: Bed): Promise<number> {
  const response = await fetch(`${bed.worker().baseUrl}/metrics`, {
    headers: { authorization: `Bearer ${bed.operatorToken}` },
  });
  const seconds = /^nodejs_eventloop_lag_p99_seconds (\S+)/m.exec(await response.text())?.[1];
  return Number(seconds) * 1000;
}

/** PostgreSQL alone: the very rows, from a file on its own disk, into a table of the same shape. */
async function measureCopy(bed: Bed, documentId: string, like: string): Promise<number> {
  const file = `${bed.cluster.dataDirectory}/bench-copy.txt`;
  const [row] = await bed.database.query<{ partition: string }>(
    "select signalbox_partition_of('qa_pair', knowledge_base_id)::text as partition from document where id = $1",
    [documentId],
  );
  await bed.database.query("drop table if exists bench_copy");
  await bed.database.query(`create table bench_copy (like ${row?.partition} ${like})`);
  await bed.database.query(`copy (select * from qa_pair where document_id = '${documentId}') to '${file}'`);
  const began = performance.now();
  await bed.database.query(`copy bench_copy from '${file}'`);
  const seconds = (performance.now() - began) / 1000;
  await bed.database.query("drop table bench_copy");
  return seconds;
}
