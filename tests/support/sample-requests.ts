import { routes } from "@signalbox/contract";
import type { RequestOf, Route, RouteName } from "@signalbox/contract";
import { createClient } from "@signalbox/sdk";
import { accountSamples } from "./account-samples.ts";
import { operatorOf } from "./agents.ts";
import type { MadeAgent } from "./agents.ts";
import type { Bed } from "./bed.ts";
import { inboxSamples, openSampleTalk } from "./inbox-samples.ts";
import { eventually } from "./processes.ts";
import type { SampleIds } from "./sample-ids.ts";
import { bearer, JSON_TYPE } from "./wire.ts";
import type { WireRequest } from "./wire.ts";
export type { SampleIds } from "./sample-ids.ts";

const PAIR = { question: "When do you open?", answer: "At nine." };
const LAST_DAY = { from_time: Date.now() - 86_400_000, to_time: Date.now() };
/** A file of twelve bytes. */
const UPLOADED = Buffer.from("When?,Now.\r\n").toString("base64");

const sampleModel = ({ agentId, webhookUrl }: SampleIds) => ({
  agent_id: agentId,
  url: webhookUrl,
  model: "sample",
});

/** One request of each route that is taken; a route without one does not compile. */
const inputs: { [Name in RouteName]: (ids: SampleIds) => RequestOf<Name> } = {
  addQa: () => ({ purpose: "QA_TEXT", name: "Sample", qaList: [PAIR] }),
  updateQa: ({ documentId }) => ({ doc_id: documentId, qaList: [PAIR] }),
  uploadFile: () => ({
    file: new File([`question,answer\n${PAIR.question},${PAIR.answer}\n`], "sample.csv"),
  }),
  createKnowledgeBase: () => ({ name: "Sample" }),
  listKnowledgeBases: () => ({}),
  listDocuments: ({ knowledgeBaseId }) => ({ knowledge_base_id: knowledgeBaseId }),
  getDocumentDetails: ({ documentId }) => ({ data_ids: documentId }),
  deleteDocuments: ({ documentId }) => ({ doc: documentId }),
  addQaChunks: ({ documentId }) => ({ doc_id: documentId, chunks: [PAIR] }),
  listQaChunks: ({ documentId }) => ({ doc_id: documentId }),
  matchKnowledge: () => ({ prompt: PAIR.question }),
  serviceHealth: () => ({}),
  getServiceStatus: () => ({}),
  createConversation: () => ({ user_id: "user-1" }),
  sendMessage: ({ conversationId }) => ({
    conversation_id: conversationId,
    response_mode: "webhook",
    messages: [{ role: "user", content: "When do you open?" }],
  }),
  followChanges: ({ agentId }) => ({ agent_id: agentId }),
  listMessages: ({ conversationId }) => ({ conversation_id: conversationId }),
  getMessageSources: ({ messageId }) => ({ message_id: messageId }),
  setUserId: () => ({
    user_id: "user-1",
    anonymous_ids: [{ anonymous_id: "device-1", conversation_type: "API" }],
  }),
  mintChatToken: () => ({ user_id: "user-1" }),
  revokeChatTokens: () => ({ user_id: "user-1-of-old" }),
  revokeAgentChatTokens: ({ agentId }) => ({ agent_id: agentId, user_id: "user-1-of-old" }),
  beginChat: () => ({}),
  listChats: () => ({}),
  sayInChat: ({ chatId }) => ({ conversation_id: chatId, text: "When do you open?" }),
  typeInChat: ({ chatId }) => ({ conversation_id: chatId }),
  markChatSeen: ({ chatId }) => ({ conversation_id: chatId, sequence: 3 }),
  askForPerson: ({ chatId }) => ({ conversation_id: chatId }),
  leavePerson: ({ chatId }) => ({ conversation_id: chatId }),
  rateChat: ({ chatId }) => ({ conversation_id: chatId, rating: "good", comment: "Sample" }),
  followChat: ({ chatId }) => ({ conversation_id: chatId }),
  requestHandoff: ({ conversationId }) => ({ conversation_id: conversationId }),
  leaveHandoff: ({ conversationId }) => ({ conversation_id: conversationId }),
  getHandoff: ({ conversationId }) => ({ conversation_id: conversationId }),
  receiveHumanMessage: ({ handoffId }) => ({
    conversation_id: handoffId,
    timestamp: 1_763_180_000_000,
    body: "Hello",
  }),
  typeAsHuman: ({ handoffId }) => ({ conversation_id: handoffId, human_name: "Ann" }),
  closeByHuman: ({ handoffId }) => ({ conversation_id: handoffId, timestamp: 1_763_180_000_000 }),
  verifyApiKey: () => ({}),
  checkWebhooks: () => ({}),

  createAgent: () => ({ name: "Sample" }),
  listAgents: () => ({}),
  getAgent: ({ agentId }) => ({ agent_id: agentId }),
  updateAgent: ({ agentId }) => ({ agent_id: agentId, name: "Sample" }),
  deleteAgent: ({ agentId }) => ({ agent_id: agentId }),

  createOperatorToken: () => ({ name: "Sample", scopes: ["metrics"] }),
  listOperatorTokens: () => ({}),
  rotateOperatorToken: ({ tokenId }) => ({ token_id: tokenId, overlap_seconds: 3_600 }),
  revokeOperatorToken: ({ tokenId }) => ({ token_id: tokenId }),

  ...accountSamples,
  ...inboxSamples,

  getSignInWays: () => ({}),
  startOidcSignIn: () => ({}),
  finishOidcSignIn: () => ({ authorization_code: "unknown", oidc_state: "unknown" }),

  createApiKey: ({ agentId }) => ({ agent_id: agentId, name: "Sample" }),
  listApiKeys: ({ agentId }) => ({ agent_id: agentId }),
  revokeApiKey: ({ agentId, keyId }) => ({ agent_id: agentId, key_id: keyId }),

  setMessageWebhook: ({ agentId, webhookUrl }) => ({ agent_id: agentId, url: webhookUrl }),
  getMessageWebhook: ({ agentId }) => ({ agent_id: agentId }),
  deleteMessageWebhook: ({ agentId }) => ({ agent_id: agentId }),
  diagnoseWebhooks: ({ agentId }) => ({ agent_id: agentId }),
  listWebhookChecks: ({ agentId }) => ({ agent_id: agentId }),
  rotateMessageWebhookSecret: ({ agentId }) => ({ agent_id: agentId, overlap_seconds: 60 }),

  createHumanService: ({ agentId, webhookUrl }) => ({ agent_id: agentId, name: "Desk", url: webhookUrl }),
  listHumanServices: ({ agentId }) => ({ agent_id: agentId }),
  updateHumanService: ({ agentId, componentId }) => ({
    agent_id: agentId,
    component_id: componentId,
    name: "Desk",
  }),
  rotateHumanServiceSecret: ({ agentId, componentId }) => ({
    agent_id: agentId,
    component_id: componentId,
    overlap_seconds: 60,
  }),
  deleteHumanService: ({ agentId, componentId }) => ({ agent_id: agentId, component_id: componentId }),

  setHandoffSettings: ({ agentId }) => ({ agent_id: agentId, no_answer_limit: 3 }),
  getHandoffSettings: ({ agentId }) => ({ agent_id: agentId }),
  listHandoffs: ({ agentId }) => ({ agent_id: agentId }),

  setChatModel: sampleModel,
  getChatModel: ({ agentId }) => ({ agent_id: agentId }),
  testChatModel: ({ agentId }) => ({ agent_id: agentId }),
  deleteChatModel: ({ agentId }) => ({ agent_id: agentId }),
  setChatFallbackModel: sampleModel,
  getChatFallbackModel: ({ agentId }) => ({ agent_id: agentId }),
  testChatFallbackModel: ({ agentId }) => ({ agent_id: agentId }),
  deleteChatFallbackModel: ({ agentId }) => ({ agent_id: agentId }),
  setEmbeddingModel: sampleModel,
  getEmbeddingModel: ({ agentId }) => ({ agent_id: agentId }),
  testEmbeddingModel: ({ agentId }) => ({ agent_id: agentId }),
  deleteEmbeddingModel: ({ agentId }) => ({ agent_id: agentId }),
  setSpeechModel: (ids) => ({ ...sampleModel(ids), voice: "any" }),
  testSpeechModel: ({ agentId }) => ({ agent_id: agentId }),
  getSpeechModel: ({ agentId }) => ({ agent_id: agentId }),
  deleteSpeechModel: ({ agentId }) => ({ agent_id: agentId }),
  listUnansweredQuestions: ({ agentId }) => ({ agent_id: agentId }),
  listProposedAlternates: ({ agentId }) => ({ agent_id: agentId }),
  approveProposedAlternate: ({ agentId, alternateId }) => ({ agent_id: agentId, alternate_id: alternateId }),
  rejectProposedAlternate: ({ agentId, alternateId }) => ({ agent_id: agentId, alternate_id: alternateId }),
  listAgentKnowledgeBases: ({ agentId }) => ({ agent_id: agentId }),
  listAgentDocuments: ({ agentId }) => ({ agent_id: agentId }),
  listPairs: ({ agentId }) => ({ agent_id: agentId, text: "open" }),
  addPair: ({ agentId }) => ({ agent_id: agentId, ...PAIR }),
  getPair: ({ agentId, pairId }) => ({ agent_id: agentId, pair_id: pairId }),
  listPairTags: ({ agentId }) => ({ agent_id: agentId }),
  tagPairs: ({ agentId, pairId }) => ({ agent_id: agentId, pair_ids: [pairId], add: ["Sample"] }),
  changePair: ({ agentId, pairId }) => ({ agent_id: agentId, pair_id: pairId, answer: "Sample" }),
  deletePair: ({ agentId, pairId }) => ({ agent_id: agentId, pair_id: pairId }),
  listPairHistory: ({ agentId, pairId }) => ({ agent_id: agentId, pair_id: pairId }),
  tryQuestion: ({ agentId }) => ({ agent_id: agentId, question: "When do you open?" }),
  proposePair: ({ agentId }) => ({ agent_id: agentId, ...PAIR }),
  listQuestionGroups: ({ agentId }) => ({ agent_id: agentId }),
  getNumbers: ({ agentId }) => ({ agent_id: agentId, ...LAST_DAY }),
  exportNumbers: ({ agentId }) => ({ agent_id: agentId, ...LAST_DAY }),
  listTopQuestions: ({ agentId }) => ({ agent_id: agentId, ...LAST_DAY }),
  listHumanAnswers: ({ agentId }) => ({ agent_id: agentId }),
  acceptHumanAnswer: ({ agentId, answerId }) => ({ agent_id: agentId, answer_id: answerId, ...PAIR }),
  dismissHumanAnswer: ({ agentId, answerId }) => ({ agent_id: agentId, answer_id: answerId }),
  listSavedQuestions: ({ agentId }) => ({ agent_id: agentId }),
  saveQuestion: ({ agentId, pairId }) => ({ agent_id: agentId, question: PAIR.question, pair_id: pairId }),
  deleteSavedQuestion: ({ agentId, savedQuestionId }) => ({
    agent_id: agentId,
    saved_question_id: savedQuestionId,
  }),
  runSavedQuestions: ({ agentId }) => ({ agent_id: agentId }),
  listSavedQuestionRuns: ({ agentId }) => ({ agent_id: agentId }),
  getSavedQuestionRun: ({ agentId, runId }) => ({ agent_id: agentId, run_id: runId }),
  publishRevision: ({ agentId, documentId }) => ({ agent_id: agentId, doc_id: documentId, revision: 1 }),
  exportPairs: ({ agentId }) => ({ agent_id: agentId, format: "json" }),
  dismissQuestion: ({ agentId, questionId }) => ({ agent_id: agentId, question_id: questionId }),
  restorePair: ({ agentId, pairId }) => ({ agent_id: agentId, pair_id: pairId, version: 1 }),
  createUpload: ({ agentId }) => ({ agent_id: agentId, file_name: "Sample.csv", size_bytes: 12 }),
  addUploadPart: ({ agentId, uploadId }) => ({
    agent_id: agentId,
    upload_id: uploadId,
    offset: 0,
    data: UPLOADED,
  }),
  getUpload: ({ agentId, uploadId }) => ({ agent_id: agentId, upload_id: uploadId }),
  deleteUpload: ({ agentId, uploadId }) => ({ agent_id: agentId, upload_id: uploadId }),
  previewUpload: ({ agentId, uploadId }) => ({ agent_id: agentId, upload_id: uploadId, header_rows: 0 }),
  importUpload: ({ agentId, uploadId }) => ({ agent_id: agentId, upload_id: uploadId, header_rows: 3 }),
  listRevisions: ({ agentId, documentId }) => ({ agent_id: agentId, doc_id: documentId }),
  restoreRevision: ({ agentId, replacedId }) => ({ agent_id: agentId, doc_id: replacedId, revision: 1 }),
  listRefusedRows: ({ agentId, documentId }) => ({ agent_id: agentId, doc_id: documentId, revision: 1 }),
  setOperatorWebhook: ({ webhookUrl }) => ({ url: webhookUrl }),
  getOperatorWebhook: () => ({}),
  deleteOperatorWebhook: () => ({}),
  rotateOperatorWebhookSecret: () => ({ overlap_seconds: 60 }),

  searchConversations: ({ agentId }) => ({ agent_id: agentId, text: "open", with_last_message: true }),
  getConversation: ({ agentId, conversationId }) => ({ agent_id: agentId, conversation_id: conversationId }),

  listDeliveries: () => ({ with_preview: true }),
  getDelivery: ({ deliveryId }) => ({ delivery_id: deliveryId }),
  replayDelivery: ({ deliveryId }) => ({ delivery_id: deliveryId }),
  startReplay: ({ agentId }) => ({ filter: { agent_id: agentId }, rate_per_second: 60 }),
  getReplay: ({ replayId }) => ({ replay_id: replayId }),
  stopReplay: ({ replayId }) => ({ replay_id: replayId }),

  listDestinations: () => ({}),
  sendTestEvent: ({ agentId, webhookId }) => ({
    agent_id: agentId,
    webhook_id: webhookId,
    event: "message",
    body: { user_id: "somebody-else" },
  }),
  enableDestination: ({ agentId, webhookId }) => ({ agent_id: agentId, webhook_id: webhookId }),

  exportUser: ({ agentId }) => ({ agent_id: agentId, user_id: "user-1" }),
  eraseUser: ({ agentId }) => ({ agent_id: agentId, user_id: "somebody-else" }),
  listErasures: () => ({}),
  getErasure: ({ erasureId }) => ({ erasure_id: erasureId }),
  setRetention: ({ agentId }) => ({ agent_id: agentId, days: 90 }),
  getRetention: ({ agentId }) => ({ agent_id: agentId }),

  listAudit: () => ({}),
};

