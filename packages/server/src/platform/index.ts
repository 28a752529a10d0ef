export { simplified } from "./simplified.ts";
export type { Tables } from "./tables.generated.ts";
export { createAgentShare, LimitReached, type AgentShare } from "./agent-share.ts";
export type { Unanswered, UnansweredCause } from "./outbound-failure.ts";
export { createInternalAddresses, type InternalTarget } from "./internal-addresses.ts";
export { openOutbound, type Outbound, type OutboundResult } from "./outbound-http.ts";
export type { Timings } from "./exchange-timings.ts";
export { closing, EventStream, eventFrame } from "./event-stream.ts";
export { StreamBroken } from "./outbound-stream.ts";
export { createOpenCounts, type Ceiling } from "./open-counts.ts";
export { openBulkDatabase, type BulkDatabase } from "./bulk-database.ts";
export { openBroadcast, type Broadcast } from "./broadcast.ts";
export { readTyping, tellTyping, type TypingSignal } from "./typing-signals.ts";
export type {
  AgentCaller,
  BrowserCaller,
  ChatCaller,
  ChatUser,
  DeskCaller,
  IdempotencyKey,
  InboxCaller,
  MessageAuthor,
  Operator,
  OperatorCaller,
  RequestOrigin,
  RequestTrace,
  TracedIds,
} from "./caller.ts";
export {
  inTransaction,
  isDatabaseUnavailable,
  isStatementTimeout,
  openAgentDatabase,
  openWorkDatabase,
  planForValues,
  type AgentDatabase,
  type Database,
} from "./database.ts";
export { clockFrom } from "./database-clock.ts";
export { openConsoleDatabase, readOnBehalf, type ConsoleDatabase } from "./console-database.ts";
export { openSearchDatabase } from "./search-database.ts";
export { dailyUseSweep, openDailyUse, secondsToMidnight, type DailyUse } from "./daily-use.ts";
export { createFairSemaphore, type FairSemaphore } from "./fair-semaphore.ts";
export { createCommitAcrossAgents, forUpdate, LOCKED, type LockedRows } from "./across-agents.ts";
export { createGroupCommit, type GroupCommit } from "./group-commit.ts";
export { isUniqueViolation, outcomeOf } from "./work-outcome.ts";
export { FileReply } from "./file-reply.ts";
export type { FormPart, FormStream } from "./form-stream.ts";
export { HeadedReply } from "./headed-reply.ts";
export { audit, authorColumns, recordRead, type Actor } from "./audit.ts";
export { createBriefCache } from "./brief-cache.ts";
export {
  aboutUser,
  once,
  OPERATOR_SCOPE,
  ownedBy,
  recall,
  remember,
  ShownOnce,
  type OnceScope,
} from "./idempotency.ts";
export { JsonStream, type Streamable } from "./json-stream.ts";
export { derivedId, firstIdAt, newId, randomText, timeOfId } from "./ids.ts";
export { LruMap } from "./lru-map.ts";
export type { OperatorWriting } from "./operator-writing.ts";
export { ensurePartitions, partitionSweep } from "./partitions.ts";
export { joinLeaderElection, type LeaderElection } from "./leader-election.ts";
export { createLifecycle, pause, type Lifecycle } from "./lifecycle.ts";
export { createLog, type Log } from "./log.ts";
export { LOG_EVENTS } from "./log-events.ts";
export { createMetrics, type Metrics, type TurnOutcome } from "./metrics.ts";
export { type WorkFacts } from "./work-gauges.ts";
export { readBuild } from "./build.ts";
export { fingerprintOf, readAccess, type Access } from "./access.ts";
export { migrate, readApplied, readMigrations, readRows, verifyAccess } from "./migrate.ts";
export { skeletonOf, statementsOf } from "./migration-statements.ts";
export { describeStep, stepsOf } from "./migration-steps.ts";
export { newerSchema, oldestProgramOf, planMigrations, schemaMismatch } from "./schema-plan.ts";
export {
  openChatModel,
  openEmbeddingModel,
  type ChatModel,
  type ChatResult,
  type EmbeddingModel,
} from "./model.ts";
export { openChatModelWithFallback } from "./model-fallback.ts";
export { NO_USAGE, perMillion, sumUsage, type ModelUsage } from "./model-usage.ts";
export { createModelShare, type ModelShare } from "./model-share.ts";
export { createModelDialects } from "./model-dialects.ts";
export {
  createModelQuota,
  unmetered,
  type EndedCall,
  type ModelCalls,
  type ModelQuota,
} from "./model-quota.ts";
export type { ModelFailure } from "./model-client.ts";
export { createMinuteLimiter, createRateLimiter, type Allowance } from "./rate-limit.ts";
export { reasonsNotToRun } from "./preflight.ts";
export { awaitDatabase } from "./await-database.ts";
export {
  Refusal,
  refuse,
  refuseBeyond,
  type LimitName,
  type ReachedLimit,
  unlessRefused,
} from "./refusal.ts";
export { createSealer, type Sealer } from "./sealing.ts";
export { refuseNewOrigin, type SecretsAtUrl } from "./secret-origin.ts";
export { reasonsAgainstKeys, type StoredSeal } from "./sealing-check.ts";
export { openSpeechModel, SPEECH_TYPES } from "./speech.ts";
export { createTimeSlice } from "./time-slice.ts";
export { describeAgentSpan } from "./model-spans.ts";
export { inTrace, startSpan, startTracing, traceIdOf, traceparentOf, type Span } from "./tracing.ts";
