import { CHANGED_IDS_MAX, type ChangeEvent, type ChangeEventName } from "@signalbox/contract";
import { createDeliveryWatch } from "../delivery/index.ts";
import { eventFrame, type Database, type Log, type TypingSignal } from "../platform/index.ts";
import { createMessageWatch } from "./changed-messages.ts";

/** The streams of one node that tell operators what changed. */
export interface ChangeHub {
  /** The changes of one agent, or of all. */
  follow(agentId: string | undefined, left: AbortSignal): AsyncGenerator<string>;
  /** Chats of the inbox, as soon as somebody says so: users wait for them. */
  talksChanged(talks: readonly ChangedTalk[]): void;
  /** Users who type to a human. */
  typing(signals: readonly TypingSignal[]): void;
  count(): number;
  /** Ends every stream: its client comes back to another node. */
  close(): void;
}

interface Ids {
  deliveries: Set<string>;
  conversations: Set<string>;
  talks: Set<string>;
  /** Chats whose user types. */
  typing: Set<string>;
}

export interface ChangedTalk {
  agentId: string;
  talkId: string;
  /** Tells this change from the next one; without it, the look tells the change again. */
  changedAt?: number | undefined;
}

interface Follower {
  agentId: string | undefined;
  /** What its client has not taken yet, by agent: never more than the ids of one event for each. */
  waiting: Map<string, Ids>;
  /** Changes of chats that it was told as they were announced, since the last look and before it: no look tells them again. */
  announced: Map<string, number>;
  announcedBefore: Map<string, number>;
  isSilent: boolean;
  wake: () => void;
}

/** The looks of a node, from its first follower to its last. */
interface Looking {
  begun: Promise<void>;
  stop(): void;
}

export interface ChangeHubOptions {
  lookEveryMs?: number;
  /** The stream of an operator who may no longer look ends by then; the client of one who may connects again. */
  streamMaxMs?: number;
  /** Begins to look for chats of the inbox that changed. */
  watchTalks?: () => () => Promise<ChangedTalk[]>;
}

const HEARTBEAT_EVERY_MS = 20_000;
const HEARTBEAT = ":\n\n";

/** One look for all streams of the node, and none while nobody follows. */
export function createChangeHub(db: Database, log: Log, options: ChangeHubOptions = {}): ChangeHub {
  const { lookEveryMs = 1_000, streamMaxMs = 60_000, watchTalks = () => async () => [] } = options;
  const followers = new Set<Follower>();
  const closing = new AbortController();
  let looking: Looking | undefined;

  function beginLooking(): Looking {
    const watches = [createDeliveryWatch(db), createMessageWatch(db), watchTalks()] as const;
    let isLooking = false;
    const look = async () => {
      if (isLooking) return;
      isLooking = true;
      // What was announced by now is committed: this look finds it.
      for (const follower of followers) {
        follower.announcedBefore = follower.announced;
        follower.announced = new Map();
      }
      try {
        const followed = new Set([...followers].flatMap(({ agentId }) => agentId ?? []));
        const [delivered, said, talks] = await Promise.all([
          watches[0]([...followed]),
          watches[1](),
          watches[2](),
        ]);
        for (const { agentId, id } of delivered) tell(agentId, "deliveries", id);
        for (const { agentId, conversationId } of [...delivered, ...said])
          tell(agentId, "conversations", conversationId);
        for (const talk of talks)
          tell(talk.agentId, "talks", talk.talkId, (follower) => !knows(follower, talk));
      } catch (error) {
        log.warn("changes_not_read", { err: error });
      } finally {
        isLooking = false;
      }
    };
    const timer = setInterval(() => void look(), lookEveryMs);
    // A proxy or a browser would take a silent connection for a dead one.
    const beating = setInterval(() => {
      for (const follower of followers) {
        follower.isSilent = true;
        follower.wake();
      }
    }, HEARTBEAT_EVERY_MS);
    return {
      begun: look(),
      stop() {
        clearInterval(timer);
        clearInterval(beating);
      },
    };
  }

  function tell(
    agentId: string,
    kind: keyof Ids,
    id: string,
    isNews: (follower: Follower) => boolean = () => true,
  ): void {
    for (const follower of followers) {
      if (follower.agentId !== undefined && follower.agentId !== agentId) continue;
      if (!isNews(follower)) continue;
      const ids = follower.waiting.get(agentId) ?? newIds();
      if (ids[kind].size < CHANGED_IDS_MAX) ids[kind].add(id);
      follower.waiting.set(agentId, ids);
      follower.wake();
    }
  }

  return {
    async *follow(agentId, left) {
      const follower: Follower = {
        agentId,
        waiting: new Map(),
        announced: new Map(),
        announcedBefore: new Map(),
        isSilent: false,
        wake: () => undefined,
      };
      const over = AbortSignal.any([left, closing.signal, AbortSignal.timeout(streamMaxMs)]);
      const end = () => follower.wake();
      over.addEventListener("abort", end);
      followers.add(follower);
      looking ??= beginLooking();
      try {
        // What changes from now on is found by the next look.
        await looking.begun;
        yield frame("ready", {});
        while (!over.aborted) {
          const woken = new Promise<void>((resolve) => (follower.wake = resolve));
          const waiting = [...follower.waiting];
          follower.waiting.clear();
          if (waiting.length > 0) yield waiting.map(([id, ids]) => framesOf(id, ids)).join("");
          else if (follower.isSilent) yield HEARTBEAT;
          else await woken;
          follower.isSilent = false;
        }
      } finally {
        over.removeEventListener("abort", end);
        followers.delete(follower);
        if (followers.size === 0) {
          looking?.stop();
          looking = undefined;
        }
      }
    },
    talksChanged(talks) {
      for (const { agentId, talkId, changedAt } of talks)
        tell(agentId, "talks", talkId, ({ announced }) => {
          if (changedAt !== undefined) announced.set(talkId, changedAt);
          return true;
        });
    },
    typing(signals) {
      for (const signal of signals)
        if (signal.by === "user") tell(signal.agentId, "typing", signal.handoffId);
    },
    count: () => followers.size,
    close: () => closing.abort(),
  };
}

function knows({ announced, announcedBefore }: Follower, { talkId, changedAt }: ChangedTalk): boolean {
  if (changedAt === undefined) return false;
  return announced.get(talkId) === changedAt || announcedBefore.get(talkId) === changedAt;
}

function newIds(): Ids {
  return { deliveries: new Set(), conversations: new Set(), talks: new Set(), typing: new Set() };
}

function framesOf(agentId: string, { deliveries, conversations, talks, typing }: Ids): string {
  const isChanged = deliveries.size + conversations.size + talks.size > 0;
  const changed = {
    agent_id: agentId,
    delivery_ids: [...deliveries],
    conversation_ids: [...conversations],
    talk_ids: [...talks],
  };
  return [
    ...(isChanged ? [frame("changed", changed)] : []),
    ...[...typing].map((talkId) => frame("typing", { agent_id: agentId, talk_id: talkId })),
  ].join("");
}

function frame<Name extends ChangeEventName>(event: Name, data: ChangeEvent<Name>): string {
  return eventFrame(data, { event });
}