const SAMPLE_FORM = {
  headers: { "content-type": "multipart/form-data; boundary=sample" },
  body: '--sample\r\ncontent-disposition: form-data; name="file"; filename="sample.csv"\r\n\r\nquestion,answer\nWhen?,At nine.\n\r\n--sample--\r\n',
};

/** The route's sample as it goes over the wire, without credentials. */
export function sampleRequest(name: RouteName, ids: SampleIds): WireRequest & { method: string } {
  const route: Route = routes[name];
  const rest: Record<string, unknown> = { ...inputs[name](ids) };
  const path = route.path.replaceAll(/:(\w+)/g, (_, parameter: string) => {
    const value = String(rest[parameter]);
    delete rest[parameter];
    return value;
  });
  if (route.form !== undefined) return { method: route.method, path, ...SAMPLE_FORM };
  if (route.body === undefined) {
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(rest)) query.append(name, String(value));
    const from = route.auth === "browser" ? { headers: { origin: "http://localhost" } } : {};
    return { method: route.method, path: query.size === 0 ? path : `${path}?${query.toString()}`, ...from };
  }
  // A page of the service itself, as sendRequest names the host.
  const headers = route.auth === "browser" ? { ...JSON_TYPE, origin: "http://localhost" } : JSON_TYPE;
  return { method: route.method, path, headers, body: JSON.stringify(rest) };
}

