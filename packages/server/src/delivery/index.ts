export { createAttemptRecorder } from "./attempt-recorder.ts";
export { enqueueWith, laneIdOf } from "./enqueue.ts";
export { laneObject } from "./lane-object.ts";
export { laneSweeps } from "./lane-sweeps.ts";
