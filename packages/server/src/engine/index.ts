export { ALARM_SERVICE, alarmSlotOf, type Alarm, type AlarmSlot } from "./alarm.ts";
export { generateIdentityKey } from "./identity-key.ts";
export { mayShare, writeCall, type Call } from "./call.ts";
export { openEngine, type CallSender, type Engine } from "./client.ts";
export { type EngineObject, type Work } from "./engine-object.ts";
export { watchEngine } from "./monitor.ts";
export {
  actAfterCommit,
  sendCalls,
  type AfterCommit,
  type AfterCommitParts,
  type EngineCall,
} from "./after-commit.ts";
export { objectKey, type ObjectKey } from "./object-key.ts";
export { createBatchRunner } from "./run-batch.ts";
export { runReconciler, type Sweep } from "./reconciler.ts";
export { register, type Registration } from "./registration.ts";
export { reportSendFailures } from "./send-failures.ts";
export { BATCH_SERVICE, serveEngine } from "./serve.ts";
