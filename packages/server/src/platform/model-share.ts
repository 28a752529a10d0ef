import type { DailyUse } from "./daily-use.ts";
import type { Metrics } from "./metrics.ts";

/** What one visitor of the live channel, or one address of visitors without a name, may use of an agent's tokens of a day. */
export interface ModelShare {
  isLeft(agentId: string, payer: string): Promise<boolean>;
  spend(agentId: string, payer: string, tokens: number): void;
}

/** Anyone may begin a chat, as often as they like: ten of them together end the agent's day, and none alone. */
const SHARE = 0.1;

export function createModelShare({
  tokensPerDay,
  use,
  refusals,
}: {
  /** The agent's own limit; 0: none. */
  tokensPerDay: number;
  use: Pick<DailyUse, "usedToday" | "add">;
  refusals: Metrics["limitRefusals"];
}): ModelShare {
  const subjectOf = (agentId: string, payer: string) =>
    ({ agentId, kind: "model_tokens", subject: payer }) as const;
  return {
    async isLeft(agentId, payer) {
      if (tokensPerDay === 0) return true;
      const isLeft = (await use.usedToday(subjectOf(agentId, payer))) < tokensPerDay * SHARE;
      if (!isLeft) refusals.inc({ limit: "visitor_model_tokens_day" });
      return isLeft;
    },
    spend(agentId, payer, tokens) {
      if (tokens > 0) use.add(subjectOf(agentId, payer), tokens);
    },
  };
}
