import type { HandoffTrigger, NoticeName } from "@signalbox/contract";
import type { AfterCommit } from "../../engine/index.ts";
import { inTransaction, type Database } from "../../platform/index.ts";
import {
  noticeText,
  openSettings,
  readSettingsWithDesk,
  type StoredSettings,
} from "../settings/agent-settings.ts";
import { lockConversation, type LockedConversation } from "../steps/lock-conversation.ts";
import { beginHandoff } from "./begin-handoff.ts";
import { emailIn } from "./email-in.ts";
import { takeAddress } from "./leave-message.ts";
import { triggerOf, type TurnFacts } from "./triggers.ts";

/** Where one turn of the agent stands. */
export interface TurnPlace {
  agentId: string;
  conversationId: string;
  /** Nothing is begun once control has changed since the turn did. */
  epoch: number;
}

export type EscalationResult =
  | { kind: "handed_over"; calls: AfterCommit[] }
  /** All desks are closed. The notice to the user answers the message. */
  | { kind: "away"; calls: AfterCommit[] }
  /** No desk fits, so that the agent answers as well as it can. */
  | { kind: "no_desk" }
  | { kind: "superseded" };

/** What a turn asks of each message before it answers, as the agent was set up when the turn began. */
export interface TurnTriggers {
  /** The text of a notice; undefined when the agent has turned it off. */
  notice(name: NoticeName): string | undefined;
  triggerOf(facts: TurnFacts): HandoffTrigger | undefined;
  escalate(trigger: HandoffTrigger, seq: number): Promise<EscalationResult>;
  /** Takes the email address of a user who was told that all desks are closed. Undefined when the text has none. */
  takeAddress(text: string, seq: number): Promise<EscalationResult | undefined>;
}

/** Undefined when the agent has no desk at all, which costs a turn one look, unless the turn has brought the settings of one that has. */
export async function openTriggers(
  db: Database,
  place: TurnPlace,
  stored?: StoredSettings,
): Promise<TurnTriggers | undefined> {
  const { agentId, conversationId, epoch } = place;
  const agent = stored === undefined ? await readSettingsWithDesk(db, agentId) : openSettings(stored);
  if (agent === undefined) return undefined;

  const underLock = (work: (db: Database, locked: LockedConversation) => Promise<EscalationResult>) =>
    inTransaction(db, async (db): Promise<EscalationResult> => {
      const locked = await lockConversation(db, agentId, conversationId);
      const isOurs = locked?.conversation.control === "bot" && locked.conversation.epoch === epoch;
      return locked !== undefined && isOurs ? work(db, locked) : { kind: "superseded" };
    });
  return {
    notice: (name) => noticeText(agent, name),
    triggerOf: (facts) => triggerOf(facts, agent.settings),
    escalate: (trigger, seq) =>
      underLock(async (db, locked) => {
        // A user who asks for a person in plain words is answered by any outcome; a question is still to be answered.
        const answered = trigger === "phrase" ? { answeredSeq: seq } : {};
        const begun = await beginHandoff(db, locked, { trigger, ...answered });
        return begun.kind === "begun" ? { kind: "handed_over", calls: begun.calls } : begun;
      }),
    async takeAddress(text, seq) {
      const email = emailIn(text);
      if (email === undefined) return undefined;
      return underLock(async (db, locked) => {
        const calls = await takeAddress(db, locked, email, seq);
        return calls === undefined ? { kind: "no_desk" } : { kind: "away", calls };
      });
    },
  };
}
