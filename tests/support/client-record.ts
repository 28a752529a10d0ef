import { AgentResponseMessage, BlockingReply, FAILURES } from "@signalbox/contract";
import type { MadeAgent } from "./agents.ts";
import type { Bed } from "./bed.ts";
import { judgeViews, type Noted, type StoredMessage, type View } from "./client-views.ts";
import { senderOf, textOf, viewsOfEvent } from "./reply-views.ts";
import { streamMessage, type TimedEvent } from "./streamed-reply.ts";
import { JSON_TYPE } from "./wire.ts";

/** Everything that the clients of one conversation receive while it goes on, for the judge at its end. */
export interface ClientRecord {
  views: View[];
  /** Says something in streaming mode; gives the events once the stream has ended. */
  stream(text: string, options?: CallOptions): Promise<TimedEvent[]>;
  /** The same in blocking mode; gives the code of the failure, if it failed. */
  block(text: string, options?: CallOptions): Promise<{ code: number | undefined; atMs: number }>;
  note(view: Omit<Extract<View, { saw: "handoff" | "return" | "erasure" }>, "at" | "client">): number;
  noteHolder(human: string, afterSeq: number): void;
  /** Compares it all with what is stored. */
  problems(): Promise<string[]>;
}

interface CallOptions {
  baseUrl?: string;
  onEvent?: (event: TimedEvent) => void;
}

export function openClientRecord(bed: Bed, agent: MadeAgent, conversationId: string): ClientRecord {
  const views: View[] = [];
  let calls = 0;
  const note = (client: string, noted: Noted): number => {
    const at = performance.now();
    views.push({ at, client, ...noted });
    return at;
  };
  const webhookViews = () =>
    agent.arrived().flatMap(({ headers, body, arrivedAt: at }): View[] => {
      const { conversation_id, message_id: messageId, output } = AgentResponseMessage.parse(body);
      const sender = headers["signalbox-sender"];
      if (
        conversation_id !== conversationId ||
        (sender !== "ai" && sender !== "human" && sender !== "system")
      )
        return [];
      return [{ at, client: "webhook", saw: "message", messageId, sender, text: textOf(output) }];
    });
  return {
    views,
    async stream(text, { baseUrl = agent.baseUrl, onEvent = () => undefined } = {}) {
      const [client, call] = ["streaming caller", `stream ${++calls}`];
      const reply = await streamMessage({ baseUrl, apiKey: agent.apiKey }, conversationId, text);
      let messageId = "";
      const events = await reply.events((event) => {
        for (const noted of viewsOfEvent(event, call, messageId)) note(client, noted);
        if (event.message === "MessageInfo")
          ({ message_id: messageId } = event.data as { message_id: string });
        onEvent(event);
      });
      if (events.every(({ code }) => code !== 0 && code < FAILURES.badParameter.code))
        note(client, { saw: "end", call, as: "cut off" });
      return events;
    },
    async block(text, { baseUrl = agent.baseUrl } = {}) {
      const [client, call] = ["blocking caller", `call ${++calls}`];
      const response = await fetch(`${baseUrl}/v2/conversation/message`, {
        method: "POST",
        headers: { ...JSON_TYPE, authorization: `Bearer ${agent.apiKey}` },
        body: JSON.stringify({
          conversation_id: conversationId,
          response_mode: "blocking",
          messages: [{ role: "user", content: text }],
        }),
      });
      const body: unknown = await response.json();
      if (!response.ok) {
        const at = note(client, { saw: "end", call, as: "failed" });
        return { code: (body as { code: number }).code, atMs: at };
      }
      const { message_id: messageId, output } = BlockingReply.parse(body);
      note(client, {
        saw: "message",
        call,
        messageId,
        sender: senderOf(output[0]?.from_component_branch),
        text: textOf(output),
      });
      return { code: undefined, atMs: note(client, { saw: "end", call, as: "whole" }) };
    },
    note: (noted) => note("operator", noted),
    noteHolder: (human, afterSeq) => void note(human, { saw: "holder", human, afterSeq }),
    async problems() {
      const stored = await bed.database.query<StoredMessage>(
        "select id, seq::int, sender, text, author_name as author from message where conversation_id = $1 order by seq",
        [conversationId],
      );
      return judgeViews([...views, ...webhookViews()], stored.map(withAuthor));
    },
  };
}

function withAuthor({ author, ...message }: StoredMessage): StoredMessage {
  return author === null || author === undefined ? message : { ...message, author };
}
