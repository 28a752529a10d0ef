import type { Broadcast } from "./broadcast.ts";

/** Somebody types in a chat. Never stored: a signal that is lost is seen by nobody, and the next follows in three seconds. */
export type TypingSignal =
  | { by: "user"; agentId: string; handoffId: string }
  | { by: "human"; agentId: string; conversationId: string; name: string | undefined };

const WORD = /^typing (user|human) ([0-9a-f-]{36}) ([0-9a-f-]{36}) ([\w-]{0,1000})$/;

export function tellTyping(broadcast: Pick<Broadcast, "tell">, signal: TypingSignal): void {
  const { by, agentId } = signal;
  if (by === "user") broadcast.tell(`typing user ${agentId} ${signal.handoffId} `);
  else {
    // A name may have a comma, which separates words.
    const name = Buffer.from(signal.name ?? "", "utf8").toString("base64url");
    broadcast.tell(`typing human ${agentId} ${signal.conversationId} ${name}`);
  }
}

export function readTyping(words: readonly string[]): TypingSignal[] {
  return words.flatMap((word): TypingSignal[] => {
    const [, by, agentId, id, name] = WORD.exec(word) ?? [];
    if (agentId === undefined || id === undefined) return [];
    if (by === "user") return [{ by, agentId, handoffId: id }];
    const read = Buffer.from(name ?? "", "base64url").toString("utf8");
    return [{ by: "human", agentId, conversationId: id, name: read === "" ? undefined : read }];
  });
}
