export { nextUrgentStep } from "./attempts/retry-schedule.ts";
export { createBacklogRateLimit } from "./destinations/backlog-rate-limit.ts";
export { createTripRule } from "./destinations/circuit-breaker.ts";
export { createConcurrencyLimit } from "./destinations/concurrency-limit.ts";
export { destinationObject } from "./lanes/destination-object.ts";
export { enableDestination, listDestinations, recheckDestinations } from "./destinations/destinations.ts";
export { createOperatorEvents } from "./destinations/operator-events.ts";
export { createAttemptRecorder } from "./lanes/attempt-recorder.ts";
export { createCapacityWaker } from "./lanes/capacity-waker.ts";
export { claimAtCommit, raisedLanes, type RaisedLane } from "./lanes/claim-at-commit.ts";
export { drainUndrained } from "./lanes/drain-undrained.ts";
export { drainLane, type DrainLane, type DrainParts } from "./lanes/drain.ts";
export {
  commonPolicies,
  type DeliveryPolicies,
  type DeliveryTimes,
  type EndedDelivery,
} from "./lanes/delivery-policy.ts";
export { laneObject } from "./lanes/lane-object.ts";
export { createLaneClaimer, type Claim } from "./lanes/lane-store.ts";
export { laneSweeps } from "./lanes/lane-sweeps.ts";
export { findSettled } from "./lanes/find-settled.ts";
export { giveUpRest, settle, type Settled } from "./lanes/settle.ts";
export { stopDeliveries } from "./lanes/stop-deliveries.ts";
export { startWorkerHeartbeat } from "./lanes/worker-heartbeat.ts";
export { createDeliveryWatch, type ChangedDelivery } from "./log/changed-deliveries.ts";
export { findConversationDeliveries, type ConversationDelivery } from "./log/conversation-deliveries.ts";
export { agentOfDelivery, agentOfReplay } from "./log/find-agent.ts";
export { listDeliveries } from "./log/list-deliveries.ts";
export { getDelivery, readDeliveriesOf } from "./log/read-delivery.ts";
export { getReplay, startReplay, stopReplay } from "./log/replay-many.ts";
export { replayObject, replaySweep } from "./log/replay-object.ts";
export { replayDelivery } from "./log/replay-one.ts";
export { retentionSweep } from "./log/retention.ts";
export { enqueueManyWith, type LaneAddition } from "./outbox/enqueue-many.ts";
export { enqueue, enqueueWith, laneIdOf } from "./outbox/enqueue.ts";
export { responseMessage, responseMessageBytes } from "./outbox/response-message.ts";
