export { PartFailed } from "./part.ts";
export { runDev } from "./run-dev.ts";
export type { DevEvents, DevOptions, RunningStack } from "./run-dev.ts";
