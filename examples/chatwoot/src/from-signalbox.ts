import { createReceiver, type Receiver, type ReceiverOptions } from "@signalbox/sdk/receiver";
import type { Chatwoot, Contact, Place } from "./chatwoot-api.ts";
import type { Store } from "./store.ts";

export type Credentials = Pick<ReceiverOptions, "username" | "secret" | "signingSecrets">;

type Requested = Parameters<NonNullable<ReceiverOptions["onHandoffRequested"]>>[0];

const ENDED = {
  TIMEOUT: "The conversation was closed automatically after a long silence.",
  USER_CLOSED: "The user closed the conversation.",
};

/**
 * Sections 4.6 to 4.8. Chatwoot is called before the service is answered: while it is away the service repeats, keeps the
 * order, and tells the user of a handoff that nobody can take.
 */
export function createBridgeReceiver(credentials: Credentials, store: Store, chatwoot: Chatwoot): Receiver {
  /** Each step is written down once it is done, so that a repeat goes on where the last one ended. */
  async function placeOf(handoffId: string, contact: Contact = contactOf(handoffId)): Promise<Place> {
    const handoff = store.openHandoff(handoffId);
    const source_id = handoff.source_id ?? (await chatwoot.addContact(contact));
    if (handoff.source_id === null) store.keepSource(handoffId, source_id);
    const attributes = { signalbox_handoff: handoffId };
    const chatwoot_id = handoff.chatwoot_id ?? (await chatwoot.conversationOf(source_id, attributes));
    if (handoff.chatwoot_id === null) store.keepConversation(handoffId, chatwoot_id);
    return { source_id, chatwoot_id };
  }

  async function open(body: Requested, heading: string): Promise<void> {
    const { chatwoot_id } = await placeOf(body.conversation_id, contactOf(body.conversation_id, body));
    const said = body.body.map(
      ({ text, message_type }) => `${message_type === "QUESTION" ? "User" : "Assistant"}: ${text}`,
    );
    await chatwoot.note(chatwoot_id, [heading, ...said].join("\n\n"));
  }

  return createReceiver({
    ...credentials,
    deduplication: {
      claim: (id) => Promise.resolve(store.wasHandled(id) ? "handled" : "claimed"),
      confirm: (id) => Promise.resolve(void store.finishCall(id)),
      release: () => Promise.resolve(),
    },
    onHandoffRequested: (body) =>
      open(body, "A user would like to talk to a person. The conversation so far:"),
    async onMessageLeft(body) {
      await open(body, "A user left a message while the team was offline. Reply by email or phone:");
      store.keepLeft(body.conversation_id);
    },
    async onUserMessage({ conversation_id, body }, { webhookId }) {
      const place = await placeOf(conversation_id);
      const { last_message_id } = store.openHandoff(conversation_id);
      // Only this bridge writes as the user: what Chatwoot has beyond what we know of is this very message.
      const isNew = store.beginCall(webhookId);
      const arrived = isNew ? undefined : await chatwoot.saidAfter(place, last_message_id);
      store.keepSaid(conversation_id, webhookId, arrived ?? (await chatwoot.say(place, body)));
    },
    async onHandoffClosed({ conversation_id, type }) {
      const handoff = store.handoff(conversation_id);
      if (handoff === undefined || handoff.is_left === 1) return;
      // First of all, because Chatwoot tells us of the end we are about to make, which is no human's.
      store.end(conversation_id);
      const { source_id, chatwoot_id } = handoff;
      if (source_id === null || chatwoot_id === null) return;
      await chatwoot.note(chatwoot_id, ENDED[type]);
      await chatwoot.resolve({ source_id, chatwoot_id });
    },
  });
}

function contactOf(handoffId: string, body?: Requested): Contact {
  const { user_id = null, anonymous_id = null, phone = null } = body?.user_info ?? {};
  const email = body?.email ?? body?.user_info.email ?? null;
  return {
    identifier: `signalbox:${user_id ?? anonymous_id ?? handoffId}`,
    name: email ?? user_id ?? "A user",
    email,
    custom_attributes: { ...(user_id !== null && { user_id }), ...(phone !== null && { phone }) },
  };
}
