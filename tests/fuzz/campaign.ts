import fc from "fast-check";
import { Pool } from "undici";
import { openBed, type Bed } from "../support/bed.ts";
import { isOverloaded } from "../support/machine.ts";
import { eventually } from "../support/processes.ts";
import { codeOf, isOfTime, problemOf, type FuzzReply } from "./judge.ts";
import { requestsFor, type FuzzRequest } from "./requests.ts";
import { createWorld } from "./world.ts";

export interface Campaign {
  seed: number;
  /** Whichever comes first. */
  requests: number;
  minutes?: number;
}

export interface Verdict {
  seed: number;
  requests: number;
  acceptedShare: number;
  codes: Record<string, number>;
  routes: Record<string, { sent: number; accepted: number }>;
  kinds: Record<string, number>;
  slowestMs: number;
  requestsPerSecond: number;
  /** Slow answers of a machine with more to do than it can: they say nothing of the service. */
  excused: number;
  problemCount: number;
  /** How often each sort of problem was met. */
  sorts: Record<string, number>;
  /** The first of them, each with what brings it back. */
  problems: string[];
}

const BATCH = 500;
/** Runs with neighbouring seeds have no batch in common. */
const BATCH_SEED_STEP = 1_000_003;
const IN_FLIGHT = 8;
const PROBLEMS_TOLD = 20;

/** Sends generated requests to both nodes and judges every answer, and in the end what the service says of itself. */
export async function runCampaign({ seed, requests, minutes = 60 }: Campaign): Promise<Verdict> {
  await using bed = await openBed({
    workers: 1,
    environment: {
      RATE_LIMIT_PER_SECOND: "1000000",
      OPERATOR_RATE_LIMIT_PER_SECOND: "1000000",
      VISITOR_RATE_LIMIT_PER_SECOND: "1000000",
      VISITOR_MESSAGES_PER_MINUTE: "1000000",
      VISITOR_MESSAGES_PER_DAY: "1000000",
      LOG_LEVEL: "warn",
    },
  });
  const generated = requestsFor(await createWorld(bed));
  const pools = bed.apis.map(({ baseUrl }) => new Pool(baseUrl, { connections: IN_FLIGHT }));
  const verdict = emptyVerdict(seed);
  const begun = performance.now();
  for (
    let batch = 0;
    verdict.requests < requests && performance.now() - begun < minutes * 60_000;
    batch += 1
  ) {
    const count = Math.min(BATCH, requests - verdict.requests);
    await sendBatch(
      pools,
      fc.sample(generated, { seed: seed + batch * BATCH_SEED_STEP, numRuns: count }),
      verdict,
    );
  }
  verdict.requestsPerSecond = Math.round(verdict.requests / ((performance.now() - begun) / 1000));
  await Promise.all(pools.map((pool) => pool.close()));
  verdict.acceptedShare = (verdict.codes["200"] ?? 0) / verdict.requests;
  for (const problem of await problemsOfService(bed))
    addProblem(verdict, /"message":"[^"]*"/.exec(problem)?.[0] ?? problem, problem);
  return verdict;
}

function emptyVerdict(seed: number): Verdict {
  return {
    seed,
    requests: 0,
    acceptedShare: 0,
    codes: {},
    routes: {},
    kinds: {},
    slowestMs: 0,
    requestsPerSecond: 0,
    excused: 0,
    problemCount: 0,
    sorts: {},
    problems: [],
  };
}

/** One of each sort is told: the same mistake comes by the hundred. */
function addProblem(verdict: Verdict, sort: string, problem: string): void {
  verdict.problemCount += 1;
  verdict.sorts[sort] = (verdict.sorts[sort] ?? 0) + 1;
  if (verdict.sorts[sort] === 1 && verdict.problems.length < PROBLEMS_TOLD) verdict.problems.push(problem);
}

async function sendBatch(pools: Pool[], batch: FuzzRequest[], verdict: Verdict): Promise<void> {
  const waiting = [...batch.entries()];
  const sender = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [index, request] = next;
      const pool = pools[index % pools.length];
      if (pool === undefined) throw new Error("there is no node to send to");
      const reply = await send(pool, request);
      count(verdict, request, reply);
      const problem = problemOf(request, reply);
      if (problem === undefined) continue;
      if (isOfTime(reply, problem) && isOverloaded()) verdict.excused += 1;
      else addProblem(verdict, `${request.route} ${problem}`, describe(problem, request, reply));
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, sender));
}

/** A stream that is followed has no end. */
async function firstOf(body: AsyncIterable<Buffer>): Promise<string> {
  for await (const piece of body) return piece.toString("utf8");
  return "";
}

async function send(pool: Pool, { method, path, headers, body }: FuzzRequest): Promise<FuzzReply> {
  const begun = performance.now();
  try {
    const response = await pool.request({
      method,
      path,
      headers,
      ...(body === undefined || method === "TRACE" ? {} : { body }),
      headersTimeout: 20_000,
      bodyTimeout: 20_000,
    });
    const contentType = String(response.headers["content-type"] ?? "");
    const isStream = contentType.startsWith("text/event-stream");
    const text = isStream ? await firstOf(response.body) : await response.body.text();
    return { status: response.statusCode, contentType, body: text, durationMs: performance.now() - begun };
  } catch (error) {
    return { status: 599, contentType: "", body: String(error), durationMs: performance.now() - begun };
  }
}

function count(verdict: Verdict, { route, kind }: FuzzRequest, reply: FuzzReply): void {
  const code = codeOf(reply);
  verdict.requests += 1;
  verdict.codes[code] = (verdict.codes[code] ?? 0) + 1;
  verdict.kinds[kind] = (verdict.kinds[kind] ?? 0) + 1;
  const counted = (verdict.routes[route] ??= { sent: 0, accepted: 0 });
  counted.sent += 1;
  if (code === "200") counted.accepted += 1;
  verdict.slowestMs = Math.max(verdict.slowestMs, Math.round(reply.durationMs));
}

function describe(
  problem: string,
  { route, kind, method, path, headers, body }: FuzzRequest,
  reply: FuzzReply,
): string {
  const { authorization: _, ...harmless } = headers;
  const sent = `${method} ${path.slice(0, 200)} ${JSON.stringify(harmless).slice(0, 300)} ${body?.toString("utf8").slice(0, 500) ?? ""}`;
  return `${route} (${kind}): the answer ${problem}: ${reply.status} ${reply.body.slice(0, 300)}\n  ${sent}`;
}

/** Accepted messages are answered, and the log has no mistake of ours. */
async function problemsOfService(bed: Bed): Promise<string[]> {
  const problems: string[] = [];
  const atRest = async () => {
    const [row] = await bed.database.query<{ waiting: number }>(
      "select count(*)::integer as waiting from conversation where turn_awake",
    );
    return row?.waiting === 0;
  };
  await eventually("every accepted message is answered", atRest, { timeoutMs: 60_000, everyMs: 200 }).catch(
    (error: unknown) => problems.push(String(error)),
  );
  for (const service of [...bed.apis, ...bed.workers]) {
    const lines = service.logs().split("\n");
    const bad = lines.filter(
      (line) => line.includes('"level":"error"') || line.includes('"event":"engine_call_failed"'),
    );
    problems.push(...bad.map((line) => `${service.name} logged ${line.slice(0, 1_000)}`));
  }
  return problems;
}
