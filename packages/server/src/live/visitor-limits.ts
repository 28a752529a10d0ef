import { createHash } from "node:crypto";
import {
  createMinuteLimiter,
  createOpenCounts,
  refuseBeyond,
  secondsToMidnight,
  type ChatUser,
  type DailyUse,
  type Refusal,
} from "../platform/index.ts";

/** What one user of the live channel may do, and all users of one agent together. */
export interface VisitorLimits {
  /** Counts one message, unless it is one too many. */
  refuseMessage(visitor: Visitor): Promise<Refusal | undefined>;
  /** Gives the function to call when the stream ends. */
  openStream(visitor: Visitor): (() => void) | Refusal;
}

type Visitor = Pick<ChatUser, "agentId" | "userId" | "anonymousId">;

export interface VisitorLimitOptions {
  messagesPerMinute: number;
  messagesPerDay: number;
  streamsPerVisitor: number;
  streamsPerAgent: number;
  use: DailyUse;
}

const STREAM_RETRY_SECONDS = 30;

export function createVisitorLimits(options: VisitorLimitOptions): VisitorLimits {
  const { messagesPerMinute, messagesPerDay, streamsPerVisitor, streamsPerAgent, use } = options;
  const takeMessage = createMinuteLimiter(messagesPerMinute);
  const streams = createOpenCounts();

  return {
    async refuseMessage(visitor) {
      const subject = hashOf(visitor);
      const day = { agentId: visitor.agentId, kind: "visitor_messages", subject } as const;
      if ((await use.usedToday(day)) >= messagesPerDay)
        return refuseBeyond(
          { name: "visitor_messages_day", most: messagesPerDay },
          `at most ${messagesPerDay} messages per day are accepted from one user; try again tomorrow (UTC)`,
          secondsToMidnight(Date.now()),
        );
      const { allowed, resetSeconds } = takeMessage(subject, performance.now());
      if (!allowed)
        return refuseBeyond(
          { name: "visitor_messages_minute", most: messagesPerMinute },
          `at most ${messagesPerMinute} messages per minute are accepted from one user; wait a moment`,
          resetSeconds,
        );
      use.add(day, 1);
      return undefined;
    },
    openStream(visitor) {
      const { agentId } = visitor;
      return streams.open<Refusal>([
        {
          key: hashOf(visitor),
          most: streamsPerVisitor,
          refuse: (most) =>
            refuseBeyond(
              { name: "visitor_streams", most },
              `one user can have ${most} chats open at once; close one first`,
              STREAM_RETRY_SECONDS,
            ),
        },
        {
          key: agentId,
          most: streamsPerAgent,
          refuse: (most) =>
            refuseBeyond(
              { name: "agent_streams", most },
              `${most} users are already connected to this agent; try again shortly`,
              STREAM_RETRY_SECONDS,
            ),
        },
      ]);
    },
  };
}

const PAYERS = 65_536;

/**
 * Who pays for an answer of a model: a user by name, and others by their address, since a token without a name costs nothing.
 * It is stored with the message, so it is one of few: it tells scripts apart and identifies nobody.
 */
export function payerOf({ address, ...visitor }: Visitor & { address?: string | undefined }): string {
  const { agentId, userId } = visitor;
  const digest =
    userId === null && address !== undefined
      ? createHash("sha256")
          .update(JSON.stringify([agentId, "address", address]))
          .digest("base64url")
      : hashOf(visitor);
  const place = Buffer.from(digest, "base64url").readUInt32BE(0) % PAYERS;
  return `${userId === null ? "visitor" : "user"} ${place}`;
}

/** Who signed in is one user whatever his browser is called. What is stored of him names nobody. */
function hashOf({ agentId, userId, anonymousId }: Visitor): string {
  const who = userId === null ? ["anonymous", anonymousId] : ["user", userId];
  return createHash("sha256")
    .update(JSON.stringify([agentId, ...who]))
    .digest("base64url");
}
