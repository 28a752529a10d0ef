import { z } from "zod";
import { count } from "./values.ts";

const perSecond = z.coerce.number().positive().max(1_000_000);

export const limitSettings = z.object({
  ADDRESS_RATE_LIMIT_PER_SECOND: perSecond
    .default(300)
    .describe(
      "Requests a second of one client address (IPv6: one /64) on one node, before anybody is identified; a failed authentication counts as ten",
    ),
  VISITOR_RATE_LIMIT_PER_SECOND: perSecond
    .default(10)
    .describe("Requests a second of one user of the live channel on one node"),
  VISITOR_MESSAGES_PER_MINUTE: count(1, 1_000_000)
    .default(30)
    .describe("Messages a minute of one user of the live channel on one node"),
  VISITOR_MESSAGES_PER_DAY: count(1, 1_000_000_000)
    .default(1_000)
    .describe("Messages a day (UTC) of one user of the live channel, over all nodes"),
  VISITOR_STREAMS_MAX: count(1, 1_000_000)
    .default(10)
    .describe("Live streams of one user on one node: tabs and devices"),
  AGENT_STREAMS_MAX: count(1, 1_000_000)
    .default(5_000)
    .describe("Live streams of all users of one agent on one node"),
  AGENT_TRANSACTIONS_AT_ONCE: count(1, 200)
    .optional()
    .describe(
      "Database transactions of one agent at once on one node; half of DATABASE_POOL_SIZE when left out",
    ),
  AGENT_SEARCHES_AT_ONCE: count(1, 200)
    .optional()
    .describe("Searches in one agent's knowledge at once in one process; half of the cores when left out"),
  AGENT_MODEL_CALLS_AT_ONCE: count(1, 10_000)
    .default(16)
    .describe("Calls to models of one agent at once in one process"),
  AGENT_MODEL_TOKENS_PER_DAY: count(0, 1_000_000_000_000)
    .default(20_000_000)
    .describe(
      "Tokens a day (UTC) of one agent's models, over all nodes; beyond them it answers from its pairs without a model. 0: no limit",
    ),
});

export function readLimits(settings: z.infer<typeof limitSettings>) {
  return {
    addressRateLimitPerSecond: settings.ADDRESS_RATE_LIMIT_PER_SECOND,
    visitorRateLimitPerSecond: settings.VISITOR_RATE_LIMIT_PER_SECOND,
    visitors: {
      messagesPerMinute: settings.VISITOR_MESSAGES_PER_MINUTE,
      messagesPerDay: settings.VISITOR_MESSAGES_PER_DAY,
      streamsPerVisitor: settings.VISITOR_STREAMS_MAX,
      streamsPerAgent: settings.AGENT_STREAMS_MAX,
    },
    agentTransactionsAtOnce: settings.AGENT_TRANSACTIONS_AT_ONCE,
    agentSearchesAtOnce: settings.AGENT_SEARCHES_AT_ONCE,
    models: {
      callsAtOnce: settings.AGENT_MODEL_CALLS_AT_ONCE,
      tokensPerDay: settings.AGENT_MODEL_TOKENS_PER_DAY,
    },
  };
}
