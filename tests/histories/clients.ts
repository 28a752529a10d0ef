import { AgentResponseMessage } from "@signalbox/contract";
import { textOf } from "@signalbox/tests/support/reply-views.ts";
import type { Noted, View } from "@signalbox/tests/support/client-views.ts";
import { sql } from "kysely";
import { objectKey } from "../../packages/server/src/engine/index.ts";
import { createLiveHub } from "../../packages/server/src/live/index.ts";
import type { ChatUser, Database } from "../../packages/server/src/platform/index.ts";
import type { SimulatedDatabase } from "./simulated-database.ts";
import { log, USER_ID, type Arrival } from "./world-parts.ts";

/** Everything that the clients of the conversation received. Time is the number of things that they received before. */
export interface Clients {
  views: View[];
  note(client: string, noted: Noted): void;
  noteArrival(arrival: Arrival, sender: string | undefined): void;
  /** Word of changes reaches every node. */
  told(words: string[]): void;
  beginRound(): void;
  /** Pages are read, and everybody knows who speaks: word takes no longer than this, unless it was lost. */
  endRound(wasLong: boolean): Promise<void>;
  close(): Promise<void>;
}

interface ClientParts {
  database: SimulatedDatabase;
  agentId: string;
  conversationId: string;
  /** The state of the inbox now. */
  readPage: () => Promise<Noted[]>;
}

type Sender = Extract<Noted, { saw: "message" }>["sender"];

/** The clients that only listen, and what all of them saw. */
export function openClients({ database, agentId, conversationId, readPage }: ClientParts): Clients {
  const views: View[] = [];
  const key = objectKey(agentId, conversationId);
  const live = openLiveStream(database.unscheduled, agentId, conversationId);
  let at = 0;
  let roundBeganAt = 0;
  let isTold = false;
  let isHeld = false;
  let isNoted = false;
  let noticed = 0;
  let isErased = false;
  const handoffIds = new Set<string>();
  const atDesk: { handoffId: string; at: number; seen: Noted[] }[] = [];
  const note = (client: string, noted: Noted, time = ++at) => void views.push({ at: time, client, ...noted });

  /** The holder of control, by the database and not by anybody's report. */
  async function noteControl(wasLong: boolean): Promise<void> {
    const moves = await database.query<{ at: string; control: string }>(
      "select at, control from watch.control where conversation_id = $1 and at > $2 order by at",
      [conversationId, noticed],
    );
    noticed = Number(moves.at(-1)?.at ?? noticed);
    if (moves.some(({ control }) => control === "bot")) {
      note("database", { saw: "return" }, roundBeganAt);
      isNoted = false;
    }
    isHeld = moves.length === 0 ? isHeld : moves.at(-1)?.control === "human";
    if (!isHeld || isNoted || !(isTold || wasLong)) return;
    note("database", { saw: "handoff" });
    isNoted = true;
    isTold = false;
  }

  /** A desk is told a handoff and no conversation, and may have those of others. */
  async function noteDesk(): Promise<void> {
    if (atDesk.length === 0) return;
    const own = await database.query<{ id: string }>(
      "select id from handoff where agent_id = $1 and conversation_id = $2",
      [agentId, conversationId],
    );
    for (const { id } of own) handoffIds.add(id);
    for (const { handoffId, at: time, seen } of atDesk.splice(0))
      if (handoffIds.has(handoffId)) for (const noted of seen) note("desk", noted, time);
  }

  async function noteHolders(): Promise<void> {
    const holders = await database.query<{ human: string; after_seq: string }>(
      "delete from watch.holder where conversation_id = $1 returning human, after_seq",
      [conversationId],
    );
    for (const { human, after_seq } of holders)
      note(human, { saw: "holder", human, afterSeq: Number(after_seq) });
  }

  async function noteErasure(): Promise<void> {
    const [row] = await database.query<{ gone: boolean }>(
      "select not exists (select from conversation where agent_id = $1 and id = $2) as gone",
      [agentId, conversationId],
    );
    if (row?.gone === true) note("operator", { saw: "erasure" });
    isErased = row?.gone === true;
  }

  return {
    views,
    note,
    noteArrival({ call, body }, sender) {
      const seen = viewsOfArrival(call, body, sender);
      if (call !== "message") atDesk.push({ handoffId: body.conversation_id, at: ++at, seen });
      else if (body.conversation_id === conversationId) for (const noted of seen) note("webhook", noted);
    },
    told: (words) => void (isTold ||= words.includes(key)),
    beginRound: () => void (roundBeganAt = ++at),
    async endRound(wasLong) {
      await noteControl(wasLong);
      await noteDesk();
      await noteHolders();
      for (const noted of await live.read()) note("live channel", noted);
      for (const noted of await readPage()) note("inbox page", noted);
      if (!isErased) await noteErasure();
    },
    close: () => live.close(),
  };
}

/** What a webhook is told, or a desk of what the user wrote. */
function viewsOfArrival(call: Arrival["call"], body: Arrival["body"], sender: string | undefined): Noted[] {
  switch (call) {
    case "message": {
      const { message_id: messageId, output } = AgentResponseMessage.parse(body);
      return [{ saw: "message", messageId, sender: sender as Sender, text: textOf(output) }];
    }
    case "establish":
      return (body.body as { text: string; message_type: string }[])
        .filter(({ message_type }) => message_type === "QUESTION")
        .map(({ text }) => ({ saw: "message", sender: "user", text }));
    case "chat":
      return [{ saw: "message", sender: "user", text: String(body.body) }];
    case "close":
      return [];
  }
}

/** A page that follows the conversation on the live channel. */
function openLiveStream(db: Database, agentId: string, conversationId: string) {
  const hub = createLiveHub(db, log);
  const leaving = new AbortController();
  const nobody = { anonymousId: null, email: null, phone: null };
  const user: ChatUser = {
    ...nobody,
    agentId,
    apiKeyId: "",
    userId: USER_ID,
    issuedAt: Date.now(),
    expiresAt: Date.now() + 3_600_000,
  };
  const frames: string[] = [];
  let isOver = false;
  const following = (async () => {
    for await (const some of hub.follow({ user, conversationId, afterSeq: 0 }, leaving.signal))
      frames.push(...some.split("\n\n"));
    isOver = true;
  })();
  const key = objectKey(agentId, conversationId);
  return {
    /** The messages since the last read. */
    async read(): Promise<Noted[]> {
      if (isOver) return [];
      hub.changed([key]);
      await quiet(db);
      return frames.splice(0).flatMap(viewsOfFrame);
    },
    async close() {
      leaving.abort();
      hub.close();
      await following;
    },
  };
}

/** The answers to earlier statements have been read: over the one connection they come before this one. */
export async function quiet(db: Database): Promise<void> {
  await aMoment();
  await sql`select 1`.execute(db);
  await aMoment();
}

/** Until what can go on without the database has gone on. */
export function aMoment(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function viewsOfFrame(frame: string): Noted[] {
  const [, data] = /^event: message\ndata: (.*)$/m.exec(frame) ?? [];
  if (data === undefined) return [];
  const {
    message_id: messageId,
    sender,
    text,
  } = JSON.parse(data) as {
    message_id: string;
    sender: Sender;
    text: string;
  };
  return [{ saw: "message", messageId, sender, text }];
}
