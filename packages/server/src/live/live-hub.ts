import { textWithAttachments, type ChatEvent, type ChatEventName } from "@signalbox/contract";
import { objectKey, type ObjectKey } from "../engine/index.ts";
import { eventFrame, type ChatUser, type Database, type Log, type TypingSignal } from "../platform/index.ts";
import { readEndedTokens } from "./chat-access.ts";
import { readForeign } from "./own-conversation.ts";
import { readBehind, readNew, type Follower, type MessageRow, type News } from "./read-streams.ts";

export interface Followed {
  /** Who follows, as the token said. */
  user: ChatUser;
  conversationId: string;
  /** What the client has heard already, by the number of its last message. */
  afterSeq: number;
}

/** All live streams of one node. */
export interface LiveHub {
  follow(followed: Followed, left: AbortSignal): AsyncGenerator<string>;
  /** Something was said, or somebody else speaks now, in these conversations. */
  changed(keys: readonly string[]): void;
  /** Humans who type, to their users. */
  typing(signals: readonly TypingSignal[]): void;
  count(): number;
  /** Ends every stream: its client comes back to another node, and goes on where it was. */
  close(): void;
}

const PAGE_MAX = 100;
const READ_TOGETHER_MAX = 500;
/** Word that was lost costs this long, and no message. */
const COMPARE_EVERY_MS = 3_000;
const COMPARE_TOGETHER_MAX = 2_000;
const HEARTBEAT_EVERY_MS = 20_000;
const HEARTBEAT = ":\n\n";