/** Ids of nothing that exists, for requests that must be refused before anybody looks. */
export const UNKNOWN_IDS: SampleIds = {
  agentId: "0199f3a2-6c1e-7b44-9d0a-000000000001",
  conversationId: "0199f3a2-6c1e-7b44-9d0a-000000000002",
  messageId: "0199f3a2-6c1e-7b44-9d0a-000000000025",
  keyId: "0199f3a2-6c1e-7b44-9d0a-000000000003",
  tokenId: "0199f3a2-6c1e-7b44-9d0a-000000000012",
  componentId: "0199f3a2-6c1e-7b44-9d0a-000000000004",
  knowledgeBaseId: "0199f3a2-6c1e-7b44-9d0a-000000000005",
  documentId: "0199f3a2-6c1e-7b44-9d0a-000000000006",
  pairId: "0199f3a2-6c1e-7b44-9d0a-000000000006-1-1",
  replacedId: "0199f3a2-6c1e-7b44-9d0a-000000000018",
  uploadId: "0199f3a2-6c1e-7b44-9d0a-000000000017",
  questionId: "0199f3a2-6c1e-7b44-9d0a-000000000016",
  webhookId: "0199f3a2-6c1e-7b44-9d0a-000000000007",
  deliveryId: "0199f3a2-6c1e-7b44-9d0a-000000000008",
  replayId: "0199f3a2-6c1e-7b44-9d0a-000000000009",
  handoffId: "0199f3a2-6c1e-7b44-9d0a-000000000010",
  talkId: "0199f3a2-6c1e-7b44-9d0a-000000000022",
  replyId: "0199f3a2-6c1e-7b44-9d0a-000000000023",
  teamId: "0199f3a2-6c1e-7b44-9d0a-000000000024",
  erasureId: "0199f3a2-6c1e-7b44-9d0a-000000000012",
  accountId: "0199f3a2-6c1e-7b44-9d0a-000000000013",
  invitationId: "0199f3a2-6c1e-7b44-9d0a-000000000014",
  sessionId: "0199f3a2-6c1e-7b44-9d0a-000000000015",
  alternateId: "0199f3a2-6c1e-7b44-9d0a-000000000016",
  answerId: "0199f3a2-6c1e-7b44-9d0a-000000000021",
  savedQuestionId: "0199f3a2-6c1e-7b44-9d0a-000000000019",
  runId: "0199f3a2-6c1e-7b44-9d0a-000000000020",
  webhookUrl: "http://127.0.0.1:9/",
  chatId: "0199f3a2-6c1e-7b44-9d0a-000000000011",
  chatToken: "unknown",
};

