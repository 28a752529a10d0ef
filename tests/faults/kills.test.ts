import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { openBed } from "../support/bed.ts";
import type { Bed } from "../support/bed.ts";
import type { Verdict } from "../support/ledger.ts";
import {
  drained,
  judgeLoad,
  LOAD_ENVIRONMENT,
  prepareLoad,
  startLoad,
  undelivered,
} from "../support/load.ts";
import type { Load } from "../support/load.ts";
import { eventually } from "../support/processes.ts";
import type { Service } from "../support/service.ts";

const CONVERSATIONS = 50;
const MESSAGES_EACH = 40;
const MESSAGES = CONVERSATIONS * MESSAGES_EACH;
const VICTIMS = ["worker", "api", "engine", "postgres", "postgres", "engine", "api", "worker"] as const;
/** A kill with fewer messages under way proves nothing: the run is void. */
const UNDELIVERED_MIN = 200;
const ALLOWED_AT_FIRST = 2.5 * UNDELIVERED_MIN;
const REPLY_DELAY_MS = 10;
const HEAL_MS = 60_000;
/** More than every lane can send before it notices that its last outcome was not written. */
const FLOWS = CONVERSATIONS + 10;

type Victim = (typeof VICTIMS)[number];
type Kill = {
  victim: string;
  /** By the database, just before. */
  undelivered: number;
  /** Accepted before and not received by the developer when the process was dead, by the ledgers alone. */
  underWay: number;
  startedBefore: string;
  startedAfter: string;
  /** From the kill until the process was ready again, and until messages arrived that had not before. */
  backMs: number;
  flowsMs: number;
};
type Killable = {
  name: string;
  started: () => string | Promise<string>;
  kill9: () => Promise<void>;
  start: () => Promise<void>;
};

