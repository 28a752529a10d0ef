import { percentile } from "../support/percentile.ts";
import type { ResourceResult } from "./campaign.ts";

/** What the service may hold and cost, however long anybody who may call it sends valid requests. */
export const BOUNDS = {
  /** Prepared statements on one connection. */
  statements: 400,
  /** That one connection prepares for requests of one route, after the first of them: filters make some, words and values none. */
  shapesOfRoute: 4,
  /** Memory of its own of one connection in PostgreSQL. */
  backendMb: 80,
  /** What the node holds at the end beyond what it held after the first round. */
  nodeGrowthMb: 150,
  /** Seconds waited, of all requests together, in each second, for a connection of the pools that callers and deliveries use. */
  waitShare: 0.5,
  /** Against its p99 at rest; the generator sends as much as the machine takes well. */
  victimRatio: 2,
};

export type ResourceFigures = {
  routes: number;
  shapes_of_route_max: number;
  requests: number;
  accepted_share: number;
  statements_max: number;
  backend_mb_max: number;
  backends_mb: number;
  node_growth_mb: number;
  wait_share_max: number;
  victim_p99_ms_at_rest: number;
  victim_p99_ratio: number;
  victim_median_ms_at_rest: number;
  victim_median_ms: number;
  victim_errors: number;
};

export function resourceFigures({ routes, shapes, rest, rounds }: ResourceResult): {
  figures: ResourceFigures;
  faults: string[];
} {
  const [first, last] = [rounds[0], rounds.at(-1)];
  const requests = sum(rounds.map((round) => round.requests));
  const latencies = rounds.flatMap(({ victim }) => victim.latenciesMs);
  const restP99 = percentile(rest.latenciesMs, 0.99);
  const errors = [...rest.errors, ...rounds.flatMap(({ victim }) => victim.errors)];
  const figures: ResourceFigures = {
    routes,
    shapes_of_route_max: Math.max(...shapes.values()),
    requests,
    accepted_share: rounded(sum(rounds.map(({ accepted }) => accepted)) / requests),
    statements_max: Math.max(...rounds.map(({ statements }) => statements)),
    backend_mb_max: rounded(Math.max(...rounds.map(({ backendMb }) => backendMb))),
    backends_mb: rounded(last?.backendsMb ?? 0),
    node_growth_mb: rounded((last?.nodeMb ?? 0) - (first?.nodeMb ?? 0)),
    wait_share_max: rounded(Math.max(...rounds.map(({ waitShare }) => waitShare))),
    victim_p99_ms_at_rest: rounded(restP99),
    victim_p99_ratio: rounded(percentile(latencies, 0.99) / restP99),
    victim_median_ms_at_rest: rounded(percentile(rest.latenciesMs, 0.5)),
    victim_median_ms: rounded(percentile(latencies, 0.5)),
    victim_errors: errors.length,
  };
  return { figures, faults: [...shapeless(shapes), ...held(figures), ...new Set(errors)] };
}

function shapeless(shapes: ResourceResult["shapes"]): string[] {
  return [...shapes]
    .filter(([, count]) => count > BOUNDS.shapesOfRoute)
    .map(
      ([route, count]) =>
        `${route} made ${count} more prepared statements, at most ${BOUNDS.shapesOfRoute} allowed`,
    );
}

/** Those that do not depend on what else the machine does come first; the last does. */
function held(figures: ResourceFigures): string[] {
  const checks: [string, number, number][] = [
    ["prepared statements on one connection", figures.statements_max, BOUNDS.statements],
    ["MB of the largest backend", figures.backend_mb_max, BOUNDS.backendMb],
    ["MB that the node grew by", figures.node_growth_mb, BOUNDS.nodeGrowthMb],
    ["seconds waited for connections a second", figures.wait_share_max, BOUNDS.waitShare],
    ["times the victim's p99 at rest", figures.victim_p99_ratio, BOUNDS.victimRatio],
  ];
  return checks
    .filter(([, seen, most]) => !(seen <= most))
    .map(([what, seen, most]) => `${seen} ${what}, at most ${most} allowed`);
}

function sum(values: number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function rounded(value: number): number {
  return Math.round(value * 1000) / 1000;
}
