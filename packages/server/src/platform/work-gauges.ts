import { Gauge, type Registry } from "prom-client";

/** How much waits in the whole service. */
export interface WorkFacts {
  oldestWaitingSeconds: number;
  oldestLateSeconds: number;
  pending: number;
  givenUp: number;
  openBreakers: number;
  workers: number;
}

const GAUGES: Readonly<Record<keyof WorkFacts, { name: string; help: string }>> = {
  oldestWaitingSeconds: {
    name: "signalbox_oldest_waiting_message_seconds",
    help: "How long the oldest unanswered message has waited for its turn",
  },
  oldestLateSeconds: {
    name: "signalbox_oldest_late_delivery_seconds",
    help: "How late the oldest due delivery is",
  },
  pending: {
    name: "signalbox_deliveries_pending",
    help: "Deliveries that are neither delivered nor given up",
  },
  givenUp: {
    name: "signalbox_deliveries_given_up",
    help: "Deliveries of the last 24 hours that were given up",
  },
  openBreakers: { name: "signalbox_breakers_open", help: "Destinations whose circuit breaker is open" },
  workers: { name: "signalbox_workers", help: "Workers that send heartbeats" },
};

/** Several times what lies between two looks. */
const KNOWN_FOR_MS = 60_000;

/** Gauges of what the leading worker has read. A worker that leads no more says nothing soon after, and the others never do. */
export function createWorkGauges(
  registry: Registry,
  now: () => number = () => performance.now(),
): (facts: WorkFacts) => void {
  let known: { facts: WorkFacts; at: number } | undefined;
  for (const key of Object.keys(GAUGES) as (keyof WorkFacts)[])
    new Gauge({
      ...GAUGES[key],
      registers: [registry],
      collect() {
        if (known === undefined || now() - known.at > KNOWN_FOR_MS) this.remove();
        else this.set(known.facts[key]);
      },
    });
  return (facts) => {
    known = { facts, at: now() };
  };
}
