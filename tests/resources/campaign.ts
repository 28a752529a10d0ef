import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import { Pool } from "undici";
import { makeVictim, noteArrival, type Arrivals, type Seen } from "../abuse/victim.ts";
import type { FuzzRequest } from "../fuzz/requests.ts";
import { operatorOf } from "../support/agents.ts";
import { openBed, type Bed } from "../support/bed.ts";
import { readMetrics } from "../support/metrics.ts";
import { percentile } from "../support/percentile.ts";
import { createActors, probesOf, type Actor, type Probe } from "./actors.ts";
import { backendMegabytes, processMegabytes } from "./memory.ts";

export interface ResourceOptions {
  seed: number;
  rounds: number;
  secondsPerRound: number;
  /** Requests of each read with filters, to see whether its statements have one shape. */
  probes: number;
  perSecond: number;
  say: (line: string) => void;
}

/** What the service held at the end of a round. */
export interface Round {
  requests: number;
  accepted: number;
  /** On the connection that has most. */
  statements: number;
  /** Memory of the largest backend, and of all together. */
  backendMb: number;
  backendsMb: number;
  nodeMb: number;
  /** Time that requests of the pools for callers, turns and deliveries waited for a connection, for each second that passed. */
  waitShare: number;
  victim: Seen;
}

export interface ResourceResult {
  routes: number;
  /** By route: the statements that connections prepared for its requests, beyond those for the first of them. */
  shapes: ReadonlyMap<string, number>;
  rest: Seen;
  rounds: Round[];
}

/** The generator asks faster than any limit lets it: what limits refuse tries no query. */
const UNLIMITED = {
  RATE_LIMIT_PER_SECOND: "1000000",
  VISITOR_RATE_LIMIT_PER_SECOND: "1000000",
  VISITOR_MESSAGES_PER_MINUTE: "1000000",
  VISITOR_MESSAGES_PER_DAY: "1000000",
  OPERATOR_RATE_LIMIT_PER_SECOND: "1000000",
  // Few, so that each is asked for every shape there is.
  DATABASE_POOL_SIZE: "4",
  CONSOLE_POOL_SIZE: "",
  ACCOUNT_TRANSACTIONS_AT_ONCE: "",
  LOG_LEVEL: "warn",
};
const IN_FLIGHT = 8;
const RESPONSE_WITHIN_MS = 20_000;
const VICTIM_PER_SECOND = 10;
/** The pool of people at work in the console is theirs to fill. */
const OWN_POOL = "console";

/** Valid requests of every role on every route, and what they leave behind in PostgreSQL and in the node. */
export async function runResources(options: ResourceOptions): Promise<ResourceResult> {
  const { seed, rounds: wanted, secondsPerRound, perSecond, say } = options;
  const arrivals: Arrivals = new Map();
  await using bed = await openBed({
    apis: 1,
    workers: 1,
    environment: UNLIMITED,
    receiver: { onEnded: (request) => noteArrival(arrivals, request) },
  });
  // The environment's token ends with the actors' world.
  const { operator_token: operatorToken } = await operatorOf(bed).tokens.create({
    name: "Metrics",
    scopes: ["metrics"],
  });
  const victim = await makeVictim(bed, arrivals);
  const actors = await createActors(bed);
  const converse = () => victim.converse({ perSecond: VICTIM_PER_SECOND, seconds: secondsPerRound });
  await converse();
  const rest = await converse();
  const rounds: Round[] = [];
  const watched = { ...bed, operatorToken };
  for (let at = 0; at < wanted; at += 1) {
    const count = Math.ceil(perSecond * secondsPerRound);
    const requests = requestsOf(actors, count, seed + at);
    const before = await waitedSeconds(watched);
    const beganAt = performance.now();
    const [sent, seen] = await Promise.all([send(bed, requests, perSecond), converse()]);
    const passed = (performance.now() - beganAt) / 1000;
    const waitShare = ((await waitedSeconds(watched)) - before) / passed;
    rounds.push({ ...sent, ...(await heldBy(watched)), waitShare, victim: seen });
    say(`round ${at + 1}: ${describeRound(rounds.at(-1))}`);
  }
  const shapes = new Map<string, number>();
  for (const probe of probesOf(actors))
    shapes.set(probe.route, await shapesOf(watched, probe, { seed, count: options.probes }));
  return { routes: new Set(actors.flatMap(({ routes }) => routes)).size, shapes, rest, rounds };
}

