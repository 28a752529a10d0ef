import type { ServicePart } from "@signalbox/contract";

const parts: Record<ServicePart, string> = {
  database: "PostgreSQL",
  engine: "Restate",
  workers: "Workers",
  turns: "Answering",
  deliveries: "Delivering",
};

/** Said while all is well; a failure is told in the service's own words. */
const wellMessages: Record<ServicePart, string> = {
  database: "Takes work.",
  engine: "Takes calls.",
  workers: "At least one sends heartbeats.",
  turns: "Messages are answered in time.",
  deliveries: "Deliveries are on time.",
};

export const health = {
  title: "Health",
  lead: "Whether the service works, and how its destinations do.",
  normal: "Service is normal",
  notNormal: "Something failed",
  parts,
  wellMessages,
  states: { normal: "Normal", failed: "Failed", unknown: "Unknown" },
  destinations: "Destinations",
  destinationsLead: "Every webhook and desk, those that need attention first",
  noDestinations: "No webhook is configured yet",
  columns: {
    destination: "Destination",
    agent: "Agent",
    state: "State",
    waiting: "Conversations on hold",
    oldest: "Oldest waiting",
    next: "Next try",
  },
  throughput: "Deliveries",
  throughputLead: (shown: string) => `The last hour, by minute${shown}`,
  partial: ", from the newest 1,000",
  chartSummary: (good: number, waiting: number, bad: number) =>
    `${good} delivered, ${waiting} waiting or retrying, ${bad} given up`,
  asTable: "Show as table",
  asChart: "Show as chart",
  minute: "Minute",
  causes: "Causes",
  causesLead: "Why deliveries of the last hour failed or are retried",
  noCauses: "No failure in the last hour",
  delivered: "Delivered",
  waiting: "Waiting",
  dead: "Given up",
};
