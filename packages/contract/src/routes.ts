import { z } from "zod";
import * as admin from "./admin.ts";
import * as models from "./agent-models.ts";
import { VerifyApiKeyReply } from "./api-keys.ts";
import * as chat from "./chat.ts";
import {
  CreateConversationReply,
  CreateConversationRequest,
  MessagePage,
  MessageQuery,
  MessageStreamEvent,
  SendMessageReply,
  SendMessageRequest,
} from "./conversations.ts";
import * as documents from "./documents.ts";
import * as deliveries from "./deliveries.ts";
import type { FailureName } from "./failures.ts";
import { CloseByHumanReply, CloseByHumanRequest, ReceiveHumanMessageRequest } from "./handoff.ts";
import * as handoffs from "./handoff-settings.ts";
import { AddQaRequest, DocumentsResult, UpdateQaRequest } from "./knowledge.ts";
import * as personal from "./personal-data.ts";
import { ServiceStatus } from "./service-status.ts";
import * as tokens from "./operator-tokens.ts";
import type { ApiKeyScope, OperatorScope } from "./scopes.ts";
import { SetUserIdRequest } from "./users.ts";
import { Acknowledged } from "./values.ts";
import { CheckWebhooksReply, DiagnoseWebhooksReply, ServiceHealth } from "./webhooks.ts";

/** `humanService`: an API key, unless the human service the call is about may call without one. `chatToken`: one user's, in a browser. */
export type Auth = "apiKey" | "humanService" | "chatToken" | "operator" | "none";

/** Limits of their own for routes that cost others something: each is a setting of the service. */
export type RouteLimit = "check";

/** Who may call a route. `scopes`: one of them is enough; with none named, any key of that kind will do. */
type Access =
  | { readonly auth: "apiKey" | "humanService"; readonly scopes: readonly ApiKeyScope[] }
  | { readonly auth: "operator"; readonly scopes: readonly OperatorScope[] }
  | { readonly auth: "chatToken" | "none"; readonly scopes?: undefined };

export type Route = RouteDescription & Access;

interface RouteDescription {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  readonly path: `/${string}`;
  /** The section of the specification, or whose endpoint it is otherwise. */
  readonly spec: string;
  readonly summary: string;
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType<object>;
  readonly reply: z.ZodType;
  /** What a reply is made of that comes as server-sent events. */
  readonly events?: z.ZodType;
  /** The reply is a plain text, not JSON. */
  readonly plainText?: true;
  /** Failures beyond those that follow from the rest of the line. */
  readonly failures?: readonly FailureName[];
  readonly bodyLimitBytes?: number;
  /** How many values a body may hold in all, counting each member, element, list and object. */
  readonly bodyValuesMax?: number;
  /** Calls of one key are limited beyond what holds for all routes. */
  readonly limit?: RouteLimit;
  /** A POST that changes nothing, for the sake of its body: it takes no Idempotency-Key. */
  readonly safe?: true;
  /** HTTP status of success, when it is not 200. */
  readonly status?: number;
}

export const BODY_LIMIT_BYTES = 1024 * 1024;
/** What parsing costs depends on the number of values. */
export const BODY_VALUES_MAX = 10_000;
/** 10,000 pairs with sixteen alternates each. */
const KNOWLEDGE_BODY = { bodyLimitBytes: 10 * 1024 * 1024, bodyValuesMax: 200_000 };

const agents = "/admin/v1/agents";
const agent = `${agents}/:agent_id`;
const messageWebhook = `${agent}/message-webhook`;
const humanServices = `${agent}/human-services`;
const handoff = "/v1/conversation/handoff";
const handoffSettings = `${agent}/handoff-settings`;
const chats = "/chat/v1/conversations";
const oneChat = `${chats}/:conversation_id`;

const operatorTokens = "/admin/v1/operator-tokens";
const operatorWebhook = "/admin/v1/operator-webhook";
const delivery = "/admin/v1/deliveries/:delivery_id";
const replay = "/admin/v1/replays/:replay_id";

