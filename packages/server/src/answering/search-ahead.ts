import type { AgentKnowledge, Choice, Found } from "./agent-knowledge.ts";
import { measure, type OnSpent } from "./spending.ts";

/** The searches of one answer. One may be begun before its question is asked. */
interface Searches {
  find: AgentKnowledge["find"];
  /**
   * Begins the search of all that the agent knows, beside the accept of the message (ADR 0039). With an embedding model it does
   * nothing: a message that is refused would have been paid for.
   */
  begin: (question: string) => void;
}

export function openSearches(knowledge: AgentKnowledge, all: Choice, onSpent: OnSpent | undefined): Searches {
  const ahead = new Map<string, Promise<Found>>();
  const search = (question: string, choice: Choice) =>
    measure(
      onSpent,
      "search",
      () => knowledge.find(question, choice),
      ({ embeddingTokens }) => ({ promptTokens: embeddingTokens }),
    );
  return {
    find: (question, choice) =>
      (choice === all ? ahead.get(question) : undefined) ?? search(question, choice),
    begin(question) {
      if (knowledge.models.embedding !== undefined) return;
      const found = search(question, all);
      // A message that is refused has nobody who awaits it.
      found.catch(() => undefined);
      ahead.set(question, found);
    },
  };
}
