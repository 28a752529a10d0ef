import { chunksOf, readServerSentEvents, type ServerSentEvent } from "@signalbox/sdk/server-sent-events";
import {
  type Attachment,
  type ChatEvent,
  ChatFailure,
  type ChatTransport,
  type Holder,
  type Sender,
} from "./transport.ts";

export interface HttpTransportOptions {
  /** Where the service is. */
  apiHost: string;
  /** A short-lived token of the user, minted by the developer's own server; asked for again when it is no longer taken. */
  token: (again: boolean) => Promise<string>;
  fetch?: typeof globalThis.fetch;
}

type Init = Omit<RequestInit, "headers"> & { headers: Record<string, string> };

interface ListedChat {
  conversation_id: string;
  last_message: { text: string; create_time: number };
}

const SILENCE_MAX_MS = 45_000;
const SENDERS: readonly Sender[] = ["user", "ai", "human", "system"];
const HOLDERS: readonly Holder[] = ["agent", "waiting", "human"];

/** The live channel, `/chat/v1`, over fetch: EventSource could not send the token in a header. */
export function createHttpTransport({
  apiHost,
  token,
  fetch = globalThis.fetch.bind(globalThis),
}: HttpTransportOptions): ChatTransport {
  const root = `${apiHost.replace(/(?<!\/)\/+$/, "")}/chat/v1/conversations`;

  async function call(path: string, init: Init, isRepeat = false): Promise<Response> {
    const headers = { ...init.headers, authorization: `Bearer ${await token(isRepeat)}` };
    const response = await fetch(root + path, { ...init, headers }).catch((cause: unknown) => {
      throw new ChatFailure("again", String(cause));
    });
    if (response.ok) return response;
    if (response.status === 401 && !isRepeat) return call(path, init, true);
    throw new ChatFailure(kindOf(response.status), `HTTP ${response.status}`);
  }

  const post = (path: string, body: object, key?: string) =>
    call(path, {
      method: "POST",
      headers: { "content-type": "application/json", ...(key !== undefined && { "idempotency-key": key }) },
      body: JSON.stringify(body),
    });
  const at = (conversationId: string) => `/${encodeURIComponent(conversationId)}`;

  return {
    async begin() {
      const response = await post("", {});
      const { conversation_id: conversationId } = (await response.json()) as { conversation_id: string };
      return { conversationId };
    },
    async list() {
      const response = await call("", { headers: {} });
      const { list } = (await response.json()) as { list: ListedChat[] };
      return list.map(({ conversation_id, last_message: { text, create_time } }) => ({
        conversationId: conversation_id,
        at: create_time,
        text,
      }));
    },
    async send(conversationId, { clientId, text, attachments }) {
      await post(`${at(conversationId)}/messages`, { text, attachments, client_id: clientId }, clientId);
    },
    async type(conversationId) {
      await post(`${at(conversationId)}/typing`, {});
    },
    async seen(conversationId, sequence) {
      await post(`${at(conversationId)}/seen`, { sequence });
    },
    async askForPerson(conversationId) {
      const response = await post(`${at(conversationId)}/person`, {});
      const { outcome } = (await response.json()) as { outcome: string };
      return { isAway: outcome === "away" };
    },
    async endWithPerson(conversationId) {
      await post(`${at(conversationId)}/close`, {});
    },
    async rate(conversationId, { rating, messageId, comment }) {
      await post(`${at(conversationId)}/rating`, { rating, message_id: messageId, comment });
    },
    async *follow(conversationId, after, signal) {
      const silence = new AbortController();
      let timer = setTimeout(() => silence.abort(), SILENCE_MAX_MS);
      try {
        const response = await call(`${at(conversationId)}/events`, {
          headers: { accept: "text/event-stream", ...(after !== undefined && { "last-event-id": after }) },
          signal: AbortSignal.any([signal, silence.signal]),
        });
        if (response.body === null) return;
        const live = heard(response.body, () => {
          clearTimeout(timer);
          timer = setTimeout(() => silence.abort(), SILENCE_MAX_MS);
        });
        for await (const event of readServerSentEvents(live)) {
          const known = readEvent(event);
          if (known !== undefined) yield known;
        }
      } finally {
        clearTimeout(timer);
      }
    },
  };
}

/** A line that is silent for long is taken for dead; the service says something now and then. */
async function* heard(body: ReadableStream<Uint8Array>, onChunk: () => void): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunksOf(body)) {
    onChunk();
    yield chunk;
  }
}

function kindOf(status: number): ChatFailure["kind"] {
  if (status === 403 || status === 404) return "gone";
  return status === 408 || status === 429 || status >= 500 ? "again" : "refused";
}

function readSuggestions(given: unknown): string[] | undefined {
  return Array.isArray(given) ? given.filter((one) => typeof one === "string") : undefined;
}

const KINDS: readonly Attachment["type"][] = ["image", "audio", "document"];

function readAttachments(given: unknown): Attachment[] {
  if (!Array.isArray(given)) return [];
  return (given as Record<string, unknown>[]).flatMap(({ type, url, name }) => {
    const kind = KINDS.find((known) => known === type);
    if (kind === undefined || typeof url !== "string") return [];
    return [{ type: kind, url, ...(typeof name === "string" && { name }) }];
  });
}

/** The text lists them behind its words, for clients that show text alone. */
function withoutAttachments(text: string, attachments: readonly Attachment[]): string {
  const lines = attachments.map(
    ({ type, url, name }) => `[${type}] ${name === undefined ? "" : `${name}: `}${url}`,
  );
  const listed = lines.join("\n");
  return listed !== "" && text.endsWith(listed) ? text.slice(0, -listed.length).trimEnd() : text;
}

/** An event this version does not know is left out. */
function readEvent({ event, id, data }: ServerSentEvent): ChatEvent | undefined {
  const body = parsed(data);
  switch (event) {
    case "message": {
      const sender = SENDERS.find((known) => known === body["sender"]);
      if (sender === undefined || typeof body["text"] !== "string") return undefined;
      const attachments = readAttachments(body["attachments"]);
      return {
        type: "message",
        cursor: id,
        messageId: String(body["message_id"]),
        sender,
        text: withoutAttachments(body["text"], attachments),
        attachments,
        name: nameOf(body),
        at: Number(body["create_time"]),
        clientId: typeof body["client_id"] === "string" ? body["client_id"] : undefined,
        suggestions: readSuggestions(body["suggestions"]),
      };
    }
    case "control": {
      const holder = HOLDERS.find((known) => known === body["holder"]);
      return holder === undefined ? undefined : { type: "control", holder };
    }
    case "typing":
      return { type: event, name: nameOf(body) };
    case "seen":
      return { type: event, sequence: Number(body["sequence"]) };
    case "ready":
      return { type: event };
    default:
      return undefined;
  }
}

function nameOf({ name }: Record<string, unknown>): string | undefined {
  return typeof name === "string" ? name : undefined;
}

function parsed(data: string): Record<string, unknown> {
  try {
    return (JSON.parse(data) ?? {}) as Record<string, unknown>;
  } catch {
    return {};
  }
}