const WARM_UP_SHARE = 0.3;

/** One after the other, so that they take the same connection. */
async function shapesOf(
  bed: Bed,
  { requests }: Probe,
  { seed, count }: { seed: number; count: number },
): Promise<number> {
  const sampled = fc.sample(requests, { seed, numRuns: count });
  const known = Math.ceil(count * WARM_UP_SHARE);
  const pool = new Pool(bed.baseUrl, { connections: 1 });
  for (const request of sampled.slice(0, known)) await isAccepted(pool, request);
  const before = await statementsOf(bed);
  for (const request of sampled.slice(known)) await isAccepted(pool, request);
  await pool.destroy();
  return (await statementsOf(bed)) - before;
}

async function statementsOf(bed: Bed): Promise<number> {
  const statements = (await readMetrics(bed, bed.baseUrl))("signalbox_database_statements");
  return Math.max(0, ...statements.values());
}

function requestsOf(actors: Actor[], count: number, seed: number): FuzzRequest[] {
  const each = Math.ceil(count / actors.length);
  const lists = actors.map(({ requests }, at) =>
    fc.sample(requests, { seed: seed * actors.length + at, numRuns: each }),
  );
  return Array.from({ length: each }, (_, at) => lists.flatMap((list) => list[at] ?? [])).flat();
}

async function send(
  { baseUrl }: Bed,
  requests: FuzzRequest[],
  perSecond: number,
): Promise<Pick<Round, "requests" | "accepted">> {
  const pool = new Pool(baseUrl, { connections: IN_FLIGHT });
  const beganAt = performance.now();
  let [sent, accepted] = [0, 0];
  const sender = async () => {
    for (let at = sent++; at < requests.length; at = sent++) {
      const waitMs = beganAt + (at / perSecond) * 1000 - performance.now();
      if (waitMs > 1) await sleep(waitMs);
      const request = requests[at];
      if (request !== undefined && (await isAccepted(pool, request))) accepted += 1;
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, sender));
  await pool.destroy();
  return { requests: requests.length, accepted };
}

async function isAccepted(pool: Pool, { method, path, headers, body }: FuzzRequest): Promise<boolean> {
  try {
    const response = await pool.request({
      method,
      path,
      headers,
      ...(body === undefined ? {} : { body }),
      headersTimeout: RESPONSE_WITHIN_MS,
      bodyTimeout: RESPONSE_WITHIN_MS,
    });
    const isStream = String(response.headers["content-type"]).startsWith("text/event-stream");
    if (isStream) response.body.on("error", () => undefined).destroy();
    else await response.body.dump();
    return response.statusCode < 300;
  } catch {
    return false;
  }
}

async function waitedSeconds(bed: Bed): Promise<number> {
  const waited = (await readMetrics(bed, bed.baseUrl))("signalbox_database_wait_seconds_total");
  return [...waited].reduce((sum, [pool, seconds]) => (pool === OWN_POOL ? sum : sum + seconds), 0);
}

async function heldBy(bed: Bed) {
  const backends = await backendMegabytes(bed);
  return {
    statements: await statementsOf(bed),
    backendMb: Math.max(0, ...backends),
    backendsMb: backends.reduce((sum, each) => sum + each, 0),
    nodeMb: processMegabytes(bed.api().pid()),
  };
}

function describeRound(round: Round | undefined): string {
  if (round === undefined) return "nothing";
  const { requests, accepted, statements, backendMb, backendsMb, nodeMb, waitShare, victim } = round;
  const p99 = Math.round(percentile(victim.latenciesMs, 0.99));
  return `${requests} requests, ${accepted} accepted; ${statements} statements; largest backend ${backendMb.toFixed(0)} MB of ${backendsMb.toFixed(0)}; node ${nodeMb.toFixed(0)} MB; waited ${(waitShare * 100).toFixed(1)} %; victim's p99 ${p99} ms, ${victim.errors.length} errors`;
}
