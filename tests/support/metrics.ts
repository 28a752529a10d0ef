import type { Bed } from "./bed.ts";
import { asOperator } from "./wire.ts";

/** The values of one metric, by the value of its label; "" where it has none. */
export type ReadMetric = (name: string) => Map<string, number>;

/** What a node says of itself; nothing while it does not answer. */
export async function readMetrics(
  bed: Pick<Bed, "operatorToken">,
  baseUrl: string,
  timeoutMs = 2_000,
): Promise<ReadMetric> {
  const text = await fetch(`${baseUrl}/metrics`, {
    headers: asOperator(bed),
    signal: AbortSignal.timeout(timeoutMs),
  }).then(
    (response) => response.text(),
    () => "",
  );
  return (name) => {
    const lines = text.matchAll(new RegExp(`^${name}(?:\\{\\w+="([^"]*)"\\})? (\\S+)$`, "gm"));
    return new Map([...lines].map(([, label = "", value]) => [label, Number(value)]));
  };
}

export function sumOf(values: ReadonlyMap<string, number>): number {
  return [...values.values()].reduce((sum, value) => sum + value, 0);
}
