import { execFile } from "node:child_process";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { createClient } from "@signalbox/sdk";
import { makeAgent, type MadeAgent } from "../../support/agents.ts";
import { startBalancer, type Balancer } from "../../support/balancer.ts";
import { openBed, type Bed } from "../../support/bed.ts";
import { ALWAYS, judge, type Accepted, type Verdict } from "../../support/ledger.ts";
import { drained, LOAD_ENVIRONMENT } from "../../support/load.ts";
import { eventually, freePorts } from "../../support/processes.ts";
import { COMPILE_CACHE_VARIABLE, startService, type Service } from "../../support/service.ts";
import { layOutTwoVersions, type TwoVersions } from "./two-versions.ts";

const run = promisify(execFile);

const NODES = 2;
const CONVERSATIONS = 6;
/** The client repeats refusals and lost answers with the same Idempotency-Key, as docs/reference/errors tells everybody. */
const RETRIES = 8;
const TEXTS = 50;

export type RollingResult = {
  requests: number;
  failed: string[];
  /** The older version started on the newer schema, served, and its own migrate left that schema alone. */
  rolledBack: boolean;
  verdict: Pick<Verdict, "lost" | "stuck" | "reordered" | "phantoms">;
  duplicates: number;
  /** Which version and migration every node had, after each step. */
  steps: string[];
};

export type RollingOptions = {
  /** Under traffic after each step, at least. */
  seconds: number;
  /** A commit: its code is the older version. */
  from?: string | undefined;
  say: (line: string) => void;
};

/** Upgrade with two versions side by side, a crash of an old process in between, roll back, and upgrade again: all under traffic. */
export async function drillRolling({ seconds, from, say }: RollingOptions): Promise<RollingResult> {
  await using bed = await openBed({
    apis: 0,
    workers: 0,
    ownCluster: true,
    environment: { ...LOAD_ENVIRONMENT, SHUTDOWN_DRAIN_SECONDS: "1" },
  });
  using versions = await layOutTwoVersions(bed.directory, from);
  await using balancer = await startBalancer();
  await using nodes = await openNodes(bed, balancer, versions);
  await nodes.each(versions.older);
  await using traffic = await startTraffic(bed, balancer.url);
  const steps: string[] = [];
  const step = async (name: string, work: () => Promise<void>) => {
    await work();
    const [from, wanted] = [traffic.accepted.length, traffic.accepted.length + CONVERSATIONS];
    await Promise.all([
      sleep(seconds * 1_000),
      eventually(`messages are accepted after: ${name}`, () => traffic.accepted.length >= wanted),
    ]);
    steps.push(`${name}: ${await nodes.builds()}`);
    say(`${steps.at(-1)}; ${traffic.accepted.length - from} messages`);
  };
  await step("older version", async () => undefined);
  await step("schema of the newer version", async () => void (await migrate(bed, versions.newer, "apply")));
  await step("an older process crashed and came back", () => nodes.crash(0));
  await step("side by side", () => nodes.replace(0, versions.newer));
  await step("newer version", () => nodes.replace(1, versions.newer));
  const asked = await Promise.all(["verify", "apply"].map((action) => migrate(bed, versions.older, action)));
  const [left] = await bed.database.query<{ rights: boolean | null }>(
    "select has_table_privilege('signalbox_work', to_regclass('drill'), 'select') as rights",
  );
  await step("rolled back by half", () => nodes.replace(0, versions.older));
  await step("rolled back", () => nodes.replace(1, versions.older));
  await step("newer version again", () => nodes.each(versions.newer));
  await traffic.stop();
  await drained(bed, 120_000);
  const { lost, stuck, reordered, phantoms, duplicates } = judge({
    accepted: traffic.accepted,
    unanswered: traffic.unanswered,
    received: bed.receiver.ledger(),
    faults: [ALWAYS],
  });
  return {
    requests: traffic.requests(),
    failed: traffic.failed,
    rolledBack:
      // A commit may know the same migrations; then there is no newer schema to run on.
      asked.every((said) => /runs on it|matches this version|up to date/.test(said)) &&
      left?.rights !== false,
    verdict: { lost, stuck, reordered, phantoms },
    duplicates: duplicates.length,
    steps,
  };
}

