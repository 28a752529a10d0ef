import { zeroUsage } from "../../packages/contract/src/index.ts";
import type {
  DeveloperCallName,
  DeveloperCalls,
  MessageStreamEvent,
  ReplyOf,
  RequestOf,
  RouteName,
} from "../../packages/contract/src/index.ts";

const AGENT = "0199f3a2-5b0d-7a33-8c9f-4e1e5e0b7d10";
const BASE = "0199f3a2-5c4e-7b21-9a3d-2d4c6b8e1f05";
const DOCUMENT = "0199f3a2-6a0c-7d42-8b1e-3e5d7c9f2a16";
const CONVERSATION = "0199f3a2-6c1e-7b44-9d0a-5f2f6f1c8e21";
const HANDOFF = "0199f3a2-7d2f-7c55-8e1b-6a3f7a2d9f32";
const MESSAGE = "0199f3a2-8e30-7d66-9f2c-7b4a8b3e0a43";
const COMPONENT = "0199f3a2-9f41-7e77-8a3d-8c5b9c4f1b54";
const KEY = "0199f3a2-a052-7f88-9b4e-9d6cad5a2c65";
const AT = 1_790_000_000_000;

const pair = { question: "When do you open?", answer: "At nine, every day but Sunday." };
const output = [
  {
    from_component_branch: "direct",
    from_component_name: "Answer",
    content: { text: pair.answer, audio: [] },
  },
];
const sources = [{ pair_id: `${DOCUMENT}-1-1`, doc_id: DOCUMENT, question: pair.question }];
const documents = { doc: [{ doc_id: DOCUMENT, doc_name: "Opening hours" }], failed: [] };
const acknowledged = { code: 0, message: "OK" } as const;
const handoff = {
  handoff_id: HANDOFF,
  agent_id: AGENT,
  conversation_id: CONVERSATION,
  component_id: COMPONENT,
  trigger: "api" as const,
  state: "requested" as const,
  reason: null,
  request_time: AT,
  first_reply_time: null,
  end_time: null,
  timer: { kind: "first_reply" as const, due_time: AT + 300_000 },
};
const inHumanHands = { control: "human" as const, handoff };

/** What `curl -N` shows of a streamed answer. `tests/documents/calls.test.ts` compares it with the service's. */
export const STREAM_EXAMPLE: readonly MessageStreamEvent[] = [
  { code: 11, message: "MessageInfo", data: { message_id: MESSAGE } },
  { code: 3, message: "Text", data: pair.answer },
  {
    code: 10,
    message: "FlowOutput",
    data: [{ content: { text: pair.answer, audio: [] }, branch: "direct", from_component_name: "Answer" }],
  },
  { code: 14, message: "Sources", data: sources },
  { code: 4, message: "Cost", data: zeroUsage().tokens },
  { code: 0, message: "End", data: null },
];

type RouteExample<Name extends RouteName> = { request: RequestOf<Name>; reply: ReplyOf<Name> };

