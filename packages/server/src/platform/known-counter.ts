import { Counter, type Registry } from "prom-client";

type KnownLabels = Readonly<Record<string, readonly string[]>>;

export type KnownCounter<Known extends KnownLabels> = Omit<Counter, "inc"> & {
  inc(labels: { [Label in keyof Known]: Known[Label][number] }, by?: number): void;
};

/**
 * A counter whose every series stands at 0 from the start. Prometheus sees no increase in a series that begins with its first
 * event, and an alert on it misses that event. A value that is not in the list does not compile.
 */
export function createKnownCounter<const Known extends KnownLabels>(
  registry: Registry,
  options: { name: string; help: string; labels: Known },
): KnownCounter<Known> {
  const { labels, ...named } = options;
  const counter = new Counter({ ...named, labelNames: Object.keys(labels), registers: [registry] });
  for (const combination of combinationsOf(labels)) counter.inc(combination, 0);
  return counter;
}

function combinationsOf(labels: KnownLabels): Record<string, string>[] {
  return Object.entries(labels).reduce<Record<string, string>[]>(
    (made, [label, values]) => made.flatMap((one) => values.map((value) => ({ ...one, [label]: value }))),
    [{}],
  );
}
