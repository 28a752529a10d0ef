export { createAttemptRecorder } from "./attempt-recorder.ts";
export { enqueueWith, laneIdOf } from "./enqueue.ts";
export { createDestinationGate } from "./destination-gate.ts";
export { destinationObject } from "./destination-object.ts";
export { createOperatorEvents } from "./operator-events.ts";
export { createRoomWaker } from "./room-waker.ts";
export { countWorkers } from "./worker-count.ts";
export { laneObject } from "./lane-object.ts";
export { laneSweeps } from "./lane-sweeps.ts";