/** Ids of a made agent, with a conversation and a component of its own; nothing was delivered for it yet. */
export async function sampleIdsOf(agent: MadeAgent): Promise<SampleIds> {
  const componentId = await agent.component();
  const { handoff } = await agent.client.handoffs.request({ conversation_id: await agent.converse() });
  const add = () => agent.client.knowledge.add({ purpose: "QA_TEXT", name: "Sample", qaList: [PAIR] });
  const { doc } = await add();
  // In a document that no sample replaces.
  const pairs = await add();
  const { message_id: messageId } = await agent.client.conversations.sendMessage({
    conversation_id: await agent.converse(),
    response_mode: "blocking",
    messages: [{ role: "user", content: PAIR.question }],
  });
  return {
    ...UNKNOWN_IDS,
    agentId: agent.agentId,
    conversationId: await agent.converse(),
    messageId,
    keyId: agent.keyId,
    componentId,
    handoffId: handoff?.handoff_id ?? "",
    knowledgeBaseId: agent.knowledgeBaseId,
    documentId: doc[0]?.doc_id ?? "",
    pairId: `${pairs.doc[0]?.doc_id}-1-1`,
    webhookUrl: agent.webhookUrl,
    ...(await beginSampleChat(agent)),
  };
}

async function beginSampleChat({
  client,
  baseUrl,
}: MadeAgent): Promise<Pick<SampleIds, "chatId" | "chatToken">> {
  const { token: chatToken } = await client.chatTokens.mint({ user_id: "user-1" });
  const { conversation_id } = await createClient({ baseUrl, chatToken }).chats.begin();
  return { chatId: conversation_id, chatToken };
}

