/** One message the service took: the caller saw a 2xx for it. */
export type Accepted = { conversationId: string; key: string };

/** One message that reached the developer; `key` is what the test wrote into it to tell it from others. */
export type Received = Accepted & {
  webhookId: string;
  /** Its place in the lane, and the number of the attempt, as the headers say. */
  sequence: number;
  attempt: number;
  bodyHash: string;
  arrivedAt: number;
  /** Whether the developer took it with a 200, or how else the exchange ended; undefined while nobody has ended it. */
  answer: { at: number; acknowledged: boolean } | undefined;
};

/** Given up by the service where an operator sees it. */
export type DeadLetter = Accepted & { sequence: number };

export type Reordered = Received & { reason: string };

/** A stretch of time, by the clock of the arrivals, in which something was broken on purpose. */
export type Interval = { from: number; until: number };

/** For runs that are broken from beginning to end. */
export const ALWAYS: Interval = { from: -Infinity, until: Infinity };

export type Verdict = {
  /** Accepted, never taken by the developer, and nobody in the service knows that it is owed. */
  lost: Accepted[];
  /** Never taken by the developer though the service knows of it: it should have arrived by now. */
  stuck: Accepted[];
  reordered: Reordered[];
  repeatsWithOtherBody: Received[];
  repeatsWithOtherId: Received[];
  phantoms: Received[];
  /** Sent again although nobody had refused it: at-least-once allows it when something breaks. */
  duplicates: Received[];
  /** The duplicates that no fault explains: there must be none. */
  duplicatesWithoutFault: Received[];
};

/** What a judge says of a service that keeps its promises, apart from duplicates that faults explain. */
export const CLEAN: Verdict = {
  lost: [],
  stuck: [],
  reordered: [],
  repeatsWithOtherBody: [],
  repeatsWithOtherId: [],
  phantoms: [],
  duplicates: [],
  duplicatesWithoutFault: [],
};

export type Account = {
  /** In the order of acceptance within each conversation. */
  accepted: Accepted[];
  received: Received[];
  /** Calls that got no answer: they may have been accepted or not, so their messages are neither lost nor phantoms. */
  unanswered?: Accepted[];
  deadLetters?: DeadLetter[];
  /** What the service itself says it still has to deliver. */
  waiting?: Accepted[];
  faults?: Interval[];
};

/** Compares what was accepted with what arrived. Order is judged on first deliveries. */
export function judge(account: Account): Verdict {
  const { accepted, unanswered = [], deadLetters = [], waiting = [], faults = [] } = account;
  const places = placesOf(accepted);
  const expected = new Set([...accepted, ...unanswered].map(nameOf));
  const arrivals = account.received.toSorted((a, b) => a.arrivedAt - b.arrivedAt);

  const byName = new Map<string, Received[]>();
  const firstById = new Map<string, Received>();
  const firstBySequence = new Map<string, Received>();
  const verdict: Verdict = {
    ...CLEAN,
    repeatsWithOtherBody: [],
    repeatsWithOtherId: [],
    phantoms: [],
    duplicates: [],
    duplicatesWithoutFault: [],
  };
  for (const arrival of arrivals) {
    const earlier = byName.get(nameOf(arrival)) ?? [];
    const sameName = earlier[0];
    const sameId = remember(firstById, arrival.webhookId, arrival);
    const sameSequence = remember(firstBySequence, placeOf(arrival), arrival);
    if (!expected.has(nameOf(arrival))) verdict.phantoms.push(arrival);
    const unrefused = earlier.find((before) => !wasRefused(before, arrival));
    if (unrefused !== undefined) {
      verdict.duplicates.push(arrival);
      if (!faults.some(({ from, until }) => from <= arrival.arrivedAt && until >= unrefused.arrivedAt))
        verdict.duplicatesWithoutFault.push(arrival);
    }
    if (sameId !== undefined && sameId.bodyHash !== arrival.bodyHash)
      verdict.repeatsWithOtherBody.push(arrival);
    const otherId = [sameName, sameSequence].some(
      (first) => first !== undefined && first.webhookId !== arrival.webhookId,
    );
    const otherPlace = [sameName, sameId].some(
      (first) => first !== undefined && first.sequence !== arrival.sequence,
    );
    if (otherId || otherPlace) verdict.repeatsWithOtherId.push(arrival);
    byName.set(nameOf(arrival), [...earlier, arrival]);
  }

  const isDead = new Set(deadLetters.map(nameOf));
  const isWaiting = new Set(waiting.map(nameOf));
  const missing = accepted.filter((message) => {
    const name = nameOf(message);
    return !isDead.has(name) && byName.get(name)?.some(({ answer }) => answer?.acknowledged) !== true;
  });
  verdict.stuck = missing.filter((message) => isWaiting.has(nameOf(message)));
  verdict.lost = missing.filter((message) => !isWaiting.has(nameOf(message)));

  const givenUp = new Set(deadLetters.map(placeOf));
  verdict.reordered = [
    ...Map.groupBy(byName.values(), ([first]) => first?.conversationId ?? "").values(),
  ].flatMap((messages) => outOfOrder(messages, places, givenUp));
  return verdict;
}

