import { createHmac, timingSafeEqual } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Outbox } from "./outbox.ts";
import type { Store } from "./store.ts";

const BODY_BYTES_MAX = 1024 * 1024;
const TOLERANCE_SECONDS = 300;

interface ConversationData {
  contact_inbox?: { source_id?: string };
  status?: string;
}

interface ChatwootEvent extends ConversationData {
  event?: string;
  id?: number;
  content?: string | null;
  message_type?: string;
  private?: boolean;
  attachments?: { data_url?: string }[];
  conversation?: ConversationData;
}

/**
 * What Chatwoot tells of its inbox. It calls once, waits five seconds and never repeats, so an event is written down and
 * answered; what follows from it is the outbox's. An event that comes twice is known by the id of its message.
 */
export function createChatwootHook(secret: string, store: Store, outbox: Outbox) {
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await readBody(request);
    const status = body === undefined ? 413 : isSigned(request, body, secret) ? take(body) : 401;
    if (!request.complete) response.setHeader("connection", "close");
    response.writeHead(status).end();
  };

  function take(body: Buffer): 200 | 400 {
    const event = readEvent(body);
    if (event === undefined) return 400;
    const sourceId = (event.conversation ?? event).contact_inbox?.source_id;
    const handoff = sourceId === undefined ? undefined : store.handoffOf(sourceId);
    if (handoff === undefined) return 200;
    const about = { handoff_id: handoff.id, at: Date.now() };
    if (isReply(event)) {
      const links = (event.attachments ?? []).map(({ data_url }) => data_url ?? "");
      const text = [event.content ?? "", ...links].filter((part) => part !== "").join("\n");
      if (text !== "")
        store.addOutgoing({
          ...about,
          key: `message-${event.id}`,
          kind: "reply",
          message_id: event.id,
          text,
        });
    } else if (event.event === "conversation_status_changed" && event.status === "resolved") {
      if (handoff.ended_at === null)
        store.addOutgoing({ ...about, key: `close-${handoff.id}`, kind: "close", message_id: 0, text: "" });
    } else return 200;
    outbox.wake(handoff.id);
    return 200;
  }
}

/** Notes among colleagues never leave: only what says of itself that it is not private is a reply. */
function isReply(event: ChatwootEvent): event is ChatwootEvent & { id: number } {
  return (
    event.event === "message_created" &&
    event.message_type === "outgoing" &&
    event.private === false &&
    typeof event.id === "number"
  );
}

function isSigned(request: IncomingMessage, body: Buffer, secret: string): boolean {
  const timestamp = request.headers["x-chatwoot-timestamp"];
  const signature = request.headers["x-chatwoot-signature"];
  if (typeof timestamp !== "string" || typeof signature !== "string") return false;
  if (!(Math.abs(Date.now() / 1000 - Number(timestamp)) <= TOLERANCE_SECONDS)) return false;
  const expected = createHmac("sha256", secret).update(`${timestamp}.`).update(body).digest();
  const given = Buffer.from(signature.replace(/^sha256=/, ""), "hex");
  return given.length === expected.length && timingSafeEqual(given, expected);
}

async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of request as AsyncIterable<Buffer>) {
    bytes += piece.length;
    if (bytes > BODY_BYTES_MAX) return undefined;
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

function readEvent(body: Buffer): ChatwootEvent | undefined {
  try {
    const event = JSON.parse(body.toString()) as ChatwootEvent | null;
    return typeof event === "object" && event !== null ? event : undefined;
  } catch {
    return undefined;
  }
}
