import type { DeveloperCallName } from "./developer-calls.ts";
import { paginationOf } from "./pagination.ts";
import type { Route, RouteName } from "./routes.ts";

const CONTROL =
  "`conversation_id` is the handoff's id: the `conversation_id` of establish (4.6) and chat (4.7).";

const MODEL_TEST = [
  "Without a body the stored model is called, and what comes of it is the model's state.",
  "Fields of the body are tested in place of the stored ones, and nothing is stored. A URL on another server needs `api_key` again.",
];

/** Rules that no single field carries. */
const ROUTE_RULES: { readonly [Name in RouteName]?: readonly string[] } = {
  addQa: [
    "`QA_TEXT` needs `name` and `qaList`. `QA_FILE` takes files of pairs (CSV, workbooks). `FILE_2_QA` converts documents into pairs.",
    "At most 20 files. A missing field or a 21st file is 40000, and nothing is stored.",
    "With files the reply comes when each is stored or refused, or after 20 seconds. Files still in progress are in `doc`.",
    "A file that fails does not affect the others: its name is in `failed`. [Imports](../imports.md) explains how files are read.",
  ],
  updateQa: [
    "Send `qaList` or `files`, not both and not neither: 40000 otherwise.",
    "`qaList` replaces every pair of the document `doc_id`. Send the complete list.",
    "With `files` each entry names its document by its own `doc_id`. An unknown one goes to `failed`.",
    "The update is atomic: readers see the whole old content, then the whole new content. A failed update changes nothing.",
  ],
  uploadFile: [
    "The body is `multipart/form-data`: the part `file`, and a part for each field that is given, in any order.",
    "The file is read while it arrives. It may be as large as the service's `IMPORT_FILE_MEGABYTES` allows, and the whole request may take 30 seconds.",
    "The reply comes when the file is stored or refused, or after 20 seconds. `state` says which, and `cause` and `detail` say why: a file that fails is no failure of the call.",
    "A table whose columns are not certain ends with `columns_unclear`: send it again with `question_column` and `answer_column`. [Imports](../imports.md) explains how files are read.",
  ],
  checkWebhooks: [
    "The service sends every configured webhook a test request (`istest` is true), in parallel, and waits 5 seconds for each request.",
    "HTTP 200 is reachable. Any other status, a timeout or no connection is not.",
    "A webhook that is not configured is not listed. A human service component is one result for two requests: establish and, once that is answered, chat. The built-in inbox is not listed.",
    "Ten checks a minute for each key. `signalbox check` with an operator token says why a webhook failed.",
  ],
  serviceHealth: [
    "HTTP 200 with the body `service is normal` means available.",
    "Ask at most three times a minute, and wait three to five seconds for an answer. Load balancers use `/readyz` instead.",
    "`HEAD` is answered with the same status and headers.",
  ],
  receiveHumanMessage: [
    CONTROL,
    "The service sends the text to the user, as a message of the human service component.",
    "A handoff that has ended is 40900, and the message says why. An unknown id is 40356.",
    "The same `Idempotency-Key`, or the same body with the same `timestamp` in milliseconds, is one message.",
  ],
  typeAsHuman: [
    "Users of the live channel see that the human types, for six seconds or until the reply. Nothing is stored.",
    "While the human types, call it every three seconds and no more often.",
    "A handoff that has ended is 40900. An unknown id is 40356.",
  ],
  closeByHuman: [
    CONTROL,
    "The agent speaks again. No close (4.8) comes back for a close you made.",
    "Closing twice gives the same reply. An unknown id is 40356.",
  ],
  testChatModel: MODEL_TEST,
  testChatFallbackModel: MODEL_TEST,
  testEmbeddingModel: MODEL_TEST,
  testSpeechModel: MODEL_TEST,
  createConversation: ["One of `user_id` and `anonymous_id` is required."],
  sendMessage: [
    "In blocking mode the reply is the answer. In streaming mode it is a stream of server-sent events. In webhook mode it is the ids, and the answer goes to the message webhook (4.5).",
    "While a human holds the conversation, blocking and streaming are 40900.",
    "Webhook mode without a configured message webhook is 40000. See [conversations](../../explanation/conversations.md).",
  ],
  getMessageSources: [
    "For messages that came by 4.5, whose body is fixed. Replies in blocking and streaming mode carry the same.",
    "A user's message, a human's and a fallback have none: the list is empty. An unknown id is 40401.",
  ],
  listQaChunks: [
    "A document that is replaced between two pages is 40900: start at the first page again. Pairs that are appended meanwhile come at the end.",
  ],
  getDocumentDetails: ["Name documents by `data_ids`, or one call's files by `import_id`."],
};

export const CALL_RULES: Record<DeveloperCallName, readonly string[]> = {
  deliverMessage: [
    "Carries what the agent, a human or the service says to the user, in webhook mode and from humans.",
    "Messages of one conversation come in order, one at a time. A repeat has the same `webhook-id` and the same bytes.",
    "`istest` true is an availability test: answer 200 and do nothing else.",
    "Another body than the one below fails only a webhook set to `strict_acknowledgement`.",
    "Which pairs an answer stands on: `GET /v2/messages/{message_id}/sources`.",
  ],
  establishHandoff: [
    "Sent when a user is transferred to a human. Answer within three seconds.",
    "`conversation_id` is the handoff's own id: pass it back in 4.9 and 4.10. `signalbox-conversation` carries the agent's conversation.",
    "`istest` true is an availability test: answer 200 and do nothing else.",
    "`signalbox-event` is `message_left` when the user left an email address outside business hours.",
  ],
  sendHandoffChat: [
    "Carries what the user writes while a human holds the conversation, in order.",
    "Answer 200 also for a handoff that is over on your side.",
    "`istest` true is an availability test: answer 200 and do nothing else.",
  ],
  closeHandoff: [
    "Sent once, when the user leaves or a timer ends the handoff. Never sent after a human closed it (4.10).",
    "Answer 200 also for a handoff you do not know.",
  ],
  tellOperator: [
    "Sent to the operator's own webhook. [Operator events](../events.md#operator-events) lists them.",
    "The body of your response is ignored.",
  ],
};

/** The rules of a call: its own, and those that follow from its route. */
export function rulesOf(name: RouteName, route: Route): string[] {
  const pagination = paginationOf(route);
  const { file } = route;
  return [
    ...(ROUTE_RULES[name] ?? []),
    ...(pagination?.by === "cursor" ? [CURSOR_RULE] : []),
    ...(pagination?.by === "page" ? [PAGE_RULE] : []),
    ...(file === undefined
      ? []
      : [`The reply is a file: ${file.map((type) => `\`${type}\``).join(" or ")}.`]),
  ];
}

const CURSOR_RULE =
  "A page of a list. Give its `next_cursor` as `cursor` for the next page; null means it was the last.";
const PAGE_RULE = "A page of a list. Pages are numbered from 1; `total` counts the entries of all pages.";