/** An attempt that had failed by the time of the next one, as both sides could see, asks to be repeated. */
function wasRefused({ answer }: Received, next: Received): boolean {
  return answer !== undefined && !answer.acknowledged && answer.at <= next.arrivedAt;
}

/**
 * Sequences of a conversation start at 1 and have no gap but what was given up; they follow the order of acceptance; and
 * none is sent before the developer has taken the one before it.
 */
function outOfOrder(
  messages: Received[][],
  places: Map<string, number>,
  givenUp: ReadonlySet<string>,
): Reordered[] {
  const reordered: Reordered[] = [];
  const takenAt = new Map<number, number>();
  for (const { sequence, answer } of messages.flat())
    if (answer?.acknowledged === true)
      takenAt.set(sequence, Math.min(answer.at, takenAt.get(sequence) ?? Infinity));
  let next = 1;
  let lastPlace = -1;
  for (const [first] of messages) {
    if (first === undefined) continue;
    const { conversationId, sequence } = first;
    while (next < sequence && givenUp.has(placeOf({ conversationId, sequence: next }))) next += 1;
    const place = places.get(nameOf(first)) ?? lastPlace;
    const before = sequence - 1;
    const isTooEarly =
      before >= 1 &&
      !givenUp.has(placeOf({ conversationId, sequence: before })) &&
      (takenAt.get(before) ?? Infinity) > first.arrivedAt;
    if (sequence !== next) {
      reordered.push({ ...first, reason: `sequence ${sequence} came where ${next} was due` });
    } else if (place < lastPlace) {
      reordered.push({ ...first, reason: "came after a message that was accepted later" });
    } else if (isTooEarly) {
      reordered.push({ ...first, reason: `was sent before ${before} was taken` });
    }
    if (Number.isInteger(sequence)) next = Math.max(next, sequence + 1);
    lastPlace = Math.max(lastPlace, place);
  }
  return reordered;
}

function placesOf(accepted: Accepted[]): Map<string, number> {
  const places = new Map<string, number>();
  for (const message of accepted) {
    const known = remember(places, nameOf(message), places.size);
    if (known !== undefined)
      throw new Error(
        `key ${message.key} was used twice in ${message.conversationId}: the judge needs unique keys`,
      );
  }
  return places;
}

function nameOf({ conversationId, key }: Accepted): string {
  return JSON.stringify([conversationId, key]);
}

function placeOf({ conversationId, sequence }: { conversationId: string; sequence: number }): string {
  return JSON.stringify([conversationId, sequence]);
}

/** Keeps the first value under a name, and gives the first back when there was one already. */
function remember<T>(firsts: Map<string, T>, name: string, value: T): T | undefined {
  const first = firsts.get(name);
  if (first === undefined) firsts.set(name, value);
  return first;
}
