import { readFileSync } from "node:fs";

export interface CallFrame {
  functionName: string;
  url: string;
}

export interface CpuProfile {
  nodes: { id: number; callFrame: CallFrame; children?: number[] }[];
  samples: number[];
  timeDeltas: number[];
}

export function readProfile(path: string): CpuProfile {
  // Safe because V8 alone writes these files.
  return JSON.parse(readFileSync(path, "utf8")) as CpuProfile;
}

/** Who called each node, by id. */
export function callersOf({ nodes }: CpuProfile): Map<number, number> {
  return new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])));
}
