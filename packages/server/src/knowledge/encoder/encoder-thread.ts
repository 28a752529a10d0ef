import { parentPort, workerData } from "node:worker_threads";
import { createSentenceEncoder } from "./sentence-encoder.ts";
import { readWeights } from "./weights.ts";

export interface EncodeRequest {
  id: number;
  text: string;
}

export interface EncodeReply {
  id: number;
  vector: Float32Array;
  charactersPerPiece: number;
  cpuMs: number;
}

// The thread's whole life: one text at a time, in the order they come.
const encoder = createSentenceEncoder(readWeights(new URL(workerData as string)));
parentPort?.on("message", ({ id, text }: EncodeRequest) => {
  const before = process.threadCpuUsage();
  const { vector, charactersPerPiece } = encoder.encode(text);
  const { user, system } = process.threadCpuUsage(before);
  const reply: EncodeReply = { id, vector, charactersPerPiece, cpuMs: (user + system) / 1000 };
  parentPort?.postMessage(reply);
});
