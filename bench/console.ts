// What the console asks for, at the API, with a million deliveries and a million messages in the database.
import { createClient, type Client } from "@signalbox/sdk";
import { openBed } from "@signalbox/tests/support/bed.ts";
import { percentile, readOptions, report } from "./support/report.ts";
import { seedLog } from "./support/seed-log.ts";

const options = readOptions({ deliveries: 1_000_000, messages: 1_000_000, rounds: 12 });
await using bed = await openBed({
  apis: 1,
  workers: 1,
  ownCluster: true,
  environment: { RATE_LIMIT_PER_SECOND: "1000000" },
});
const begun = performance.now();
const seeded = await seedLog(bed.database, options);
console.log(`seeded in ${Math.round((performance.now() - begun) / 1000)} s`);
const operator = createClient({ baseUrl: bed.baseUrl, operatorToken: bed.operatorToken, retries: 0 });

type Ask = (operator: Client) => Promise<{ list: unknown[] }>;
const { agentId: agent_id, conversationId: conversation_id, webhookId: webhook_id, from, until } = seeded;
const day = { from_time: from + 3_600_000, to_time: until - 3_600_000 };

const firstPages: Record<string, Ask> = {
  deliveries: (client) => client.deliveries.list({}),
  deliveries_of_agent: (client) => client.deliveries.list({ agent_id }),
  conversations: (client) => client.conversations.search({ with_last_message: true }),
  conversations_of_agent: (client) => client.conversations.search({ agent_id, with_last_message: true }),
};
const filters: Record<string, Ask> = {
  dead: (client) => client.deliveries.list({ state: "dead" }),
  dead_of_agent: (client) => client.deliveries.list({ agent_id, state: "dead" }),
  pending: (client) => client.deliveries.list({ state: "pending" }),
  cause: (client) => client.deliveries.list({ cause: "timeout" }),
  cause_not_there: (client) => client.deliveries.list({ agent_id, cause: "dns_not_found" }),
  event: (client) => client.deliveries.list({ event: "handoff_closed" }),
  webhook: (client) => client.deliveries.list({ webhook_id }),
  conversation: (client) => client.deliveries.list({ agent_id, conversation_id }),
  delivery_times: (client) => client.deliveries.list({ ...day, agent_id }),
  user: (client) => client.conversations.search({ agent_id, user_id: "user-77" }),
  with_human: (client) => client.conversations.search({ agent_id, control: "human" }),
  unanswered: (client) => client.conversations.search({ outcome: "unanswered" }),
  channel: (client) => client.conversations.search({ agent_id, channel: "widget" }),
  conversation_times: (client) => client.conversations.search({ ...day }),
};
const texts = {
  frequent: "word1",
  rare: "word4999",
  several: "word12 word7",
  beginning: "wor",
  chinese: "退货",
  nowhere: "zebra",
};
const searches = Object.fromEntries(
  Object.entries(texts).map(([name, text]): [string, Ask] => [
    name,
    (client) => client.conversations.search({ agent_id, text, with_last_message: true }),
  ]),
);

/** Each in turn, round after round; the first round warms up and does not count. */
async function measure(asks: Record<string, Ask>): Promise<Record<string, number[]>> {
  const took: Record<string, number[]> = {};
  for (let round = 0; round <= options.rounds; round += 1)
    for (const [name, ask] of Object.entries(asks)) {
      const started = performance.now();
      await ask(operator);
      if (round > 0) (took[name] ??= []).push(performance.now() - started);
    }
  return took;
}

const p95Of = (took: Record<string, number[]>) => percentile(Object.values(took).flat(), 0.95);
const slowest = (took: Record<string, number[]>) =>
  Object.fromEntries(Object.entries(took).map(([name, values]) => [name, percentile(values, 0.95)]));
const [first, filtered, searched] = [
  await measure(firstPages),
  await measure(filters),
  await measure(searches),
];
report("console", {
  deliveries: options.deliveries,
  messages: options.messages,
  first_page_ms_1m: p95Of(first),
  filter_p95_ms_1m: p95Of(filtered),
  search_p95_ms_1m: p95Of(searched),
  first_page_ms: slowest(first),
  filter_ms: slowest(filtered),
  search_ms: slowest(searched),
});
