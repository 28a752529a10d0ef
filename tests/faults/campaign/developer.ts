import type { Received } from "../../support/ledger.ts";
import { now, receivedIn } from "../../support/receiver.ts";
import type { MessageBody, ReceivedRequest, Reply } from "../../support/receiver.ts";
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
  respond(request: ReceivedRequest): Reply | undefined;
  onEnded(request: ReceivedRequest): void;
  onAcknowledged(listener: (message: Received) => void): void;
  /** From now on he answers as he should. */
  behave(): void;
};

/** A developer who takes most of what he gets and makes every kind of trouble with the rest. The deadline is the service's for one attempt. */
export function createDeveloper(random: SeededRandom, deadlineMs: number): Developer {
  const received: Received[] = [];
  const trouble: Record<string, number> = {};
  const listeners: ((message: Received) => void)[] = [];
  const isDown = timesOfBeingDown(random);
  let behaves = false;
  const kinds: Record<string, () => Reply> = {
    status_500: () => ({ status: 500 }),
    status_429: () => ({ status: 429, headers: { "retry-after": "1" } }),
    reset: () => ({ destroySocket: true }),
    slow: () => ({ delayMs: random.between(100, deadlineMs / 2) }),
    timeout: () => ({ delayMs: deadlineMs + 1_000 }),
  };
  const make = (kind: string, reply: Reply | undefined) => {
    trouble[kind] = (trouble[kind] ?? 0) + 1;
    return reply;
  };
  return {
    received,
    trouble,
    respond({ body, path }) {
      const isPoison = (body as Partial<MessageBody>).output?.[0]?.content.text === POISON;
      if (isPoison) return make("poison", { status: 500 });
      if (behaves) return undefined;
      if (isDown(path)) return make("down", { status: 503 });
      if (random.next() >= TROUBLE_SHARE) return undefined;
      const kind = random.pick(Object.keys(kinds));
      return make(kind, kinds[kind]?.());
    },
    onEnded(request) {
      for (const entry of receivedIn(request)) {
        const message = { ...entry, key: keyOf(entry.sequence, entry.key) };
        received.push(message);
        if (message.answer?.acknowledged === true) for (const tell of listeners) tell(message);
      }
    },
    onAcknowledged: (listener) => void listeners.push(listener),
    behave: () => void (behaves = true),
  };
}

/** Each of his addresses is down as a whole now and then, so that breakers open and close. */
function timesOfBeingDown(random: SeededRandom): (path: string) => boolean {
  const nextDownAt = new Map<string, number>();
  return (path) => {
    const at = now();
    const next = nextDownAt.get(path) ?? at + random.between(0, DOWN_EVERY_MS);
    nextDownAt.set(path, at >= next + DOWN_MS ? next + DOWN_EVERY_MS : next);
    return at >= next && at < next + DOWN_MS;
  };
}
