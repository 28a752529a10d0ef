import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { operatorOf } from "@signalbox/tests/support/agents.ts";
import { openBed } from "@signalbox/tests/support/bed.ts";
import { startFileServer } from "@signalbox/tests/support/file-server.ts";
import { callerOf, importFile } from "./knowledge/import.ts";
import { csvOf, syntheticPairs } from "./knowledge/synthetic-pairs.ts";
import { measureInboxEvents } from "./support/inbox-events.ts";
import { percentile, readOptions, report } from "./support/report.ts";

// `npm run bench -- workbench --json`: what a lead waits for who edits and searches a document of 100,000 pairs, and the team
// for a user's message while a thousand handoffs are open.
const options = readOptions({ pairs: 100_000, edits: 30, searches: 60, talks: 1_000, messages: 200 });
const WARM = 5;
const WIDGET = new URL("../packages/widget/dist/signalbox-chat.js", import.meta.url);

await using files = await startFileServer();
await using bed = await openBed({
  apis: 1,
  workers: 1,
  environment: { RATE_LIMIT_PER_SECOND: "100000", LOG_LEVEL: "warn", IMPORT_ANSWER_SECONDS: "60" },
});
const { client, agentId: agent_id } = await callerOf(bed);
const pairs = syntheticPairs(options.pairs, 1);
const doc_id = await importFile(client, files.put("many.csv", { bytes: csvOf(pairs) }), "many.csv");
await bed.database.query("vacuum analyze qa_pair");
const operator = operatorOf(bed);

async function timed(run: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await run();
  return performance.now() - began;
}

/** Words of the pairs themselves: a rare one, a common one, two together, and the beginning of one. */
const words = pairs.slice(0, options.searches).flatMap(({ question }) => question.match(/[a-z]{4,}/gi) ?? []);
const wordAt = (index: number) => words[(index * 7) % words.length] ?? "what";
const searched = (index: number): string =>
  [wordAt(index), `${wordAt(index)} ${wordAt(index + 1)}`, wordAt(index).slice(0, 3)][index % 3] ?? "";

const searchMs: number[] = [];
for (let index = 0; index < options.searches + WARM; index += 1) {
  const tookMs = await timed(() => operator.pairs.list({ agent_id, text: searched(index) }));
  if (index >= WARM) searchMs.push(tookMs);
}

const editMs: number[] = [];
const { list } = await operator.pairs.list({ agent_id, doc_id, limit: 100 });
for (const [index, { pair_id }] of list.slice(0, options.edits + WARM).entries()) {
  const answer = `Corrected for the ${index}th time.`;
  const tookMs = await timed(() => operator.pairs.update({ agent_id, pair_id, answer }));
  if (index >= WARM) editMs.push(tookMs);
}

const shownMs = await measureInboxEvents(bed, options);
const eventMs = [...shownMs.chat, ...shownMs.queue];

report("workbench", {
  edit_ms_100k: percentile(editMs, 0.95),
  search_p95_ms_100k: percentile(searchMs, 0.95),
  inbox_event_p95_ms: percentile(eventMs, 0.95),
  widget_kb_gzip: gzipSync(readFileSync(WIDGET)).length / 1000,
  also: {
    inbox_event_p50_ms: percentile(eventMs, 0.5),
    inbox_event_max_ms: Math.max(...eventMs),
    inbox_chat_p95_ms: percentile(shownMs.chat, 0.95),
    inbox_queue_p95_ms: percentile(shownMs.queue, 0.95),
    pairs: options.pairs,
    edit_p50_ms: percentile(editMs, 0.5),
    search_p50_ms: percentile(searchMs, 0.5),
    first_page_ms: await timed(() => operator.pairs.list({ agent_id, limit: 50 })),
  },
});
