export { generateIdentityKey } from "./identity-key.ts";
export { openEngine, type Engine } from "./client.ts";
export { watchEngine } from "./monitor.ts";
export { makeCalls, type EngineCall } from "./engine-call.ts";
export { objectKey, type ObjectKey } from "./object-key.ts";
export { runReconciler, type Sweep } from "./reconciler.ts";
export { register, type Registration } from "./registration.ts";
export { reportSendFailures } from "./send-failures.ts";
export { serveEngine, type EngineObject, type Work } from "./serve.ts";
