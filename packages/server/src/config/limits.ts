import { availableParallelism } from "node:os";
import { z } from "zod";
import { count, halfOf } from "./values.ts";

const perSecond = z.coerce.number().positive().max(1_000_000);

export const limitSettings = z.object({
  ADDRESS_RATE_LIMIT_PER_SECOND: perSecond
    .default(300)
    .describe(
      "Requests per second from one client address (IPv6: one /64) on one node, before authentication. A failed authentication counts as ten",
    ),
  ADDRESS_CONNECTIONS_MAX: count(1, 1_000_000)
    .default(200)
    .describe(
      "Open connections of one client address (IPv6: one /64) to one node. Connections of TRUSTED_PROXIES are not counted",
    ),
  CONNECTIONS_MAX: count(1, 1_000_000)
    .default(20_000)
    .describe(
      "Open connections to one node. Keep it below the process's limit of open files, or more are refused without an answer",
    ),
  OPERATOR_RATE_LIMIT_PER_SECOND: perSecond
    .default(50)
    .describe(
      "Requests per second of one account, over all its sessions, or of one operator token, on one node. Every 100 kB of request body counts as one more request",
    ),
  ACCOUNT_TRANSACTIONS_AT_ONCE: count(1, 200)
    .optional()
    .describe(
      "Concurrent database transactions of one account or operator token on one node. Defaults to half of CONSOLE_POOL_SIZE",
    ),
  OPERATOR_STREAMS_MAX: count(1, 1_000_000)
    .default(1_000)
    .describe("Streams of changes for operators on one node. Each open page of the console is one"),
  ACCOUNT_STREAMS_MAX: count(1, 1_000_000)
    .default(20)
    .describe("Streams of changes per account or operator token on one node"),
  AGENT_OPERATOR_STREAMS_MAX: count(1, 1_000_000)
    .default(200)
    .describe("Streams of changes about one agent on one node"),
  VISITOR_RATE_LIMIT_PER_SECOND: perSecond
    .default(10)
    .describe("Requests per second from one live-channel user on one node"),
  VISITOR_MESSAGES_PER_MINUTE: count(1, 1_000_000)
    .default(30)
    .describe("Messages per minute from one live-channel user on one node"),
  VISITOR_MESSAGES_PER_DAY: count(1, 1_000_000_000)
    .default(1_000)
    .describe("Messages per day (UTC) from one live-channel user, across all nodes"),
  VISITOR_STREAMS_MAX: count(1, 1_000_000)
    .default(10)
    .describe("Live streams per user on one node. Each open tab or device is one"),
  AGENT_STREAMS_MAX: count(1, 1_000_000).default(5_000).describe("Live streams per agent on one node"),
  AGENT_TRANSACTIONS_AT_ONCE: count(1, 200)
    .optional()
    .describe(
      "Concurrent database transactions per agent on one node. Defaults to half of DATABASE_POOL_SIZE",
    ),
  AGENT_SEARCHES_AT_ONCE: count(1, 200)
    .optional()
    .describe("Concurrent knowledge searches per agent in one process. Defaults to half of the cores"),
  AGENT_MODEL_CALLS_AT_ONCE: count(1, 10_000)
    .default(16)
    .describe("Concurrent model calls per agent in one process"),
  AGENT_MODEL_TOKENS_PER_DAY: count(0, 1_000_000_000_000)
    .default(20_000_000)
    .describe(
      "Model tokens per agent and day (UTC), across all nodes. Beyond the limit the agent answers without a model. One live-channel user, or one address of anonymous users, gets at most a tenth. 0 means no limit",
    ),
});

export function readLimits(
  settings: z.infer<typeof limitSettings>,
  { poolSize, consolePoolSize }: { poolSize: number; consolePoolSize: number },
) {
  return {
    connections: {
      ofAddress: settings.ADDRESS_CONNECTIONS_MAX,
      ofNode: settings.CONNECTIONS_MAX,
    },
    operatorRateLimitPerSecond: settings.OPERATOR_RATE_LIMIT_PER_SECOND,
    accountTransactionsAtOnce: settings.ACCOUNT_TRANSACTIONS_AT_ONCE ?? halfOf(consolePoolSize),
    operatorStreams: {
      ofNode: settings.OPERATOR_STREAMS_MAX,
      ofAccount: settings.ACCOUNT_STREAMS_MAX,
      ofAgent: settings.AGENT_OPERATOR_STREAMS_MAX,
    },
    addressRateLimitPerSecond: settings.ADDRESS_RATE_LIMIT_PER_SECOND,
    visitorRateLimitPerSecond: settings.VISITOR_RATE_LIMIT_PER_SECOND,
    visitors: {
      messagesPerMinute: settings.VISITOR_MESSAGES_PER_MINUTE,
      messagesPerDay: settings.VISITOR_MESSAGES_PER_DAY,
      streamsPerVisitor: settings.VISITOR_STREAMS_MAX,
      streamsPerAgent: settings.AGENT_STREAMS_MAX,
    },
    // Two agents together may use the pool whole, and one alone may not.
    agentTransactionsAtOnce: settings.AGENT_TRANSACTIONS_AT_ONCE ?? halfOf(poolSize),
    // A search computes all the while it runs: more of one agent would take the cores from the others, and be no faster.
    agentSearchesAtOnce: settings.AGENT_SEARCHES_AT_ONCE ?? halfOf(availableParallelism()),
    models: {
      callsAtOnce: settings.AGENT_MODEL_CALLS_AT_ONCE,
      tokensPerDay: settings.AGENT_MODEL_TOKENS_PER_DAY,
    },
  };
}