/** One request and its reply for each call with a page of its own. `write-reference.test.ts` reads both by the schemas. */
export const ROUTE_EXAMPLES = {
  addQa: { request: { purpose: "QA_TEXT", name: "Opening hours", qaList: [pair] }, reply: documents },
  updateQa: {
    request: { doc_id: DOCUMENT, qaList: [{ ...pair, answer: "At eight, every day but Sunday." }] },
    reply: documents,
  },
  checkWebhooks: {
    request: {},
    reply: {
      results: [
        {
          type: "message",
          component_id: null,
          component_name: null,
          webhook_url: "https://shop.example.com/hooks",
          reachable: true,
          http_status: 200,
          latency_ms: 48,
        },
        {
          type: "human_service",
          component_id: COMPONENT,
          component_name: "Support",
          webhook_url: "https://desk.example.com/signalbox/conversation/establish",
          reachable: false,
          http_status: 0,
          latency_ms: 5000,
        },
      ],
    },
  },
  serviceHealth: { request: {}, reply: "service is normal" },
  receiveHumanMessage: {
    request: { conversation_id: HANDOFF, timestamp: AT, body: "Your parcel arrives today." },
    reply: acknowledged,
  },
  typeAsHuman: { request: { conversation_id: HANDOFF, human_name: "Ada" }, reply: acknowledged },
  closeByHuman: {
    request: { conversation_id: HANDOFF, timestamp: AT },
    reply: { conversation_id: HANDOFF, timestamp: AT },
  },
  createConversation: {
    request: { user_id: "u-1", email: "ada@example.com" },
    reply: { conversation_id: CONVERSATION },
  },
  sendMessage: {
    request: {
      conversation_id: CONVERSATION,
      response_mode: "blocking",
      messages: [{ role: "user", content: pair.question }],
    },
    reply: {
      conversation_id: CONVERSATION,
      message_id: MESSAGE,
      create_time: AT,
      output,
      usage: zeroUsage(),
      sources,
    },
  },
  getMessageSources: {
    request: { message_id: MESSAGE },
    reply: { conversation_id: CONVERSATION, message_id: MESSAGE, sources },
  },
  listMessages: {
    request: { conversation_id: CONVERSATION, page: 1, page_size: 50 },
    reply: {
      total: 2,
      conversation_content: [
        {
          message_id: CONVERSATION,
          create_time: AT - 1000,
          role: "user",
          sources: [],
          content: [{ from_component_branch: "", branch_content: [{ type: "text", text: pair.question }] }],
        },
        {
          message_id: MESSAGE,
          create_time: AT,
          role: "assistant",
          sources,
          content: [
            { from_component_branch: "direct", branch_content: [{ type: "text", text: pair.answer }] },
          ],
        },
      ],
    },
  },
  setUserId: {
    request: { user_id: "u-1", anonymous_ids: [{ anonymous_id: "device-7", conversation_type: "API" }] },
    reply: acknowledged,
  },
  requestHandoff: {
    request: { conversation_id: CONVERSATION },
    reply: { outcome: "requested", handoff },
  },
  leaveHandoff: {
    request: { conversation_id: CONVERSATION },
    reply: {
      control: "bot",
      handoff: { ...handoff, state: "closed", reason: "user_closed", end_time: AT + 60_000, timer: null },
    },
  },
  getHandoff: { request: { conversation_id: CONVERSATION }, reply: inHumanHands },
  uploadFile: {
    request: { file: new File([], "faq.xlsx"), question_column: 4, answer_column: 5 },
    reply: {
      doc_id: DOCUMENT,
      revision: 1,
      change: "import",
      can_restore: false,
      author: { actor: "api_key", actor_id: KEY, actor_name: "app server" },
      import_id: "0199f3a2-6b0c-7e42-9c1e-4f5e8d9f3b27",
      state: "current",
      file_name: "faq.xlsx",
      rows_read: 120,
      pairs: 118,
      rejected: 1,
      duplicates: 1,
      blank: 0,
      conflicts: 0,
      problems: [{ line: 41, column: 5, cause: "no_answer", detail: "the answer is missing" }],
      chunks_total: 0,
      chunks_done: 0,
      cause: null,
      detail: null,
      line: null,
      create_time: AT,
      finish_time: AT + 900,
    },
  },
  createKnowledgeBase: {
    request: { name: "Shop", desc: "What customers ask" },
    reply: { knowledge_base_id: BASE },
  },
  listKnowledgeBases: {
    request: { page: 1, page_size: 100 },
    reply: {
      knowledge_base: [
        {
          id: BASE,
          name: "Shop",
          desc: "What customers ask",
          doc: 1,
          chunk: 1,
          token: 12,
          owner_id: null,
          owner_email: null,
          is_default: true,
        },
      ],
      total: 1,
    },
  },
  listDocuments: {
    request: { knowledge_base_id: BASE, page: 1, page_size: 10 },
    reply: {
      list: [
        {
          id: DOCUMENT,
          name: "Opening hours",
          format: "QA_TEXT",
          source_url: null,
          status: "AVAILABLE",
          chunk: 1,
          token: 12,
          char_count: 47,
          create_time: AT,
          update_time: AT,
          creator_id: null,
          creator_email: null,
        },
      ],
      total: 1,
    },
  },
  getDocumentDetails: {
    request: { data_ids: DOCUMENT },
    reply: [
      {
        data_id: DOCUMENT,
        data_status: "AVAILABLE",
        doc_name: "Opening hours",
        knowledge_base_id: BASE,
        pairs: 1,
        pairs_with_vectors: null,
        last_import: null,
      },
    ],
  },
  deleteDocuments: { request: { doc: DOCUMENT }, reply: acknowledged },
  addQaChunks: {
    request: { doc_id: DOCUMENT, chunks: [{ ...pair, keywords: ["opening hours"] }] },
    reply: acknowledged,
  },
  listQaChunks: {
    request: { doc_id: DOCUMENT, limit: 50 },
    reply: { list: [{ ...pair, keywords: ["opening hours"] }], next_cursor: null },
  },
  matchKnowledge: {
    request: { prompt: "opening hours", top_k: 3 },
    reply: {
      total: 1,
      list: [
        {
          content: `${pair.question}\n${pair.answer}`,
          data_id: DOCUMENT,
          score: 0.91,
          ...pair,
          knowledge_base_id: BASE,
          revision: 1,
          would: "direct",
        },
      ],
    },
  },
  verifyApiKey: { request: {}, reply: { entity_type: "agent", entity_id: AGENT } },
} as const satisfies { [Name in RouteName]?: RouteExample<Name> };

type CallExample<Name extends DeveloperCallName> = {
  event: string;
  request: ReturnType<DeveloperCalls[Name]["request"]["parse"]>;
  reply: ReturnType<DeveloperCalls[Name]["reply"]["parse"]>;
};

const taken = { code: 200, message: "success" };

/** The same for the calls that the service makes. */
export const CALL_EXAMPLES: { [Name in DeveloperCallName]: CallExample<Name> } = {
  deliverMessage: {
    event: "message",
    request: {
      user_id: "u-1",
      anonymous_id: null,
      conversation_id: CONVERSATION,
      message_id: MESSAGE,
      create_time: AT,
      output,
      usage: zeroUsage(),
    },
    reply: { code: 200, msg: "success" },
  },
  establishHandoff: {
    event: "handoff_requested",
    request: {
      conversation_id: HANDOFF,
      timestamp: AT,
      email: "ada@example.com",
      bot_id: AGENT,
      body: [
        { text: "My parcel has not arrived.", message_type: "QUESTION" },
        { text: "Shall I connect you to a person?", message_type: "ANSWER" },
        { text: "Yes, please.", message_type: "QUESTION" },
      ],
      user_info: { phone: null, email: "ada@example.com", user_id: "u-1", anonymous_id: null },
    },
    reply: taken,
  },
  sendHandoffChat: {
    event: "user_message",
    request: { conversation_id: HANDOFF, timestamp: AT, body: "It was due on Monday." },
    reply: taken,
  },
  closeHandoff: {
    event: "handoff_closed",
    request: { conversation_id: HANDOFF, timestamp: AT, type: "USER_CLOSED" },
    reply: taken,
  },
  tellOperator: {
    event: "operator_event",
    request: {
      event: "destination_failing",
      event_id: MESSAGE,
      at: AT,
      agent_id: AGENT,
      webhook_id: COMPONENT,
      url: "https://shop.example.com/hooks",
    },
    reply: taken,
  },
};
