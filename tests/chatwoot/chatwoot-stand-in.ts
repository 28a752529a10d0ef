import { createHmac, randomUUID } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";

export const INBOX = "an-inbox";
export const ACCOUNT = "7";
export const TOKEN = "a token of an agent";
export const SECRET = "a secret of the inbox";

export interface StoodMessage {
  id: number;
  content: string;
  message_type: "incoming" | "outgoing";
  private: boolean;
  status: string;
  external_error?: string;
}

export interface StoodConversation {
  id: number;
  source_id: string;
  custom_attributes: Record<string, string>;
  status: "open" | "resolved";
  messages: StoodMessage[];
}

export type ChatwootStandIn = AsyncDisposable & {
  url: string;
  conversations: StoodConversation[];
  /** How each webhook was answered; 0: not at all. */
  answers: number[];
  faults: {
    /** Nobody answers. */
    isAway: boolean;
    /** Ends of paths: of each the next answer is lost, though what was asked for is done. */
    answersToLose: string[];
    /** How often each webhook is sent. */
    timesEach: number;
  };
  /** An agent writes in the inbox, or notes something for colleagues. */
  write(conversation: StoodConversation, content: string, isPrivate?: boolean): StoodMessage;
  resolve(conversation: StoodConversation): void;
  /** A webhook that differs from what is documented, or that nobody of this account signed. */
  post(event: object, signed?: { secret?: string; at?: number }): Promise<number>;
  /** Until every webhook was answered, or not. */
  settled(): Promise<void>;
};

type Given = { content?: string; custom_attributes?: Record<string, string> } & Partial<StoodMessage>;
type Reply = { status: number; body?: unknown };
const NOT_FOUND: Reply = { status: 404 };

/**
 * Of Chatwoot what is documented at developers.chatwoot.com and what a bridge uses: the client APIs of an API inbox, messages of
 * the application APIs, and its webhook, which is signed, sent once, and never again.
 */
