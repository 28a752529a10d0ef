/** Turns that end on this node, for callers who wait here for theirs. A turn that ends elsewhere is found by looking. */
export interface TurnEnds {
  /** A turn of this conversation ended: callers that wait look again at once. */
  tell(conversationId: string): void;
  /** From now on: an end between a look and the wait for it is not missed. */
  follow(conversationId: string): FollowedTurn;
}

export interface FollowedTurn extends Disposable {
  ended: Promise<void>;
}

export function createTurnEnds(): TurnEnds {
  const waiting = new Map<string, Set<() => void>>();
  return {
    tell(conversationId) {
      for (const wake of waiting.get(conversationId) ?? []) wake();
    },
    follow(conversationId) {
      const { promise: ended, resolve: wake } = Promise.withResolvers<void>();
      const followers = waiting.get(conversationId) ?? new Set();
      waiting.set(conversationId, followers.add(wake));
      return {
        ended,
        [Symbol.dispose]() {
          followers.delete(wake);
          if (followers.size === 0 && waiting.get(conversationId) === followers)
            waiting.delete(conversationId);
        },
      };
    },
  };
}
