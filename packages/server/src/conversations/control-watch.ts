import { sql } from "kysely";
import { objectKey } from "../engine/index.ts";
import type { Database, Log } from "../platform/index.ts";
import type { Turn } from "./turn-store.ts";

/** Answers that are being made on this node for callers who wait, each of which ends once control has moved. */
export interface ControlWatch {
  follow(turn: Pick<Turn, "agentId" | "conversationId" | "epoch">): FollowedControl;
  /** Something changed in these conversations: turns that answer there look again. */
  changed(keys: readonly string[]): void;
}

export interface FollowedControl extends Disposable {
  /** Aborts when the conversation's epoch is another, or the conversation is gone. */
  moved: AbortSignal;
}

interface Follower {
  key: string;
  agentId: string;
  conversationId: string;
  epoch: number;
  /** It was here at the look before: most answers are made within one interval, and cost no look. */
  isOld: boolean;
  moving: AbortController;
}

const LOOK_EVERY_MS = 500;

/** By the word that follows a handoff's commit, and by a look of its own in case the word is lost. */
export function createControlWatch(db: Database, log: Log, lookEveryMs = LOOK_EVERY_MS): ControlWatch {
  const followers = new Set<Follower>();
  let looking: NodeJS.Timeout | undefined;

  async function look(some: Follower[]): Promise<void> {
    if (some.length === 0) return;
    try {
      const places = await readMoved(db, some);
      for (const place of places) some[place - 1]?.moving.abort();
    } catch (error) {
      // The next look finds what this one did not; the commit of the reply compares the epoch itself.
      log.warn("control_not_read", { err: error });
    }
  }

  function lookAgain(): void {
    const old = [...followers].filter(({ isOld }) => isOld);
    for (const follower of followers) follower.isOld = true;
    void look(old);
  }

  return {
    follow({ agentId, conversationId, epoch }) {
      const key = objectKey(agentId, conversationId);
      const moving = new AbortController();
      const follower: Follower = { key, agentId, conversationId, epoch, isOld: false, moving };
      followers.add(follower);
      looking ??= setInterval(lookAgain, lookEveryMs);
      return {
        moved: moving.signal,
        [Symbol.dispose]() {
          followers.delete(follower);
          if (followers.size > 0) return;
          clearInterval(looking);
          looking = undefined;
        },
      };
    },
    changed(keys) {
      if (followers.size === 0) return;
      const named = new Set(keys);
      void look([...followers].filter(({ key }) => named.has(key)));
    },
  };
}

/** Their places, from one. */
async function readMoved(db: Database, followers: Follower[]): Promise<number[]> {
  const column = <Value>(read: (follower: Follower) => Value) => followers.map(read);
  const { rows } = await sql<{ place: number }>`
    select f.place::integer as place from unnest(${column(({ agentId }) => agentId)}::uuid[],
      ${column(({ conversationId }) => conversationId)}::uuid[], ${column(({ epoch }) => epoch)}::bigint[])
      with ordinality as f(agent_id, conversation_id, epoch, place)
    left join conversation c on c.agent_id = f.agent_id and c.id = f.conversation_id
    where c.id is null or c.redacted_at is not null or c.epoch <> f.epoch`.execute(db);
  return rows.map(({ place }) => place);
}
