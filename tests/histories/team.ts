import type { Noted } from "@signalbox/tests/support/client-views.ts";
import type { Broadcast, Database, OperatorCaller } from "../../packages/server/src/platform/index.ts";
import { Refusal } from "../../packages/server/src/platform/index.ts";
import type { DeskParts } from "../../packages/server/src/handoff/index.ts";
import type { Who } from "./drawn-history.ts";
import { OPERATOR, sealer, type Arrival, type Rooms } from "./world-parts.ts";

/** Two humans who answer in the inbox, and the service's own receiver for their chats. */
export interface Team {
  receive(url: string, body: Buffer, headers: Record<string, string>): Promise<void>;
  take(who: Who, handoffId: string): Promise<unknown>;
  /** By the other one, to this one. */
  takeOver(who: Who, handoffId: string): Promise<unknown>;
  reply(who: Who, handoffId: string, text: string): Promise<unknown>;
  close(who: Who, handoffId: string): Promise<unknown>;
  /** What the page of the last chat shows. */
  readPage(): Promise<Noted[]>;
}

const PEOPLE = [
  { accountId: "00000000-0000-4000-8000-00000000000a", name: "Ann", email: "ann@example.org" },
  { accountId: "00000000-0000-4000-8000-00000000000b", name: "Bob", email: "bob@example.org" },
] as const;

export const readAnswerers = async () => [...PEOPLE];

interface TeamParts {
  agentId: string;
  conversationId: string;
  db: Database;
  /** Pages are read beside the schedule. */
  unscheduled: Database;
  broadcast: Pick<Broadcast, "tell">;
  desk: DeskParts;
  arrivals: Arrival[];
  inbox: Rooms["inbox"];
  observed: <Reply>(call: Promise<Reply | Refusal>) => Promise<unknown>;
}

export function openTeam(parts: TeamParts): Team {
  const { agentId, conversationId, db, broadcast, desk, arrivals, unscheduled, inbox, observed } = parts;
  const talks = { db, sealer, broadcast, readAnswerers };
  const callerOf = (who: Who): OperatorCaller => ({
    ...OPERATOR,
    actor: "account",
    actorId: PEOPLE[who].accountId,
    actorName: `${PEOPLE[who].name} <${PEOPLE[who].email}>`,
  });
  const talkOf = (talk_id: string) => ({ agent_id: agentId, talk_id });
  return {
    async receive(url, bytes, headers) {
      const [, componentId = "", call] = /\/inbox\/v1\/([^/]+)\/.*?(establish|chat|close)$/.exec(url) ?? [];
      const header = (name: string) => headers[`webhook-${name}`] ?? "";
      // It has the clock of its caller.
      const now = () => new Date(Number(header("timestamp")) * 1_000);
      const received = await inbox.receiveInboxCall(
        { ...talks, now },
        {
          componentId,
          call: call as "establish" | "chat" | "close",
          signed: { id: header("id"), timestamp: header("timestamp"), signature: header("signature") },
          bytes,
          value: JSON.parse(bytes.toString("utf8")),
        },
      );
      if (received instanceof Refusal) throw new Error(`the inbox refused a call: ${received.advice}`);
    },
    take: (who, id) => observed(inbox.takeTalk(talks, callerOf(who), talkOf(id))),
    takeOver(who, id) {
      const input = { ...talkOf(id), account_id: PEOPLE[who].accountId };
      return observed(inbox.transferTalk(talks, callerOf(who === 0 ? 1 : 0), input));
    },
    reply: (who, id, text) =>
      observed(
        inbox.replyInTalk({ ...talks, desk }, callerOf(who), { ...talkOf(id), text, attachments: [] }),
      ),
    close: (who, id) => observed(inbox.closeTalk({ ...talks, desk }, callerOf(who), talkOf(id))),
    async readPage() {
      const id = arrivals.findLast(({ call }) => call === "establish")?.body.conversation_id;
      if (id === undefined) return [];
      const page = await inbox.getTalk({ db: unscheduled }, callerOf(0), { ...talkOf(id), limit: 100 });
      // The last chat may be a neighbour's.
      if (page instanceof Refusal || page.conversation_id !== conversationId) return [];
      return page.messages.map(({ message_id: messageId, sender, text }) => ({
        saw: "message",
        messageId,
        sender,
        text,
      }));
    },
  };
}