/** Headers of a caller that may make this request. */
export function credentialsFor(
  name: RouteName,
  { operatorToken }: Pick<Bed, "operatorToken">,
  { apiKey, chatToken }: { apiKey: string; chatToken: string },
): Record<string, string> {
  const { auth } = routes[name];
  return bearer(auth === "operator" ? operatorToken : auth === "chatToken" ? chatToken : apiKey);
}

/** The same with a message that arrived and a replay of it; needs a worker. */
export async function deliveredIdsOf(bed: Bed, agent: MadeAgent): Promise<SampleIds> {
  const operator = operatorOf(bed);
  // Nobody speaks in the sample's handoff, and it must outlast the test.
  const timers = { first_reply: { seconds: 3_600, warn_seconds: 0 } };
  await operator.handoffs.setSettings({ agent_id: agent.agentId, timers });
  const ids = await sampleIdsOf(agent);
  await agent.ask(ids.conversationId, "Hello");
  const delivery = await eventually("the message is delivered", async () => {
    const { list } = await operator.deliveries.list({
      agent_id: agent.agentId,
      state: "delivered",
      event: "message",
    });
    return list[0];
  });
  const { replay_id } = await operator.replays.start({ filter: { agent_id: agent.agentId } });
  if (replay_id === null) throw new Error("the replay did not start");
  // Not one that manages: with that in force the bed's own token would open nothing.
  const { token_id: tokenId } = await operator.tokens.create({ name: "Sample", scopes: ["metrics"] });
  return {
    ...ids,
    ...(await openSampleTalk(bed, agent)),
    tokenId,
    uploadId: await uploadSample(bed, agent),
    replacedId: await replaceSample(agent),
    alternateId: await proposeAlternate(bed, agent),
    webhookId: delivery.webhook_id,
    deliveryId: delivery.delivery_id,
    replayId: replay_id,
  };
}

