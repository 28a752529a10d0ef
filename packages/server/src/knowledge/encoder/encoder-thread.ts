import { parentPort, workerData } from "node:worker_threads";
import { createSentenceEncoder } from "./sentence-encoder.ts";
import { readWeights } from "./weights.ts";

export interface EncodeRequest {
  id: number;
  pieces: number[];
  /** The places of the pieces that its vector is the mean of. */
  ofWords: number[];
}

export interface EncodeReply {
  id: number;
  vector: Float32Array;
  cpuMs: number;
}

// The thread's whole life: one text at a time, in the order they come.
const encoder = createSentenceEncoder(readWeights(new URL(workerData as string)));
parentPort?.on("message", ({ id, pieces, ofWords }: EncodeRequest) => {
  const before = process.threadCpuUsage();
  const vector = encoder.encode(pieces, ofWords);
  const { user, system } = process.threadCpuUsage(before);
  const reply: EncodeReply = { id, vector, cpuMs: (user + system) / 1000 };
  parentPort?.postMessage(reply);
});
