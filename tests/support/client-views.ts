type Sender = "user" | "ai" | "human" | "system";

/**
 * What one client received, when, over one connection. `piece`: text of a reply that is still being made. `message`: a whole one.
 * `withdrawal`: the client is told to discard the pieces of a call. `end`: the last that a call received.
 */
export type View = { at: number; client: string } & (
  | { saw: "piece"; call: string; text: string }
  /** A desk is told no ids of what the user wrote. */
  | { saw: "message"; call?: string; messageId?: string; sender: Sender; text: string }
  | { saw: "withdrawal"; call: string }
  | { saw: "end"; call: string; as: "whole" | "failed" | "cut off" }
  /** A handoff was accepted: the agent is silent from here on, until control is the agent's again. */
  | { saw: "handoff" | "return" }
  /** A human of the inbox holds the chat alone, and this was its last message then. */
  | { saw: "holder"; human: string; afterSeq: number }
  | { saw: "erasure" }
);

export type Noted = View extends infer One ? (One extends View ? Omit<One, "at" | "client"> : never) : never;

export interface StoredMessage {
  id: string;
  seq: number;
  sender: Sender;
  text: string;
  /** The name of a human in the inbox. */
  author?: string | undefined;
}

/** Word that control moved takes this long to every node, when it is not lost on the way. */
const WITHIN_MS = 500;
/** Nobody sends word of an erasure: a node that answers finds it by itself. */
const LOOK_MS = 1_500;

/**
 * Compares what the clients of one conversation received with what is stored there: one side speaks at a time, a call has one
 * reply, and what was shown is stored or was withdrawn.
 */
export function judgeViews(
  views: readonly View[],
  stored: readonly StoredMessage[],
  { withinMs = WITHIN_MS, lookMs = LOOK_MS } = {},
): string[] {
  const inTime = views.toSorted((a, b) => a.at - b.at);
  return [
    ...judgeAgent(inTime, withinMs),
    ...judgeHumans(inTime, stored),
    ...judgeReplies(inTime),
    ...judgeShown(inTime, stored, withinMs),
    ...judgeErased(inTime, lookMs),
    ...judgePieces(inTime),
  ];
}

function judgeAgent(views: View[], withinMs: number): string[] {
  let handedOverAt = Infinity;
  const late = views.flatMap((view) => {
    if (view.saw === "handoff") handedOverAt = Math.min(handedOverAt, view.at);
    if (view.saw === "return") handedOverAt = Infinity;
    return view.saw === "piece" && view.at > handedOverAt + withinMs
      ? [{ client: view.client, ms: view.at - handedOverAt }]
      : [];
  });
  return describePieces(late, "a handoff was accepted");
}

function judgeErased(views: View[], lookMs: number): string[] {
  const erasedAt = views.find(({ saw }) => saw === "erasure")?.at ?? Infinity;
  const late = views
    .filter(({ saw, at }) => saw === "piece" && at > erasedAt + lookMs)
    .map(({ client, at }) => ({ client, ms: at - erasedAt }));
  return describePieces(late, "the conversation was erased");
}

function describePieces(late: { client: string; ms: number }[], after: string): string[] {
  return [...Map.groupBy(late, ({ client }) => client)].map(
    ([client, pieces]) =>
      `${client} was shown ${pieces.length} ${pieces.length === 1 ? "piece" : "pieces"} of the agent, up to ${Math.round(pieces.at(-1)?.ms ?? 0)} ms after ${after}`,
  );
}

function judgeHumans(views: View[], stored: readonly StoredMessage[]): string[] {
  const holders = views.filter((view) => view.saw === "holder").toSorted((a, b) => a.afterSeq - b.afterSeq);
  return stored.flatMap(({ sender, author, seq, text }) => {
    if (sender !== "human" || author === undefined) return [];
    const holder = holders.findLast(({ afterSeq }) => afterSeq < seq);
    return holder === undefined || holder.human === author
      ? []
      : [`"${text}" of ${author} was said after ${holder.human} had taken over`];
  });
}

function judgeReplies(views: View[]): string[] {
  const replies = views.flatMap((view) =>
    view.saw === "message" && view.sender === "ai" && view.call !== undefined
      ? [{ call: view.call, messageId: view.messageId }]
      : [],
  );
  return [...Map.groupBy(replies, ({ call }) => call)].flatMap(([call, given]) => {
    const count = new Set(given.map(({ messageId }) => messageId)).size;
    return count === 1 ? [] : [`the call ${call} was given ${count} replies`];
  });
}

function judgeShown(views: View[], stored: readonly StoredMessage[], withinMs: number): string[] {
  const erasedAt = views.find(({ saw }) => saw === "erasure")?.at;
  return views.flatMap((view) => {
    if (view.saw !== "message") return [];
    if (erasedAt !== undefined)
      return view.at > erasedAt + withinMs
        ? [`${view.client} was shown "${view.text}" after the conversation was erased`]
        : [];
    const isStored = stored.some(
      ({ id, sender, text }) => (view.messageId ?? id) === id && sender === view.sender && text === view.text,
    );
    return isStored ? [] : [`${view.client} was shown "${view.text}", which is stored nowhere`];
  });
}

function judgePieces(views: View[]): string[] {
  const calls = Map.groupBy(
    views.flatMap((view) =>
      "call" in view && view.call !== undefined ? [{ ...view, call: view.call }] : [],
    ),
    ({ call }) => call,
  );
  return [...calls].flatMap(([call, received]) => {
    const last = received.findLastIndex(({ saw }) => saw === "piece");
    const withdrawn = received.findIndex(({ saw }) => saw === "withdrawal");
    if (last === -1) return [];
    if (withdrawn !== -1)
      return last < withdrawn ? [] : [`the call ${call} was shown more after its text was withdrawn`];
    // A client whose connection breaks knows that the text is not whole.
    const isSettled = received.some(
      (view) => view.saw === "message" || (view.saw === "end" && view.as === "cut off"),
    );
    return isSettled ? [] : [`the call ${call} was shown text that is neither its reply nor withdrawn`];
  });
}