/** Of an operator's token, whoever may change things may also look at them. */
const READ = ["read", "manage"] as const;
const MANAGE = ["manage"] as const;
const DESK = ["desk"] as const;

const CHAT_FAILURES = ["unknownConversation", "foreignConversation"] as const;

const { AgentPath, ApiKeyPath, HumanServicePath, PageQuery } = admin;

/* oxfmt-ignore */
export const routes = {
  addQa: { method: "POST", path: "/v1/bot/doc/qa/add", auth: "apiKey", scopes: ["knowledge"], spec: "4.1", summary: "Add QA documents to a knowledge base", body: AddQaRequest, reply: DocumentsResult, ...KNOWLEDGE_BODY },
  updateQa: { method: "PUT", path: "/v1/bot/doc/qa/update", auth: "apiKey", scopes: ["knowledge"], spec: "4.2", summary: "Replace the content of QA documents", body: UpdateQaRequest, reply: DocumentsResult, ...KNOWLEDGE_BODY },
  checkWebhooks: { method: "POST", path: "/v1/webhook/check", auth: "apiKey", scopes: ["read"], spec: "4.3", summary: "Whether the agent's webhooks can be reached", reply: CheckWebhooksReply, failures: ["badParameter"], limit: "check" },
  serviceHealth: { method: "GET", path: "/v1/webhook/service/health", auth: "none", spec: "4.4", summary: "Whether the service works normally", reply: ServiceHealth, plainText: true },
  createConversation: { method: "POST", path: "/v1/conversation", auth: "apiKey", scopes: ["messages"], spec: "neighbour", summary: "Begin a conversation of a user", body: CreateConversationRequest, reply: CreateConversationReply },
  sendMessage: { method: "POST", path: "/v2/conversation/message", auth: "apiKey", scopes: ["messages"], spec: "neighbour", summary: "Send a user's message", body: SendMessageRequest, reply: SendMessageReply, events: MessageStreamEvent, failures: ["unknownConversation"] },
  listMessages: { method: "GET", path: "/v2/messages", auth: "apiKey", scopes: ["messages", "read"], spec: "neighbour", summary: "What was said in a conversation", query: MessageQuery, reply: MessagePage, failures: ["unknownConversation"] },
  setUserId: { method: "POST", path: "/v1/user/set-userid", auth: "apiKey", scopes: ["messages"], spec: "neighbour", summary: "Say which user anonymous ids stand for", body: SetUserIdRequest, reply: Acknowledged },
  requestHandoff: { method: "POST", path: handoff, auth: "apiKey", scopes: ["messages"], spec: "ours", summary: "Ask for a person on behalf of the user", body: handoffs.ConversationOfHandoff, reply: handoffs.RequestedHandoff, failures: ["unknownConversation"] },
  leaveHandoff: { method: "POST", path: `${handoff}/close`, auth: "apiKey", scopes: ["messages"], spec: "ours", summary: "The user leaves the person; the agent speaks again", body: handoffs.ConversationOfHandoff, reply: handoffs.CurrentHandoff, failures: ["unknownConversation"] },
  getHandoff: { method: "GET", path: handoff, auth: "apiKey", scopes: ["messages", "read"], spec: "ours", summary: "Who speaks in a conversation", query: handoffs.HandoffQuery, reply: handoffs.CurrentHandoff, failures: ["unknownConversation"] },
  receiveHumanMessage: { method: "POST", path: "/v1/human/message/receive", auth: "humanService", scopes: DESK, spec: "4.9", summary: "A human replies to the user", body: ReceiveHumanMessageRequest, reply: Acknowledged, failures: ["unknownConversation"] },
  closeByHuman: { method: "POST", path: "/v1/human/close", auth: "humanService", scopes: DESK, spec: "4.10", summary: "A human closes the handoff", body: CloseByHumanRequest, reply: CloseByHumanReply, failures: ["unknownConversation"] },
  createKnowledgeBase: { method: "POST", path: "/v1/bot/knowledge/base/create", auth: "apiKey", scopes: ["knowledge"], spec: "neighbour", summary: "Create a knowledge base", body: documents.CreateKnowledgeBaseRequest, reply: documents.CreateKnowledgeBaseReply },
  listKnowledgeBases: { method: "GET", path: "/v1/bot/knowledge/base/page", auth: "apiKey", scopes: ["knowledge", "read"], spec: "neighbour", summary: "List knowledge bases", query: documents.KnowledgeBaseQuery, reply: documents.KnowledgeBasePage },
  listDocuments: { method: "GET", path: "/v1/bot/doc/query/page", auth: "apiKey", scopes: ["knowledge", "read"], spec: "neighbour", summary: "List the documents of a knowledge base", query: documents.DocumentQuery, reply: documents.DocumentPage },
  getDocumentDetails: { method: "GET", path: "/v1/bot/data/detail/list", auth: "apiKey", scopes: ["knowledge", "read"], spec: "neighbour", summary: "State of documents and what became of their files", query: documents.DocumentDetailsQuery, reply: documents.DocumentDetails },
  deleteDocuments: { method: "DELETE", path: "/v1/bot/doc/batch/delete", auth: "apiKey", scopes: ["knowledge"], spec: "neighbour", summary: "Delete documents", query: documents.DeleteDocumentsQuery, reply: Acknowledged },
  addQaChunks: { method: "POST", path: "/v1/bot/doc/qa/chunks/add", auth: "apiKey", scopes: ["knowledge"], spec: "neighbour", summary: "Append pairs to a document, or replace them", body: documents.AddQaChunksRequest, reply: Acknowledged, ...KNOWLEDGE_BODY },
  listQaChunks: { method: "GET", path: "/v1/bot/doc/qa/chunks", auth: "apiKey", scopes: ["knowledge", "read"], spec: "ours", summary: "Read the pairs of a document, in their order", query: documents.QaChunkQuery, reply: documents.QaChunkPage, failures: ["stateConflict"] },
  matchKnowledge: { method: "POST", path: "/v1/vector/match", auth: "apiKey", scopes: ["knowledge", "read"], spec: "neighbour", summary: "Find pairs as the agent would", body: documents.MatchRequest, reply: documents.MatchReply },
  verifyApiKey: { method: "GET", path: "/v1/api-key/verify", auth: "apiKey", scopes: [], spec: "neighbour", summary: "Which agent an API key belongs to", reply: VerifyApiKeyReply },

  mintChatToken: { method: "POST", path: "/chat/v1/tokens", auth: "apiKey", scopes: ["chat:mint"], spec: "ours", summary: "Let one user's browser into the live channel for a while", body: chat.MintChatTokenRequest, reply: chat.ChatToken },
  revokeChatTokens: { method: "POST", path: "/chat/v1/tokens/revoke", auth: "apiKey", scopes: ["chat:mint"], spec: "ours", summary: "Refuse the chat tokens issued so far for a user or for all users", body: chat.RevokeChatTokensRequest, reply: Acknowledged },
  beginChat: { method: "POST", path: chats, auth: "chatToken", spec: "ours", summary: "Begin a conversation on the live channel", reply: chat.ChatBegun },
  sayInChat: { method: "POST", path: `${oneChat}/messages`, auth: "chatToken", spec: "ours", summary: "The user says something; what is answered comes by the stream", params: chat.ChatPath, body: chat.SayInChatRequest, reply: chat.SaidInChat, failures: CHAT_FAILURES },
  askForPerson: { method: "POST", path: `${oneChat}/person`, auth: "chatToken", spec: "ours", summary: "The user asks for a person", params: chat.ChatPath, reply: chat.AskedForPerson, failures: CHAT_FAILURES },
  leavePerson: { method: "POST", path: `${oneChat}/close`, auth: "chatToken", spec: "ours", summary: "The user leaves the person; the agent speaks again", params: chat.ChatPath, reply: Acknowledged, failures: CHAT_FAILURES },
  followChat: { method: "GET", path: `${oneChat}/events`, auth: "chatToken", spec: "ours", summary: "What was said after Last-Event-ID, and what is being said", params: chat.ChatPath, reply: z.never(), events: chat.ChatEventData, failures: CHAT_FAILURES },

  createAgent: { method: "POST", path: agents, auth: "operator", scopes: MANAGE, spec: "ours", summary: "Create an agent", body: admin.CreateAgentRequest, reply: admin.Agent },
  listAgents: { method: "GET", path: agents, auth: "operator", scopes: READ, spec: "ours", summary: "List agents", query: PageQuery, reply: admin.AgentPage },
  getAgent: { method: "GET", path: agent, auth: "operator", scopes: READ, spec: "ours", summary: "Read an agent", params: AgentPath, reply: admin.Agent },
  updateAgent: { method: "PUT", path: agent, auth: "operator", scopes: MANAGE, spec: "ours", summary: "Change an agent", params: AgentPath, body: admin.UpdateAgentRequest, reply: admin.Agent },
  deleteAgent: { method: "DELETE", path: agent, auth: "operator", scopes: MANAGE, spec: "ours", summary: "Delete an agent", params: AgentPath, reply: Acknowledged },

  createOperatorToken: { method: "POST", path: operatorTokens, auth: "operator", scopes: MANAGE, spec: "ours", summary: "Create an operator token; it is shown this once", body: tokens.CreateOperatorTokenRequest, reply: tokens.CreatedOperatorToken },
  listOperatorTokens: { method: "GET", path: operatorTokens, auth: "operator", scopes: READ, spec: "ours", summary: "List operator tokens", query: PageQuery, reply: tokens.OperatorTokenPage },
  rotateOperatorToken: { method: "POST", path: `${operatorTokens}/:token_id/rotate`, auth: "operator", scopes: MANAGE, spec: "ours", summary: "Replace an operator token; both work while they overlap", params: tokens.OperatorTokenPath, body: tokens.RotateOperatorTokenRequest, reply: tokens.CreatedOperatorToken },
  revokeOperatorToken: { method: "DELETE", path: `${operatorTokens}/:token_id`, auth: "operator", scopes: MANAGE, spec: "ours", summary: "Revoke an operator token", params: tokens.OperatorTokenPath, reply: Acknowledged, failures: ["stateConflict"] },

  createApiKey: { method: "POST", path: `${agent}/keys`, auth: "operator", scopes: MANAGE, spec: "ours", summary: "Create an API key; it is shown this once", params: AgentPath, body: admin.CreateApiKeyRequest, reply: admin.CreatedApiKey },
  listApiKeys: { method: "GET", path: `${agent}/keys`, auth: "operator", scopes: READ, spec: "ours", summary: "List an agent's API keys", params: AgentPath, query: PageQuery, reply: admin.ApiKeyPage },
  revokeApiKey: { method: "DELETE", path: `${agent}/keys/:key_id`, auth: "operator", scopes: MANAGE, spec: "ours", summary: "Revoke an API key", params: ApiKeyPath, reply: Acknowledged },

  revokeAgentChatTokens: { method: "POST", path: `${agent}/chat-tokens/revoke`, auth: "operator", scopes: MANAGE, spec: "ours", summary: "Refuse an agent's chat tokens issued so far for a user or for all users", params: AgentPath, body: chat.RevokeChatTokensRequest, reply: Acknowledged },

  setMessageWebhook: { method: "PUT", path: messageWebhook, auth: "operator", scopes: MANAGE, spec: "ours", summary: "Configure the message webhook", params: AgentPath, body: admin.SetMessageWebhookRequest, reply: admin.MessageWebhook },
  getMessageWebhook: { method: "GET", path: messageWebhook, auth: "operator", scopes: READ, spec: "ours", summary: "Read the message webhook", params: AgentPath, reply: admin.MessageWebhook },
  deleteMessageWebhook: { method: "DELETE", path: messageWebhook, auth: "operator", scopes: MANAGE, spec: "ours", summary: "Remove the message webhook", params: AgentPath, reply: Acknowledged },
  rotateMessageWebhookSecret: { method: "POST", path: `${messageWebhook}/signing-secret/rotate`, auth: "operator", scopes: MANAGE, spec: "ours", summary: "Replace the signing secret of the message webhook", params: AgentPath, body: admin.RotateSigningSecretRequest, reply: admin.RotatedSigningSecret },

  diagnoseWebhooks: { method: "POST", path: `${agent}/webhooks/check`, auth: "operator", scopes: MANAGE, spec: "ours", summary: "Test an agent's webhooks, with the cause of each failure", params: AgentPath, reply: DiagnoseWebhooksReply },
  createHumanService: { method: "POST", path: humanServices, auth: "operator", scopes: MANAGE, spec: "ours", summary: "Add a human service component", params: AgentPath, body: admin.CreateHumanServiceRequest, reply: admin.HumanService },
  listHumanServices: { method: "GET", path: humanServices, auth: "operator", scopes: READ, spec: "ours", summary: "List human service components", params: AgentPath, query: PageQuery, reply: admin.HumanServicePage },
  updateHumanService: { method: "PUT", path: `${humanServices}/:component_id`, auth: "operator", scopes: MANAGE, spec: "ours", summary: "Change a human service component", params: HumanServicePath, body: admin.UpdateHumanServiceRequest, reply: admin.HumanService },
  rotateHumanServiceSecret: { method: "POST", path: `${humanServices}/:component_id/signing-secret/rotate`, auth: "operator", scopes: MANAGE, spec: "ours", summary: "Replace the signing secret of a human service component", params: HumanServicePath, body: admin.RotateSigningSecretRequest, reply: admin.RotatedSigningSecret },
  deleteHumanService: { method: "DELETE", path: `${humanServices}/:component_id`, auth: "operator", scopes: MANAGE, spec: "ours", summary: "Remove a human service component", params: HumanServicePath, reply: Acknowledged },

  setHandoffSettings: { method: "PUT", path: handoffSettings, auth: "operator", scopes: MANAGE, spec: "ours", summary: "Set how an agent hands over to people", params: AgentPath, body: handoffs.SetHandoffSettingsRequest, reply: handoffs.HandoffSettings },
  getHandoffSettings: { method: "GET", path: handoffSettings, auth: "operator", scopes: READ, spec: "ours", summary: "Read how an agent hands over to people", params: AgentPath, reply: handoffs.HandoffSettings },
  listHandoffs: { method: "GET", path: "/admin/v1/handoffs", auth: "operator", scopes: READ, spec: "ours", summary: "List an agent's handoffs, newest first", query: handoffs.HandoffListQuery, reply: handoffs.HandoffPage },

  setChatModel: { method: "PUT", path: `${agent}/chat-model`, auth: "operator", scopes: MANAGE, spec: "ours", summary: "Configure the model that answers and converts", params: AgentPath, body: models.SetModelRequest, reply: models.AgentModel },
  getChatModel: { method: "GET", path: `${agent}/chat-model`, auth: "operator", scopes: READ, spec: "ours", summary: "Read the chat model", params: AgentPath, reply: models.AgentModel },
  deleteChatModel: { method: "DELETE", path: `${agent}/chat-model`, auth: "operator", scopes: MANAGE, spec: "ours", summary: "Remove the chat model", params: AgentPath, reply: Acknowledged },
  setEmbeddingModel: { method: "PUT", path: `${agent}/embedding-model`, auth: "operator", scopes: MANAGE, spec: "ours", summary: "Configure the model that makes vectors", params: AgentPath, body: models.SetModelRequest, reply: models.AgentModel },
  getEmbeddingModel: { method: "GET", path: `${agent}/embedding-model`, auth: "operator", scopes: READ, spec: "ours", summary: "Read the embedding model", params: AgentPath, reply: models.AgentModel },
  deleteEmbeddingModel: { method: "DELETE", path: `${agent}/embedding-model`, auth: "operator", scopes: MANAGE, spec: "ours", summary: "Remove the embedding model", params: AgentPath, reply: Acknowledged },
  setSpeechModel: { method: "PUT", path: `${agent}/speech-model`, auth: "operator", scopes: MANAGE, spec: "ours", summary: "Configure the model that speaks answers aloud", params: AgentPath, body: models.SetSpeechModelRequest, reply: models.SpeechModel },
  getSpeechModel: { method: "GET", path: `${agent}/speech-model`, auth: "operator", scopes: READ, spec: "ours", summary: "Read the speech model", params: AgentPath, reply: models.SpeechModel },
  deleteSpeechModel: { method: "DELETE", path: `${agent}/speech-model`, auth: "operator", scopes: MANAGE, spec: "ours", summary: "Remove the speech model", params: AgentPath, reply: Acknowledged },
  listUnansweredQuestions: { method: "GET", path: `${agent}/unanswered-questions`, auth: "operator", scopes: READ, spec: "ours", summary: "What users asked and the agent could not answer", params: AgentPath, query: PageQuery, reply: models.UnansweredQuestionPage },
  setOperatorWebhook: { method: "PUT", path: operatorWebhook, auth: "operator", scopes: MANAGE, spec: "ours", summary: "Configure the webhook for operator events", body: admin.SetOperatorWebhookRequest, reply: admin.OperatorWebhook },
  getOperatorWebhook: { method: "GET", path: operatorWebhook, auth: "operator", scopes: READ, spec: "ours", summary: "Read the webhook for operator events", reply: admin.OperatorWebhook, failures: ["notFound"] },
  deleteOperatorWebhook: { method: "DELETE", path: operatorWebhook, auth: "operator", scopes: MANAGE, spec: "ours", summary: "Remove the webhook for operator events", reply: Acknowledged, failures: ["notFound"] },
  rotateOperatorWebhookSecret: { method: "POST", path: `${operatorWebhook}/signing-secret/rotate`, auth: "operator", scopes: MANAGE, spec: "ours", summary: "Replace the signing secret of the webhook for operator events", body: admin.RotateSigningSecretRequest, reply: admin.RotatedSigningSecret, failures: ["notFound"] },

  listDeliveries: { method: "GET", path: "/admin/v1/deliveries", auth: "operator", scopes: READ, spec: "ours", summary: "List deliveries, newest first", query: deliveries.DeliveryQuery, reply: deliveries.DeliveryPage },
  getDelivery: { method: "GET", path: delivery, auth: "operator", scopes: READ, spec: "ours", summary: "Read a delivery with its body and every attempt", params: deliveries.DeliveryPath, reply: deliveries.DeliveryDetail },
  replayDelivery: { method: "POST", path: `${delivery}/replay`, auth: "operator", scopes: MANAGE, spec: "ours", summary: "Send a delivery again", params: deliveries.DeliveryPath, reply: deliveries.Delivery },
  startReplay: { method: "POST", path: "/admin/v1/replays", auth: "operator", scopes: MANAGE, spec: "ours", summary: "Send many deliveries again, at a pace", body: deliveries.StartReplayRequest, reply: deliveries.StartedReplay },
  getReplay: { method: "GET", path: replay, auth: "operator", scopes: READ, spec: "ours", summary: "How far a replay has come", params: deliveries.ReplayPath, reply: deliveries.Replay },
  stopReplay: { method: "DELETE", path: replay, auth: "operator", scopes: MANAGE, spec: "ours", summary: "Stop a replay; what is on its way still goes out", params: deliveries.ReplayPath, reply: deliveries.Replay },

  exportUser: { method: "POST", path: `${agent}/users/export`, auth: "operator", scopes: MANAGE, spec: "ours", summary: "Everything that is kept about one user of an agent", params: AgentPath, body: personal.UserOfAgent, reply: personal.UserExport, safe: true },
  eraseUser: { method: "POST", path: `${agent}/erasures`, auth: "operator", scopes: MANAGE, spec: "ours", summary: "Erase one user of an agent", params: AgentPath, body: personal.UserOfAgent, reply: personal.Erasure },
  listErasures: { method: "GET", path: "/admin/v1/erasures", auth: "operator", scopes: READ, spec: "ours", summary: "List erasures, newest first", query: personal.ErasureQuery, reply: personal.ErasurePage },
  getErasure: { method: "GET", path: "/admin/v1/erasures/:erasure_id", auth: "operator", scopes: READ, spec: "ours", summary: "How far an erasure has come", params: personal.ErasurePath, reply: personal.Erasure },
  setRetention: { method: "PUT", path: `${agent}/retention`, auth: "operator", scopes: MANAGE, spec: "ours", summary: "Set how long an agent's conversations are kept", params: AgentPath, body: personal.SetRetentionRequest, reply: personal.Retention },
  getRetention: { method: "GET", path: `${agent}/retention`, auth: "operator", scopes: READ, spec: "ours", summary: "Read how long an agent's conversations are kept", params: AgentPath, reply: personal.Retention },

  listDestinations: { method: "GET", path: "/admin/v1/destinations", auth: "operator", scopes: READ, spec: "ours", summary: "List webhooks with their health", query: deliveries.DestinationQuery, reply: deliveries.DestinationPage },
  enableDestination: { method: "POST", path: `${agent}/destinations/:webhook_id/enable`, auth: "operator", scopes: MANAGE, spec: "ours", summary: "Send to a webhook again that said 410", params: deliveries.DestinationPath, reply: deliveries.DestinationState, failures: ["stateConflict"] },

  getServiceStatus: { method: "GET", path: "/admin/v1/status", auth: "operator", scopes: READ, spec: "ours", summary: "Which part of the service failed, and what to do", reply: ServiceStatus },
  listAudit: { method: "GET", path: "/admin/v1/audit", auth: "operator", scopes: READ, spec: "ours", summary: "Read who changed what", query: admin.AuditQuery, reply: admin.AuditPage },
} as const satisfies Record<string, Route>;

