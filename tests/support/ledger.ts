/** One message the service took: the caller saw a 2xx for it. */
export type Accepted = { conversationId: string; key: string };

/** One message that reached the developer; `key` is what the test wrote into it to tell it from others. */
export type Received = {
  conversationId: string;
  key: string;
  webhookId: string;
  sequence: number;
  bodyHash: string;
  arrivedAt: number;
};

export type Reordered = Received & { reason: string };

export type Verdict = {
  lost: Accepted[];
  reordered: Reordered[];
  repeatsWithOtherBody: Received[];
  repeatsWithOtherId: Received[];
  phantoms: Received[];
  /** Ordinary repeats are listed here too: at-least-once allows them, a run without faults should have none. */
  duplicates: Received[];
};

export type Account = {
  /** In the order of acceptance within each conversation. */
  accepted: Accepted[];
  received: Received[];
  /** Calls that got no answer: they may have been accepted or not, so their messages are neither lost nor phantoms. */
  unanswered?: Accepted[];
};

/** Compares what was accepted with what arrived. Order is judged on first deliveries: later copies are duplicates. */
export function judge({ accepted, received, unanswered = [] }: Account): Verdict {
  const places = placesOf(accepted);
  const expected = new Set([...accepted, ...unanswered].map(nameOf));
  const arrivals = received.toSorted((a, b) => a.arrivedAt - b.arrivedAt);

  const firstByName = new Map<string, Received>();
  const firstById = new Map<string, Received>();
  const firstBySequence = new Map<string, Received>();
  const verdict: Verdict = {
    lost: [],
    reordered: [],
    repeatsWithOtherBody: [],
    repeatsWithOtherId: [],
    phantoms: [],
    duplicates: [],
  };
  for (const arrival of arrivals) {
    const sameName = remember(firstByName, nameOf(arrival), arrival);
    const sameId = remember(firstById, arrival.webhookId, arrival);
    const sameSequence = remember(
      firstBySequence,
      JSON.stringify([arrival.conversationId, arrival.sequence]),
      arrival,
    );
    if (!expected.has(nameOf(arrival))) verdict.phantoms.push(arrival);
    if (sameName !== undefined) verdict.duplicates.push(arrival);
    if (sameId !== undefined && sameId.bodyHash !== arrival.bodyHash)
      verdict.repeatsWithOtherBody.push(arrival);
    const otherId = [sameName, sameSequence].some(
      (first) => first !== undefined && first.webhookId !== arrival.webhookId,
    );
    const otherPlace = [sameName, sameId].some(
      (first) => first !== undefined && first.sequence !== arrival.sequence,
    );
    if (otherId || otherPlace) verdict.repeatsWithOtherId.push(arrival);
  }
  verdict.lost = accepted.filter((message) => !firstByName.has(nameOf(message)));
  verdict.reordered = [
    ...Map.groupBy(firstByName.values(), (first) => first.conversationId).values(),
  ].flatMap((firsts) => outOfOrder(firsts, places));
  return verdict;
}

/** Sequences of a conversation start at 1 and have no gap; and they follow the order of acceptance. */
function outOfOrder(firsts: Received[], places: Map<string, number>): Reordered[] {
  const reordered: Reordered[] = [];
  let next = 1;
  let lastPlace = -1;
  for (const first of firsts) {
    const place = places.get(nameOf(first)) ?? lastPlace;
    if (first.sequence !== next) {
      reordered.push({ ...first, reason: `sequence ${first.sequence} came where ${next} was due` });
    } else if (place < lastPlace) {
      reordered.push({ ...first, reason: "came after a message that was accepted later" });
    }
    if (Number.isInteger(first.sequence)) next = Math.max(next, first.sequence + 1);
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

/** Keeps the first value under a name, and gives the first back when there was one already. */
function remember<T>(firsts: Map<string, T>, name: string, value: T): T | undefined {
  const first = firsts.get(name);
  if (first === undefined) firsts.set(name, value);
  return first;
}
