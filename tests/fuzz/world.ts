import { OPERATOR_SCOPES, routes, type Delivery, type RouteName } from "@signalbox/contract";
import { createClient, type Client } from "@signalbox/sdk";
import type { Bed } from "../support/bed.ts";
import { eventually } from "../support/processes.ts";

/** What exists before the first request, so that good ones find something. */
export interface World {
  idOf(route: RouteName, field: string, caller: number, spare: number, pick: number): string;
  headersOf(route: RouteName, caller: number): Record<string, string>;
}

interface Caller {
  agentId: string;
  apiKey: string;
  chatToken: string;
  chatIds: string[];
  baseId: string;
  documentIds: string[];
  importIds: string[];
  conversationIds: string[];
  handoffIds: string[];
}

/** An agent that operators may do anything to, without ending the callers' requests. */
interface Spare {
  agentId: string;
  keyIds: string[];
  componentIds: string[];
  webhookIds: string[];
}

const CALLERS = 2;
const CONVERSATIONS = 20;
const HANDOFFS = 5;
const CHATS = 5;
const SPARES = 20;
const DOOMED = 20;

export async function createWorld(bed: Bed): Promise<World> {
  // A request that is tried may create a token that manages, and the environment's opens nothing from then on.
  const { operator_token: operatorToken } = await createClient({
    baseUrl: bed.baseUrl,
    operatorToken: bed.operatorToken,
  }).tokens.create({ name: "fuzz", scopes: [...OPERATOR_SCOPES] });
  const operator = createClient({ baseUrl: bed.baseUrl, operatorToken });
  const url = `${bed.receiver.url}/hook`;

  async function addCaller(): Promise<Caller> {
    const { agent_id, default_knowledge_base_id } = await operator.agents.create({ name: "Caller" });
    const { api_key } = await operator.keys.create({ agent_id, name: "Key" });
    await operator.webhooks.set({ agent_id, url });
    const client = createClient({ baseUrl: bed.baseUrl, apiKey: api_key });
    const qaList = [{ question: "reset my password", answer: "By the link." }];
    const { doc } = await client.knowledge.add({ purpose: "QA_TEXT", name: "FAQ", qaList });
    const documentIds = doc.map(({ doc_id }) => doc_id);
    const details = await client.knowledge.getDocuments({ data_ids: documentIds });
    const conversations = await Promise.all(
      Array.from({ length: CONVERSATIONS }, () => client.conversations.create({ user_id: "user" })),
    );
    const [first] = conversations;
    await client.conversations.sendMessage({
      conversation_id: first?.conversation_id ?? "",
      response_mode: "webhook",
      messages: [{ role: "user", content: "reset my password" }],
    });
    await operator.desks.create({ agent_id, name: "Desk", url: `${bed.receiver.url}/desk` });
    const handoffIds = await inTurn(HANDOFFS, async (at) => {
      const conversation_id = conversations[CONVERSATIONS - 1 - at]?.conversation_id ?? "";
      const { handoff } = await client.handoffs.request({ conversation_id });
      return handoff?.handoff_id ?? "";
    });
    const { token: chatToken } = await client.chatTokens.mint({ user_id: "user" });
    const user = createClient({ baseUrl: bed.baseUrl, chatToken });
    const chats = await Promise.all(Array.from({ length: CHATS }, () => user.chats.begin()));
    return {
      agentId: agent_id,
      chatToken,
      chatIds: chats.map(({ conversation_id }) => conversation_id),
      apiKey: api_key,
      baseId: default_knowledge_base_id,
      documentIds,
      importIds: details.map(({ last_import }) => last_import?.import_id ?? ""),
      conversationIds: conversations.map(({ conversation_id }) => conversation_id),
      handoffIds,
    };
  }

  async function addSpare(): Promise<Spare> {
    const { agent_id } = await operator.agents.create({ name: "Spare" });
    const keys = [await operator.keys.create({ agent_id, name: "Key" })];
    await operator.webhooks.set({ agent_id, url });
    const components = [await operator.desks.create({ agent_id, name: "Desk", url })];
    const { list } = await operator.destinations.list({ agent_id });
    return {
      agentId: agent_id,
      keyIds: keys.map(({ key_id }) => key_id),
      componentIds: components.map(({ component_id }) => component_id),
      webhookIds: list.map(({ webhook_id }) => webhook_id),
    };
  }

  const callers = await inTurn(CALLERS, addCaller);
  const spares = await inTurn(SPARES, addSpare);
  const doomed = await inTurn(DOOMED, addSpare);

  await operator.operatorWebhook.set({ url });
  const deliveries = await inTurn(CALLERS, (at) => deliveryOf(operator, callers[at]?.agentId ?? ""));
  const replayIds = await inTurn(CALLERS, async (at) => {
    const started = await operator.replays.start({ filter: { agent_id: callers[at]?.agentId ?? "" } });
    return started.replay_id ?? "";
  });
  const tokenIds = await inTurn(SPARES, async () => {
    const { token_id } = await operator.tokens.create({ name: "Spare", scopes: ["read"] });
    return token_id;
  });
  const erasureIds = await inTurn(CALLERS, async (at) => {
    const erased = { agent_id: callers[at]?.agentId ?? "", user_id: "erased" };
    const { erasure_id } = await operator.users.erase(erased);
    return erasure_id;
  });

  const choose = <Item>(list: Item[], pick: number): Item => {
    const item = list[pick % list.length];
    if (item === undefined) throw new Error("there is nothing to choose from");
    return item;
  };
  return {
    idOf(route, field, caller, spare, pick) {
      const ours = choose(callers, caller);
      // A route that deletes gets a thing that no other request uses.
      const theirs = choose(route.startsWith("delete") ? doomed : spares, spare);
      switch (field) {
        case "conversation_id":
          return choose(conversationsFor(route, ours), pick);
        case "knowledge_base_id":
        case "group_ids":
          return ours.baseId;
        case "doc_id":
        case "data_ids":
          return choose(ours.documentIds, pick);
        case "import_id":
          return choose(ours.importIds, pick);
        case "cursor":
        case "agent_id":
          return theirs.agentId;
        case "key_id":
          return choose(theirs.keyIds, pick);
        case "component_id":
          return choose(theirs.componentIds, pick);
        case "webhook_id":
          return choose(theirs.webhookIds, pick);
        case "delivery_id":
          return choose(deliveries, pick).delivery_id;
        case "message_id":
          return choose(deliveries, pick).message_id ?? "";
        case "replay_id":
          return choose(replayIds, pick);
        case "token_id":
          return choose(tokenIds, pick);
        // Accounts are made by people in browsers, no question goes unanswered and nothing is uploaded: none is there to be found.
        case "account_id":
        case "invitation_id":
        case "session_id":
        case "passkey_id":
        case "question_id":
        case "upload_id":
          return theirs.agentId;
        case "erasure_id":
          return choose(erasureIds, pick);
        // Nobody chose, saved, was answered by a human or waits in the inbox there.
        case "alternate_id":
        case "saved_question_id":
        case "run_id":
        case "answer_id":
        case "talk_id":
        case "reply_id":
        case "team_id":
        case "account_ids":
        case "question_ids":
          return theirs.agentId;
        default:
          throw new Error(`the fuzzer does not know what to put into ${field} of ${route}: add it here`);
      }
    },
    headersOf(route, caller) {
      const { auth } = routes[route];
      if (auth === "none" || auth === "browser") return {};
      const { apiKey, chatToken } = choose(callers, caller);
      const token = auth === "operator" ? operatorToken : auth === "chatToken" ? chatToken : apiKey;
      return { authorization: `Bearer ${token}` };
    },
  };
}

function conversationsFor(route: RouteName, { handoffIds, chatIds, conversationIds }: Caller): string[] {
  const { auth } = routes[route];
  return auth === "humanService" ? handoffIds : auth === "chatToken" ? chatIds : conversationIds;
}

function deliveryOf(operator: Client, agent_id: string): Promise<Delivery> {
  return eventually("a message is delivered", async () => {
    const { list } = await operator.deliveries.list({ agent_id, state: "delivered" });
    return list[0];
  });
}

async function inTurn<Item>(count: number, make: (at: number) => Promise<Item>): Promise<Item[]> {
  const items: Item[] = [];
  while (items.length < count) items.push(await make(items.length));
  return items;
}
