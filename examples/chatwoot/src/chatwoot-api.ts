export interface ChatwootOptions {
  url: string;
  accountId: string;
  /** The token of an agent or an agent bot: for notes, and to tell agents what did not arrive. */
  apiToken: string;
  /** The identifier of the API inbox, as its settings show it. */
  inboxIdentifier: string;
}

export interface Contact {
  identifier: string;
  name: string;
  email: string | null;
  custom_attributes: Record<string, string>;
}

/** Where the user's side of one conversation is. */
export interface Place {
  source_id: string;
  chatwoot_id: number;
}

interface Message {
  id: number;
  content: string | null;
  message_type: number | string;
  private?: boolean;
}

/** The service waits three seconds for the answer to a handoff, and then asks again. */
const TIMEOUT_MS = 2_500;
/** The public API gives the number, its description the word. */
const INCOMING = [0, "incoming"];

/** Only the APIs documented at developers.chatwoot.com: the client APIs for the user, the application APIs for the rest. */
export function createChatwoot({ url, accountId, apiToken, inboxIdentifier }: ChatwootOptions) {
  async function call<Reply>(method: string, path: string, body?: object): Promise<Reply> {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        "content-type": "application/json",
        ...(path.startsWith("/api/") && { api_access_token: apiToken }),
      },
      redirect: "manual",
      signal: AbortSignal.timeout(TIMEOUT_MS),
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`Chatwoot: ${method} ${path}: HTTP ${response.status}`);
    const text = await response.text();
    return (text === "" ? undefined : JSON.parse(text)) as Reply;
  }
  const contacts = `/public/api/v1/inboxes/${encodeURIComponent(inboxIdentifier)}/contacts`;
  const conversations = (sourceId: string) => `${contacts}/${encodeURIComponent(sourceId)}/conversations`;
  const placeOf = ({ source_id, chatwoot_id }: Place) => `${conversations(source_id)}/${chatwoot_id}`;
  const messages = (chatwootId: number) =>
    `/api/v1/accounts/${accountId}/conversations/${chatwootId}/messages`;

  return {
    /** A contact that is known by its identifier is not made twice; what it is called in this inbox is new each time. */
    async addContact({ email, ...contact }: Contact): Promise<string> {
      const body = email === null ? contact : { ...contact, email };
      return (await call<{ source_id: string }>("POST", contacts, body)).source_id;
    },
    /** The contact's one conversation, made where there is none yet. */
    async conversationOf(sourceId: string, custom_attributes: Record<string, string>): Promise<number> {
      const [first] = await call<{ id: number }[]>("GET", conversations(sourceId));
      return (first ?? (await call<{ id: number }>("POST", conversations(sourceId), { custom_attributes })))
        .id;
    },
    /** The user says something; gives the message's id. */
    say: async (place: Place, content: string) =>
      Number((await call<Message>("POST", `${placeOf(place)}/messages`, { content })).id),
    /** The user's first message behind this one. */
    async saidAfter(place: Place, messageId: number): Promise<number | undefined> {
      const all = await call<Message[]>("GET", `${placeOf(place)}/messages`);
      const newer = all
        .filter(({ id, message_type }) => INCOMING.includes(message_type) && Number(id) > messageId)
        .map(({ id }) => Number(id));
      return newer.length === 0 ? undefined : Math.min(...newer);
    },
    resolve: (place: Place) => call<unknown>("POST", `${placeOf(place)}/toggle_status`),
    /** A private note, unless one with these words is there. */
    async note(chatwootId: number, content: string): Promise<void> {
      const { payload } = await call<{ payload: Message[] }>("GET", messages(chatwootId));
      if (payload.some((message) => message.private === true && message.content === content)) return;
      await call("POST", messages(chatwootId), { content, message_type: "outgoing", private: true });
    },
    /** The agent sees the message marked as failed, with this reason. */
    markFailed: (chatwootId: number, messageId: number, external_error: string) =>
      call<unknown>("PATCH", `${messages(chatwootId)}/${messageId}`, { status: "failed", external_error }),
  };
}

export type Chatwoot = ReturnType<typeof createChatwoot>;