export type Routes = typeof routes;
export type RouteName = keyof Routes;

export const ROUTE_NAMES = Object.keys(routes) as RouteName[];

/** Whether a call of this route is made once for an Idempotency-Key. */
export function takesIdempotencyKey({ method, safe }: Route): boolean {
  return (method === "POST" || method === "PUT") && safe !== true;
}

type Part = "params" | "query" | "body";
type Sent<R, Place extends Part> = R extends { readonly [P in Place]: infer Schema extends z.ZodType }
  ? z.input<Schema>
  : object;
type Parsed<R, Place extends Part> = R extends { readonly [P in Place]: infer Schema extends z.ZodType }
  ? z.output<Schema>
  : object;

/** One object out of an intersection, alternative by alternative. */
type Flat<Type> = Type extends unknown ? { [Key in keyof Type]: Type[Key] } : never;

/** What a caller gives: path, query and body in one object, by their names on the wire. */
export type RequestOf<Name extends RouteName> = Flat<
  Sent<Routes[Name], "params"> & Sent<Routes[Name], "query"> & Sent<Routes[Name], "body">
>;

/** The same after reading: defaults filled in, times in milliseconds. */
export type InputOf<Name extends RouteName> = Flat<
  Parsed<Routes[Name], "params"> & Parsed<Routes[Name], "query"> & Parsed<Routes[Name], "body">
>;

export type ReplyOf<Name extends RouteName> = z.output<Routes[Name]["reply"]>;

/** One function a route; `Callers` says who stands behind each kind of authentication. A missing one does not compile. */
export type Handlers<Callers extends Record<Auth, unknown>, Otherwise = never> = {
  [Name in RouteName]: (
    caller: Callers[Routes[Name]["auth"]],
    input: InputOf<Name>,
  ) => Promise<ReplyOf<Name> | Otherwise>;
};
