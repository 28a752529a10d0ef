import { sql } from "kysely";
import type { Database } from "./database.ts";
import type { Log } from "./log.ts";
import { LruMap } from "./lru-map.ts";

/** Use counted by the day, from midnight to midnight UTC. */
export type DailyKind = "model_tokens" | "visitor_messages";

export interface DailySubject {
  agentId: string;
  kind: DailyKind;
  /** Whom of the agent's users it is about; empty: the agent itself. Never a name: it is stored. */
  subject: string;
}

/**
 * Counts over all nodes and restarts, without a row that everybody writes: each node adds up what it saw and writes the sums
 * every two seconds. So a limit may be passed by what the other nodes saw in the last seconds, and a crash forgets two.
 */
export interface DailyUse {
  usedToday(subject: DailySubject): Promise<number>;
  add(subject: DailySubject, amount: number): void;
  close(): Promise<void>;
}

interface Known {
  /** As it was last read or written. */
  stored: number;
  readAt: number;
  /** Seen here and not stored yet. */
  unstored: number;
}

interface Sum extends DailySubject {
  key: string;
  day: string;
  amount: number;
}

const WRITE_EVERY_MS = 2_000;
const READ_AGAIN_AFTER_MS = 10_000;
const KNOWN_MAX = 50_000;

export function openDailyUse(
  db: Database,
  log: Log,
  now: () => number = Date.now,
  writeEveryMs = WRITE_EVERY_MS,
): DailyUse {
  const known = new LruMap<string, Known>(KNOWN_MAX);
  let sums = new Map<string, Sum>();
  let writing = Promise.resolve();

  const today = () => new Date(now()).toISOString().slice(0, 10);
  const keyOf = (day: string, { agentId, kind, subject }: DailySubject) =>
    [day, agentId, kind, subject].join(" ");

  async function read(day: string, { agentId, kind, subject }: DailySubject): Promise<number> {
    const { rows } = await sql<{ used: number }>`
      select used from daily_use
      where agent_id = ${agentId} and day = ${day}::date and kind = ${kind} and subject = ${subject}`.execute(
      db,
    );
    return rows[0]?.used ?? 0;
  }

  async function write(): Promise<void> {
    // In one order on every node: two that add to the same rows wait for each other, and never in a circle.
    const written = [...sums.values()].toSorted((one, other) => (one.key < other.key ? -1 : 1));
    if (written.length === 0) return;
    sums = new Map();
    try {
      const column = <Value>(value: (sum: Sum) => Value) => written.map(value);
      const { rows } = await sql<{ key: string; used: number }>`
        insert into daily_use as d (agent_id, day, kind, subject, used)
        select * from unnest(${column(({ agentId }) => agentId)}::uuid[], ${column(({ day }) => day)}::date[],
          ${column(({ kind }) => kind)}::text[], ${column(({ subject }) => subject)}::text[],
          ${column(({ amount }) => amount)}::bigint[])
        on conflict (agent_id, day, kind, subject) do update set used = d.used + excluded.used
        returning concat_ws(' ', d.day, d.agent_id, d.kind, d.subject) as key, used`.execute(db);
      const stored = new Map(rows.map(({ key, used }) => [key, used]));
      for (const { key, amount } of written) {
        const entry = known.get(key);
        if (entry === undefined) continue;
        entry.stored = stored.get(key) ?? entry.stored;
        entry.unstored -= amount;
        entry.readAt = now();
      }
    } catch (error) {
      log.warn("daily_use_not_stored", { err: error });
      for (const sum of written) addUp(sum, sum.amount);
    }
  }

  function addUp(sum: Omit<Sum, "amount">, amount: number): void {
    const before = sums.get(sum.key);
    sums.set(sum.key, { ...sum, amount: (before?.amount ?? 0) + amount });
  }

  const timer = setInterval(() => void (writing = writing.then(write)), writeEveryMs);

  return {
    async usedToday(subject) {
      const day = today();
      const key = keyOf(day, subject);
      let entry = known.get(key);
      if (entry === undefined || now() - entry.readAt > READ_AGAIN_AFTER_MS) {
        const stored = await read(day, subject);
        // Whatever was added while reading stays added.
        entry = known.get(key) ?? { stored, readAt: now(), unstored: sums.get(key)?.amount ?? 0 };
        entry.stored = stored;
        entry.readAt = now();
        known.set(key, entry);
      }
      return entry.stored + entry.unstored;
    },
    add(subject, amount) {
      if (amount <= 0) return;
      const day = today();
      const key = keyOf(day, subject);
      addUp({ ...subject, key, day }, amount);
      const entry = known.get(key);
      if (entry !== undefined) entry.unstored += amount;
    },
    async close() {
      clearInterval(timer);
      await writing;
      await write();
    },
  };
}

/** How long until the day that is counted by ends. */
export function secondsToMidnight(nowMs: number): number {
  const dayMs = 86_400_000;
  return Math.ceil((dayMs - (nowMs % dayMs)) / 1000);
}

const FORGET_EVERY_MS = 3_600_000;

/** Nothing is limited by what was used before yesterday. */
export function dailyUseSweep(db: Database) {
  return {
    name: "daily_use_retention",
    everyMs: FORGET_EVERY_MS,
    run: async () => {
      await sql`delete from daily_use where day < (now() at time zone 'utc')::date - 1`.execute(db);
      return 0;
    },
  };
}
