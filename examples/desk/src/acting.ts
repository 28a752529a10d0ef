import type { Outbox } from "./outbox.ts";
import type { Conversation, Store } from "./store.ts";
import type { Viewers } from "./viewers.ts";

export interface Parts {
  store: Store;
  outbox: Outbox;
  viewers: Viewers;
}

/** Section 4.9 takes no more. */
const TEXT_MAX_CHARACTERS = 25_000;

type Problem = "ended" | "taken" | "text" | "left" | "unknown";
type Action = (
  parts: Parts,
  conversation: Conversation,
  human: string,
  given: Record<string, unknown>,
) => Problem | undefined;

const ACTIONS: Record<string, Action> = {
  /** `from`: who had it as far as the browser knew, so that nobody takes it away by mistake. */
  take({ store }, { id, ended_at }, human, { from }) {
    if (ended_at !== null) return "ended";
    return store.take(id, typeof from === "string" ? from : null, human) ? undefined : "taken";
  },
  release({ store }, { id, ended_at }, human) {
    if (ended_at !== null) return "ended";
    return store.take(id, human, null) ? undefined : "taken";
  },
  reply({ store }, { id, ended_at, is_left }, human, { text, client_id }) {
    if (ended_at !== null) return "ended";
    if (is_left === 1) return "left";
    if (typeof text !== "string" || text.trim() === "" || [...text].length > TEXT_MAX_CHARACTERS)
      return "text";
    // A human who writes takes the conversation.
    store.take(id, null, human);
    if (store.conversation(id)?.taken_by !== human) return "taken";
    store.addEntry({
      conversation_id: id,
      at: Date.now(),
      kind: "human",
      who: human,
      text,
      state: "waiting",
      ...(typeof client_id === "string" && { client_id: `${id} ${client_id}` }),
    });
    return undefined;
  },
  close({ store }, { id, taken_by, is_left }, human) {
    if (taken_by !== null && taken_by !== human) return "taken";
    const at = Date.now();
    if (!store.end(id, at, "human")) return undefined;
    // After a message left for later, nothing is open at the service.
    const state = is_left === 1 ? "done" : "waiting";
    store.addEntry({ conversation_id: id, at, kind: "ended", who: human, text: "human", state });
    return undefined;
  },
};

/** What a human does with a conversation; gives why it could not be done. */
export function actOn(
  parts: Parts,
  conversation: Conversation,
  human: string,
  name: string,
  given: Record<string, unknown>,
): Problem | undefined {
  const action = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
  if (action === undefined) return "unknown";
  const problem = parts.store.inTransaction(() => action(parts, conversation, human, given));
  if (problem === undefined) {
    parts.outbox.wake(conversation.id);
    parts.viewers.tell(conversation.id);
  }
  return problem;
}