async function migrate(bed: Bed, program: string, action: string): Promise<string> {
  const env = {
    PATH: process.env["PATH"] ?? "",
    // Where startService looks: a version that has migrated starts sooner.
    NODE_COMPILE_CACHE: process.env[COMPILE_CACHE_VARIABLE] ?? join(bed.directory, "compile-cache"),
    DATABASE_URL: bed.database.url,
    MIGRATION_DATABASE_URL: bed.database.ownerUrl,
  };
  return (await run(process.execPath, [program, "migrate", action], { env })).stdout;
}

/** Processes with both roles behind the balancer, each on its own port whatever its version. */
async function openNodes(bed: Bed, balancer: Balancer, { older }: TwoVersions) {
  const ports = await freePorts(NODES);
  const programs = ports.map(() => older);
  const running: (Service | undefined)[] = ports.map(() => undefined);
  const start = async (index: number) => {
    running[index] = await startService({
      role: "all",
      name: `node-${index + 1}`,
      port: ports[index] ?? 0,
      directory: bed.directory,
      program: programs[index] ?? older,
      environment: {
        ...bed.environment,
        INBOX_URL: balancer.url,
        ENGINE_SERVICE_HOST: "127.0.0.1",
        ENGINE_SERVICE_PORT: String(bed.engineServicePort),
        ENGINE_SERVICE_URI: `http://127.0.0.1:${bed.engineServicePort}`,
      },
    });
    balancer.serve(running.filter((node) => node !== undefined));
  };
  const replace = async (index: number, program: string) => {
    programs[index] = program;
    const node = running[index];
    running[index] = undefined;
    balancer.serve(running.filter((one) => one !== undefined));
    const code = await node?.stop();
    if (code !== undefined && code !== 0) throw new Error(`node ${index + 1} ended with ${code}`);
    await start(index);
  };
  return {
    replace,
    async each(program: string) {
      for (const index of ports.keys()) await replace(index, program);
    },
    async crash(index: number) {
      await running[index]?.kill9();
      await start(index);
    },
    async builds() {
      const texts = await Promise.all(
        ports.map(async (port) =>
          fetch(`http://127.0.0.1:${port}/metrics`, {
            headers: { authorization: `Bearer ${bed.operatorToken}` },
          }).then((response) => response.text()),
        ),
      );
      return texts
        .map((text) => {
          const [, labels = ""] = /^signalbox_build_info\{(.*)\}/m.exec(text) ?? [];
          return /migration="(\d*)/.exec(labels)?.[1] ?? "?";
        })
        .join(" and ");
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(running.map(async (node) => node?.[Symbol.asyncDispose]()));
    },
  };
}

type Traffic = AsyncDisposable & {
  accepted: Accepted[];
  /** Refused to the last: they may have been accepted or not. */
  unanswered: Accepted[];
  failed: string[];
  requests(): number;
  stop(): Promise<void>;
};

/** One sender a conversation, one message after another through the balancer, each answered with its own text. */
async function startTraffic(bed: Bed, baseUrl: string): Promise<Traffic> {
  const texts = Array.from({ length: TEXTS }, (_, text) => `m${text}`);
  const agent: MadeAgent = await makeAgent(
    { baseUrl, operatorToken: bed.operatorToken, receiver: bed.receiver },
    { qaList: texts.map((text) => ({ question: text, answer: text })) },
  );
  const client = createClient({ baseUrl, apiKey: agent.apiKey, retries: RETRIES });
  const [accepted, unanswered, failed]: [Accepted[], Accepted[], string[]] = [[], [], []];
  let requests = 0;
  let going = true;
  const senders = Array.from({ length: CONVERSATIONS }, async (_, sender) => {
    // A conversation takes as many messages as there are texts, so that each stays the only one of its kind.
    while (going) {
      requests += 1;
      const conversation_id = await client.conversations.create({ user_id: `user-${sender}` }).then(
        (made) => made.conversation_id,
        (error: unknown) => void failed.push(String(error)),
      );
      for (const text of texts) {
        if (!going || conversation_id === undefined) break;
        const message = { conversationId: conversation_id, key: text };
        requests += 1;
        await client.conversations
          .sendMessage({
            conversation_id,
            response_mode: "webhook",
            messages: [{ role: "user", content: text }],
          })
          .then(
            () => void accepted.push(message),
            (error: unknown) => {
              failed.push(String(error));
              unanswered.push(message);
            },
          );
        await sleep(50);
      }
    }
  });
  const stop = async () => {
    going = false;
    await Promise.all(senders);
  };
  return { accepted, unanswered, failed, requests: () => requests, stop, [Symbol.asyncDispose]: stop };
}