export async function openChatwoot(webhookUrl: string): Promise<ChatwootStandIn> {
  const conversations: StoodConversation[] = [];
  const contacts = new Set<string>();
  const answers: number[] = [];
  const faults: ChatwootStandIn["faults"] = { isAway: false, answersToLose: [], timesEach: 1 };
  const sending = new Set<Promise<void>>();
  let lastId = 100;

  async function post(event: object, { secret = SECRET, at = Date.now() / 1000 } = {}): Promise<number> {
    const body = JSON.stringify(event);
    const timestamp = String(Math.floor(at));
    const signature = createHmac("sha256", secret).update(`${timestamp}.${body}`).digest("hex");
    const headers = {
      "content-type": "application/json",
      "x-chatwoot-timestamp": timestamp,
      "x-chatwoot-signature": `sha256=${signature}`,
      "x-chatwoot-delivery": randomUUID(),
    };
    const response = await fetch(webhookUrl, { method: "POST", headers, body }).catch(() => undefined);
    return response?.status ?? 0;
  }

  function tell(event: object): void {
    for (let time = 0; time < faults.timesEach; time += 1) {
      const told = post(event).then((status) => void answers.push(status));
      sending.add(told);
      void told.finally(() => sending.delete(told));
    }
  }

  function add(
    conversation: StoodConversation,
    { content = "", message_type = "outgoing", private: isPrivate = false }: Given,
  ): StoodMessage {
    const message: StoodMessage = {
      id: (lastId += 1),
      content,
      message_type,
      private: isPrivate,
      status: "sent",
    };
    conversation.messages.push(message);
    tell({ event: "message_created", ...message, conversation: dataOf(conversation) });
    return message;
  }

  function resolve(conversation: StoodConversation): void {
    if (conversation.status === "resolved") return;
    conversation.status = "resolved";
    tell({ event: "conversation_status_changed", ...dataOf(conversation) });
  }

  /** `/public/api/v1/inboxes/{inbox}/contacts/{source_id}/conversations/{id}/messages`, and what lies on the way. */
  function answerContact(method: string, path: string[], given: Given): Reply {
    const [inbox, , source_id, , id, action] = path;
    if (inbox !== INBOX) return NOT_FOUND;
    if (source_id === undefined) {
      const made = randomUUID();
      contacts.add(made);
      return { status: 200, body: { ...given, source_id: made } };
    }
    if (!contacts.has(source_id)) return NOT_FOUND;
    const own = conversations.filter((one) => one.source_id === source_id);
    if (id === undefined && method === "GET") return { status: 200, body: own.map(publicOf) };
    if (id === undefined) {
      const { custom_attributes = {} } = given;
      const made = { id: conversations.length + 1, source_id, custom_attributes, messages: [] };
      conversations.push({ ...made, status: "open" });
      return { status: 200, body: made };
    }
    const conversation = own.find((one) => one.id === Number(id));
    if (conversation === undefined) return NOT_FOUND;
    if (action === "toggle_status") resolve(conversation);
    else if (action !== "messages") return NOT_FOUND;
    else if (method === "POST")
      return { status: 200, body: numbered(add(conversation, { ...given, message_type: "incoming" })) };
    const { messages, ...rest } = publicOf(conversation);
    return { status: 200, body: action === "messages" ? messages : rest };
  }

  /** `/api/v1/accounts/{account}/conversations/{id}/messages/{message}`. */
  function answerAgent(method: string, path: string[], given: Given): Reply {
    const [account, , id, messages, messageId] = path;
    const conversation = conversations.find((one) => one.id === Number(id));
    if (account !== ACCOUNT || conversation === undefined || messages !== "messages") return NOT_FOUND;
    if (method === "GET") return { status: 200, body: { payload: conversation.messages.map(numbered) } };
    if (method === "POST") return { status: 200, body: numbered(add(conversation, given)) };
    const message = conversation.messages.find((one) => one.id === Number(messageId));
    return message === undefined ? NOT_FOUND : { status: 200, body: Object.assign(message, given) };
  }

  async function answer(request: IncomingMessage): Promise<Reply> {
    const { method = "", url = "", headers } = request;
    const given = method === "GET" ? {} : ((await json(request).catch(() => ({}))) as Given);
    const path = url.split("/").slice(1).map(decodeURIComponent);
    if (url.startsWith("/public/api/v1/inboxes/")) return answerContact(method, path.slice(4), given);
    if (headers["api_access_token"] !== TOKEN) return { status: 401 };
    return url.startsWith("/api/v1/accounts/") ? answerAgent(method, path.slice(3), given) : NOT_FOUND;
  }

  const server = createServer((request, response) => {
    if (faults.isAway) return void response.destroy();
    void answer(request).then(({ status, body }) => {
      const lost = faults.answersToLose.findIndex(
        (end) => request.method !== "GET" && request.url?.endsWith(end) === true,
      );
      if (lost >= 0) {
        faults.answersToLose.splice(lost, 1);
        response.destroy();
      } else response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    });
  });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));

  const settled = async () => {
    while (sending.size > 0) await Promise.all(sending);
  };
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    conversations,
    answers,
    faults,
    write: (conversation, content, isPrivate = false) =>
      add(conversation, { content, message_type: "outgoing", private: isPrivate }),
    resolve,
    post,
    settled,
    async [Symbol.asyncDispose]() {
      await settled();
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

/** Replies give the type of a message as a number, webhooks as a word. */
function numbered(message: StoodMessage) {
  return { ...message, message_type: message.message_type === "incoming" ? 0 : 1 };
}

function publicOf({ id, status, messages }: StoodConversation) {
  return { id, status, messages: messages.filter((message) => !message.private).map(numbered) };
}

function dataOf({ id, status, source_id }: StoodConversation) {
  return { id, status, contact_inbox: { id, source_id } };
}
