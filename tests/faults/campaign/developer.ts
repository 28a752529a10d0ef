import type { Received } from "../../support/ledger.ts";
import { now, receivedIn } from "../../support/receiver.ts";
import type { MessageBody, ReceivedRequest, Receiver, Reply } from "../../support/receiver.ts";
import type { SeededRandom } from "./seeded-random.ts";

/** Refused at every attempt, until the service gives it up. */
export const POISON = "poison";
/** Places and words together tell messages apart: a reply that took another's place has the wrong word. */
export const keyOf = (sequence: number, text: string) => `${sequence}-${text}`;

const TROUBLE_SHARE = 0.02;
const DOWN_EVERY_MS = 30_000;
const DOWN_MS = 2_500;

export type Developer = {
  /** Each message that came, once its exchange was over. */
  received: Received[];
  /** How often he made trouble, by kind. */
  trouble: Record<string, number>;
  onAcknowledged(listener: (message: Received) => void): void;
  onEnded(request: ReceivedRequest): void;
  /** From now on he answers as he should. */
  behave(): void;
};

/** A developer who takes most of what he gets and makes every kind of trouble with the rest. */
export function createDeveloper(): Developer {
  const received: Received[] = [];
  const listeners: ((message: Received) => void)[] = [];
  return {
    received,
    trouble: {},
    onAcknowledged: (listener) => void listeners.push(listener),
    onEnded(request) {
      for (const entry of receivedIn(request)) {
        const message = { ...entry, key: keyOf(entry.sequence, entry.key) };
        received.push(message);
        if (message.answer?.acknowledged === true) for (const tell of listeners) tell(message);
      }
    },
    behave: () => undefined,
  };
}

/** The deadline is the service's for one attempt. */
export function makeTrouble(
  developer: Developer,
  receiver: Receiver,
  random: SeededRandom,
  deadlineMs: number,
): void {
  let behaves = false;
  const downUntil = new Map<string, number>();
  const nextDownAt = new Map<string, number>();
  const kinds: Record<string, () => Reply> = {
    status_500: () => ({ status: 500 }),
    status_429: () => ({ status: 429, headers: { "retry-after": "1" } }),
    reset: () => ({ destroySocket: true }),
    slow: () => ({ delayMs: random.between(100, deadlineMs / 2) }),
    timeout: () => ({ delayMs: deadlineMs + 1_000 }),
  };
  const count = (kind: string) => void (developer.trouble[kind] = (developer.trouble[kind] ?? 0) + 1);

  /** Each of his addresses is down as a whole now and then, so that breakers open and close. */
  function isDown(path: string): boolean {
    const at = now();
    const next = nextDownAt.get(path) ?? at + random.between(0, DOWN_EVERY_MS);
    nextDownAt.set(path, next);
    if (at >= next) {
      nextDownAt.set(path, at + DOWN_EVERY_MS);
      downUntil.set(path, at + DOWN_MS);
    }
    return at < (downUntil.get(path) ?? 0);
  }

  developer.behave = () => void (behaves = true);
  receiver.respond(({ body, path }) => {
    if ((body as Partial<MessageBody>).output?.[0]?.content.text === POISON) {
      count("poison");
      return { status: 500 };
    }
    if (behaves) return undefined;
    if (isDown(path)) {
      count("down");
      return { status: 503 };
    }
    if (random.next() >= TROUBLE_SHARE) return undefined;
    const kind = random.pick(Object.keys(kinds));
    count(kind);
    return kinds[kind]?.();
  });
}
