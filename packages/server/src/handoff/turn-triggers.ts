import type { HandoffTrigger, NoticeName } from "@signalbox/contract";
import type { EngineCall } from "../engine/index.ts";
import { inTransaction, type Database } from "../platform/index.ts";
import { beginHandoff } from "./begin-handoff.ts";
import { emailIn } from "./email-in.ts";
import { takeAddress } from "./leave-message.ts";
import { openScene, type Scene } from "./scene.ts";
import { noticeText, readSettingsWithDesk } from "./settings.ts";
import { triggerOf, type TurnFacts } from "./triggers.ts";

/** Where one turn of the agent stands. */
export interface TurnPlace {
  agentId: string;
  conversationId: string;
  /** Nothing is begun once control has changed since the turn did. */
  epoch: number;
}

export type Escalated =
  | { kind: "handed_over"; calls: EngineCall[] }
  /** Nobody is there; the user was told, and the message is answered by that. */
  | { kind: "told_away"; calls: EngineCall[] }
  /** No desk fits, so that the agent answers as well as it can. */
  | { kind: "no_desk" }
  | { kind: "superseded" };

/** What a turn asks of each message before it answers, as the agent was set up when the turn began. */
export interface TurnTriggers {
  /** What the user is told; undefined when the agent keeps it to itself. */
  notice(name: NoticeName): string | undefined;
  triggerOf(facts: TurnFacts): HandoffTrigger | undefined;
  escalate(trigger: HandoffTrigger, seq: number): Promise<Escalated>;
  /** For a user who was told that nobody is there: undefined when this is no address to write to. */
  takeAddress(text: string, seq: number): Promise<Escalated | undefined>;
}

/** Undefined when the agent has no desk at all, which costs a turn one look. */
export async function openTriggers(db: Database, place: TurnPlace): Promise<TurnTriggers | undefined> {
  const { agentId, conversationId, epoch } = place;
  const agent = await readSettingsWithDesk(db, agentId);
  if (agent === undefined) return undefined;

  const underLock = (work: (db: Database, scene: Scene) => Promise<Escalated>) =>
    inTransaction(db, async (db): Promise<Escalated> => {
      const scene = await openScene(db, agentId, conversationId);
      const isOurs = scene?.conversation.control === "bot" && scene.conversation.epoch === epoch;
      return scene !== undefined && isOurs ? work(db, scene) : { kind: "superseded" };
    });
  return {
    notice: (name) => noticeText(agent, name),
    triggerOf: (facts) => triggerOf(facts, agent.settings),
    escalate: (trigger, seq) =>
      underLock(async (db, scene) => {
        // Who asks in so many words has been answered by whatever comes of it; a question has not.
        const answered = trigger === "phrase" ? { answeredSeq: seq } : {};
        const begun = await beginHandoff(db, scene, { trigger, ...answered });
        if (begun.kind === "begun") return { kind: "handed_over", calls: begun.calls };
        return begun.kind === "away" ? { kind: "told_away", calls: begun.calls } : begun;
      }),
    async takeAddress(text, seq) {
      const email = emailIn(text);
      if (email === undefined) return undefined;
      return underLock(async (db, scene) => {
        const calls = await takeAddress(db, scene, email, seq);
        return calls === undefined ? { kind: "no_desk" } : { kind: "told_away", calls };
      });
    },
  };
}