describe(`kill -9 during ${MESSAGES} messages over ${CONVERSATIONS} conversations`, () => {
  const closing = new AsyncDisposableStack();
  let bed: Bed;
  let load: Load;
  const kills: Kill[] = [];
  /** Answered with 200. What was on its way when the developer fell over was not received, whatever had arrived of it. */
  const received = new Set<string>();
  const forgotten = new Set<number>();
  let isDeveloperDown = false;
  /** The developer answers while it is open. */
  let gate = Promise.withResolvers<void>();
  let onArrival: Verdict;
  let onReceipt: Verdict;

  before(async () => {
    bed = closing.use(
      await openBed({
        ownCluster: true,
        environment: { ...LOAD_ENVIRONMENT, DELIVERY_TIMEOUT_SECONDS: "60" },
      }),
    );
    bed.receiver.respond(async ({ headers, index }) => {
      await gate.promise;
      await sleep(REPLY_DELAY_MS);
      if (isDeveloperDown) {
        forgotten.add(index);
        return { destroySocket: true };
      }
      received.add(headers["webhook-id"] ?? "");
      return undefined;
    });
    const target = await prepareLoad(bed, { conversations: CONVERSATIONS, messagesEach: MESSAGES_EACH });
    load = startLoad(bed, target, 0);
    closing.defer(() => load.stop());
  });
  after(() => closing.disposeAsync());

  async function find(victim: Victim): Promise<Killable> {
    if (victim === "worker") return killable(await busiest(bed));
    if (victim === "api") return killable(bed.api(kills.length % bed.apis.length));
    if (victim === "engine")
      return {
        name: "engine",
        started: () => bed.engine.startTime(),
        kill9: () => bed.engine.kill9(),
        start: () => bed.engine.start(),
      };
    const cluster = bed.ownCluster();
    return {
      name: "postgres",
      started: () => cluster.startedAt(),
      kill9: () => cluster.kill9(),
      start: () => cluster.start(),
    };
  }

  /** More comes in than goes out until enough waits; then the gate opens, and in the rush the process and the developer fall. */
  async function strike(victim: Victim, allowed: number): Promise<Kill> {
    load.allow(allowed);
    const { name, started, kill9, start } = await find(victim);
    const startedBefore = await started();
    await eventually(
      `${2 * UNDELIVERED_MIN} messages wait, or all that are allowed were accepted`,
      async () => load.accepted.length >= allowed || (await undelivered(bed)) >= 2 * UNDELIVERED_MIN,
      { timeoutMs: HEAL_MS },
    );
    const before = received.size;
    gate.resolve();
    await eventually("messages flow", () => received.size >= before + 10, { timeoutMs: HEAL_MS, everyMs: 2 });
    const accepted = load.accepted.length;
    const waiting = await undelivered(bed);
    const killedAt = performance.now();
    isDeveloperDown = true;
    await kill9();
    isDeveloperDown = false;
    const receivedByThen = received.size;
    const back = start().then(() => performance.now());
    await eventually("new messages arrive again", () => received.size >= receivedByThen + FLOWS, {
      timeoutMs: HEAL_MS,
      everyMs: 5,
    });
    const flowsAt = performance.now();
    // Shut again, so that what waits for the next kill is not gone before this process is back.
    gate = Promise.withResolvers<void>();
    const backAt = await back;
    return {
      victim: name,
      undelivered: waiting,
      underWay: accepted - receivedByThen,
      startedBefore,
      startedAfter: await started(),
      backMs: Math.round(backAt - killedAt),
      flowsMs: Math.round(flowsAt - killedAt),
    };
  }

  it("every kind of process is killed with kill -9 while enough messages are in flight", async () => {
    const step = Math.floor((MESSAGES - ALLOWED_AT_FIRST) / VICTIMS.length);
    for (const [index, victim] of VICTIMS.entries()) {
      const kill = await strike(victim, ALLOWED_AT_FIRST + index * step);
      kills.push(kill);
      assert.notEqual(kill.startedAfter, kill.startedBefore, `${kill.victim} is still the same process`);
      assert.ok(kill.undelivered >= UNDELIVERED_MIN, `void: only ${kill.undelivered} were undelivered`);
      assert.ok(kill.underWay >= UNDELIVERED_MIN, `void: only ${kill.underWay} were under way`);
      assert.ok(load.accepted.length < MESSAGES, "void: the load was over");
    }
    assert.deepEqual(new Set(VICTIMS).size, 4);
  });

  it("every caller is accepted in the end after kill -9, and none gets an internal error", async () => {
    gate.resolve();
    load.allow(MESSAGES);
    await load.acceptedCount(MESSAGES, HEAL_MS);
    await load.finished;
    assert.deepEqual(load.unanswered(), []);
    const codes = [...load.failures.keys()];
    assert.deepEqual(
      codes.filter((code) => code !== "50300" && code !== "unanswered"),
      [],
    );
  });

  it("kill -9 of any process loses no accepted message", async () => {
    await drained(bed, HEAL_MS);
    onArrival = judgeLoad(bed, load);
    const { requests } = bed.receiver;
    requests.splice(0, requests.length, ...requests.filter(({ index }) => !forgotten.has(index)));
    onReceipt = judgeLoad(bed, load);
    const repeats = onArrival.duplicates.length;
    console.log(JSON.stringify({ accepted: load.accepted.length, repeats, cutOff: forgotten.size }));
    console.log(JSON.stringify({ otherAnswers: Object.fromEntries(load.failures) }));
    for (const { startedBefore: _, startedAfter: __, ...kill } of kills) console.log(JSON.stringify(kill));
    assert.equal(load.accepted.length, MESSAGES);
    assert.deepEqual(onReceipt.lost, []);
    assert.deepEqual(onArrival.phantoms, []);
    assert.notEqual(forgotten.size, 0, "void: nothing was on its way to the developer");
  });

  it("kill -9 of any process reorders no first delivery", () => {
    assert.deepEqual(onArrival.reordered, []);
    assert.deepEqual(onReceipt.reordered, []);
  });

  it("kill -9 of any process repeats a message only with the same id and body", () => {
    assert.deepEqual(onArrival.repeatsWithOtherBody, []);
    assert.deepEqual(onArrival.repeatsWithOtherId, []);
  });
});

function killable(service: Service): Killable {
  return {
    name: service.name,
    started: () => service.startTime(),
    kill9: () => service.kill9(),
    start: () => service.start(),
  };
}

/** The worker that made most attempts: the engine need not share work evenly, and an idle victim proves little. */
async function busiest(bed: Bed): Promise<Service> {
  const attempts = await Promise.all(
    bed.workers.map(async (worker) => {
      const response = await fetch(`${worker.baseUrl}/metrics`, {
        headers: { authorization: `Bearer ${bed.operatorToken}` },
      });
      const counts = (await response.text()).matchAll(
        /^signalbox_delivery_attempt_seconds_count\S* (\d+)$/gm,
      );
      return { worker, count: [...counts].reduce((sum, [, count]) => sum + Number(count), 0) };
    }),
  );
  const [first] = attempts.toSorted((a, b) => b.count - a.count);
  assert.ok(first !== undefined);
  return first.worker;
}