/** Reads for many streams at once what each has not sent yet: a signal that something changed need not say what. */
export function createLiveHub(db: Database, log: Log): LiveHub {
  const byConversation = new Map<ObjectKey, Set<Follower>>();
  const dirty = new Set<Follower>();
  let isReading = false;
  let isClosed = false;

  const followers = () => [...byConversation.values()].flatMap((set) => [...set]);

  function mark(marked: Iterable<Follower>): void {
    for (const follower of marked) dirty.add(follower);
    if (dirty.size > 0 && !isReading) {
      isReading = true;
      setImmediate(() => void readDirty());
    }
  }

  function takeDirty(): Follower[] {
    const some: Follower[] = [];
    for (const follower of dirty) {
      dirty.delete(follower);
      // A client that reads slowly holds one page of ours and no more.
      if (follower.frames.length > 0) follower.isBehind = true;
      else if (some.push(follower) === READ_TOGETHER_MAX) break;
    }
    return some;
  }

  async function readDirty(): Promise<void> {
    try {
      while (dirty.size > 0) {
        const some = takeDirty();
        const news = some.length === 0 ? [] : await readNew(db, some, PAGE_MAX);
        for (const [index, follower] of some.entries()) tell(follower, news[index]);
      }
    } catch (error) {
      // The next comparison finds what was not read.
      log.warn("live_streams_not_read", { err: error });
    } finally {
      isReading = false;
    }
  }

  function tell(follower: Follower, news: News | undefined): void {
    if (news === undefined) {
      follower.isOver = true;
      follower.wake();
      return;
    }
    const { messages, epoch, holder, seen } = news;
    for (const message of messages) follower.frames.push(messageFrame(message));
    follower.seq = messages.at(-1)?.seq ?? follower.seq;
    follower.isBehind = messages.length === PAGE_MAX;
    if (!follower.isBehind) {
      follower.epoch = epoch;
      if (holder !== follower.holder) follower.frames.push(frame("control", { holder }));
      follower.holder = holder;
      if (seen > follower.seen) follower.frames.push(frame("seen", { sequence: seen }));
      follower.seen = Math.max(seen, follower.seen);
      if (!follower.isReady) follower.frames.push(frame("ready", {}));
      else if (holder === "agent" && messages.at(-1)?.sender === "user")
        follower.frames.push(frame("typing", {}));
      follower.isReady = true;
    }
    if (follower.frames.length > 0) follower.wake();
  }

  async function compare(): Promise<void> {
    const all = followers();
    for (let from = 0; from < all.length; from += COMPARE_TOGETHER_MAX) {
      const some = all.slice(from, from + COMPARE_TOGETHER_MAX);
      // Before anything new is told: a stream that may no longer listen has heard its last.
      await endRefused(some);
      mark(await readBehind(db, some));
    }
  }

  async function endRefused(some: Follower[]): Promise<void> {
    const ended = await readEndedTokens(
      db,
      some.map(({ user }) => user),
    );
    const places = ended.flatMap((refusal, place) => (refusal === undefined ? [] : place));
    for (const place of [...places, ...(await readForeign(db, some))]) {
      const follower = some[place];
      if (follower === undefined) continue;
      follower.isRefused = true;
      follower.wake();
    }
  }

  const comparing = setInterval(() => {
    compare().catch((error: unknown) => log.warn("live_streams_not_read", { err: error }));
  }, COMPARE_EVERY_MS);
  // A proxy or a browser would take a silent connection for a dead one.
  const beating = setInterval(() => {
    for (const follower of followers()) {
      if (follower.frames.length > 0) continue;
      follower.frames.push(HEARTBEAT);
      follower.wake();
    }
  }, HEARTBEAT_EVERY_MS);

  return {
    async *follow({ user, conversationId, afterSeq }, left) {
      const { agentId } = user;
      const follower: Follower = {
        agentId,
        user,
        conversationId,
        seq: afterSeq,
        epoch: -1,
        holder: undefined,
        seen: 0,
        isReady: false,
        frames: [],
        isOver: false,
        isBehind: false,
        isRefused: false,
        wake: () => undefined,
      };
      const key = objectKey(agentId, conversationId);
      const together = byConversation.get(key) ?? new Set();
      byConversation.set(key, together.add(follower));
      const end = () => follower.wake();
      left.addEventListener("abort", end);
      mark([follower]);
      try {
        while (!left.aborted && !isClosed && !follower.isRefused && !follower.isOver) {
          const woken = new Promise<void>((resolve) => (follower.wake = resolve));
          if (follower.frames.length > 0) yield follower.frames.splice(0).join("");
          else if (follower.isBehind) {
            follower.isBehind = false;
            mark([follower]);
            await woken;
          } else await woken;
        }
      } finally {
        left.removeEventListener("abort", end);
        together.delete(follower);
        dirty.delete(follower);
        if (together.size === 0) byConversation.delete(key);
      }
    },
    changed: (keys) => mark(keys.flatMap((key) => [...(byConversation.get(key as ObjectKey) ?? [])])),
    typing(signals) {
      for (const signal of signals) {
        if (signal.by === "user") continue;
        const { agentId, conversationId, name } = signal;
        for (const follower of byConversation.get(objectKey(agentId, conversationId)) ?? []) {
          // To a client that has more to read it would come too late.
          if (!follower.isReady || follower.isBehind || follower.frames.length > 0) continue;
          follower.frames.push(frame("typing", name === undefined ? {} : { name }));
          follower.wake();
        }
      }
    },
    count: () => followers().length,
    close() {
      isClosed = true;
      clearInterval(comparing);
      clearInterval(beating);
      for (const follower of followers()) follower.wake();
    },
  };
}

function frame<Name extends ChatEventName>(event: Name, data: ChatEvent<Name>): string {
  return eventFrame(data, { event });
}

/** Its number is what a client comes back with: nothing else has one, so that nothing between two messages is told again. */
function messageFrame({
  seq,
  id,
  sender,
  text,
  attachments,
  author_name,
  client_id,
  suggestions,
  created_at,
}: MessageRow): string {
  const data: ChatEvent<"message"> = {
    message_id: id,
    sender,
    text: textWithAttachments(text, attachments),
    ...(attachments === null ? {} : { attachments }),
    ...(author_name === null ? {} : { name: author_name }),
    create_time: created_at.getTime(),
    ...(client_id === null ? {} : { client_id }),
    ...(suggestions === null ? {} : { suggestions }),
  };
  return eventFrame(data, { event: "message", id: String(seq) });
}
