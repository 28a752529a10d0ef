import { setTimeout as sleep } from "node:timers/promises";
import type { BedOf } from "../../support/bed.ts";
import type { EngineCluster, EngineNode } from "../../support/engine-cluster.ts";
import { withClient } from "../../support/postgres.ts";
import { killMachine } from "../../support/postgres-pair.ts";
import type { PostgresMachine, PostgresPair } from "../../support/postgres-pair.ts";
import { eventually } from "../../support/processes.ts";
import { now } from "../../support/receiver.ts";
import type { EndlessLoad } from "./endless-load.ts";
import { proven } from "./fault.ts";
import type { Evidence, Fault } from "./fault.ts";
import { kill } from "./process-faults.ts";

/** What does not flow again by then counts as never. */
export const RESUME_MAX_SECONDS = 300;
const DOWN_MS = [3_000, 8_000] as const;
const NO_QUORUM_MS = 6_000;
/** The operator on call, or a tool, needs a moment to decide that the primary is dead. */
const DECISION_MS = 2_000;
const HOLD_MS = 3_000;
const WAITS_MS = 1_000;
/** Only this machine loses its disk: without snapshots no copy is made of old records, so the other two must keep theirs. */
const WIPED = 2;

/** One at a time: each is measured until what was under way is delivered. */
export function machineFaults(bed: BedOf<EngineCluster>, pair: PostgresPair, load: EndlessLoad): Fault[] {
  const { nodes } = bed.engine;
  const all: Omit<Fault, "part">[] = [
    {
      kind: "kill_engine_node",
      weight: 4,
      async strike(random) {
        const node = random.pick(nodes);
        const killed = await kill(node);
        const resumed = resumption(load);
        await sleep(random.between(...DOWN_MS));
        await node.start();
        return { name: node.name, killed, started: node.pid(), ...(await resumed) };
      },
    },
    {
      kind: "kill_engine_quorum",
      weight: 3,
      async strike(random) {
        const dead = random.shuffled(nodes).slice(1);
        await Promise.all(dead.map(kill));
        const before = load.accepted.length;
        await sleep(NO_QUORUM_MS);
        const acceptedMeanwhile = load.accepted.length - before;
        const resumed = resumption(load);
        await Promise.all(dead.map((node) => node.start()));
        return { names: namesOf(dead), acceptedMeanwhile, ...(await resumed) };
      },
    },
    {
      kind: "wipe_engine_node",
      weight: 2,
      async strike() {
        const node = nodes[WIPED];
        if (node === undefined) throw new Error("there is no such node");
        const before = node.pid();
        await node.wipe();
        const resumed = resumption(load);
        const replacement = await bed.engine.replace(WIPED);
        proven(replacement.pid() !== before && replacement.name !== node.name, "another node took its place");
        return { lost: node.name, replacedBy: replacement.name, ...(await resumed) };
      },
    },
    {
      kind: "promote_standby",
      weight: 2,
      async strike() {
        const { resumed, ...evidence } = await failOver(pair, load);
        const seconds = await resumed;
        await pair.rebuildStandby();
        return { ...evidence, ...seconds };
      },
    },
    {
      kind: "old_primary_returns",
      weight: 1,
      async strike() {
        const { resumed, ...evidence } = await failOver(pair, load);
        const seconds = await resumed;
        const fenced = await returnOldPrimary(bed, pair, load);
        await pair.rebuildStandby();
        return { ...evidence, ...fenced, ...seconds };
      },
    },
  ];
  return all.map((fault) => ({ ...fault, part: "machine" }));
}

function namesOf(nodes: EngineNode[]): string {
  return nodes.map(({ name }) => name).join(" ");
}

type Resumption = { resumeSeconds: number; gapSeconds: number };

/** Seconds from now until every message under way now is delivered, and the longest time meanwhile without any delivery. */
async function resumption(load: EndlessLoad): Promise<Resumption> {
  const begun = now();
  const left = load.watchUnderWay();
  let gapMs = 0;
  const isOver = () => {
    gapMs = Math.max(gapMs, now() - Math.max(begun, load.takenAt()));
    return left() === 0;
  };
  await eventually("what was under way is delivered", isOver, {
    timeoutMs: RESUME_MAX_SECONDS * 1000,
    everyMs: 20,
  }).catch(() => undefined);
  return { resumeSeconds: tenths(now() - begun), gapSeconds: tenths(gapMs) };
}

function tenths(ms: number): number {
  return Math.round(ms / 100) / 10;
}

/** The primary dies with all its processes, and the standby takes over. */
async function failOver(pair: PostgresPair, load: EndlessLoad) {
  const [dead, heir] = [pair.primary(), pair.standby()];
  const processes = await killMachine(dead);
  const resumed = resumption(load);
  await sleep(DECISION_MS);
  await pair.promote();
  proven(pair.primary() === heir && !(await isInRecovery(heir)), `${heir.name} is the primary`);
  return { dead: dead.name, processes, heir: heir.name, resumed };
}

/** It comes up as the primary that it was. Nothing of ours reaches it, and a write that does is never acknowledged. */
async function returnOldPrimary(
  bed: BedOf<EngineCluster>,
  pair: PostgresPair,
  load: EndlessLoad,
): Promise<Evidence> {
  const old = pair.standby();
  await old.start();
  proven(!(await isInRecovery(old)), `${old.name} takes itself for the primary`);
  const { pathname } = new URL(bed.database.superuserUrl);
  return withClient(old.superuserUrl(pathname.slice(1)), async (client) => {
    const ours = async () => {
      const { rows } = await client.query<{ logins: number; rows: number }>(
        `select (select count(*)::int from pg_stat_activity where application_name like 'signalbox%') as logins,
          (select count(*)::int from message) + (select count(*)::int from delivery) as rows`,
      );
      return rows[0] ?? { logins: -1, rows: -1 };
    };
    const before = await ours();
    const accepted = load.accepted.length;
    await sleep(HOLD_MS);
    const after = await ours();
    const acceptedMeanwhile = load.accepted.length - accepted;
    proven(acceptedMeanwhile > 0, "messages were accepted while two took themselves for the primary");
    const fenced =
      before.logins === 0 && after.logins === 0 && before.rows === after.rows && pair.cut(old) === 0;
    const waitsFor = await strayWrite(old, pathname.slice(1));
    return { acceptedMeanwhile, strayWrites: fenced && waitsFor === "SyncRep" ? 0 : 1, waitsFor };
  });
}

/** What a client that went round the switch would see: its commit waits for a standby that will never be there. */
async function strayWrite(old: PostgresMachine, database: string): Promise<string> {
  return withClient(old.superuserUrl(database), async (client) => {
    const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
    const written = client.query("create table stray ()").then(
      () => "nothing",
      () => "failed",
    );
    const answer = await Promise.race([written, sleep(WAITS_MS, "waits")]);
    if (answer !== "waits") return answer;
    return withClient(old.superuserUrl(database), async (other) => {
      const { rows: waits } = await other.query<{ wait_event: string }>(
        "select wait_event from pg_stat_activity where pid = $1",
        [rows[0]?.pid],
      );
      await other.query("select pg_terminate_backend($1)", [rows[0]?.pid]);
      return waits[0]?.wait_event ?? "gone";
    });
  });
}

async function isInRecovery(machine: PostgresMachine): Promise<boolean> {
  return withClient(machine.superuserUrl("postgres"), async (client) => {
    const { rows } = await client.query<{ recovers: boolean }>("select pg_is_in_recovery() as recovers");
    return rows[0]?.recovers === true;
  });
}