async function uploadSample(bed: Bed, { agentId: agent_id }: MadeAgent): Promise<string> {
  const operator = operatorOf(bed);
  const { upload_id } = await operator.uploads.create({ agent_id, file_name: "Sample.csv", size_bytes: 12 });
  await operator.uploads.addPart({ agent_id, upload_id, offset: 0, data: UPLOADED });
  return upload_id;
}

async function replaceSample({ client }: MadeAgent): Promise<string> {
  const { doc } = await client.knowledge.add({ purpose: "QA_TEXT", name: "Replaced", qaList: [PAIR] });
  const doc_id = doc[0]?.doc_id ?? "";
  await client.knowledge.update({ doc_id, qaList: [{ ...PAIR, answer: "At noon." }] });
  return doc_id;
}

const SHOES = { question: "How do I return shoes?", answer: "With the label." };
const JACKETS = { question: "How do I return jackets?", answer: "At the counter." };

/** Somebody asks for what two pairs could answer, and chooses one; gives the id of what was typed. */
async function proposeAlternate(bed: Bed, agent: MadeAgent): Promise<string> {
  const { agentId, client } = agent;
  await client.knowledge.add({ purpose: "QA_TEXT", name: "Returns", qaList: [SHOES, JACKETS] });
  const conversation_id = await agent.converse();
  for (const content of ["return", "1"])
    await client.conversations.sendMessage({
      conversation_id,
      response_mode: "blocking",
      messages: [{ role: "user", content }],
    });
  const { list } = await operatorOf(bed).alternates.list({ agent_id: agentId });
  if (list[0] === undefined) throw new Error("nothing was offered");
  return list[0].alternate_id;
}
