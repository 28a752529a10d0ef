interface Addressed {
  agentId: string;
  conversationId: string;
}

export interface Placed {
  /** In the order in which they are locked, for all agents: by their ids. */
  conversations: (Addressed & { added: number })[];
  /** For each message: its conversation among these, counted from 1, and its place among the messages for it. */
  numbers: number[];
  places: number[];
}

/** Two agents may name the same conversation, and it is one agent's at most. */
export function addressOf({ agentId, conversationId }: Addressed): string {
  return `${conversationId} ${agentId}`;
}

/** Messages of one conversation keep the order they came in. */
export function placeInConversations(messages: readonly Addressed[]): Placed {
  const counts = new Map<string, Addressed & { added: number }>();
  const places = messages.map((message) => {
    const { agentId, conversationId } = message;
    const added = (counts.get(addressOf(message))?.added ?? 0) + 1;
    counts.set(addressOf(message), { agentId, conversationId, added });
    return added;
  });
  const sorted = [...counts].toSorted(([one], [other]) => (one < other ? -1 : 1));
  const numbers = new Map(sorted.map(([address], index) => [address, index + 1]));
  return {
    conversations: sorted.map(([, conversation]) => conversation),
    // Safe because every message was counted above.
    numbers: messages.map((message) => numbers.get(addressOf(message)) as number),
    places,
  };
}
