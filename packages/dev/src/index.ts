export { PartFailed } from "./part.ts";
export { runDev } from "./run-dev.ts";
export type { DevEvents, DevOptions } from "./run-dev.ts";
export type { RunningStack } from "./running-stack.ts";
