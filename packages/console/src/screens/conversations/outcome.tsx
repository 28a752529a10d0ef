import type { ConversationEntry } from "@signalbox/contract";
import { CircleCheck, CircleDashed, CircleHelp, Clock, Headset, type LucideIcon } from "lucide-react";
import { Badge, type BadgeTone } from "../../design/index.ts";
import { useScreenWords } from "../../words/index.ts";

const LOOKS: Record<ConversationEntry["outcome"], { tone: BadgeTone; icon: LucideIcon }> = {
  answered: { tone: "good", icon: CircleCheck },
  unanswered: { tone: "warn", icon: CircleHelp },
  waiting: { tone: "neutral", icon: Clock },
  with_human: { tone: "accent", icon: Headset },
  empty: { tone: "neutral", icon: CircleDashed },
};

export function OutcomeBadge({ outcome }: { outcome: ConversationEntry["outcome"] }) {
  const { outcomes } = useScreenWords().conversations;
  return (
    <Badge tone={LOOKS[outcome].tone} icon={LOOKS[outcome].icon}>
      {outcomes[outcome]}
    </Badge>
  );
}

/** The best known name of the user. */
export function userName(
  conversation: { user_id: string | null; anonymous_id: string | null },
  anonymous: string,
): string {
  return conversation.user_id ?? conversation.anonymous_id ?? anonymous;
}
