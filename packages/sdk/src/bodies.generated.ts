// Written by tools/write-sdk.ts from packages/contract: change it there and run npm run write-sdk.

/** What `humanAnswers.accept` takes: add a human's answer as a pair, with the texts you give */
export interface AcceptHumanAnswerRequest {
  /** Id of the agent */
  agent_id: string;
  /** Id of the human's answer */
  answer_id: string;
  /** The agent's default knowledge base if omitted */
  knowledge_base_id?: string | null | undefined;
  /** The document to add it to. If omitted, the knowledge base's document for pairs added one by one, which is created when needed */
  doc_id?: string | null | undefined;
  /** Text of the question. 1 to 1,000 characters */
  question: string;
  /** Text of the answer. 1 to 25,000 characters */
  answer: string;
  /** At most 50 entries */
  alternates?: string[] | null | undefined;
  /** At most 10 entries */
  tags?: string[] | null | undefined;
}

/** What `pairs.add` takes: add a pair */
export interface AddPairRequest {
  /** Id of the agent */
  agent_id: string;
  /** The agent's default knowledge base if omitted */
  knowledge_base_id?: string | null | undefined;
  /** The document to add it to. If omitted, the knowledge base's document for pairs added one by one, which is created when needed */
  doc_id?: string | null | undefined;
  /** Text of the question. 1 to 1,000 characters */
  question: string;
  /** Text of the answer. 1 to 25,000 characters */
  answer: string;
  /** At most 50 entries */
  alternates?: string[] | null | undefined;
  /** At most 10 entries */
  tags?: string[] | null | undefined;
  /** An unanswered question that the pair answers now: it leaves the list until it is asked again without an answer */
  question_id?: string | null | undefined;
  /** The same for several questions, such as all of a group. At most 200 entries */
  question_ids?: string[] | null | undefined;
}

/** What `talks.addNote` takes: add a note for the team. Users never see it */
export interface AddTalkNoteRequest {
  /** Id of the agent */
  agent_id: string;
  talk_id: string;
  /** Text. 1 to 5,000 characters */
  text: string;
}

/** What `uploads.addPart` takes: add the next part of a file; after an interruption, go on at received_bytes */
export interface AddUploadPartRequest {
  /** Id of the agent */
  agent_id: string;
  /** Id of the upload */
  upload_id: string;
  /** Received_bytes of the upload. A part that is there already may be sent again */
  offset: number;
  /** At most 512 KiB of the file, as Base64. At most 699,052 characters */
  data: string;
}

/** What `alternates.approve` takes: approve a proposed alternate: it becomes another wording of the question that was chosen */
export interface ApproveProposedAlternateRequest {
  /** Id of the agent */
  agent_id: string;
  /** Id of the proposed alternate */
  alternate_id: string;
}

/** What `chats.askForPerson` takes: request a handoff as the user */
export interface AskForPersonRequest {
  /** Id of the conversation */
  conversation_id: string;
}

/** What `pairs.update` takes: change the question, answer, alternates or tags of a pair */
export interface ChangePairRequest {
  /** Id of the agent */
  agent_id: string;
  /** Stays the same while the pair is edited. Replacing the document gives its pairs new ids */
  pair_id: string;
  /** Text of the question. 1 to 1,000 characters */
  question?: string | null | undefined;
  /** Text of the answer. 1 to 25,000 characters */
  answer?: string | null | undefined;
  /** Replaces all alternates. Unchanged if omitted. At most 50 entries */
  alternates?: string[] | null | undefined;
  /** Replaces all tags. Unchanged if omitted. At most 10 entries */
  tags?: string[] | null | undefined;
  /** The version you read. If the pair was changed since, the call answers 40900. 1 to 1,000,000 */
  version?: number | null | undefined;
  /** An unanswered question that the pair answers now: it leaves the list until it is asked again without an answer */
  question_id?: string | null | undefined;
  /** The same for several questions, such as all of a group. At most 200 entries */
  question_ids?: string[] | null | undefined;
}

/** What `talks.close` takes: close a chat, as 4.10 does. The agent answers again */
export interface CloseTalkRequest {
  /** Id of the agent */
  agent_id: string;
  talk_id: string;
}

/** What `keys.create` takes: create an API key, which is shown only once */
export interface CreateApiKeyRequest {
  /** Id of the agent */
  agent_id: string;
  /** Name. 1 to 100 characters */
  name: string;
  /** What the key can do; everything if omitted. At least 1 entries. Default ["chat:mint","messages","knowledge","desk","read"] */
  scopes?: ApiKeyScope[] | undefined;
  expire_time?: number | null | undefined;
}

/** What `cannedReplies.create` takes: add a canned reply */
export interface CreateCannedReplyRequest {
  /** Id of the agent */
  agent_id: string;
  /** What people find it by. 1 to 100 characters */
  title: string;
  /** May contain {{user.id}}, {{user.email}}, {{user.phone}}, {{human.name}}, {{agent.name}}. 1 to 5,000 characters */
  text: string;
}

/** What `desks.create` takes: add a human service component */
export interface CreateHumanServiceRequest {
  /** Id of the agent */
  agent_id: string;
  /** Name. 1 to 100 characters */
  name: string;
  /** URL. At most 2,048 characters */
  url: string;
  /** Without a secret, it is sent as a Bearer token. Required again when url changes to another server. 1 to 256 characters */
  username?: string | null | undefined;
  /** With a secret, username and secret are sent as HTTP Basic. Required again when url changes to another server. 1 to 256 characters */
  secret?: string | null | undefined;
  /** If true, 4.9 and 4.10 need no API key. Default false */
  allow_unauthenticated_replies?: boolean | undefined;
  /** Rules for choosing this component */
  rule?: HumanServiceRuleRequest | undefined;
  business_hours?: BusinessHours | null | undefined;
  /** Timeout of one establish call (4.6) to this desk. 1 to 10. Default 3 */
  establish_timeout_seconds?: number | undefined;
  /** Failed attempts after which the user is told that everyone is busy. 1 to 5. Default 3 */
  establish_tries?: number | undefined;
  first_reply?: HandoffTimer | null | undefined;
}

/** What `inboxTeams.create` takes: create a team of people who answer in the inbox */
export interface CreateInboxTeamRequest {
  /** Id of the agent */
  agent_id: string;
  /** What people see it by. No two teams of an inbox have the same. 1 to 100 characters */
  name: string;
  /** Its members; they replace those it has. At most 500 entries. Default [] */
  account_ids?: string[] | undefined;
}

/** What `passwordResets.create` takes: create a link with which somebody sets a new password; it is shown once and lasts an hour */
export interface CreatePasswordResetRequest {
  /** Id of the account */
  account_id: string;
}

/** What `uploads.create` takes: begin the upload of a file */
export interface CreateUploadRequest {
  /** Id of the agent */
  agent_id: string;
  /** With its extension: it says how text files are read. 1 to 200 characters */
  file_name: string;
  /** Size of the whole file. At least 1 */
  size_bytes: number;
}

/** What `accounts.delete` takes: delete an account and end its sessions */
export interface DeleteAccountRequest {
  /** Id of the account */
  account_id: string;
}

/** What `agents.delete` takes: delete an agent */
export interface DeleteAgentRequest {
  /** Id of the agent */
  agent_id: string;
}

/** What `cannedReplies.delete` takes: delete a canned reply */
export interface DeleteCannedReplyRequest {
  /** Id of the agent */
  agent_id: string;
  /** Id of the canned reply */
  reply_id: string;
}

/** What `models.deleteChatFallback` takes: delete the fallback model */
export interface DeleteChatFallbackModelRequest {
  /** Id of the agent */
  agent_id: string;
}

/** What `models.deleteChat` takes: delete the chat model */
export interface DeleteChatModelRequest {
  /** Id of the agent */
  agent_id: string;
}

/** What `knowledge.deleteDocuments` takes: delete documents */
export interface DeleteDocumentsRequest {
  /** Comma-separated ids */
  doc: string;
}

/** What `models.deleteEmbedding` takes: delete the embedding model */
export interface DeleteEmbeddingModelRequest {
  /** Id of the agent */
  agent_id: string;
}

/** What `desks.delete` takes: delete a human service component */
export interface DeleteHumanServiceRequest {
  /** Id of the agent */
  agent_id: string;
  /** Id of the human service component; null for the message webhook */
  component_id: string;
}

/** What `inbox.delete` takes: switch off an agent's inbox. Its open chats end, and the agent answers again */
export interface DeleteInboxRequest {
  /** Id of the agent */
  agent_id: string;
}

/** What `inboxTeams.delete` takes: delete a team. Its chats wait for everybody */
export interface DeleteInboxTeamRequest {
  /** Id of the agent */
  agent_id: string;
  /** Id of the team */
  team_id: string;
}

/** What `webhooks.delete` takes: delete the message webhook */
export interface DeleteMessageWebhookRequest {
  /** Id of the agent */
  agent_id: string;
}

/** What `pairs.delete` takes: delete a pair */
export interface DeletePairRequest {
  /** Id of the agent */
  agent_id: string;
  /** Stays the same while the pair is edited. Replacing the document gives its pairs new ids */
  pair_id: string;
}

/** What `passkeys.delete` takes: remove one of your passkeys: it signs nobody in from then on */
export interface DeletePasskeyRequest {
  /** Id of the passkey */
  passkey_id: string;
}

/** What `savedQuestions.delete` takes: delete a saved question */
export interface DeleteSavedQuestionRequest {
  /** Id of the agent */
  agent_id: string;
  /** Id of the saved question */
  saved_question_id: string;
}

/** What `models.deleteSpeech` takes: delete the speech model */
export interface DeleteSpeechModelRequest {
  /** Id of the agent */
  agent_id: string;
}

/** What `uploads.delete` takes: delete an uploaded file */
export interface DeleteUploadRequest {
  /** Id of the agent */
  agent_id: string;
  /** Id of the upload */
  upload_id: string;
}

/** What `webhooks.diagnose` takes: test an agent's webhooks, with the cause of each failure */
export interface DiagnoseWebhooksRequest {
  /** Id of the agent */
  agent_id: string;
}

/** What `humanAnswers.dismiss` takes: dismiss a human's answer: it is not offered again */
export interface DismissHumanAnswerRequest {
  /** Id of the agent */
  agent_id: string;
  /** Id of the human's answer */
  answer_id: string;
}

/** What `unanswered.dismiss` takes: remove an unanswered question from the list until it is asked again */
export interface DismissQuestionRequest {
  /** Id of the agent */
  agent_id: string;
  /** Id of the question */
  question_id: string;
}

/** What `destinations.enable` takes: enable a webhook that was disabled by an HTTP 410 */
export interface EnableDestinationRequest {
  /** Id of the agent */
  agent_id: string;
  /** Id of the webhook */
  webhook_id: string;
}

/** What `users.erase` takes: erase everything stored about a user */
export interface EraseUserRequest {
  /** Id of the agent */
  agent_id: string;
  /** The developer's id of the user. 1 to 255 characters */
  user_id?: string | undefined;
  /** Anonymous user (device). 1 to 128 characters */
  anonymous_id?: string | undefined;
}

/** What `numbers.export` takes: export figures by the hour or the day as CSV */
export interface ExportNumbersRequest {
  /** All agents if omitted. A role for certain agents requires it */
  agent_id?: string | undefined;
  /** First moment; hours count from their beginning */
  from_time: number;
  /** End of the range: hours that begin at it or later are left out */
  to_time: number;
  /** Hour: at most 31 days; day: at most 731 days. Default "day" */
  step?: "hour" | "day" | undefined;
  /** Where days begin. 1 to 64 characters. Default "UTC" */
  time_zone?: string | undefined;
  /** Channel of the conversation */
  channel?: "api" | "widget" | undefined;
  /** Language of the conversation */
  language?: "en" | "zh" | "ja" | "ko" | "de" | "fr" | "es" | "pt" | "it" | "nl" | "ru" | "ar" | "th" | "he" | "el" | "hi" | undefined;
}

/** What `pairs.export` takes: export pairs as CSV, XLSX or JSON */
export interface ExportPairsRequest {
  /** Id of the agent */
  agent_id: string;
  /** File format. Default "csv" */
  format?: ExportFormat | undefined;
  /** Only this knowledge base; all if omitted */
  knowledge_base_id?: string | null | undefined;
  /** Only this document */
  doc_id?: string | null | undefined;
}

/** What `users.export` takes: export everything stored about a user */
export interface ExportUserRequest {
  /** Id of the agent */
  agent_id: string;
  /** The developer's id of the user. 1 to 255 characters */
  user_id?: string | undefined;
  /** Anonymous user (device). 1 to 128 characters */
  anonymous_id?: string | undefined;
}

/** What `talks.fillCannedReply` takes: fill in the placeholders of a canned reply for one chat */
export interface FillCannedReplyRequest {
  /** Id of the agent */
  agent_id: string;
  talk_id: string;
  /** Id of the canned reply */
  reply_id: string;
}

/** What `service.followChanges` takes: follow which deliveries and conversations change, as server-sent events */
export interface FollowChangesRequest {
  /** Only the changes of this agent */
  agent_id?: string | undefined;
}

/** What `chats.follow` takes: stream the messages after Last-Event-ID, and new ones as they come */
export interface FollowChatRequest {
  /** Id of the conversation */
  conversation_id: string;
}

/** What `agents.get` takes: read an agent */
export interface GetAgentRequest {
  /** Id of the agent */
  agent_id: string;
}

/** What `models.getChatFallback` takes: read the fallback model */
export interface GetChatFallbackModelRequest {
  /** Id of the agent */
  agent_id: string;
}

/** What `models.getChat` takes: read the chat model */
export interface GetChatModelRequest {
  /** Id of the agent */
  agent_id: string;
}

/** What `conversations.get` takes: read a conversation as a timeline: messages, handoffs, and deliveries with their state */
export interface GetConversationRequest {
  /** Id of the agent */
  agent_id: string;
  /** Id of the conversation */
  conversation_id: string;
  /** Entries per page. 1 to 100. Default 50 */
  limit?: number | undefined;
  /** `next_cursor` of the previous page */
  cursor?: string | undefined;
}

/** What `deliveries.get` takes: read a delivery with its body and every attempt */
export interface GetDeliveryRequest {
  /** Id of the delivery */
  delivery_id: string;
}

/** What `knowledge.getDocuments` takes: read the state of documents, and the result of each import */
export interface GetDocumentDetailsRequest {
  /** Repeat the parameter for each document. 1 to 100 entries */
  data_ids?: string | string[] | undefined;
  /** The id of one import call, from its header Signalbox-Import. Shows the result of each file */
  import_id?: string | undefined;
}

/** What `models.getEmbedding` takes: read the embedding model */
export interface GetEmbeddingModelRequest {
  /** Id of the agent */
  agent_id: string;
}

/** What `users.getErasure` takes: read the progress of an erasure */
export interface GetErasureRequest {
  /** Id of the erasure */
  erasure_id: string;
}

/** What `handoffs.get` takes: read who speaks in a conversation, and its last handoff */
export interface GetHandoffRequest {
  /** Id of the conversation */
  conversation_id: string;
}

/** What `handoffs.getSettings` takes: read an agent's handoff settings */
export interface GetHandoffSettingsRequest {
  /** Id of the agent */
  agent_id: string;
}

/** What `inbox.get` takes: read the settings of an agent's inbox */
export interface GetInboxRequest {
  /** Id of the agent */
  agent_id: string;
}

/** What `conversations.sources` takes: read the pairs that an answer stands on */
export interface GetMessageSourcesRequest {
  /** Id of the message */
  message_id: string;
}

/** What `webhooks.get` takes: read the message webhook */
export interface GetMessageWebhookRequest {
  /** Id of the agent */
  agent_id: string;
}

/** What `numbers.get` takes: read figures by the hour or the day: conversations, answers, handoffs, waiting times and tokens */
export interface GetNumbersRequest {
  /** All agents if omitted. A role for certain agents requires it */
  agent_id?: string | undefined;
  /** First moment; hours count from their beginning */
  from_time: number;
  /** End of the range: hours that begin at it or later are left out */
  to_time: number;
  /** Hour: at most 31 days; day: at most 731 days. Default "day" */
  step?: "hour" | "day" | undefined;
  /** Where days begin. 1 to 64 characters. Default "UTC" */
  time_zone?: string | undefined;
  /** Channel of the conversation */
  channel?: "api" | "widget" | undefined;
  /** Language of the conversation */
  language?: "en" | "zh" | "ja" | "ko" | "de" | "fr" | "es" | "pt" | "it" | "nl" | "ru" | "ar" | "th" | "he" | "el" | "hi" | undefined;
}

/** What `pairs.get` takes: get a pair */
export interface GetPairRequest {
  /** Id of the agent */
  agent_id: string;
  /** Stays the same while the pair is edited. Replacing the document gives its pairs new ids */
  pair_id: string;
}

/** What `replays.get` takes: read the progress of a replay */
export interface GetReplayRequest {
  /** Id of the replay */
  replay_id: string;
}

/** What `agents.getRetention` takes: read an agent's retention */
export interface GetRetentionRequest {
  /** Id of the agent */
  agent_id: string;
}

/** What `savedQuestions.getRun` takes: get a run with the result of each question */
export interface GetSavedQuestionRunRequest {
  /** Id of the agent */
  agent_id: string;
  /** Id of the run */
  run_id: string;
}

/** What `models.getSpeech` takes: read the speech model */
export interface GetSpeechModelRequest {
  /** Id of the agent */
  agent_id: string;
}

/** What `talks.get` takes: read a chat of the inbox: messages, notes, and the user's details */
export interface GetTalkRequest {
  /** Id of the agent */
  agent_id: string;
  talk_id: string;
  /** Messages per page. 1 to 100. Default 50 */
  limit?: number | undefined;
  /** The next_cursor of an earlier page, for older messages */
  cursor?: string | undefined;
}

/** What `uploads.get` takes: get an upload and its preview */
export interface GetUploadRequest {
  /** Id of the agent */
  agent_id: string;
  /** Id of the upload */
  upload_id: string;
}

/** What `uploads.import` takes: import an uploaded file as a new document, or in place of one */
export interface ImportUploadRequest {
  /** Id of the agent */
  agent_id: string;
  /** Id of the upload */
  upload_id: string;
  /** Rows up to and including the header, title lines included. Detected if omitted. 0 to 20 */
  header_rows?: number | null | undefined;
  /** One character, or tab, comma, semicolon or pipe. Detected if omitted. 1 to 20 characters */
  delimiter?: string | null | undefined;
  /** Recognised by their names and cells if omitted */
  columns?: ImportColumns | null | undefined;
  /** The document to replace. A new one if omitted */
  doc_id?: string | null | undefined;
  /** The agent's default knowledge base if omitted */
  knowledge_base_id?: string | null | undefined;
}

/** What `invitations.join` takes: accept an invitation with the account you are signed in with: its role is added to yours */
export type JoinWithAccountRequest = InvitationToken;

/** What `handoffs.leave` takes: end a handoff for the user, so that the agent answers again */
export type LeaveHandoffRequest = ConversationOfHandoff;

/** What `chats.leavePerson` takes: end a handoff for the user, so that the agent answers again */
export interface LeavePersonRequest {
  /** Id of the conversation */
  conversation_id: string;
}

/** What `accounts.list` takes: list accounts and their roles */
export interface ListAccountsRequest {
  /** Only for this agent; omitted: for the installation and all agents */
  agent_id?: string | undefined;
  /** Entries per page. 1 to 100. Default 50 */
  limit?: number | undefined;
  /** `next_cursor` of the previous page */
  cursor?: string | undefined;
}

/** What `documents.list` takes: list the documents of a knowledge base, newest first */
export interface ListAgentDocumentsRequest {
  /** Id of the agent */
  agent_id: string;
  /** The agent's default knowledge base if omitted */
  knowledge_base_id?: string | null | undefined;
  /** Entries per page. 1 to 100. Default 50 */
  limit?: number | undefined;
  /** `next_cursor` of the previous page */
  cursor?: string | undefined;
}

/** What `documents.listBases` takes: list an agent's knowledge bases, newest first */
export interface ListAgentKnowledgeBasesRequest {
  /** Id of the agent */
  agent_id: string;
  /** Entries per page. 1 to 100. Default 50 */
  limit?: number | undefined;
  /** `next_cursor` of the previous page */
  cursor?: string | undefined;
}

/** What `agents.list` takes: list agents */
export interface ListAgentsRequest {
  /** Entries per page. 1 to 100. Default 50 */
  limit?: number | undefined;
  /** `next_cursor` of the previous page */
  cursor?: string | undefined;
}

/** What `keys.list` takes: list an agent's API keys */
export interface ListApiKeysRequest {
  /** Id of the agent */
  agent_id: string;
  /** Entries per page. 1 to 100. Default 50 */
  limit?: number | undefined;
  /** `next_cursor` of the previous page */
  cursor?: string | undefined;
}

/** What `audit.list` takes: list audit entries, newest first */
export interface ListAuditRequest {
  /** Id of the agent */
  agent_id?: string | undefined;
  /** Entries per page. 1 to 100. Default 50 */
  limit?: number | undefined;
  /** `next_cursor` of the previous page */
  cursor?: string | undefined;
}

/** What `cannedReplies.list` takes: list an agent's canned replies */
export interface ListCannedRepliesRequest {
  /** Id of the agent */
  agent_id: string;
}

/** What `deliveries.list` takes: list deliveries, newest first */
export interface ListDeliveriesRequest {
  /** Id of the agent */
  agent_id?: string | undefined;
  /** Id of the webhook or human service component */
  webhook_id?: string | undefined;
  /** Requires agent_id */
  conversation_id?: string | undefined;
  /** Only deliveries of this message, or of replies to it */
  message_id?: string | undefined;
  /** Cause of the failure, as docs/reference/errors lists them */
  cause?: Cause | undefined;
  /** What happened */
  event?: DeliveryEvent | undefined;
  /** State */
  state?: DeliveryState | undefined;
  /** Accepted at this time or later */
  from_time?: number | undefined;
  /** Accepted before this time */
  to_time?: number | undefined;
  /** If true, include the beginning of what each delivery says. The read is audited */
  with_preview?: boolean | undefined;
  /** Entries per page. 1 to 100. Default 50 */
  limit?: number | undefined;
  /** `next_cursor` of the previous page */
  cursor?: string | undefined;
}

/** What `destinations.list` takes: list webhooks with their health */
export interface ListDestinationsRequest {
  /** Id of the agent */
  agent_id?: string | undefined;
  /** Entries per page. 1 to 100. Default 50 */
  limit?: number | undefined;
  /** `next_cursor` of the previous page */
  cursor?: string | undefined;
}

/** What `knowledge.listDocuments` takes: list the documents of a knowledge base */
export interface ListDocumentsRequest {
  /** The agent's default knowledge base if omitted */
  knowledge_base_id?: string | null | undefined;
  /** Page number, from 1. 1 to 1,000,000. Default 1 */
  page?: number | undefined;
  /** Entries per page. 1 to 100. Default 10 */
  page_size?: number | undefined;
}

/** What `users.listErasures` takes: list erasures, newest first */
export interface ListErasuresRequest {
  /** Id of the agent */
  agent_id?: string | undefined;
  /** Entries per page. 1 to 100. Default 50 */
  limit?: number | undefined;
  /** `next_cursor` of the previous page */
  cursor?: string | undefined;
}

/** What `handoffs.list` takes: list an agent's handoffs, newest first */
export interface ListHandoffsRequest {
  /** Id of the agent */
  agent_id: string;
  /** State */
  state?: HandoffState | undefined;
  /** Entries per page. 1 to 100. Default 50 */
  limit?: number | undefined;
  /** `next_cursor` of the previous page */
  cursor?: string | undefined;
}

/** What `humanAnswers.list` takes: list what humans answered in handoffs, offered as pairs */
export interface ListHumanAnswersRequest {
  /** Id of the agent */
  agent_id: string;
  /** Entries per page. 1 to 100. Default 50 */
  limit?: number | undefined;
  /** `next_cursor` of the previous page */
  cursor?: string | undefined;
}

/** What `desks.list` takes: list human service components */
export interface ListHumanServicesRequest {
  /** Id of the agent */
  agent_id: string;
  /** Entries per page. 1 to 100. Default 50 */
  limit?: number | undefined;
  /** `next_cursor` of the previous page */
  cursor?: string | undefined;
}

/** What `inbox.listMembers` takes: list everybody who may answer for this agent, with their presence */
export interface ListInboxMembersRequest {
  /** Id of the agent */
  agent_id: string;
}

/** What `inboxTeams.list` takes: list the teams of an inbox, with their members and who of them is available */
export interface ListInboxTeamsRequest {
  /** Id of the agent */
  agent_id: string;
}

/** What `invitations.list` takes: list invitations, newest first */
export interface ListInvitationsRequest {
  /** Only for this agent; omitted: for the installation and all agents */
  agent_id?: string | undefined;
  /** Entries per page. 1 to 100. Default 50 */
  limit?: number | undefined;
  /** `next_cursor` of the previous page */
  cursor?: string | undefined;
}

/** What `knowledge.listBases` takes: list knowledge bases */
export interface ListKnowledgeBasesRequest {
  /** Page number, from 1. 1 to 1,000,000. Default 1 */
  page?: number | undefined;
  /** Entries per page. 1 to 1,000. Default 1000 */
  page_size?: number | undefined;
}

/** What `conversations.listMessages` takes: list the messages of a conversation */
export interface ListMessagesRequest {
  /** Id of the conversation */
  conversation_id: string;
  /** Page number, from 1. 1 to 1,000,000. Default 1 */
  page?: number | undefined;
  /** Entries per page. 1 to 100. Default 50 */
  page_size?: number | undefined;
}

/** What `tokens.list` takes: list operator tokens */
export interface ListOperatorTokensRequest {
  /** Entries per page. 1 to 100. Default 50 */
  limit?: number | undefined;
  /** `next_cursor` of the previous page */
  cursor?: string | undefined;
}

/** What `pairs.listHistory` takes: list the versions of a pair, newest first, also of a deleted one */
export interface ListPairHistoryRequest {
  /** Id of the agent */
  agent_id: string;
  /** Stays the same while the pair is edited. Replacing the document gives its pairs new ids */
  pair_id: string;
  /** Entries per page. 1 to 100. Default 50 */
  limit?: number | undefined;
  /** `next_cursor` of the previous page */
  cursor?: string | undefined;
}

/** What `pairs.listTags` takes: list the tags of a knowledge base or document, with how many pairs have them */
export interface ListPairTagsRequest {
  /** Id of the agent */
  agent_id: string;
  /** The agent's default knowledge base if omitted */
  knowledge_base_id?: string | null | undefined;
  /** Only tags of this document */
  doc_id?: string | null | undefined;
}

/** What `pairs.list` takes: list or search the pairs of a knowledge base or document */
export interface ListPairsRequest {
  /** Id of the agent */
  agent_id: string;
  /** The agent's default knowledge base if omitted */
  knowledge_base_id?: string | null | undefined;
  /** Only pairs of this document, in whichever knowledge base it is */
  doc_id?: string | null | undefined;
  /** Only pairs whose question, alternates or first words of the answer contain all of these words, or words that begin with them. 1 to 200 characters */
  text?: string | null | undefined;
  /** Only pairs with this tag. 1 to 40 characters */
  tag?: string | null | undefined;
  /** Entries per page. 1 to 100. Default 50 */
  limit?: number | undefined;
  /** `next_cursor` of the previous page */
  cursor?: string | undefined;
}

/** What `alternates.list` takes: list what users typed before they chose an offered question */
export interface ListProposedAlternatesRequest {
  /** Id of the agent */
  agent_id: string;
  /** Entries per page. 1 to 100. Default 50 */
  limit?: number | undefined;
  /** `next_cursor` of the previous page */
  cursor?: string | undefined;
}

/** What `knowledge.listPairs` takes: list the pairs of a document, in order */
export interface ListQaChunksRequest {
  /** Id of the document */
  doc_id: string;
  /** Entries per page. 1 to 100. Default 50 */
  limit?: number | undefined;
  /** `next_cursor` of the previous page */
  cursor?: string | undefined;
}

/** What `unanswered.listGroups` takes: list unanswered and poorly rated questions grouped by likeness, those asked most first */
export interface ListQuestionGroupsRequest {
  /** Id of the agent */
  agent_id: string;
  /** Entries per page. 1 to 100. Default 50 */
  limit?: number | undefined;
  /** `next_cursor` of the previous page */
  cursor?: string | undefined;
}

/** What `documents.listRefusedRows` takes: list the rows that an import refused, with their cells */
export interface ListRefusedRowsRequest {
  /** Id of the agent */
  agent_id: string;
  /** Id of the document */
  doc_id: string;
  /** Revision of the document that the pair belongs to. 1 to 999,999,999 */
  revision: number;
}

/** What `documents.listRevisions` takes: list the imports and changes of a document, newest first */
export interface ListRevisionsRequest {
  /** Id of the agent */
  agent_id: string;
  /** Id of the document */
  doc_id: string;
  /** Entries per page. 1 to 100. Default 50 */
  limit?: number | undefined;
  /** `next_cursor` of the previous page */
  cursor?: string | undefined;
}

/** What `savedQuestions.listRuns` takes: list runs of the saved questions, newest first */
export interface ListSavedQuestionRunsRequest {
  /** Id of the agent */
  agent_id: string;
  /** Entries per page. 1 to 100. Default 50 */
  limit?: number | undefined;
  /** `next_cursor` of the previous page */
  cursor?: string | undefined;
}

/** What `savedQuestions.list` takes: list saved questions with their last results */
export interface ListSavedQuestionsRequest {
  /** Id of the agent */
  agent_id: string;
  /** Entries per page. 1 to 100. Default 50 */
  limit?: number | undefined;
  /** `next_cursor` of the previous page */
  cursor?: string | undefined;
}

/** What `session.list` takes: list your sessions */
export interface ListSessionsRequest {
  /** Entries per page. 1 to 100. Default 50 */
  limit?: number | undefined;
  /** `next_cursor` of the previous page */
  cursor?: string | undefined;
}

/** What `numbers.listTopQuestions` takes: list what users asked most, and what the agent could not answer */
export interface ListTopQuestionsRequest {
  /** Id of the agent */
  agent_id: string;
  /** First moment; hours count from their beginning */
  from_time: number;
  /** End of the range: hours that begin at it or later are left out */
  to_time: number;
  /** Entries per list. 1 to 50. Default 10 */
  limit?: number | undefined;
}

/** What `unanswered.list` takes: list questions that the agent could not answer */
export interface ListUnansweredQuestionsRequest {
  /** Id of the agent */
  agent_id: string;
  /** Entries per page. 1 to 100. Default 50 */
  limit?: number | undefined;
  /** `next_cursor` of the previous page */
  cursor?: string | undefined;
}

/** What `webhooks.listChecks` takes: list the last checks of an agent's webhooks, newest first */
export interface ListWebhookChecksRequest {
  /** Id of the agent */
  agent_id: string;
  /** Only checks of this webhook or human service component */
  webhook_id?: string | undefined;
  /** Entries per page. 1 to 100. Default 50 */
  limit?: number | undefined;
  /** `next_cursor` of the previous page */
  cursor?: string | undefined;
}

/** What `invitations.look` takes: read what an invitation offers */
export type LookAtInvitationRequest = InvitationToken;

/** What `passwordResets.look` takes: read whose password a link sets */
export type LookAtPasswordResetRequest = PasswordResetToken;

/** What `chats.markSeen` takes: tell the team that the user's page has shown the messages, up to one of them */
export interface MarkChatSeenRequest {
  /** Id of the conversation */
  conversation_id: string;
  /** The id of the event whose message was shown last. At least 1 */
  sequence: number;
}

/** What `talks.markSeen` takes: mark the user's messages as seen, up to one of them. Only its holder can mark a taken chat */
export interface MarkTalkSeenRequest {
  /** Id of the agent */
  agent_id: string;
  talk_id: string;
  /** The last message that was seen. At least 1 */
  sequence: number;
}

/** What `knowledge.search` takes: search for pairs as the agent does */
export type MatchKnowledgeRequest = MatchRequest;

/** What `uploads.preview` takes: show how a file would be imported, and its problems. Stores no pair */
export interface PreviewUploadRequest {
  /** Id of the agent */
  agent_id: string;
  /** Id of the upload */
  upload_id: string;
  /** Rows up to and including the header, title lines included. Detected if omitted. 0 to 20 */
  header_rows?: number | null | undefined;
  /** One character, or tab, comma, semicolon or pipe. Detected if omitted. 1 to 20 characters */
  delimiter?: string | null | undefined;
  /** Recognised by their names and cells if omitted */
  columns?: ImportColumns | null | undefined;
  /** The document to replace. A new one if omitted */
  doc_id?: string | null | undefined;
  /** The agent's default knowledge base if omitted */
  knowledge_base_id?: string | null | undefined;
}

/** What `unanswered.propose` takes: propose an answer: it waits among the unanswered questions until an editor adds or dismisses it */
export interface ProposePairRequest {
  /** Id of the agent */
  agent_id: string;
  /** Text of the question. 1 to 1,000 characters */
  question: string;
  /** Text of the answer. 1 to 25,000 characters */
  answer: string;
}

/** What `documents.publish` takes: publish an import that was held back */
export interface PublishRevisionRequest {
  /** Id of the agent */
  agent_id: string;
  /** Id of the document */
  doc_id: string;
  /** A revision that is held back. 1 to 999,999,999 */
  revision: number;
}

/** What `chats.rate` takes: rate an answer of the agent, or the conversation, as the user */
export interface RateChatRequest {
  /** Id of the conversation */
  conversation_id: string;
  /** Good or bad */
  rating: Rating;
  /** The agent's message that is rated. Omit it to rate the conversation: the one with its last human, if there was one */
  message_id?: string | null | undefined;
  /** What the user adds in words. 1 to 500 characters */
  comment?: string | null | undefined;
}

/** What `alternates.reject` takes: reject a proposed alternate */
export interface RejectProposedAlternateRequest {
  /** Id of the agent */
  agent_id: string;
  /** Id of the proposed alternate */
  alternate_id: string;
}

/** What `members.remove` takes: remove an account from an agent; the account stays */
export interface RemoveMemberRequest {
  /** Id of the agent */
  agent_id: string;
  /** Id of the account */
  account_id: string;
}

/** What `passkeys.rename` takes: rename one of your passkeys */
export interface RenamePasskeyRequest {
  /** Id of the passkey */
  passkey_id: string;
  /** Which device it is on. 1 to 100 characters */
  name: string;
}

/** What `deliveries.replay` takes: replay a delivery */
export interface ReplayDeliveryRequest {
  /** Id of the delivery */
  delivery_id: string;
}

/** What `talks.reply` takes: reply to the user, as 4.9 does. A reply to a waiting chat takes it */
export interface ReplyInTalkRequest {
  /** Id of the agent */
  agent_id: string;
  talk_id: string;
  /** Required without an attachment. 1 to 25,000 characters */
  text?: string | null | undefined;
  /** Files for the user, by their URL. At most 20 entries */
  attachments?: ChatAttachment[] | undefined;
}

/** What `handoffs.request` takes: request a handoff for a user */
export type RequestHandoffRequest = ConversationOfHandoff;

/** What `accounts.resetSecondFactor` takes: turn off the one-time codes and remove the passkeys of somebody who lost them, and end their sessions */
export interface ResetSecondFactorRequest {
  /** Id of the account */
  account_id: string;
}

/** What `pairs.restore` takes: give a pair the texts of an earlier version, or bring a deleted one back */
export interface RestorePairRequest {
  /** Id of the agent */
  agent_id: string;
  /** Stays the same while the pair is edited. Replacing the document gives its pairs new ids */
  pair_id: string;
  /** The version whose texts the pair gets back, as a new version. 1 to 1,000,000 */
  version: number;
}

/** What `documents.restore` takes: roll a document back: bring the pairs of an earlier revision back, as a new one */
export interface RestoreRevisionRequest {
  /** Id of the agent */
  agent_id: string;
  /** Id of the document */
  doc_id: string;
  /** A revision that can be restored. 0: as before the first import, without pairs. 0 to 999,999,999 */
  revision: number;
}

/** What `chatTokens.revokeForAgent` takes: revoke an agent's chat tokens for a user or for all users */
export interface RevokeAgentChatTokensRequest {
  /** Id of the agent */
  agent_id: string;
  /** Revoke the tokens of this user. 1 to 255 characters */
  user_id?: string | null | undefined;
  /** Revoke the tokens of this anonymous id. 1 to 128 characters */
  anonymous_id?: string | null | undefined;
  /** Revoke all tokens of the agent. Default false */
  all_users?: boolean | undefined;
}

/** What `keys.revoke` takes: revoke an API key */
export interface RevokeApiKeyRequest {
  /** Id of the agent */
  agent_id: string;
  /** Id of the key */
  key_id: string;
}

/** What `invitations.revoke` takes: withdraw an invitation */
export interface RevokeInvitationRequest {
  /** Id of the invitation */
  invitation_id: string;
}

/** What `tokens.revoke` takes: revoke an operator token */
export interface RevokeOperatorTokenRequest {
  /** Id of the token */
  token_id: string;
}

/** What `session.revoke` takes: end one of your sessions */
export interface RevokeSessionRequest {
  /** Id of the session */
  session_id: string;
}

/** What `desks.rotateSecret` takes: rotate the signing secret of a human service component */
export interface RotateHumanServiceSecretRequest {
  /** Id of the agent */
  agent_id: string;
  /** Id of the human service component; null for the message webhook */
  component_id: string;
  /** How long both secrets sign. 0 ends the old one at once. 0 to 604,800. Default 86400 */
  overlap_seconds?: number | undefined;
}

/** What `webhooks.rotateSecret` takes: rotate the signing secret of the message webhook */
export interface RotateMessageWebhookSecretRequest {
  /** Id of the agent */
  agent_id: string;
  /** How long both secrets sign. 0 ends the old one at once. 0 to 604,800. Default 86400 */
  overlap_seconds?: number | undefined;
}

/** What `tokens.rotate` takes: rotate an operator token; the old one works during the overlap */
export interface RotateOperatorTokenRequest {
  /** Id of the token */
  token_id: string;
  /** How long both tokens work. 0 ends the old one at once. 0 to 604,800. Default 86400 */
  overlap_seconds?: number | undefined;
}

/** What `operatorWebhook.rotateSecret` takes: rotate the signing secret of the operator webhook */
export type RotateOperatorWebhookSecretRequest = RotateSigningSecretRequest;

/** What `savedQuestions.run` takes: ask all saved questions now. A run that waits already is returned */
export interface RunSavedQuestionsRequest {
  /** Id of the agent */
  agent_id: string;
}

/** What `savedQuestions.add` takes: save a question with the pair that should answer it */
export interface SaveQuestionRequest {
  /** Id of the agent */
  agent_id: string;
  /** As a user asks it. Saving it again changes the expected pair. 1 to 2,000 characters */
  question: string;
  /** The pair that should answer it. If omitted, the agent should not answer it */
  pair_id?: string | null | undefined;
}

/** What `chats.say` takes: send a user's message; replies arrive on the stream */
export interface SayInChatRequest {
  /** Id of the conversation */
  conversation_id: string;
  /** Required without an attachment. 1 to 25,000 characters */
  text?: string | null | undefined;
  /** Files that the user sends, by their URL. At most 20 entries */
  attachments?: ChatAttachment[] | undefined;
  /** The browser's own id of the message. Its event carries the same id. 1 to 64 characters */
  client_id?: string | null | undefined;
}

/** What `talks.search` takes: list the chats of the inbox, by view and text */
export interface SearchTalksRequest {
  /** Id of the agent */
  agent_id: string;
  view: InboxView;
  /** Only chats with a message that contains all these words or word beginnings. 1 to 200 characters */
  text?: string | undefined;
  /** Only chats of this team, waiting or taken where view is team */
  team_id?: string | undefined;
  /** Entries per page. 1 to 100. Default 50 */
  limit?: number | undefined;
  /** `next_cursor` of the previous page */
  cursor?: string | undefined;
}

/** What `webhooks.sendTest` takes: send a test event with a body of your own to a webhook */
export interface SendTestEventRequest {
  /** Id of the agent */
  agent_id: string;
  /** Id of the webhook */
  webhook_id: string;
  /** Message goes to a message webhook, the others to a human service */
  event: TestableEvent;
  /** The body to send, as you like it. istest is always set to true */
  body: Record<string, unknown>;
}

/** What `accounts.setRoles` takes: replace the roles of an account */
export interface SetAccountRolesRequest {
  /** Id of the account */
  account_id: string;
  /** All roles of the account: roles that are not listed are removed. At most 1,000 entries */
  roles: AccountRole[];
}

/** What `models.setChatFallback` takes: set the fallback model, which is asked when the chat model fails */
export interface SetChatFallbackModelRequest {
  /** Id of the agent */
  agent_id: string;
  /** Base URL of an OpenAI-compatible API, including /v1, without the path of an operation. At most 2,048 characters */
  url: string;
  /** Name of the model. 1 to 200 characters */
  model: string;
  /** Stored encrypted and never shown. Unchanged if omitted; null removes it. Required again when url changes to another server. 1 to 2,000 characters */
  api_key?: string | null | undefined;
  /** 20 unless another was set. 1 to 120 */
  timeout_seconds?: number | undefined;
  /** Credits per million input tokens, for `usage`. 0 to 1,000,000 */
  input_credits_per_million?: number | undefined;
  /** Credits per million output tokens, for `usage`. 0 to 1,000,000 */
  output_credits_per_million?: number | undefined;
}

/** What `models.setChat` takes: set the chat model, which answers questions and converts documents */
export interface SetChatModelRequest {
  /** Id of the agent */
  agent_id: string;
  /** Base URL of an OpenAI-compatible API, including /v1, without the path of an operation. At most 2,048 characters */
  url: string;
  /** Name of the model. 1 to 200 characters */
  model: string;
  /** Stored encrypted and never shown. Unchanged if omitted; null removes it. Required again when url changes to another server. 1 to 2,000 characters */
  api_key?: string | null | undefined;
  /** 20 unless another was set. 1 to 120 */
  timeout_seconds?: number | undefined;
  /** Credits per million input tokens, for `usage`. 0 to 1,000,000 */
  input_credits_per_million?: number | undefined;
  /** Credits per million output tokens, for `usage`. 0 to 1,000,000 */
  output_credits_per_million?: number | undefined;
}

/** What `models.setEmbedding` takes: set the embedding model, which searches by meaning */
export interface SetEmbeddingModelRequest {
  /** Id of the agent */
  agent_id: string;
  /** Base URL of an OpenAI-compatible API, including /v1, without the path of an operation. At most 2,048 characters */
  url: string;
  /** Name of the model. 1 to 200 characters */
  model: string;
  /** Stored encrypted and never shown. Unchanged if omitted; null removes it. Required again when url changes to another server. 1 to 2,000 characters */
  api_key?: string | null | undefined;
  /** 20 unless another was set. 1 to 120 */
  timeout_seconds?: number | undefined;
  /** Credits per million input tokens, for `usage`. 0 to 1,000,000 */
  input_credits_per_million?: number | undefined;
  /** Credits per million output tokens, for `usage`. 0 to 1,000,000 */
  output_credits_per_million?: number | undefined;
}

/** What `handoffs.setSettings` takes: set an agent's handoff settings */
export interface SetHandoffSettingsRequest {
  /** Id of the agent */
  agent_id: string;
  /** Phrases that request a person, instead of the built-in ones. An empty list disables them. Default {} */
  phrases?: {
    /** Phrases in English. At most 200 entries */
    en?: string[] | undefined;
    /** Phrases in Simplified Chinese. At most 200 entries */
    "zh-CN"?: string[] | undefined;
  } | undefined;
  /** Unanswered questions in a row after which a handoff is requested; null for never. 1 to 20. Default 3 */
  no_answer_limit?: number | null | undefined;
  /** Time after a handoff in which the agent requests no other. Users still can. 0 to 86,400. Default 600 */
  quiet_seconds?: number | undefined;
  /** How many messages of the conversation 4.6 carries. 1 to 100. Default 20 */
  transcript_items?: number | undefined;
  /** Timers of a handoff. Default {} */
  timers?: {
    /** A component can override it. Default {"seconds":300,"warn_seconds":[240,60]} */
    first_reply?: HandoffTimer | undefined;
    /** The wait for a human who has become silent. Default {"seconds":600,"warn_seconds":60} */
    human_idle?: HandoffTimer | undefined;
    /** The wait for a user who has become silent. Default {"seconds":1800,"warn_seconds":120} */
    user_idle?: HandoffTimer | undefined;
  } | undefined;
  /** Notices to the user, by occasion and language, instead of the default texts. Default {} */
  notices?: Record<string, {
    /** Null disables the notice. 1 to 2,000 characters */
    en?: string | null | undefined;
    /** Null disables the notice. 1 to 2,000 characters */
    "zh-CN"?: string | null | undefined;
  }> | undefined;
}

/** What `inbox.set` takes: switch on an agent's inbox, or change its settings */
export interface SetInboxRequest {
  /** Id of the agent */
  agent_id: string;
  /** The name users see. 1 to 100 characters. Default "Support" */
  name?: string | undefined;
  /** Default "manual" */
  assignment?: InboxAssignment | undefined;
  /** Business hours; null for always open. Default null */
  business_hours?: BusinessHours | null | undefined;
  /** Time a human has for the first reply. null uses the agent's handoff settings. Default null */
  first_reply?: HandoffTimer | null | undefined;
}

/** What `members.setRoles` takes: replace the roles that an account has for an agent */
export interface SetMemberRolesRequest {
  /** Id of the agent */
  agent_id: string;
  /** Id of the account */
  account_id: string;
  /** Roles. At least 1 entries */
  roles: Role[];
}

/** What `webhooks.set` takes: set the message webhook */
export interface SetMessageWebhookRequest {
  /** Id of the agent */
  agent_id: string;
  /** URL. At most 2,048 characters */
  url: string;
  /** Without a secret, it is sent as a Bearer token. Required again when url changes to another server. 1 to 256 characters */
  username?: string | null | undefined;
  /** With a secret, username and secret are sent as HTTP Basic. Required again when url changes to another server. 1 to 256 characters */
  secret?: string | null | undefined;
  /** Whether an HTTP 200 with another body counts as a failure */
  strict_acknowledgement?: boolean | undefined;
  /** Whether messages of the live channel are sent to the webhook too */
  mirror_live_channel?: boolean | undefined;
  /** If true, a key pair also signs each call, and the reply shows its public key */
  asymmetric_signature?: boolean | undefined;
  cloud_events?: boolean | undefined;
}

/** What `inbox.setPresence` takes: say whether you are available for chats of this agent */
export interface SetPresenceRequest {
  /** Id of the agent */
  agent_id: string;
  presence: Presence;
}

/** What `agents.setRetention` takes: set an agent's retention */
export interface SetRetentionRequest {
  /** Id of the agent */
  agent_id: string;
  /** Days a conversation is kept after its last message. null uses the service's setting. 1 to 3,650 */
  days: number | null;
  /** What happens after that time. null uses the service's setting. Default null */
  action?: RetentionAction | null | undefined;
}

/** What `models.setSpeech` takes: set the speech model, which reads answers aloud */
export interface SetSpeechModelRequest {
  /** Id of the agent */
  agent_id: string;
  /** Base URL of an OpenAI-compatible API, including /v1, without the path of an operation. At most 2,048 characters */
  url: string;
  /** Name of the model. 1 to 200 characters */
  model: string;
  /** Stored encrypted and never shown. Unchanged if omitted; null removes it. Required again when url changes to another server. 1 to 2,000 characters */
  api_key?: string | null | undefined;
  /** 20 unless another was set. 1 to 120 */
  timeout_seconds?: number | undefined;
  /** Voice. 1 to 100 characters */
  voice: string;
  /** File format. Default "mp3" */
  format?: "mp3" | "opus" | "aac" | "flac" | "wav" | undefined;
  /** Credits per million spoken characters, for `usage`. 0 to 1,000,000 */
  output_credits_per_million?: number | undefined;
}

/** What `replays.stop` takes: stop a replay; deliveries already queued are still sent */
export interface StopReplayRequest {
  /** Id of the replay */
  replay_id: string;
}

/** What `talks.suggestAnswers` takes: suggest answers from the agent's knowledge to the user's last message */
export interface SuggestAnswersRequest {
  /** Id of the agent */
  agent_id: string;
  talk_id: string;
}

/** What `pairs.tag` takes: add tags to several pairs, or remove them */
export interface TagPairsRequest {
  /** Id of the agent */
  agent_id: string;
  /** Ids of the pairs. 1 to 200 entries */
  pair_ids: string[];
  /** Tags that each of the pairs gets. At most 10 entries */
  add?: string[] | null | undefined;
  /** Tags that each of the pairs loses. At most 10 entries */
  remove?: string[] | null | undefined;
}

/** What `talks.take` takes: take a waiting chat. If several people try, one succeeds; the others are told who */
export interface TakeTalkRequest {
  /** Id of the agent */
  agent_id: string;
  talk_id: string;
}

/** What `models.testChatFallback` takes: call the fallback model once, and say why it does not work */
export interface TestChatFallbackModelRequest {
  /** Id of the agent */
  agent_id: string;
  /** Base URL of an OpenAI-compatible API, including /v1, without the path of an operation. At most 2,048 characters */
  url?: string | undefined;
  /** Name of the model. 1 to 200 characters */
  model?: string | undefined;
  /** Stored encrypted and never shown. Unchanged if omitted; null removes it. Required again when url changes to another server. 1 to 2,000 characters */
  api_key?: string | null | undefined;
  /** 20 unless another was set. 1 to 120 */
  timeout_seconds?: number | undefined;
}

/** What `models.testChat` takes: call the chat model once, and say why it does not work */
export interface TestChatModelRequest {
  /** Id of the agent */
  agent_id: string;
  /** Base URL of an OpenAI-compatible API, including /v1, without the path of an operation. At most 2,048 characters */
  url?: string | undefined;
  /** Name of the model. 1 to 200 characters */
  model?: string | undefined;
  /** Stored encrypted and never shown. Unchanged if omitted; null removes it. Required again when url changes to another server. 1 to 2,000 characters */
  api_key?: string | null | undefined;
  /** 20 unless another was set. 1 to 120 */
  timeout_seconds?: number | undefined;
}

/** What `models.testEmbedding` takes: call the embedding model once, and say why it does not work */
export interface TestEmbeddingModelRequest {
  /** Id of the agent */
  agent_id: string;
  /** Base URL of an OpenAI-compatible API, including /v1, without the path of an operation. At most 2,048 characters */
  url?: string | undefined;
  /** Name of the model. 1 to 200 characters */
  model?: string | undefined;
  /** Stored encrypted and never shown. Unchanged if omitted; null removes it. Required again when url changes to another server. 1 to 2,000 characters */
  api_key?: string | null | undefined;
  /** 20 unless another was set. 1 to 120 */
  timeout_seconds?: number | undefined;
}

/** What `models.testSpeech` takes: call the speech model once, and say why it does not work */
export interface TestSpeechModelRequest {
  /** Id of the agent */
  agent_id: string;
  /** Base URL of an OpenAI-compatible API, including /v1, without the path of an operation. At most 2,048 characters */
  url?: string | undefined;
  /** Name of the model. 1 to 200 characters */
  model?: string | undefined;
  /** Stored encrypted and never shown. Unchanged if omitted; null removes it. Required again when url changes to another server. 1 to 2,000 characters */
  api_key?: string | null | undefined;
  /** 20 unless another was set. 1 to 120 */
  timeout_seconds?: number | undefined;
  /** Voice. 1 to 100 characters */
  voice?: string | undefined;
  /** File format */
  format?: "mp3" | "opus" | "aac" | "flac" | "wav" | undefined;
}

/** What `talks.transfer` takes: hand a chat to another person, to a team, or back to the queue */
export interface TransferTalkRequest {
  /** Id of the agent */
  agent_id: string;
  talk_id: string;
  /** Who takes over; null returns it to the queue. Required unless team_id is given */
  account_id?: string | null | undefined;
  /** The team whose queue it waits in */
  team_id?: string | undefined;
}

/** What `agents.try` takes: show what the agent would answer, and why */
export interface TryQuestionRequest {
  /** Id of the agent */
  agent_id: string;
  /** Text of the question. 1 to 2,000 characters */
  question: string;
  /** Only this knowledge base; all if omitted */
  knowledge_base_id?: string | null | undefined;
}

/** What `chats.type` takes: show the human that the user types, for six seconds. Call it at most every three seconds */
export interface TypeInChatRequest {
  /** Id of the conversation */
  conversation_id: string;
}

/** What `talks.type` takes: show the user that you type, for six seconds. Call it at most every three seconds */
export interface TypeInTalkRequest {
  /** Id of the agent */
  agent_id: string;
  talk_id: string;
}

/** What `agents.update` takes: update an agent */
export interface UpdateAgentRequest {
  /** Id of the agent */
  agent_id: string;
  /** Name. 1 to 100 characters */
  name?: string | undefined;
  /** Language */
  language?: "en" | "zh-CN" | undefined;
  /** 1 to 2,000 characters */
  fallback_text?: string | null | undefined;
  /** Score from which a pair's answer is given word for word. null uses the calibrated default. 0 to 1 */
  direct_score?: number | null | undefined;
  /** Minimum score of an answer. null uses the calibrated default. 0 to 1 */
  answer_score?: number | null | undefined;
  /** Replies to greetings, thanks and other small talk. null uses the default texts */
  small_talk?: SmallTalkSettings | null | undefined;
  /** Groups of synonyms of this agent, in addition to the built-in ones; null for none. At most 500 entries */
  synonyms?: string[][] | null | undefined;
  /** Hold an import back until an editor publishes it, if it makes a saved question fail */
  hold_failing_imports?: boolean | undefined;
}

/** What `cannedReplies.update` takes: change a canned reply */
export interface UpdateCannedReplyRequest {
  /** Id of the agent */
  agent_id: string;
  /** Id of the canned reply */
  reply_id: string;
  /** What people find it by. 1 to 100 characters */
  title: string;
  /** May contain {{user.id}}, {{user.email}}, {{user.phone}}, {{human.name}}, {{agent.name}}. 1 to 5,000 characters */
  text: string;
}

/** What `desks.update` takes: update a human service component */
export interface UpdateHumanServiceRequest {
  /** Id of the agent */
  agent_id: string;
  /** Id of the human service component; null for the message webhook */
  component_id: string;
  /** Name. 1 to 100 characters */
  name?: string | undefined;
  /** URL. At most 2,048 characters */
  url?: string | undefined;
  /** Without a secret, it is sent as a Bearer token. Required again when url changes to another server. 1 to 256 characters */
  username?: string | null | undefined;
  /** With a secret, username and secret are sent as HTTP Basic. Required again when url changes to another server. 1 to 256 characters */
  secret?: string | null | undefined;
  /** Whether this desk may call 4.9 and 4.10 without an API key */
  allow_unauthenticated_replies?: boolean | undefined;
  /** Rules for choosing this component */
  rule?: HumanServiceRuleRequest | undefined;
  business_hours?: BusinessHours | null | undefined;
  /** Timeout of one establish call (4.6) to this desk. 1 to 10 */
  establish_timeout_seconds?: number | undefined;
  /** Failed attempts after which the user is told that everyone is busy. 1 to 5 */
  establish_tries?: number | undefined;
  first_reply?: HandoffTimer | null | undefined;
}

/** What `inboxTeams.update` takes: rename a team, or change its members */
export interface UpdateInboxTeamRequest {
  /** Id of the agent */
  agent_id: string;
  /** Id of the team */
  team_id: string;
  /** What people see it by. No two teams of an inbox have the same. 1 to 100 characters */
  name: string;
  /** Its members; they replace those it has. At most 500 entries. Default [] */
  account_ids?: string[] | undefined;
}

/** What `knowledge.uploadFile` takes: import a file from disk, as a new document or in place of one */
export interface UploadFileRequest {
  /** Any file that can be imported: CSV, XLSX, PDF, DOCX, HTML, Markdown or text, or JSON as exported */
  file: Blob;
  /** Name of the document, with its extension, which says how text files are read. That of the file if omitted. 1 to 200 characters */
  file_name?: string | null | undefined;
  /** The agent's default knowledge base if omitted */
  knowledge_base_id?: string | null | undefined;
  /** The document to replace. A new one if omitted */
  doc_id?: string | null | undefined;
  /** Rows up to and including the header, titles above it counted. Detected if omitted. 0 to 20 */
  header_rows?: number | undefined;
  /** One character, or tab, comma, semicolon or pipe. Detected if omitted. 1 to 20 characters */
  delimiter?: string | null | undefined;
  /** Column of questions, counted from 1. Recognised if omitted. 1 to 200 */
  question_column?: number | undefined;
  /** Column of answers, counted from 1. Needed with question_column. 1 to 200 */
  answer_column?: number | undefined;
  /** Columns of other wordings, between commas. Needs question_column */
  alternates_columns?: string | undefined;
  /** Column of tags. Needs question_column. 1 to 200 */
  tags_column?: number | undefined;
}

export interface AcceptInvitationRequest {
  /** The part of the link after # */
  token: string;
  /** The user's email address; null if unknown. At most 254 characters */
  email: string;
  /** Name. 1 to 100 characters */
  name: string;
  /** Password. At most 200 characters */
  password: string;
}

export interface Account {
  /** Id of the account */
  account_id: string;
  /** The user's email address; null if unknown */
  email: string;
  /** Name */
  name: string;
  /** Roles */
  roles: AccountRole[];
  /** Signing in with the password also asks for a one-time code */
  has_second_factor: boolean;
  /** How many passkeys the person signs in with */
  passkeys: number;
  /** When it was created, in milliseconds since 1970, UTC */
  create_time: number;
  /** When the person last made a request */
  last_used_time: number | null;
}

export interface AccountPage {
  /** Entries of this page */
  list: Account[];
  /** `cursor` of the next page; null on the last page */
  next_cursor: string | null;
}

export interface AccountRole {
  role: Role;
  /** The agent it is for; null: the whole installation */
  agent_id: string | null;
}

export interface Acknowledged {
  /** Result code. The HTTP status decides */
  code: 0;
  /** The result in words */
  message: "OK";
}

export interface AddConvertedFile {
  /** Kind of source */
  purpose: "FILE_2_QA";
  /** The agent's default knowledge base if omitted */
  knowledge_base_id?: string | null | undefined;
  /** Files, each with its URL. 1 to 20 entries */
  files: ConvertedFileEntry[];
  /** Number of header rows of a CSV file. Detected if omitted. 0 to 2,147,483,647 */
  header_row?: number | null | undefined;
  /** Columns of a CSV file, where their names and cells do not say which holds questions and which answers */
  columns?: ImportColumns | null | undefined;
  /** Tokens a chunk, when a document is converted. 64 to 4,000 are used; the import's problems say so. 1 to 2,147,483,647. Default 600 */
  chunk_token?: number | null | undefined;
  /** Literal separator of a converted document, or the one-character delimiter of a CSV file. One that cannot be a delimiter is ignored for QA_FILE. 1 to 100 characters */
  splitter?: string | null | undefined;
}

export interface AddNoteRequest {
  /** Text. 1 to 5,000 characters */
  text: string;
}

export interface AddQaChunksRequest {
  /** Id of the document */
  doc_id: string;
  /** Pairs. 1 to 10,000 entries */
  chunks: QaChunk[];
  /** If true, they replace all pairs of the document instead of being appended */
  replace?: boolean | null | undefined;
}

export interface AddQaFile {
  /** Kind of source */
  purpose: "QA_FILE";
  /** The agent's default knowledge base if omitted */
  knowledge_base_id?: string | null | undefined;
  /** Files, each with its URL. 1 to 20 entries */
  files: QaFileEntry[];
  /** Number of header rows of a CSV file. Detected if omitted. 0 to 2,147,483,647 */
  header_row?: number | null | undefined;
  /** Columns of a CSV file, where their names and cells do not say which holds questions and which answers */
  columns?: ImportColumns | null | undefined;
  /** Tokens a chunk, when a document is converted. 64 to 4,000 are used; the import's problems say so. 1 to 2,147,483,647. Default 600 */
  chunk_token?: number | null | undefined;
  /** Literal separator of a converted document, or the one-character delimiter of a CSV file. One that cannot be a delimiter is ignored for QA_FILE. 1 to 100 characters */
  splitter?: string | null | undefined;
}

export type AddQaRequest = AddQaText | AddQaFile | AddConvertedFile;

export interface AddQaText {
  /** Kind of source */
  purpose: "QA_TEXT";
  /** The agent's default knowledge base if omitted */
  knowledge_base_id?: string | null | undefined;
  /** Name. 1 to 200 characters */
  name: string;
  /** Question-answer pairs. 1 to 10,000 entries */
  qaList: QaPair[];
  /** Number of header rows of a CSV file. Detected if omitted. 0 to 2,147,483,647 */
  header_row?: number | null | undefined;
  /** Columns of a CSV file, where their names and cells do not say which holds questions and which answers */
  columns?: ImportColumns | null | undefined;
  /** Tokens a chunk, when a document is converted. 64 to 4,000 are used; the import's problems say so. 1 to 2,147,483,647. Default 600 */
  chunk_token?: number | null | undefined;
  /** Literal separator of a converted document, or the one-character delimiter of a CSV file. One that cannot be a delimiter is ignored for QA_FILE. 1 to 100 characters */
  splitter?: string | null | undefined;
}

export interface Agent {
  /** Id of the agent */
  agent_id: string;
  /** Name */
  name: string;
  /** Language */
  language: "en" | "zh-CN";
  /** What the agent replies when it has no answer */
  fallback_text: string | null;
  /** Lowest score at which a stored answer is given as it is; null for the default. 0 to 1 */
  direct_score: number | null;
  /** Lowest score at which a pair is offered or given to the model; null for the default. 0 to 1 */
  answer_score: number | null;
  /** Small talk: greetings, thanks and the like */
  small_talk: SmallTalkSettings | null;
  /** Groups of words that mean the same in a search */
  synonyms: string[][] | null;
  /** Whether an import that makes a saved question fail is held back */
  hold_failing_imports: boolean;
  /** Knowledge base of calls that name none */
  default_knowledge_base_id: string;
  /** When it was created, in milliseconds since 1970, UTC */
  create_time: number;
  /** When the agent was deleted; null while it exists */
  delete_time: number | null;
}

/** direct: the best pair's answer, word for word. model: the best pair's answer, phrased by the chat model if there is one. offer: up to three stored questions to choose from. fallback: the agent says that it does not know */
export type AgentDecision = "direct" | "model" | "offer" | "fallback";

export interface AgentModel {
  /** URL */
  url: string;
  /** Name of the model */
  model: string;
  /** Whether a key is stored. The key itself is never shown */
  api_key_set: boolean;
  /** How long the service waits for the model */
  timeout_seconds: number;
  /** Credits for a million output tokens. 0 to 1,000,000 */
  output_credits_per_million: number;
  /** When it was last changed, in milliseconds since 1970, UTC */
  update_time: number;
  /** Why the last call failed; null if it did not */
  failure: ModelFailure | null;
  /** Credits for a million input tokens. 0 to 1,000,000 */
  input_credits_per_million: number;
}

export interface AgentPage {
  /** Entries of this page */
  list: Agent[];
  /** `cursor` of the next page; null on the last page */
  next_cursor: string | null;
}

export interface AgentResponseMessage {
  /** User id bound by the developer; null if none is bound */
  user_id: string | null;
  /** Anonymous user (device); null on the API unless the caller gave one */
  anonymous_id: string | null;
  /** Id of the conversation */
  conversation_id: string;
  /** Id of the message */
  message_id: string;
  /** When it was created, in milliseconds since 1970, UTC */
  create_time: number;
  /** The agent's reply */
  output: OutputItem[];
  usage: Usage;
  /** True on an availability test: answer 200 and do nothing else */
  istest?: boolean | undefined;
}

export interface AnonymousId {
  /** Anonymous user (device). 1 to 128 characters */
  anonymous_id: string;
  /** Channel of the id: `API` or `WIDGET` for channels of this service. 1 to 32 characters */
  conversation_type: string;
  /** Account within a channel that has several. 1 to 128 characters */
  source_id?: string | null | undefined;
}

export interface AnswerSource {
  /** Stays the same while the pair is edited. Replacing the document gives its pairs new ids */
  pair_id: string;
  /** Id of the document */
  doc_id: string;
  /** The pair's question; null if it gives orders to a model */
  question: string | null;
}

export interface ApiKey {
  /** Id of the key */
  key_id: string;
  /** Name */
  name: string;
  /** What it may do */
  scopes: ApiKeyScope[];
  /** First characters of the key, to tell keys apart */
  prefix: string;
  /** When it expires; null if it does not */
  expire_time: number | null;
  /** When it was created, in milliseconds since 1970, UTC */
  create_time: number;
  /** When it was revoked; null while it is valid */
  revoke_time: number | null;
  /** When it was last used; null if it never was */
  last_used_time: number | null;
}

export interface ApiKeyPage {
  /** Entries of this page */
  list: ApiKey[];
  /** `cursor` of the next page; null on the last page */
  next_cursor: string | null;
}

/** chat:mint: mint and revoke chat tokens. messages: conversations, users' messages and handoffs on their behalf. knowledge: knowledge bases and documents. desk: a human's replies (4.9, 4.10). read: read all of these, and check webhooks */
export type ApiKeyScope = "chat:mint" | "messages" | "knowledge" | "desk" | "read";

/** away: nobody is there now, and the user was told so */
export interface AskedForPerson {
  /** Result */
  outcome: "requested" | "already_open" | "away";
}

export interface Attachment {
  /** URL. At most 4,096 characters */
  url?: string | null | undefined;
  /** Not supported. Send a url instead */
  base64_content?: string | null | undefined;
  /** File format. 1 to 32 characters */
  format?: string | null | undefined;
  /** Name. 1 to 200 characters */
  name?: string | null | undefined;
}

/** Where the time went, step by step. null is a step that did not happen: an open connection that is used again has no dns_ms, connect_ms and tls_ms */
export interface AttemptTimings {
  /** Lookup of the host name; null if the URL has an IP address */
  dns_ms: number | null;
  /** TCP connection, or the time until it failed */
  connect_ms: number | null;
  /** TLS handshake, or the time until it failed */
  tls_ms: number | null;
  /** From the request to the first byte of the response */
  first_byte_ms: number | null;
}

export interface AuditEntry {
  /** Id of the audit entry. 1 to 64 characters */
  audit_id: string;
  /** When it happened, in milliseconds since 1970, UTC */
  at: number;
  /** Account, operator_token, bootstrap_token (OPERATOR_TOKEN of the environment), api_key, service, browser (of somebody who is not signed in), or operator in entries of earlier versions */
  actor: string;
  /** Id of the account, operator token or API key */
  actor_id: string | null;
  /** Name at the time; for an account, name and email */
  actor_name: string | null;
  /** Address of the client, behind TRUSTED_PROXIES */
  address: string | null;
  /** Signalbox-Request-Id of the response, as in the log */
  request_id: string | null;
  /** The action */
  action: string;
  /** Id of the agent */
  agent_id: string | null;
  /** Id of the changed object */
  subject_id: string | null;
  /** The cause in a sentence */
  detail: Record<string, unknown>;
}

export interface AuditPage {
  /** Entries of this page */
  list: AuditEntry[];
  /** `cursor` of the next page; null on the last page */
  next_cursor: string | null;
}

export interface BlockingMessageRequest {
  /** Id of the conversation */
  conversation_id: string;
  /** `blocking` and `streaming` answer this call. In webhook mode the answer goes to the message webhook (4.5) */
  response_mode: "blocking";
  /** The last one is the user's message, which is stored and answered. Earlier ones are context for the model, for this answer only. 1 to 100 entries */
  messages: InboundMessage[];
  /** Options of this answer */
  conversation_config?: ConversationConfig | null | undefined;
}

export interface BlockingReply {
  /** Id of the conversation */
  conversation_id: string;
  /** Id of the message */
  message_id: string;
  /** When it was created, in milliseconds since 1970, UTC */
  create_time: number;
  /** The agent's reply */
  output: OutputItem[];
  usage: Usage;
  /** Pairs that the answer stands on: the one it was taken from, or those that the model cites, in the order of their citations. Empty if it stands on none */
  sources: AnswerSource[];
}

export interface BusinessHours {
  /** Time zone, by its IANA name. 1 to 64 characters */
  time_zone: string;
  /** Opening hours. 1 to 50 entries */
  open: {
    /** Days. 1 to 7 entries */
    days: ("mon" | "tue" | "wed" | "thu" | "fri" | "sat" | "sun")[];
    /** Start */
    from: string;
    /** End */
    to: string;
  }[];
}

export interface CannedReply {
  /** Id of the canned reply */
  reply_id: string;
  /** Title */
  title: string;
  /** Text */
  text: string;
  /** When it was created, in milliseconds since 1970, UTC */
  create_time: number;
  /** When it was last changed, in milliseconds since 1970, UTC */
  update_time: number;
}

export interface CannedReplyList {
  /** By title */
  list: CannedReply[];
}

export interface CannedReplyRequest {
  /** What people find it by. 1 to 100 characters */
  title: string;
  /** May contain {{user.id}}, {{user.email}}, {{user.phone}}, {{human.name}}, {{agent.name}}. 1 to 5,000 characters */
  text: string;
}

/** Why an attempt failed; each has its page in docs/reference/errors/causes */
export type Cause = "forbidden_address" | "dns_not_found" | "dns_failed" | "connect_refused" | "host_unreachable" | "connection_lost" | "timeout" | "tls_expired" | "tls_wrong_host" | "tls_untrusted" | "tls_failed" | "headers_too_large" | "malformed_response" | "invalid_request" | "http_status" | "unacknowledged" | "unreadable_secret" | "no_destination" | "destination_down" | "expired" | "erased";

/** The data of changed, typing and ready events */
export type ChangeEventData = {
  /** Id of the agent */
  agent_id: string;
  /** Deliveries that are new or have a new state, 100 at most; more may have changed. At most 100 entries */
  delivery_ids: string[];
  /** Conversations with a new message or delivery, 100 at most; more may have changed. At most 100 entries */
  conversation_ids: string[];
  /** Chats of the inbox that are new or changed, 100 at most; more may have changed. At most 100 entries */
  talk_ids: string[];
} | {
  /** Id of the agent */
  agent_id: string;
  /** The chat of the inbox whose user types. Told every 3 seconds meanwhile */
  talk_id: string;
} | {
};

export interface ChangePasswordRequest {
  /** Your password as it is. 1 to 200 characters */
  current_password: string;
  /** Password. At most 200 characters */
  password: string;
}

export interface ChatAttachment {
  /** Kind */
  type: "image" | "audio" | "document";
  /** Where the file is. Nothing is downloaded. At most 4,096 characters */
  url: string;
  /** Name. 1 to 200 characters */
  name?: string | null | undefined;
  /** File format. 1 to 32 characters */
  format?: string | null | undefined;
}

export interface ChatBegun {
  /** Id of the conversation */
  conversation_id: string;
}

/** The data of message, control, seen, typing and ready events */
export type ChatEventData = {
  /** Id of the message */
  message_id: string;
  /** Who sent it */
  sender: "user" | "ai" | "human" | "system";
  /** With a line for each attachment behind the words */
  text: string;
  /** Files that were sent with it */
  attachments?: {
    /** Kind */
    type: "image" | "audio" | "document";
    /** URL */
    url: string;
    /** Name */
    name?: string | undefined;
    /** File format */
    format?: string | undefined;
  }[] | undefined;
  /** The name of the human who speaks, if the desk sent it */
  name?: string | undefined;
  /** When it was created, in milliseconds since 1970, UTC */
  create_time: number;
  /** Id that the client gave the message */
  client_id?: string | undefined;
  /** Questions the user can choose from, by text or number */
  suggestions?: string[] | undefined;
} | {
  holder: ChatHolder;
} | {
  /** A human has seen the user's messages up to the one whose event has this id. At least 1 */
  sequence: number;
} | {
  /** The name of the human who types, if it is known; the agent has none */
  name?: string | undefined;
};

/** Who answers the user: the agent, nobody yet because a person was asked for, or a person */
export type ChatHolder = "agent" | "waiting" | "human";

export interface ChatList {
  /** The last 20 in which something was said, newest first */
  list: {
    /** Id of the conversation */
    conversation_id: string;
    /** When it was created, in milliseconds since 1970, UTC */
    create_time: number;
    /** The last message */
    last_message: {
      /** Who sent it */
      sender: "user" | "ai" | "human" | "system";
      /** Its first 200 characters */
      text: string;
      /** When it was created, in milliseconds since 1970, UTC */
      create_time: number;
    };
  }[];
}

export interface ChatToken {
  /** Token for one user's browser. Send it as Authorization: Bearer */
  token: string;
  /** The developer's id of the user; null if no user is bound */
  user_id: string | null;
  /** Store it in the browser for its next token */
  anonymous_id: string | null;
  /** When it expires; null if it does not. Milliseconds since 1970, UTC */
  expire_time: number;
}

export interface CheckWebhooksReply {
  /** One entry for each configured webhook */
  results: WebhookCheckResult[];
}

export interface CloseByHumanReply {
  /** The id that was sent */
  conversation_id: string;
  /** When the handoff ended: milliseconds since 1970, UTC */
  timestamp: number;
}

export interface CloseByHumanRequest {
  /** Id of the handoff, as in 4.6. With an API key also the id of the agent's conversation, while a handoff of it is open. 1 to 100 characters */
  conversation_id: string;
  /** Milliseconds since 1970, UTC. A value of ten digits is read as seconds */
  timestamp: number;
}

export interface CloseHandoff {
  /** Id of the handoff. Pass it back in replies. It is not the id of the agent's conversation */
  conversation_id: string;
  /** Milliseconds since 1970, UTC */
  timestamp: number;
  /** Kind */
  type: "TIMEOUT" | "USER_CLOSED";
}

export interface ConfirmSignInRequest {
  /** The six digits that the app shows now, or a recovery code. 1 to 64 characters */
  one_time_code: string;
}

export interface ConfirmTotpRequest {
  /** The six digits that the app shows now. 1 to 64 characters */
  one_time_code: string;
}

export interface ConversationConfig {
  /** If false, the model does not get the earlier messages of this conversation */
  short_term_memory?: boolean | null | undefined;
  /** Accepted for clients that send it; without effect */
  long_term_memory?: boolean | null | undefined;
  /** Limits the search to these documents and knowledge bases. If both are empty, the agent replies with its fallback. If omitted, it searches everything it knows */
  knowledge?: {
    /** Documents. At most 100 entries */
    data_ids?: string[] | null | undefined;
    /** Knowledge bases. At most 100 entries */
    group_ids?: string[] | null | undefined;
  } | null | undefined;
  /** Accepted for clients that send it; without effect */
  custom_variables?: Record<string, unknown> | null | undefined;
  /** If true, a model's answer keeps its citations: [1] is the first of sources. An answer that is a pair word for word carries none */
  corner_citation?: boolean | null | undefined;
}

export interface ConversationEntry {
  /** Id of the conversation */
  conversation_id: string;
  /** Id of the agent */
  agent_id: string;
  /** Channel of the conversation */
  channel: "api" | "widget";
  /** The developer's id of the user; null if no user is bound */
  user_id: string | null;
  /** Anonymous user (device) */
  anonymous_id: string | null;
  /** Who speaks now */
  control: "bot" | "human";
  /** Number of times that control has changed */
  epoch: number;
  outcome: ConversationOutcome;
  /** Number of messages */
  message_count: number;
  /** True if the messages are past their retention */
  is_redacted: boolean;
  /** When it was created, in milliseconds since 1970, UTC */
  create_time: number;
  /** Without notices of the service. null unless with_last_message is true */
  last_message: {
    /** Who sent it */
    sender: "user" | "ai" | "human" | "system";
    /** Its first 200 characters */
    text: string;
    /** When it was created, in milliseconds since 1970, UTC */
    create_time: number;
  } | null;
}

export interface ConversationOfHandoff {
  /** The agent's own conversation */
  conversation_id: string;
}

/** empty: nothing was said; with_human: a human holds it; waiting: a message waits for the agent; unanswered: the agent had no answer to the last question; answered: it had */
export type ConversationOutcome = "empty" | "with_human" | "waiting" | "unanswered" | "answered";

/** Newest first, by when they began. A page may be short or empty and still have a next_cursor: each looks through a bounded number of conversations, however rare a match is */
export interface ConversationPage {
  /** Entries of this page */
  list: ConversationEntry[];
  /** `cursor` of the next page; null on the last page */
  next_cursor: string | null;
}

export interface ConversationTimeline {
  /** Id of the conversation */
  conversation_id: string;
  /** Id of the agent */
  agent_id: string;
  /** Channel of the conversation */
  channel: "api" | "widget";
  /** The developer's id of the user; null if no user is bound */
  user_id: string | null;
  /** Anonymous user (device) */
  anonymous_id: string | null;
  /** Who speaks now */
  control: "bot" | "human";
  /** Number of times that control has changed */
  epoch: number;
  outcome: ConversationOutcome;
  /** Number of messages */
  message_count: number;
  /** True if the messages are past their retention */
  is_redacted: boolean;
  /** When it was created, in milliseconds since 1970, UTC */
  create_time: number;
  /** The user's email address; null if unknown */
  email: string | null;
  /** The user's phone number; null if unknown */
  phone: string | null;
  /** Oldest first; limit counts messages */
  list: TimelineItem[];
  /** `cursor` of the next page; null on the last page */
  next_cursor: string | null;
}

export interface ConvertedFileEntry {
  /** URL of the file. Required for `QA_FILE`; `source_url` is accepted instead. At most 4,096 characters */
  file_url?: string | null | undefined;
  /** URL of the document. Required for `FILE_2_QA` and for updates; `file_url` is accepted instead. At most 4,096 characters */
  source_url?: string | null | undefined;
  /** File name, with its extension. 1 to 200 characters */
  file_name: string;
}

/** The tokens that the reply took */
export interface CostEvent {
  /** Result code. The HTTP status decides */
  code: 4;
  /** The result in words */
  message: "Cost";
  /** Content of the event */
  data: TokenUsage;
}

export interface CreateAgentRequest {
  /** Name. 1 to 100 characters */
  name: string;
  /** Language. Default "en" */
  language?: "en" | "zh-CN" | undefined;
  /** 1 to 2,000 characters */
  fallback_text?: string | null | undefined;
  /** Score from which a pair's answer is given word for word. null uses the calibrated default. 0 to 1 */
  direct_score?: number | null | undefined;
  /** Minimum score of an answer. null uses the calibrated default. 0 to 1 */
  answer_score?: number | null | undefined;
  /** Replies to greetings, thanks and other small talk. null uses the default texts */
  small_talk?: SmallTalkSettings | null | undefined;
  /** Groups of synonyms of this agent, in addition to the built-in ones; null for none. At most 500 entries */
  synonyms?: string[][] | null | undefined;
  /** Hold an import back until an editor publishes it, if it makes a saved question fail */
  hold_failing_imports?: boolean | undefined;
}

export interface CreateConversationReply {
  /** Id of the conversation */
  conversation_id: string;
}

export interface CreateConversationRequest {
  /** 1 to 255 characters */
  user_id?: string | null | undefined;
  /** Can replace user_id. Bind it to a user later with set-userid. 1 to 128 characters */
  anonymous_id?: string | null | undefined;
  /** Passed to the human service in a handoff. 1 to 254 characters */
  email?: string | null | undefined;
  /** Passed to the human service in a handoff. 1 to 32 characters */
  phone?: string | null | undefined;
}

export interface CreateInvitationRequest {
  /** Only this address may accept it; null or omitted: anyone with the link. At most 254 characters */
  email?: string | null | undefined;
  role: Role;
  /** The agent the role is for; null or omitted: the whole installation */
  agent_id?: string | null | undefined;
  /** When the link expires; null or omitted: in seven days */
  expire_time?: number | null | undefined;
}

export interface CreateKnowledgeBaseReply {
  /** Id of the knowledge base */
  knowledge_base_id: string;
}

export interface CreateKnowledgeBaseRequest {
  /** Name. 1 to 100 characters */
  name: string;
  /** Description. 1 to 2,000 characters */
  desc?: string | null | undefined;
}

export interface CreateOperatorTokenRequest {
  /** Name of its holder, shown in the audit log. 1 to 100 characters */
  name: string;
  /** What it may do. At least 1 entries */
  scopes: OperatorScope[];
  /** When it expires; never if null or omitted */
  expire_time?: number | null | undefined;
}

export interface CreatePasskeyRequest {
  /** Which device it is on. 1 to 100 characters */
  name: string;
  /** What the browser answered: `PublicKeyCredential.toJSON()` */
  credential: Record<string, unknown>;
}

export interface CreatedApiKey {
  /** Id of the key */
  key_id: string;
  /** Name */
  name: string;
  /** What it may do */
  scopes: ApiKeyScope[];
  /** First characters of the key, to tell keys apart */
  prefix: string;
  /** When it expires; null if it does not */
  expire_time: number | null;
  /** When it was created, in milliseconds since 1970, UTC */
  create_time: number;
  /** Shown only once. Only its hash is stored */
  api_key: string;
}

export interface CreatedInvitation {
  /** Id of the invitation */
  invitation_id: string;
  /** The user's email address; null if unknown */
  email: string | null;
  role: Role;
  /** Id of the agent */
  agent_id: string | null;
  /** When it was created, in milliseconds since 1970, UTC */
  create_time: number;
  /** When it expires; null if it does not. Milliseconds since 1970, UTC */
  expire_time: number;
  /** Shown once; only its hash is stored */
  invitation_token: string;
  /** Path of the link: append it to the service's address */
  path: string;
}

export interface CreatedOperatorToken {
  /** Id of the token */
  token_id: string;
  /** Name */
  name: string;
  /** What it may do */
  scopes: OperatorScope[];
  /** First characters of the token, to tell tokens apart */
  prefix: string;
  /** When it expires; null if it does not */
  expire_time: number | null;
  /** When it was created, in milliseconds since 1970, UTC */
  create_time: number;
  /** Shown only once. Only its hash is stored */
  operator_token: string;
}

export interface CreatedPasswordReset {
  /** Id of the account */
  account_id: string;
  /** Shown once; only its hash is stored */
  reset_token: string;
  /** Path of the link: append it to the service's address */
  path: string;
  /** When it expires; null if it does not. Milliseconds since 1970, UTC */
  expire_time: number;
}

export interface CurrentHandoff {
  /** Who speaks now */
  control: "bot" | "human";
  /** The last handoff of this conversation; null if there was none */
  handoff: HandoffView | null;
}

export interface Delivery {
  /** Id of the delivery */
  delivery_id: string;
  /** Id of the agent */
  agent_id: string;
  /** Id of the webhook */
  webhook_id: string;
  /** Id of the conversation */
  conversation_id: string;
  /** Id of the message it carries; null if it carries none, or several */
  message_id: string | null;
  /** The user's message that the delivered message answers */
  in_reply_to: string | null;
  /** What happened */
  event: DeliveryEvent;
  /** Who sent it */
  sender: "user" | "ai" | "human" | "system";
  /** Position in the conversation, as in the header signalbox-sequence. At least 1 */
  sequence: number;
  state: DeliveryState;
  /** Cause of the last failed attempt, or of giving up */
  cause: Cause | null;
  /** Page that explains the cause, as a path in the repository */
  cause_page: string | null;
  /** Number of attempts so far */
  attempt_count: number;
  /** The delivery it repeats, whose id is sent as webhook-id */
  replay_of: string | null;
  /** When it was created, in milliseconds since 1970, UTC */
  create_time: number;
  /** When it ended; null while it runs */
  finish_time: number | null;
}

export interface DeliveryAttempt {
  /** Number of the attempt, from 1. At least 1 */
  number: number;
  /** Milliseconds since 1970, UTC */
  start_time: number;
  /** From the start to the last byte of the response */
  duration_ms: number;
  timings: AttemptTimings;
  /** URL it was sent to; null if there was none */
  url: string | null;
  cause: Cause | null;
  /** Page that explains the cause, as a path in the repository */
  cause_page: string | null;
  /** HTTP status of the answer; null without one */
  http_status: number | null;
  /** Whether an HTTP 200 had the body of 4.5; null if there was no HTTP 200 */
  acknowledged: boolean | null;
  /** As sent, with credentials redacted; null when nothing was sent */
  request_headers: Record<string, string> | null;
  /** Beginning of the response, with credentials redacted; null if there was none, or a plain acknowledgement */
  response_body: string | null;
  /** The bytes in Base64, only if they are not UTF-8 */
  response_body_base64: string | null;
}

export interface DeliveryDetail {
  /** Id of the delivery */
  delivery_id: string;
  /** Id of the agent */
  agent_id: string;
  /** Id of the webhook */
  webhook_id: string;
  /** Id of the conversation */
  conversation_id: string;
  /** Id of the message it carries; null if it carries none, or several */
  message_id: string | null;
  /** The user's message that the delivered message answers */
  in_reply_to: string | null;
  /** What happened */
  event: DeliveryEvent;
  /** Who sent it */
  sender: "user" | "ai" | "human" | "system";
  /** Position in the conversation, as in the header signalbox-sequence. At least 1 */
  sequence: number;
  state: DeliveryState;
  /** Cause of the last failed attempt, or of giving up */
  cause: Cause | null;
  /** Page that explains the cause, as a path in the repository */
  cause_page: string | null;
  /** Number of attempts so far */
  attempt_count: number;
  /** The delivery it repeats, whose id is sent as webhook-id */
  replay_of: string | null;
  /** When it was created, in milliseconds since 1970, UTC */
  create_time: number;
  /** When it ended; null while it runs */
  finish_time: number | null;
  /** The body sent on every attempt */
  body: string;
  /** The bytes in Base64, only if they are not UTF-8 */
  body_base64: string | null;
  /** Oldest first */
  attempts: DeliveryAttempt[];
}

export interface DeliveryEntry {
  /** Id of the delivery */
  delivery_id: string;
  /** Id of the agent */
  agent_id: string;
  /** Id of the webhook */
  webhook_id: string;
  /** Id of the conversation */
  conversation_id: string;
  /** Id of the message it carries; null if it carries none, or several */
  message_id: string | null;
  /** The user's message that the delivered message answers */
  in_reply_to: string | null;
  /** What happened */
  event: DeliveryEvent;
  /** Who sent it */
  sender: "user" | "ai" | "human" | "system";
  /** Position in the conversation, as in the header signalbox-sequence. At least 1 */
  sequence: number;
  state: DeliveryState;
  /** Cause of the last failed attempt, or of giving up */
  cause: Cause | null;
  /** Page that explains the cause, as a path in the repository */
  cause_page: string | null;
  /** Number of attempts so far */
  attempt_count: number;
  /** The delivery it repeats, whose id is sent as webhook-id */
  replay_of: string | null;
  /** When it was created, in milliseconds since 1970, UTC */
  create_time: number;
  /** When it ended; null while it runs */
  finish_time: number | null;
  /** What it says, on one line of at most 80 characters; null unless with_preview is true, if it says nothing, and once erased */
  preview: string | null;
}

export type DeliveryEvent = "message" | "handoff_requested" | "user_message" | "handoff_closed" | "message_left" | "operator_event";

/** Newest first. A page may be short or empty and still have a next_cursor: each looks through a bounded number of deliveries, however rare a match is */
export interface DeliveryPage {
  /** Entries of this page */
  list: DeliveryEntry[];
  /** `cursor` of the next page; null on the last page */
  next_cursor: string | null;
}

/** pending: waits, or is tried again; delivered: answered with HTTP 200; dead: given up */
export type DeliveryState = "pending" | "delivered" | "dead";

export interface DestinationPage {
  /** Entries of this page */
  list: DestinationState[];
  /** `cursor` of the next page; null on the last page */
  next_cursor: string | null;
}

export interface DestinationState {
  /** Id of the webhook */
  webhook_id: string;
  /** Id of the agent */
  agent_id: string;
  /** Kind of timer */
  kind: "message" | "human_service" | "operator";
  /** Name */
  name: string | null;
  /** URL */
  url: string;
  /** Closed: works; open: fails and is probed; disabled: answered HTTP 410 */
  breaker: "closed" | "open" | "disabled";
  /** When this state began; null if it has never failed */
  since_time: number | null;
  /** Probes since the breaker opened */
  tries: number;
  /** When the next attempt is due; null if none is */
  next_try_time: number | null;
  /** Conversations waiting for this webhook */
  lanes_parked: number;
  /** Conversations whose next message failed at this webhook and is tried again */
  lanes_retrying: number;
  /** When the oldest waiting message was accepted */
  oldest_waiting_time: number | null;
}

export interface DiagnoseWebhooksReply {
  /** One entry for each configured webhook */
  results: ({
    /** Kind */
    type: "message";
    /** Id of the human service component; null for the message webhook */
    component_id: null;
    /** Name of the human service component; null for the message webhook */
    component_name: null;
    /** The URL probed. A human service has two: the first that did not answer 200 is given, or the establish URL if both did */
    webhook_url: string;
    /** True if the response was HTTP 200 */
    reachable: boolean;
    /** HTTP status of the URL probed; 0 if there was no response */
    http_status: number | null;
    /** Duration of the probe; for a human service, of the slower one */
    latency_ms: number;
    /** Id of the webhook */
    webhook_id: string;
    /** The requests that were made */
    probes: WebhookProbe[];
  } | {
    /** Kind */
    type: "human_service";
    /** Id of the human service component; null for the message webhook */
    component_id: string;
    /** Name of the human service component; null for the message webhook */
    component_name: string;
    /** The URL probed. A human service has two: the first that did not answer 200 is given, or the establish URL if both did */
    webhook_url: string;
    /** True if the response was HTTP 200 */
    reachable: boolean;
    /** HTTP status of the URL probed; 0 if there was no response */
    http_status: number | null;
    /** Duration of the probe; for a human service, of the slower one */
    latency_ms: number;
    /** Id of the webhook */
    webhook_id: string;
    /** The requests that were made */
    probes: WebhookProbe[];
  })[];
}

export interface DisableTotpRequest {
  /** Password. 1 to 200 characters */
  password: string;
  /** The six digits that the app shows now, or a recovery code. 1 to 64 characters */
  one_time_code: string;
}

export interface DocumentDetail {
  /** Id of the document */
  data_id: string;
  data_status: DocumentStatus;
  /** Name of the document */
  doc_name: string;
  /** Id of the knowledge base */
  knowledge_base_id: string;
  /** Served now */
  pairs: number;
  /** Null if no embedding model is configured */
  pairs_with_vectors: number | null;
  /** The newest import, or the one asked for */
  last_import: DocumentImport | null;
}

export type DocumentDetails = DocumentDetail[];

export interface DocumentImport {
  /** Id of the import */
  import_id: string;
  /** Held: it waits for an editor, because it makes a saved question fail */
  state: "waiting" | "working" | "held" | "current" | "superseded" | "failed";
  /** File name, with its extension */
  file_name: string | null;
  /** URL of the document. Required for `FILE_2_QA` and for updates; `file_url` is accepted instead */
  source_url: string | null;
  /** Equals pairs + rejected + duplicates + blank once the import has succeeded */
  rows_read: number;
  /** Pairs stored */
  pairs: number;
  /** Rows rejected */
  rejected: number;
  /** Rows that repeat a pair */
  duplicates: number;
  /** Empty rows */
  blank: number;
  /** Pairs whose question also occurs with another answer. They are kept */
  conflicts: number;
  /** The first problems */
  problems: ImportProblem[];
  /** Encoding detected */
  encoding: string | null;
  /** Delimiter detected */
  delimiter: string | null;
  /** Header rows detected */
  header_rows: number | null;
  /** Columns ignored */
  ignored_columns: number | null;
  /** Number of chunks */
  chunks_total: number;
  /** Chunks converted */
  chunks_done: number;
  /** Chunks that failed */
  chunks_failed: number;
  /** Pairs of the model that the source does not support and that were dropped */
  unsupported: number;
  /** Input tokens */
  prompt_tokens: number;
  /** Output tokens */
  completion_tokens: number;
  /** Cause of the failure, as a stable word */
  cause: string | null;
  /** The cause in a sentence */
  detail: string | null;
  /** Line number */
  line: number | null;
  /** When it was created, in milliseconds since 1970, UTC */
  create_time: number;
  /** When it ended; null while it runs */
  finish_time: number | null;
}

export interface DocumentPage {
  /** Entries of this page */
  list: ListedDocument[];
  /** Number of entries on all pages */
  total: number;
}

export interface DocumentResult {
  /** Id of the document */
  doc_id: string;
  /** Name of the document */
  doc_name: string;
}

export interface DocumentRevision {
  /** Id of the document */
  doc_id: string;
  /** Revision of the document that the pair belongs to */
  revision: number;
  /** Import: all pairs were replaced. append: pairs were added. edit: one pair was changed. restore: the pairs of an earlier revision came back */
  change: "import" | "append" | "edit" | "restore";
  /** RestoreRevision can bring its pairs back */
  can_restore: boolean;
  /** Null if it was made before authors were recorded */
  author: PairAuthor | null;
  /** Id of the import */
  import_id: string;
  /** Held: it waits for an editor, because it makes a saved question fail */
  state: "waiting" | "working" | "held" | "current" | "superseded" | "failed";
  /** File name, with its extension */
  file_name: string | null;
  /** Equals pairs + rejected + duplicates + blank once the import has succeeded */
  rows_read: number;
  /** Pairs stored */
  pairs: number;
  /** Rows rejected */
  rejected: number;
  /** Rows that repeat a pair */
  duplicates: number;
  /** Empty rows */
  blank: number;
  /** Pairs whose question also occurs with another answer. They are kept */
  conflicts: number;
  /** The first problems */
  problems: ImportProblem[];
  /** Number of chunks */
  chunks_total: number;
  /** Chunks converted */
  chunks_done: number;
  /** Cause of the failure, as a stable word */
  cause: string | null;
  /** The cause in a sentence */
  detail: string | null;
  /** Line number */
  line: number | null;
  /** When it was created, in milliseconds since 1970, UTC */
  create_time: number;
  /** When it ended; null while it runs */
  finish_time: number | null;
}

export interface DocumentRevisionPage {
  /** Entries of this page */
  list: DocumentRevision[];
  /** `cursor` of the next page; null on the last page */
  next_cursor: string | null;
}

/** REPLACING: an update is at work and the old pairs are served */
export type DocumentStatus = "PENDING" | "PROCESSING" | "AVAILABLE" | "REPLACING" | "FAILED";

export interface DocumentsResult {
  /** Documents added or updated */
  doc: DocumentResult[];
  /** Names of the files that failed; a name may repeat */
  failed: string[];
}

export interface Duration {
  /** Number of values */
  count: number;
  /** Null if there was none */
  average_ms: number | null;
  /** An estimate from counts by length */
  median_ms: number | null;
  /** Nine in ten took at most this long; an estimate */
  p90_ms: number | null;
}

export interface ErasedCounts {
  /** Conversations */
  conversations: number;
  /** Messages, oldest first */
  messages: number;
  /** Handoffs */
  handoffs: number;
  /** Deliveries deleted with their bodies */
  deliveries: number;
  /** Pending deliveries that were stopped with the cause `erased`, and whose bodies were deleted */
  deliveries_stopped: number;
  /** Attempts */
  attempts: number;
  /** Questions that the agent could not answer */
  unanswered_questions: number;
  /** Recordings of spoken answers */
  speech: number;
  /** Anonymous ids bound to the user */
  bindings: number;
  /** Responses stored for Idempotency-Keys */
  remembered_answers: number;
  /** Rows of all tables, when a deleted agent is erased */
  rows: number;
}

export interface Erasure {
  /** Id of the erasure */
  erasure_id: string;
  /** Id of the agent */
  agent_id: string;
  /** Kind of id that is erased. The id itself is not stored */
  scope: "user_id" | "anonymous_id" | "agent";
  /** State */
  state: "running" | "finished";
  /** Conversations still to erase */
  conversations_left: number;
  /** Counts of the data erased so far */
  erased: ErasedCounts;
  /** When it was created, in milliseconds since 1970, UTC */
  create_time: number;
  /** When it ended; null while it runs */
  finish_time: number | null;
}

export interface ErasurePage {
  /** Entries of this page */
  list: Erasure[];
  /** `cursor` of the next page; null on the last page */
  next_cursor: string | null;
}

export interface EstablishHandoff {
  /** Id of the handoff. Pass it back in replies. It is not the id of the agent's conversation */
  conversation_id: string;
  /** Milliseconds since 1970, UTC */
  timestamp: number;
  /** The user's email address; null if unknown */
  email: string | null;
  /** The agent's id */
  bot_id: string;
  /** The recent conversation, oldest first */
  body: HandoffItem[];
  /** Known facts about the user */
  user_info: HandoffUserInfo;
  /** True on an availability test: answer 200 and do nothing else */
  istest?: boolean | undefined;
}

/** csv and xlsx: one row for each pair, as an import reads it. json: documents with their pairs, as signalbox documents import reads it */
export type ExportFormat = "csv" | "xlsx" | "json";

export interface ExportedConversation {
  /** Id of the conversation */
  conversation_id: string;
  /** Channel of the conversation */
  channel: string;
  /** The developer's id of the user; null if no user is bound */
  user_id: string | null;
  /** Anonymous user (device) */
  anonymous_id: string | null;
  /** The user's email address; null if unknown */
  email: string | null;
  /** The user's phone number; null if unknown */
  phone: string | null;
  /** When it was created, in milliseconds since 1970, UTC */
  create_time: number;
  /** Oldest first */
  messages: ExportedMessage[];
  /** Handoffs */
  handoffs: HandoffView[];
  /** Deliveries to webhooks and desks, with every attempt */
  deliveries: DeliveryDetail[];
  /** What the team noted about the user in the inbox */
  notes: {
    /** Name of the account, token or key that did it */
    actor_name: string;
    /** Text */
    text: string;
    /** When it was created, in milliseconds since 1970, UTC */
    create_time: number;
  }[];
  /** Questions that the agent could not answer */
  unanswered_questions: {
    /** Text of the question */
    question: string;
    /** How often it was asked. At least 1 */
    asked: number;
  }[];
  /** What the user asked, and the stored questions offered for it */
  offers: {
    /** Text of the question */
    question: string;
    /** Questions that were offered to the user */
    offered: string[];
    /** When it was created, in milliseconds since 1970, UTC */
    create_time: number;
  }[];
  /** What the user thought of answers, and of the conversation where message_id is null */
  ratings: {
    /** Good or bad */
    rating: Rating;
    /** Comment of the user */
    comment: string | null;
    /** Id of the message */
    message_id: string | null;
    /** When it was created, in milliseconds since 1970, UTC */
    create_time: number;
  }[];
  /** Spoken answers */
  speech: {
    /** Media type */
    content_type: string;
    /** The recording, in base64 */
    audio_base64: string;
    /** When it was created, in milliseconds since 1970, UTC */
    create_time: number;
  }[];
}

export interface ExportedMessage {
  /** Id of the message */
  message_id: string;
  /** Position in the conversation. At least 1 */
  sequence: number;
  /** Who sent it */
  sender: "user" | "ai" | "human" | "system";
  /** Direct, model, fallback, human or notice */
  branch: string | null;
  /** Text */
  text: string;
  /** Attachments */
  attachments: {
    /** Kind */
    type: string;
    /** URL */
    url: string;
    /** File format */
    format?: string | undefined;
    /** Name */
    name?: string | undefined;
  }[];
  /** Pairs that the answer stands on: the one it was taken from, or those that the model cites, in the order of their citations. Empty if it stands on none */
  sources: AnswerSource[];
  /** Options of the call that asked for the answer, with the earlier messages it sent */
  answer_with: Record<string, unknown> | null;
  /** Id that the client gave the message */
  client_id: string | null;
  /** When it was created, in milliseconds since 1970, UTC */
  create_time: number;
}

/** A model whose last call failed */
export interface FailingModel {
  /** Id of the agent */
  agent_id: string;
  /** Name of the agent */
  agent_name: string;
  /** Kind of timer */
  kind: ModelKind;
  /** Name of the model */
  model: string;
  failure: ModelFailure;
}

export interface Failure {
  /** One of the codes in docs/reference/errors; its first three digits are the HTTP status */
  code: number;
  /** The code's fixed text, often followed by what to do next */
  message: string;
}

export interface Figures {
  /** Conversations whose first message was said */
  conversations: number;
  /** By who said them */
  messages: {
    /** The user */
    user: number;
    /** From the agent */
    ai: number;
    /** From a human */
    human: number;
    /** From the service */
    system: number;
  };
  /** What the agent replied. direct: a stored answer; suggestion: stored questions to choose from; model: worded by a model; unanswered: no answer found; small_talk: greetings and thanks */
  answers: {
    /** Answered with a stored answer */
    direct: number;
    /** Answered with questions to choose from */
    suggestion: number;
    /** Name of the model */
    model: number;
    /** Not answered */
    unanswered: number;
    /** Small talk: greetings, thanks and the like */
    small_talk: number;
  };
  /** Handoffs that were requested */
  handoffs: number;
  /** What asked for a person */
  handoff_triggers: {
    /** Requested by a phrase of the user */
    phrase: number;
    /** The user */
    user: number;
    /** Requested because the agent had no answer */
    no_answer: number;
    /** Name of the model */
    model: number;
    /** Requested with an API key */
    api: number;
  };
  /** Why handoffs ended */
  handoff_ends: {
    /** The desk refused it */
    refused: number;
    /** The wait for the first reply of a human */
    first_reply: number;
    /** The wait for a human who has become silent */
    human_idle: number;
    /** The wait for a user who has become silent */
    user_idle: number;
    /** Ended by the user */
    user_closed: number;
    /** Closed by the human */
    human_closed: number;
    /** Ended because the desk could not be reached */
    desk_lost: number;
    /** Ended because the desk was removed */
    desk_removed: number;
    /** Ended because the message webhook was removed */
    webhook_removed: number;
    /** Ended with a message that the user left */
    message_left: number;
  };
  /** From the request to the first reply of a human, or to the end if none came */
  waiting: Duration;
  /** From the request to the first reply of a human */
  first_reply: Duration;
  /** From the request to the end, of handoffs in which a human replied and that the user or the human closed, or that went quiet */
  resolution: Duration;
  /** Ratings of answers and conversations that users gave, as they are now; those of erased conversations are gone */
  ratings: {
    /** Rated as good */
    good: number;
    /** Rated as bad */
    bad: number;
  };
  /** Tokens of models, imports included; null with a channel or a language: they are counted by agent */
  tokens: number | null;
}

export interface FilledReply {
  /** The canned reply with its placeholders filled in for this chat */
  text: string;
  /** Placeholders without a value, left empty */
  missing: ("user.id" | "user.email" | "user.phone" | "human.name" | "agent.name")[];
}

export interface FinishOidcSignInRequest {
  /** `code` of the address that the provider led back to. 1 to 4,096 characters */
  authorization_code: string;
  /** `state` of that address. 1 to 512 characters */
  oidc_state: string;
  /** `iss` of that address, where it has one (RFC 9207). 1 to 512 characters */
  oidc_issuer?: string | null | undefined;
  /** Token of an invitation's link; without one, an open invitation for the email address is used */
  invitation_token?: string | null | undefined;
}

export interface FinishPasskeySignInRequest {
  /** What the browser answered: `PublicKeyCredential.toJSON()` */
  credential: Record<string, unknown>;
}

/** The reply as it is stored: this one counts */
export interface FlowOutputEvent {
  /** Result code. The HTTP status decides */
  code: 10;
  /** The result in words */
  message: "FlowOutput";
  /** The whole reply, as it is stored */
  data: {
    /** A text, or a list of parts */
    content: {
      /** Text */
      text: string;
      /** Empty if the answer was not spoken */
      audio: {
        /** Recordings */
        audio: string;
        /** Text of the audio */
        transcript: string;
      }[];
    };
    /** Direct, model, fallback, human or notice */
    branch: string;
    /** Component that replied */
    from_component_name: string;
  }[];
}

/** Counted from 1: column A is 1 */
export interface FoundColumns {
  /** Null where a person has to choose. 1 to 200 */
  question: number | null;
  /** Null where a person has to choose. 1 to 200 */
  answer: number | null;
  /** Other wordings of the question. At most 20 entries */
  alternates: number[];
  /** Tags, separated by commas. Without it, pairs keep the tags they have. 1 to 200 */
  tags: number | null;
}

export interface GivenRating {
  /** Good or bad */
  rating: Rating;
  /** Comment of the user */
  comment: string | null;
  /** Milliseconds since 1970, UTC */
  time: number;
}

export interface HandoffAnswer {
  /** Result code. The HTTP status decides */
  code: number;
  /** The result in words */
  message: string;
}

export interface HandoffChat {
  /** Id of the handoff. Pass it back in replies. It is not the id of the agent's conversation */
  conversation_id: string;
  /** Milliseconds since 1970, UTC */
  timestamp: number;
  /** The user's message */
  body: string;
  /** True on an availability test: answer 200 and do nothing else */
  istest?: boolean | undefined;
}

export interface HandoffItem {
  /** Text */
  text: string;
  /** `QUESTION` is from the user, `ANSWER` from the agent */
  message_type: "QUESTION" | "ANSWER";
}

export interface HandoffPage {
  /** Entries of this page */
  list: HandoffView[];
  /** `cursor` of the next page; null on the last page */
  next_cursor: string | null;
}

/** Why it ended */
export type HandoffReason = "refused" | "first_reply" | "human_idle" | "user_idle" | "user_closed" | "human_closed" | "desk_lost" | "desk_removed" | "webhook_removed" | "message_left";

export interface HandoffSettings {
  /** Phrases that request a person, instead of the built-in ones. An empty list disables them. Default {} */
  phrases: {
    /** Phrases in English. At most 200 entries */
    en?: string[] | undefined;
    /** Phrases in Simplified Chinese. At most 200 entries */
    "zh-CN"?: string[] | undefined;
  };
  /** Unanswered questions in a row after which a handoff is requested; null for never. 1 to 20. Default 3 */
  no_answer_limit: number | null;
  /** Time after a handoff in which the agent requests no other. Users still can. 0 to 86,400. Default 600 */
  quiet_seconds: number;
  /** How many messages of the conversation 4.6 carries. 1 to 100. Default 20 */
  transcript_items: number;
  /** Timers of a handoff */
  timers: {
    /** A component can override it. Default {"seconds":300,"warn_seconds":[240,60]} */
    first_reply: HandoffTimer;
    /** The wait for a human who has become silent. Default {"seconds":600,"warn_seconds":60} */
    human_idle: HandoffTimer;
    /** The wait for a user who has become silent. Default {"seconds":1800,"warn_seconds":120} */
    user_idle: HandoffTimer;
  };
  /** Notices to the user, by occasion and language, instead of the default texts. Default {} */
  notices: Record<string, {
    /** Null disables the notice. 1 to 2,000 characters */
    en?: string | null | undefined;
    /** Null disables the notice. 1 to 2,000 characters */
    "zh-CN"?: string | null | undefined;
  }>;
}

/** requested: the desk is being asked; connecting: it said yes; active: a human wrote; busy: it said no; closed: it is over */
export type HandoffState = "requested" | "connecting" | "active" | "busy" | "closed";

export interface HandoffTimer {
  /** Seconds. 1 to 604,800 */
  seconds: number;
  /** How long before the timeout the user is warned; several values warn several times, 0 never. 0 to 86,400; at most 5 entries */
  warn_seconds: number | number[];
}

/** What asked for a person */
export type HandoffTrigger = "phrase" | "user" | "no_answer" | "model" | "api";

export interface HandoffUserInfo {
  /** The user's phone number; null if unknown */
  phone: string | null;
  /** The user's email address; null if unknown */
  email: string | null;
  /** The developer's id of the user; null if no user is bound */
  user_id: string | null;
  /** Anonymous user (device) */
  anonymous_id: string | null;
}

export interface HandoffView {
  /** Id of the handoff: the conversation_id of 4.6 to 4.10 */
  handoff_id: string;
  /** Id of the agent */
  agent_id: string;
  /** The agent's own conversation */
  conversation_id: string;
  /** Id of the human service component; null for the message webhook */
  component_id: string;
  trigger: HandoffTrigger;
  state: HandoffState;
  reason: HandoffReason | null;
  /** When the handoff was requested, in milliseconds since 1970, UTC */
  request_time: number;
  /** When a human first wrote */
  first_reply_time: number | null;
  /** When it ended */
  end_time: number | null;
  /** The timer that runs, and when it ends */
  timer: {
    /** Kind of timer */
    kind: "first_reply" | "human_idle" | "user_idle";
    /** When it fires. Milliseconds since 1970, UTC */
    due_time: number;
  } | null;
}

export interface HumanAnswer {
  /** Id of the human's answer */
  answer_id: string;
  /** Id of the conversation */
  conversation_id: string;
  /** Id of the handoff */
  handoff_id: string;
  /** What the user asked. Email addresses and long numbers are masked */
  question: string;
  /** What the human replied, masked like the question */
  answer: string;
  /** Milliseconds since 1970, UTC */
  time: number;
}

export interface HumanAnswerPage {
  /** Entries of this page */
  list: HumanAnswer[];
  /** `cursor` of the next page; null on the last page */
  next_cursor: string | null;
}

export interface HumanService {
  /** Id of the human service component; null for the message webhook */
  component_id: string;
  /** Inbox: people answer in the console */
  kind: "webhook" | "inbox";
  /** Name */
  name: string;
  /** URL */
  url: string;
  /** Whether a username is stored */
  username_set: boolean;
  /** Whether a secret is stored. The secret itself is never shown */
  secret_set: boolean;
  /** Whether this desk may call 4.9 and 4.10 without an API key */
  allow_unauthenticated_replies: boolean;
  /** Which handoffs this desk gets */
  rule: HumanServiceRule;
  /** When people answer; null for always */
  business_hours: BusinessHours | null;
  /** How long the service waits for the answer to establish (4.6) */
  establish_timeout_seconds: number;
  /** How often establish (4.6) is tried */
  establish_tries: number;
  /** The wait for the first reply of a human */
  first_reply: HandoffTimer | null;
  /** Signs every call (Standard Webhooks). Shown only when it is created */
  signing_secret?: string | undefined;
  /** When it was created, in milliseconds since 1970, UTC */
  create_time: number;
  /** When it was last changed, in milliseconds since 1970, UTC */
  update_time: number;
}

export interface HumanServicePage {
  /** Entries of this page */
  list: HumanService[];
  /** `cursor` of the next page; null on the last page */
  next_cursor: string | null;
}

export interface HumanServiceRule {
  /** The lowest number is asked first. 0 to 1,000 */
  priority: number;
  /** The user's last message is in one of these languages. At least 1 entries */
  languages?: ("en" | "zh-CN")[] | undefined;
  /** Triggers of the handoffs it gets; without them, all. At least 1 entries */
  triggers?: HandoffTrigger[] | undefined;
  /** The user's recent messages contain one of these phrases. 1 to 100 entries */
  keywords?: string[] | undefined;
}

export interface HumanServiceRuleRequest {
  /** The lowest number is asked first. 0 to 1,000. Default 100 */
  priority?: number | undefined;
  /** The user's last message is in one of these languages. At least 1 entries */
  languages?: ("en" | "zh-CN")[] | undefined;
  /** Triggers of the handoffs it gets; without them, all. At least 1 entries */
  triggers?: HandoffTrigger[] | undefined;
  /** The user's recent messages contain one of these phrases. 1 to 100 entries */
  keywords?: string[] | undefined;
}

/** Counted from 1: column A is 1 */
export interface ImportColumns {
  /** Text of the question. 1 to 200 */
  question: number;
  /** Text of the answer. 1 to 200 */
  answer: number;
  /** Other wordings of the question. At most 20 entries */
  alternates?: number[] | null | undefined;
  /** Tags, separated by commas. Without it, pairs keep the tags they have. 1 to 200 */
  tags?: number | null | undefined;
}

export interface ImportProblem {
  /** Line number */
  line?: number | undefined;
  /** Column number */
  column?: number | undefined;
  /** Cause of the problem, as a stable word */
  cause: string;
  /** The cause in a sentence */
  detail: string;
}

export interface InboundMessage {
  /** Who wrote it */
  role: "user" | "assistant";
  /** A text, or a list of parts. 1 to 25,000 characters; 1 to 50 entries */
  content: string | MessagePart[];
}

export interface Inbox {
  /** Its human service component; null while it is off */
  component_id: string | null;
  /** Name */
  name: string;
  assignment: InboxAssignment;
  /** When people answer; null for always */
  business_hours: BusinessHours | null;
  /** The wait for the first reply of a human */
  first_reply: HandoffTimer | null;
  /** If true, handoffs can come to the inbox */
  is_enabled: boolean;
}

/** manual: people take waiting chats. turn: each new chat is offered to the available person who was offered one longest ago. load: to the available person with the fewest open chats */
export type InboxAssignment = "manual" | "turn" | "load";

export interface InboxMember {
  /** Id of the account */
  account_id: string;
  /** Name */
  name: string;
  /** The user's email address; null if unknown */
  email: string;
  presence: Presence;
  /** Open chats that the person holds */
  open_count: number;
  /** Whether this is the account that calls */
  is_me: boolean;
}

export interface InboxMemberList {
  /** Everybody who may answer for this agent, by name */
  list: InboxMember[];
}

export interface InboxPerson {
  /** Null for an operator token */
  account_id: string | null;
  /** Name */
  name: string;
}

export interface InboxTeam {
  /** Id of the team */
  team_id: string;
  /** Name */
  name: string;
  /** Those who may still answer for this agent, by name */
  members: InboxPerson[];
  /** Members who are available now */
  available_count: number;
  /** Chats that wait for this team */
  waiting_count: number;
  /** When it was created, in milliseconds since 1970, UTC */
  create_time: number;
  /** When it was last changed, in milliseconds since 1970, UTC */
  update_time: number;
}

export interface InboxTeamList {
  /** By name */
  list: InboxTeam[];
}

export interface InboxTeamRequest {
  /** What people see it by. No two teams of an inbox have the same. 1 to 100 characters */
  name: string;
  /** Its members; they replace those it has. At most 500 entries. Default [] */
  account_ids?: string[] | undefined;
}

/** waiting: all that nobody has taken, longest wait first. mine: open chats that you hold or that are offered to you. team: open chats that anybody holds, and those that wait for a team of yours. closed: newest first */
export type InboxView = "waiting" | "mine" | "team" | "closed";

export interface Invitation {
  /** Id of the invitation */
  invitation_id: string;
  /** The user's email address; null if unknown */
  email: string | null;
  role: Role;
  /** Id of the agent */
  agent_id: string | null;
  /** When it was created, in milliseconds since 1970, UTC */
  create_time: number;
  /** When it expires; null if it does not. Milliseconds since 1970, UTC */
  expire_time: number;
  /** State */
  state: "open" | "accepted" | "withdrawn" | "expired";
}

export interface InvitationOffer {
  /** Only this address may accept it; null: anyone with the link */
  email: string | null;
  role: Role;
  /** Id of the agent */
  agent_id: string | null;
  /** Name of the agent; null for the whole installation */
  agent_name: string | null;
  /** There is an account with this email: sign in with it, then accept the invitation */
  has_account: boolean;
  /** When it expires; null if it does not. Milliseconds since 1970, UTC */
  expire_time: number;
}

export interface InvitationPage {
  /** Entries of this page */
  list: Invitation[];
  /** `cursor` of the next page; null on the last page */
  next_cursor: string | null;
}

export interface InvitationToken {
  /** The part of the link after # */
  token: string;
}

export interface KnowledgeBase {
  /** Id of the knowledge base */
  knowledge_base_id: string;
  /** Name */
  name: string;
  /** Description */
  description: string;
  /** Used if no knowledge base is named */
  is_default: boolean;
  /** Number of documents */
  documents: number;
  /** Pairs stored */
  pairs: number;
}

export interface KnowledgeBaseList {
  /** Entries of this page */
  list: KnowledgeBase[];
  /** `cursor` of the next page; null on the last page */
  next_cursor: string | null;
}

export interface KnowledgeBasePage {
  /** Knowledge bases */
  knowledge_base: {
    /** Id */
    id: string;
    /** Name */
    name: string;
    /** Description */
    desc: string;
    /** Documents */
    doc: number;
    /** Pairs */
    chunk: number;
    /** Estimated from the number of characters */
    token: number;
    /** Always null */
    owner_id: null;
    /** Always null */
    owner_email: null;
    /** Used if no knowledge base is named */
    is_default: boolean;
  }[];
  /** Number of entries on all pages */
  total: number;
}

export interface KnowledgeDocument {
  /** Id of the document */
  doc_id: string;
  /** Name of the document */
  doc_name: string;
  /** Id of the knowledge base */
  knowledge_base_id: string;
  status: DocumentStatus;
  /** Pairs stored */
  pairs: number;
  /** When it was created, in milliseconds since 1970, UTC */
  create_time: number;
  /** When it was last changed, in milliseconds since 1970, UTC */
  update_time: number;
}

export interface KnowledgeDocumentPage {
  /** Entries of this page */
  list: KnowledgeDocument[];
  /** `cursor` of the next page; null on the last page */
  next_cursor: string | null;
}

export interface ListedDocument {
  /** Id */
  id: string;
  /** Name */
  name: string;
  /** File format */
  format: "QA_TEXT" | "QA_FILE" | "FILE_2_QA";
  /** URL of the document. Required for `FILE_2_QA` and for updates; `file_url` is accepted instead */
  source_url: string | null;
  status: DocumentStatus;
  /** Pairs */
  chunk: number;
  /** Estimated from the number of characters */
  token: number;
  /** Number of characters */
  char_count: number;
  /** When it was created, in milliseconds since 1970, UTC */
  create_time: number;
  /** When it was last changed, in milliseconds since 1970, UTC */
  update_time: number;
  /** Always null */
  creator_id: null;
  /** Always null */
  creator_email: null;
}

export interface ListedMessage {
  /** Id of the message */
  message_id: string;
  /** When it was created, in milliseconds since 1970, UTC */
  create_time: number;
  /** Who wrote it */
  role: "user" | "assistant";
  /** Pairs that the answer stands on: the one it was taken from, or those that the model cites, in the order of their citations. Empty if it stands on none */
  sources: AnswerSource[];
  /** A text, or a list of parts */
  content: {
    /** Direct, model or fallback; human or notice for what was said in place of the agent */
    from_component_branch: string;
    /** Parts of the message */
    branch_content: ShownPart[];
  }[];
}

export interface ListedSession {
  /** Id of the session */
  session_id: string;
  /** The session that makes this request */
  is_current: boolean;
  /** The client's address at sign-in */
  address: string;
  /** Browser or program, as it names itself */
  user_agent: string;
  /** When it was created, in milliseconds since 1970, UTC */
  create_time: number;
  /** When it was last used; null if it never was. Milliseconds since 1970, UTC */
  last_used_time: number;
  /** When it expires; null if it does not. Milliseconds since 1970, UTC */
  expire_time: number;
}

export interface MarkSeenRequest {
  /** The last message that was seen. At least 1 */
  sequence: number;
}

export interface MatchReply {
  /** Number of entries on all pages */
  total: number;
  /** Entries of this page */
  list: ({
    /** Question and answer */
    content: string;
    /** Id of the document */
    data_id: string;
    /** Match, from 0 to 1. 0 to 1 */
    score: number;
    /** Text of the question */
    question: string;
    /** Text of the answer */
    answer: string;
    /** Id of the knowledge base */
    knowledge_base_id: string;
    /** Revision of the document that the pair belongs to */
    revision: number;
    /** What the agent would do if this were the best pair: answer word for word, answer from it, offer its question, or none of these */
    would: "direct" | "model" | "offer" | "fallback";
    /** Parts of the score; only with `score_parts` */
    parts?: {
      /** Text of the question */
      question: number;
      /** Share of equal trigrams */
      trigram: number;
      /** Text of the answer */
      answer: number;
      /** Score by words */
      lexical: number;
      /** Score by vectors; null without an embedding model */
      semantic: number | null;
    } | undefined;
  })[];
}

export interface MatchRequest {
  /** Text to search for. 1 to 25,000 characters */
  prompt: string;
  /** Maximum number of pairs. 1 to 50 */
  top_k?: number | null | undefined;
  /** Weight of vectors against words; 0 uses words alone. 0 to 1 */
  embedding_rate?: number | null | undefined;
  /** Only these knowledge bases; all if omitted. At most 100 entries */
  group_ids?: string[] | null | undefined;
  /** Only these documents; all if omitted. At most 100 entries */
  data_ids?: string[] | null | undefined;
  /** Minimum score. 0 to 1 */
  doc_correlation?: number | null | undefined;
  /** If true, explain each score */
  score_parts?: boolean | null | undefined;
}

export interface MessageAccepted {
  /** Id of the conversation */
  conversation_id: string;
  /** Id of the message */
  message_id: string;
}

export interface MessageAcknowledgement {
  /** Result code. The HTTP status decides */
  code: 200;
  /** Always `success` */
  msg: "success";
}

/** First of all: the id of the reply */
export interface MessageInfoEvent {
  /** Result code. The HTTP status decides */
  code: 11;
  /** The result in words */
  message: "MessageInfo";
  /** Content of the event */
  data: {
    /** Id of the message */
    message_id: string;
  };
}

/** Messages of a conversation, oldest first */
export interface MessagePage {
  /** Number of entries on all pages */
  total: number;
  /** Messages of this page, oldest first */
  conversation_content: ListedMessage[];
}

export type MessagePart = {
  /** Kind */
  type: "text";
  /** Text. 1 to 25,000 characters */
  text: string;
} | {
  /** Kind */
  type: "image";
  /** Images. 1 to 20 entries */
  image: Attachment | Attachment[];
} | {
  /** Kind */
  type: "audio";
  /** Recordings. 1 to 20 entries */
  audio: Attachment | Attachment[];
} | {
  /** Kind */
  type: "document";
  /** Documents. 1 to 20 entries */
  document: Attachment | Attachment[];
};

export interface MessageSources {
  /** Id of the conversation */
  conversation_id: string;
  /** Id of the message */
  message_id: string;
  /** Pairs that the answer stands on: the one it was taken from, or those that the model cites, in the order of their citations. Empty if it stands on none */
  sources: AnswerSource[];
}

export type MessageStreamEvent = MessageInfoEvent | TextEvent | FlowOutputEvent | SuggestionsEvent | SourcesEvent | CostEvent | WithdrawnEvent;

export interface MessageWebhook {
  /** Id of the webhook */
  webhook_id: string;
  /** URL */
  url: string;
  /** Whether a username is stored */
  username_set: boolean;
  /** Whether a secret is stored. The secret itself is never shown */
  secret_set: boolean;
  /** If true, an HTTP 200 without the body of 4.5 is a failure */
  strict_acknowledgement: boolean;
  /** If true, replies on the live channel are also sent to this webhook */
  mirror_live_channel: boolean;
  /** If true, each call also has the headers of CloudEvents 1.0 in binary mode */
  cloud_events: boolean;
  public_key: string | null;
  /** Signs every call (Standard Webhooks). Shown only when it is created */
  signing_secret?: string | undefined;
  /** When it was last changed, in milliseconds since 1970, UTC */
  update_time: number;
}

export interface MintChatTokenRequest {
  /** The signed-in user's id; omit it for a visitor. 1 to 255 characters */
  user_id?: string | null | undefined;
  /** The anonymous id of an earlier token of this browser. A new one is created if omitted. 1 to 128 characters */
  anonymous_id?: string | null | undefined;
  /** Passed to the human service in a handoff. 1 to 254 characters */
  email?: string | null | undefined;
  /** Passed to the human service in a handoff. 1 to 32 characters */
  phone?: string | null | undefined;
  /** How long the token is valid, in seconds. 60 to 86,400. Default 3600 */
  expires_in_seconds?: number | undefined;
}

/** Why a call of a model failed */
export type ModelCause = "unreachable" | "forbidden_address" | "no_api" | "unauthorised" | "unknown_model" | "no_credit" | "rate_limited" | "over_quota" | "bad_request" | "unavailable" | "timeout" | "malformed_reply" | "refused";

export interface ModelFailure {
  cause: ModelCause;
  /** The cause in words */
  message: string;
  /** What to do about it */
  advice: string;
  /** What the model's server or the connection said */
  detail: string;
  /** Milliseconds since 1970, UTC */
  time: number;
}

export type ModelKind = "chat" | "chat_fallback" | "embedding" | "speech";

export interface ModelTest {
  /** Whether the model replied as it must */
  works: boolean;
  /** What the model was asked */
  asked: string;
  /** What a chat model said; null for another model */
  answer: string | null;
  /** Numbers of a vector; null unless it is an embedding model */
  dimensions: number | null;
  /** Size of the audio; null unless it is a speech model */
  audio_bytes: number | null;
  /** How long the answer took, in milliseconds */
  latency_ms: number;
  /** Tokens used, as the server counts them; 0 where it does not */
  tokens: number;
  /** Why it does not work; null if it does */
  failure: ModelFailure | null;
}

export interface Numbers {
  /** The figures of the whole period */
  totals: Figures;
  /** The same, of the range of the same length before */
  previous: Figures;
  /** The figures by hour or day */
  series: {
    /** Conversations whose first message was said */
    conversations: number;
    /** By who said them */
    messages: {
      /** The user */
      user: number;
      /** From the agent */
      ai: number;
      /** From a human */
      human: number;
      /** From the service */
      system: number;
    };
    /** What the agent replied. direct: a stored answer; suggestion: stored questions to choose from; model: worded by a model; unanswered: no answer found; small_talk: greetings and thanks */
    answers: {
      /** Answered with a stored answer */
      direct: number;
      /** Answered with questions to choose from */
      suggestion: number;
      /** Name of the model */
      model: number;
      /** Not answered */
      unanswered: number;
      /** Small talk: greetings, thanks and the like */
      small_talk: number;
    };
    /** Handoffs that were requested */
    handoffs: number;
    /** What asked for a person */
    handoff_triggers: {
      /** Requested by a phrase of the user */
      phrase: number;
      /** The user */
      user: number;
      /** Requested because the agent had no answer */
      no_answer: number;
      /** Name of the model */
      model: number;
      /** Requested with an API key */
      api: number;
    };
    /** Why handoffs ended */
    handoff_ends: {
      /** The desk refused it */
      refused: number;
      /** The wait for the first reply of a human */
      first_reply: number;
      /** The wait for a human who has become silent */
      human_idle: number;
      /** The wait for a user who has become silent */
      user_idle: number;
      /** Ended by the user */
      user_closed: number;
      /** Closed by the human */
      human_closed: number;
      /** Ended because the desk could not be reached */
      desk_lost: number;
      /** Ended because the desk was removed */
      desk_removed: number;
      /** Ended because the message webhook was removed */
      webhook_removed: number;
      /** Ended with a message that the user left */
      message_left: number;
    };
    /** From the request to the first reply of a human, or to the end if none came */
    waiting: Duration;
    /** From the request to the first reply of a human */
    first_reply: Duration;
    /** From the request to the end, of handoffs in which a human replied and that the user or the human closed, or that went quiet */
    resolution: Duration;
    /** Ratings of answers and conversations that users gave, as they are now; those of erased conversations are gone */
    ratings: {
      /** Rated as good */
      good: number;
      /** Rated as bad */
      bad: number;
    };
    /** Tokens of models, imports included; null with a channel or a language: they are counted by agent */
    tokens: number | null;
    /** When the hour or day begins */
    time: number;
  }[];
  /** The figures by channel */
  channels: {
    /** Conversations whose first message was said */
    conversations: number;
    /** By who said them */
    messages: {
      /** The user */
      user: number;
      /** From the agent */
      ai: number;
      /** From a human */
      human: number;
      /** From the service */
      system: number;
    };
    /** What the agent replied. direct: a stored answer; suggestion: stored questions to choose from; model: worded by a model; unanswered: no answer found; small_talk: greetings and thanks */
    answers: {
      /** Answered with a stored answer */
      direct: number;
      /** Answered with questions to choose from */
      suggestion: number;
      /** Name of the model */
      model: number;
      /** Not answered */
      unanswered: number;
      /** Small talk: greetings, thanks and the like */
      small_talk: number;
    };
    /** Handoffs that were requested */
    handoffs: number;
    /** What asked for a person */
    handoff_triggers: {
      /** Requested by a phrase of the user */
      phrase: number;
      /** The user */
      user: number;
      /** Requested because the agent had no answer */
      no_answer: number;
      /** Name of the model */
      model: number;
      /** Requested with an API key */
      api: number;
    };
    /** Why handoffs ended */
    handoff_ends: {
      /** The desk refused it */
      refused: number;
      /** The wait for the first reply of a human */
      first_reply: number;
      /** The wait for a human who has become silent */
      human_idle: number;
      /** The wait for a user who has become silent */
      user_idle: number;
      /** Ended by the user */
      user_closed: number;
      /** Closed by the human */
      human_closed: number;
      /** Ended because the desk could not be reached */
      desk_lost: number;
      /** Ended because the desk was removed */
      desk_removed: number;
      /** Ended because the message webhook was removed */
      webhook_removed: number;
      /** Ended with a message that the user left */
      message_left: number;
    };
    /** From the request to the first reply of a human, or to the end if none came */
    waiting: Duration;
    /** From the request to the first reply of a human */
    first_reply: Duration;
    /** From the request to the end, of handoffs in which a human replied and that the user or the human closed, or that went quiet */
    resolution: Duration;
    /** Ratings of answers and conversations that users gave, as they are now; those of erased conversations are gone */
    ratings: {
      /** Rated as good */
      good: number;
      /** Rated as bad */
      bad: number;
    };
    /** Tokens of models, imports included; null with a channel or a language: they are counted by agent */
    tokens: number | null;
    /** Channel of the conversation */
    channel: "api" | "widget";
  }[];
  /** The figures by language */
  languages: {
    /** Conversations whose first message was said */
    conversations: number;
    /** By who said them */
    messages: {
      /** The user */
      user: number;
      /** From the agent */
      ai: number;
      /** From a human */
      human: number;
      /** From the service */
      system: number;
    };
    /** What the agent replied. direct: a stored answer; suggestion: stored questions to choose from; model: worded by a model; unanswered: no answer found; small_talk: greetings and thanks */
    answers: {
      /** Answered with a stored answer */
      direct: number;
      /** Answered with questions to choose from */
      suggestion: number;
      /** Name of the model */
      model: number;
      /** Not answered */
      unanswered: number;
      /** Small talk: greetings, thanks and the like */
      small_talk: number;
    };
    /** Handoffs that were requested */
    handoffs: number;
    /** What asked for a person */
    handoff_triggers: {
      /** Requested by a phrase of the user */
      phrase: number;
      /** The user */
      user: number;
      /** Requested because the agent had no answer */
      no_answer: number;
      /** Name of the model */
      model: number;
      /** Requested with an API key */
      api: number;
    };
    /** Why handoffs ended */
    handoff_ends: {
      /** The desk refused it */
      refused: number;
      /** The wait for the first reply of a human */
      first_reply: number;
      /** The wait for a human who has become silent */
      human_idle: number;
      /** The wait for a user who has become silent */
      user_idle: number;
      /** Ended by the user */
      user_closed: number;
      /** Closed by the human */
      human_closed: number;
      /** Ended because the desk could not be reached */
      desk_lost: number;
      /** Ended because the desk was removed */
      desk_removed: number;
      /** Ended because the message webhook was removed */
      webhook_removed: number;
      /** Ended with a message that the user left */
      message_left: number;
    };
    /** From the request to the first reply of a human, or to the end if none came */
    waiting: Duration;
    /** From the request to the first reply of a human */
    first_reply: Duration;
    /** From the request to the end, of handoffs in which a human replied and that the user or the human closed, or that went quiet */
    resolution: Duration;
    /** Ratings of answers and conversations that users gave, as they are now; those of erased conversations are gone */
    ratings: {
      /** Rated as good */
      good: number;
      /** Rated as bad */
      bad: number;
    };
    /** Tokens of models, imports included; null with a channel or a language: they are counted by agent */
    tokens: number | null;
    /** Language */
    language: "en" | "zh" | "ja" | "ko" | "de" | "fr" | "es" | "pt" | "it" | "nl" | "ru" | "ar" | "th" | "he" | "el" | "hi";
  }[];
  /** Up to 100, those with most conversations first */
  agents: {
    /** Conversations whose first message was said */
    conversations: number;
    /** By who said them */
    messages: {
      /** The user */
      user: number;
      /** From the agent */
      ai: number;
      /** From a human */
      human: number;
      /** From the service */
      system: number;
    };
    /** What the agent replied. direct: a stored answer; suggestion: stored questions to choose from; model: worded by a model; unanswered: no answer found; small_talk: greetings and thanks */
    answers: {
      /** Answered with a stored answer */
      direct: number;
      /** Answered with questions to choose from */
      suggestion: number;
      /** Name of the model */
      model: number;
      /** Not answered */
      unanswered: number;
      /** Small talk: greetings, thanks and the like */
      small_talk: number;
    };
    /** Handoffs that were requested */
    handoffs: number;
    /** What asked for a person */
    handoff_triggers: {
      /** Requested by a phrase of the user */
      phrase: number;
      /** The user */
      user: number;
      /** Requested because the agent had no answer */
      no_answer: number;
      /** Name of the model */
      model: number;
      /** Requested with an API key */
      api: number;
    };
    /** Why handoffs ended */
    handoff_ends: {
      /** The desk refused it */
      refused: number;
      /** The wait for the first reply of a human */
      first_reply: number;
      /** The wait for a human who has become silent */
      human_idle: number;
      /** The wait for a user who has become silent */
      user_idle: number;
      /** Ended by the user */
      user_closed: number;
      /** Closed by the human */
      human_closed: number;
      /** Ended because the desk could not be reached */
      desk_lost: number;
      /** Ended because the desk was removed */
      desk_removed: number;
      /** Ended because the message webhook was removed */
      webhook_removed: number;
      /** Ended with a message that the user left */
      message_left: number;
    };
    /** From the request to the first reply of a human, or to the end if none came */
    waiting: Duration;
    /** From the request to the first reply of a human */
    first_reply: Duration;
    /** From the request to the end, of handoffs in which a human replied and that the user or the human closed, or that went quiet */
    resolution: Duration;
    /** Ratings of answers and conversations that users gave, as they are now; those of erased conversations are gone */
    ratings: {
      /** Rated as good */
      good: number;
      /** Rated as bad */
      bad: number;
    };
    /** Tokens of models, imports included; null with a channel or a language: they are counted by agent */
    tokens: number | null;
    /** Id of the agent */
    agent_id: string;
  }[];
  /** Messages up to about this time are counted; null if none was yet */
  counted_time: number | null;
}

export interface OidcSignIn {
  /** Where the browser goes next, at the identity provider */
  authorization_url: string;
}

export type OperatorEventBody = {
  /** What happened */
  event: "destination_failing";
  /** Id of the event */
  event_id: string;
  /** When it happened, in milliseconds since 1970, UTC */
  at: number;
  /** Agent that owns the webhook */
  agent_id: string;
  /** Id of the webhook */
  webhook_id: string;
  /** URL */
  url: string;
} | {
  /** What happened */
  event: "destination_disabled";
  /** Id of the event */
  event_id: string;
  /** When it happened, in milliseconds since 1970, UTC */
  at: number;
  /** Agent that owns the webhook */
  agent_id: string;
  /** Id of the webhook */
  webhook_id: string;
  /** URL */
  url: string;
} | {
  /** What happened */
  event: "destination_recovered";
  /** Id of the event */
  event_id: string;
  /** When it happened, in milliseconds since 1970, UTC */
  at: number;
  /** Agent that owns the webhook */
  agent_id: string;
  /** Id of the webhook */
  webhook_id: string;
  /** URL */
  url: string;
} | {
  /** What happened */
  event: "delivery_dead";
  /** Id of the event */
  event_id: string;
  /** When it happened, in milliseconds since 1970, UTC */
  at: number;
  /** Agent that owns the webhook */
  agent_id: string;
  /** Id of the webhook */
  webhook_id: string;
  /** Id of the delivery */
  delivery_id: string;
  cause: Cause;
} | {
  /** What happened */
  event: "deliveries_expired";
  /** Id of the event */
  event_id: string;
  /** When it happened, in milliseconds since 1970, UTC */
  at: number;
  /** Agent that owns the webhook */
  agent_id: string;
  /** Id of the webhook */
  webhook_id: string;
  /** Deliveries that expired together while their webhook was down. At least 1 */
  count: number;
};

/** read: every read of /admin/v1, message bodies included. manage: that and every change, tokens and accounts included. metrics: GET /metrics. agents: which agents there are, and how they hand over. settings: read and change settings, webhooks, models and API keys, and read the audit. team-settings: read and change what a support team decides: the agent's name, texts and thresholds, when it hands over, and the inbox. deliveries: read and replay deliveries. conversations: read conversations, handoffs, knowledge and unanswered questions. users: export and erase users. knowledge: read and change knowledge, read unanswered questions, and read, approve and reject proposed alternates. inbox: answer users in the inbox */
export type OperatorScope = "read" | "manage" | "metrics" | "agents" | "settings" | "team-settings" | "deliveries" | "conversations" | "users" | "knowledge" | "inbox";

export interface OperatorToken {
  /** Id of the token */
  token_id: string;
  /** Name */
  name: string;
  /** What it may do */
  scopes: OperatorScope[];
  /** First characters of the token, to tell tokens apart */
  prefix: string;
  /** When it expires; null if it does not */
  expire_time: number | null;
  /** When it was created, in milliseconds since 1970, UTC */
  create_time: number;
  /** When it was revoked; null while it is valid */
  revoke_time: number | null;
  /** When it was last used; null if it never was */
  last_used_time: number | null;
}

export interface OperatorTokenPage {
  /** Entries of this page */
  list: OperatorToken[];
  /** `cursor` of the next page; null on the last page */
  next_cursor: string | null;
}

export interface OperatorWebhook {
  /** Id of the webhook */
  webhook_id: string;
  /** URL */
  url: string;
  /** Whether a username is stored */
  username_set: boolean;
  /** Whether a secret is stored. The secret itself is never shown */
  secret_set: boolean;
  /** Signs every call (Standard Webhooks). Shown only when it is created */
  signing_secret?: string | undefined;
  /** When it was last changed, in milliseconds since 1970, UTC */
  update_time: number;
}

export interface OutputItem {
  /** Direct, model, fallback, human or notice */
  from_component_branch: string;
  /** The component that spoke */
  from_component_name: string;
  /** A text, or a list of parts */
  content: {
    /** Text */
    text: string;
    /** Empty if the answer was not spoken */
    audio: {
      /** Recordings */
      audio: string;
      /** Text of the audio */
      transcript: string;
    }[];
  };
}

export interface Pair {
  /** Stays the same while the pair is edited. Replacing the document gives its pairs new ids */
  pair_id: string;
  /** Id of the knowledge base */
  knowledge_base_id: string;
  /** Id of the document */
  doc_id: string;
  /** Name of the document */
  doc_name: string;
  /** Text of the question */
  question: string;
  /** Text of the answer */
  answer: string;
  /** Other wordings of the question */
  alternates: string[];
  /** Tags */
  tags: string[];
  /** 1 as imported or added; each change raises it. 1 to 1,000,000 */
  version: number;
  /** Who changed it last; null if it is as imported */
  author: PairAuthor | null;
  /** When it was changed last; null if it is as imported */
  update_time: number | null;
}

export interface PairAuthor {
  /** Account, operator_token or bootstrap_token, as in the audit */
  actor: string;
  /** Id of the account, token or key that did it */
  actor_id: string | null;
  /** Name of the account, token or key that did it */
  actor_name: string | null;
}

export interface PairHistory {
  /** Entries of this page */
  list: PairVersion[];
  /** `cursor` of the next page; null on the last page */
  next_cursor: string | null;
}

export interface PairPage {
  /** Entries of this page */
  list: Pair[];
  /** `cursor` of the next page; null on the last page */
  next_cursor: string | null;
}

export interface PairTagList {
  /** Most used first; at most 200 */
  list: {
    /** Tag */
    tag: string;
    /** Pairs stored. At least 1 */
    pairs: number;
  }[];
}

export interface PairVersion {
  /** Number of the version. 1 to 1,000,000 */
  version: number;
  /** Deleted: the texts are those the pair had */
  change: "imported" | "added" | "changed" | "deleted" | "restored";
  /** Text of the question */
  question: string;
  /** Text of the answer */
  answer: string;
  /** Other wordings of the question */
  alternates: string[];
  /** Tags */
  tags: string[];
  /** Null for the version that was imported */
  author: PairAuthor | null;
  /** Milliseconds since 1970, UTC */
  time: number;
}

export interface PartStatus {
  part: ServicePart;
  /** Unknown: its state is read from the database, which does not respond */
  state: "normal" | "failed" | "unknown";
  /** The finding for this part */
  message: string;
  /** What to do about it; null if it did not fail */
  advice: string | null;
}

export interface Passkey {
  /** Id of the passkey */
  passkey_id: string;
  /** Name */
  name: string;
  /** When it was created, in milliseconds since 1970, UTC */
  create_time: number;
  /** When it last signed you in */
  last_used_time: number | null;
}

export interface PasskeyList {
  /** Entries of this page. At most 20 entries */
  list: Passkey[];
}

export interface PasskeyOptions {
  /** For `navigator.credentials`, as JSON (WebAuthn Level 3); holds the challenge */
  passkey_options: Record<string, unknown>;
  /** Until then the challenge may be answered, once */
  expire_time: number;
}

export interface PasswordResetOffer {
  /** Whose password it sets */
  email: string;
  /** When it expires; null if it does not. Milliseconds since 1970, UTC */
  expire_time: number;
}

export interface PasswordResetToken {
  /** The part of the link after # */
  token: string;
}

/** available lapses 120 seconds after it was last set, so repeat it while somebody is there */
export type Presence = "available" | "away";

export interface ProposedAlternate {
  /** Id of the proposed alternate */
  alternate_id: string;
  /** What users typed */
  alternate: string;
  /** The stored question they then chose */
  question: string;
  /** The document that has it */
  doc_id: string;
  /** In how many conversations. At least 1 */
  chosen: number;
  /** Milliseconds since 1970, UTC */
  first_time: number;
  /** Milliseconds since 1970, UTC */
  last_time: number;
}

export interface ProposedAlternatePage {
  /** Entries of this page */
  list: ProposedAlternate[];
  /** `cursor` of the next page; null on the last page */
  next_cursor: string | null;
}

/** An answer that waits for an editor. The agent does not give it */
export interface ProposedAnswer {
  /** Text of the answer */
  answer: string;
  /** Name of the API key, operator token or account, at the time */
  proposed_by: string;
  /** Milliseconds since 1970, UTC */
  time: number;
}

export interface QaChunk {
  /** Text of the question. 1 to 1,000 characters */
  question: string;
  /** Text of the answer. 1 to 25,000 characters */
  answer: string;
  /** Other words that find the pair. At most 50 entries */
  keywords?: string[] | null | undefined;
  /** Short words to sort pairs by. If omitted in a list that replaces a document, a pair keeps the tags it has. At most 10 entries */
  tags?: string[] | null | undefined;
}

export interface QaChunkPage {
  /** Entries of this page */
  list: QaChunk[];
  /** `cursor` of the next page; null on the last page */
  next_cursor: string | null;
}

export interface QaFileEntry {
  /** URL of the file. Required for `QA_FILE`; `source_url` is accepted instead. At most 4,096 characters */
  file_url?: string | null | undefined;
  /** URL of the document. Required for `FILE_2_QA` and for updates; `file_url` is accepted instead. At most 4,096 characters */
  source_url?: string | null | undefined;
  /** File name, with its extension. 1 to 200 characters */
  file_name: string;
}

export interface QaPair {
  /** Text of the question. 1 to 1,000 characters */
  question: string;
  /** Text of the answer. 1 to 25,000 characters */
  answer: string;
}

export interface QuestionGroup {
  /** The question that stands for the group */
  question_id: string;
  /** The one asked most often */
  question: string;
  /** How often its questions got no answer or a poorly rated one, together; 0 if they were only proposed */
  asked: number;
  /** How often users rated the answer as bad */
  poorly_rated: number;
  /** How many questions it has. At least 1 */
  phrasings: number;
  /** Up to 50 of them, the one that stands for the group first */
  questions: {
    /** Id of the question */
    question_id: string;
    /** Text of the question */
    question: string;
    /** How often it was asked */
    asked: number;
    /** How often its answer was rated as bad */
    poorly_rated: number;
    proposal: ProposedAnswer | null;
    /** Milliseconds since 1970, UTC */
    last_time: number;
  }[];
  /** The last 5 ratings as bad, newest first */
  poor_ratings: {
    /** Id of the conversation */
    conversation_id: string;
    /** The agent's message that was rated */
    message_id: string;
    /** Text of the answer */
    answer: string;
    /** Comment of the user */
    comment: string | null;
    /** Milliseconds since 1970, UTC */
    time: number;
  }[];
  /** The stored question that is nearest to the first one */
  best_question: string | null;
  /** Score of the best pair, from 0 to 1 */
  best_score: number;
  /** Milliseconds since 1970, UTC */
  first_time: number;
  /** Milliseconds since 1970, UTC */
  last_time: number;
}

export interface QuestionGroupPage {
  /** Entries of this page */
  list: QuestionGroup[];
  /** `cursor` of the next page; null on the last page */
  next_cursor: string | null;
}

export type Rating = "good" | "bad";

export interface ReceiveHumanMessageRequest {
  /** Id of the handoff, as in 4.6. With an API key also the id of the agent's conversation, while a handoff of it is open. 1 to 100 characters */
  conversation_id: string;
  /** Milliseconds since 1970, UTC. A value of ten digits is read as seconds */
  timestamp: number;
  /** The human's message. 1 to 25,000 characters */
  body: string;
  /** The human's name, which the chat widget shows to the user. 1 to 100 characters */
  human_name?: string | null | undefined;
  /** Files for the user, by their URL. Nothing is downloaded. At most 20 entries */
  attachments?: ChatAttachment[] | undefined;
}

export interface RecoveryCodes {
  /** Each replaces a one-time code once. Shown once; only hashes are stored */
  recovery_codes: string[];
}

export interface RefusedRows {
  /** The first 1,000, and 1 million characters at most */
  list: {
    /** Line number */
    line?: number | undefined;
    /** Column number */
    column?: number | undefined;
    /** Cause of the problem, as a stable word */
    cause: string;
    /** The cause in a sentence */
    detail: string;
    /** Cells of the row */
    cells: string[];
  }[];
  /** Number of entries on all pages */
  total: number;
}

export interface Replay {
  /** Id of the replay */
  replay_id: string;
  /** Finished: all matching deliveries are queued */
  state: "running" | "finished" | "stopped";
  /** Which deliveries */
  filter: Record<string, unknown>;
  /** Deliveries a second */
  rate_per_second: number;
  /** Deliveries that matched when the replay started, without replays and deleted webhooks. 0 to 1,000,000 */
  matched: number;
  /** Deliveries queued so far */
  enqueued: number;
  /** Deliveries that were delivered */
  delivered: number;
  /** Deliveries that were given up */
  dead: number;
  /** When it was created, in milliseconds since 1970, UTC */
  create_time: number;
  /** When it ended; null while it runs */
  finish_time: number | null;
}

export interface ReplayFilter {
  /** Id of the agent */
  agent_id?: string | undefined;
  /** Id of the webhook or human service component */
  webhook_id?: string | undefined;
  /** Requires agent_id */
  conversation_id?: string | undefined;
  /** Only deliveries of this message, or of replies to it */
  message_id?: string | undefined;
  cause?: Cause | undefined;
  /** What happened */
  event?: DeliveryEvent | undefined;
  /** Both if omitted. Pending deliveries need no replay */
  state?: "delivered" | "dead" | undefined;
  /** Milliseconds since 1970, UTC. A value of ten digits is read as seconds */
  from_time?: number | undefined;
  /** Now if omitted */
  to_time?: number | undefined;
}

export interface RequestedHandoff {
  /** Away: no desk is open; the user was told, and the agent continues */
  outcome: "requested" | "already_open" | "away";
  /** Handoff */
  handoff: HandoffView | null;
}

export interface ResetPasswordRequest {
  /** The part of the link after # */
  token: string;
  /** Password. At most 200 characters */
  password: string;
}

export interface Retention {
  /** Days. 1 to 3,650 */
  days: number | null;
  action: RetentionAction | null;
  /** The effective retention, including the service's settings. If days is null, conversations are kept */
  effective: {
    /** Days. 1 to 3,650 */
    days: number | null;
    action: RetentionAction;
  };
}

/** delete: the conversation and all that belongs to it; redact: only what was said and who said it, so that times and counts stay */
export type RetentionAction = "delete" | "redact";

export interface RevokeChatTokensRequest {
  /** Revoke the tokens of this user. 1 to 255 characters */
  user_id?: string | null | undefined;
  /** Revoke the tokens of this anonymous id. 1 to 128 characters */
  anonymous_id?: string | null | undefined;
  /** Revoke all tokens of the agent. Default false */
  all_users?: boolean | undefined;
}

/** owner: everything, members included. developer: settings, keys, webhooks, deliveries, conversations, users and the inbox. lead: knowledge, conversations, the inbox, the agent's texts, and when it hands over. editor: knowledge. support: conversations, handoffs and the inbox, and read knowledge. viewer: read conversations, handoffs and knowledge. Lead, editor, support and viewer see no secret */
export type Role = "owner" | "developer" | "lead" | "editor" | "support" | "viewer";

export interface RotateSigningSecretRequest {
  /** How long both secrets sign. 0 ends the old one at once. 0 to 604,800. Default 86400 */
  overlap_seconds?: number | undefined;
}

export interface RotatedSigningSecret {
  /** Id of the webhook */
  webhook_id: string;
  /** Signs every call (Standard Webhooks). Shown only when it is created */
  signing_secret: string;
  public_key: string | null;
  /** Until when the old secret also signs; null if it no longer does */
  previous_expire_time: number | null;
}

export interface SaidInChat {
  /** Id of the message */
  message_id: string;
}

export interface SavedQuestion {
  /** Id of the saved question */
  saved_question_id: string;
  /** Text of the question */
  question: string;
  /** Null: the agent should not answer */
  expected: {
    /** Text of the question */
    question: string;
    /** Text of the answer */
    answer: string;
  } | null;
  /** The result in the last run of published content; null if it has not been asked yet */
  last_result: {
    /** The agent answers with the expected question or answer, or does not answer if it should not */
    passed: boolean;
    /** Compared with the run before. new: it was not asked then */
    change: "same" | "better" | "worse" | "new";
    decision: AgentDecision;
    /** The pair that is nearest to the question; null if there is none */
    closest: {
      /** Text of the question */
      question: string;
      /** Text of the answer */
      answer: string;
    } | null;
    /** Id of the run */
    run_id: string;
    /** Milliseconds since 1970, UTC */
    time: number;
  } | null;
  /** Who made it */
  author: PairAuthor | null;
  /** When it was created, in milliseconds since 1970, UTC */
  create_time: number;
}

export interface SavedQuestionPage {
  /** Entries of this page */
  list: SavedQuestion[];
  /** `cursor` of the next page; null on the last page */
  next_cursor: string | null;
}

export interface SavedQuestionResult {
  /** Id of the saved question */
  saved_question_id: string;
  /** Text of the question */
  question: string;
  /** Null: the agent should not answer */
  expected: {
    /** Text of the question */
    question: string;
    /** Text of the answer */
    answer: string;
  } | null;
  /** The agent answers with the expected question or answer, or does not answer if it should not */
  passed: boolean;
  /** Compared with the run before. new: it was not asked then */
  change: "same" | "better" | "worse" | "new";
  decision: AgentDecision;
  /** The pair that is nearest to the question; null if there is none */
  closest: {
    /** Text of the question */
    question: string;
    /** Text of the answer */
    answer: string;
  } | null;
  /** Match, from 0 to 1. 0 to 1 */
  score: number | null;
}

export interface SavedQuestionRun {
  /** Id of the run */
  run_id: string;
  /** What started the run */
  trigger: "manual" | "import" | "restore";
  /** State */
  state: "waiting" | "finished" | "failed";
  /** The document that was imported or restored */
  doc_id: string | null;
  /** Revision of the document that the pair belongs to */
  revision: number | null;
  /** The content was held back: these are the answers it would have given */
  held: boolean;
  /** Number of entries on all pages */
  total: number;
  /** Questions that passed */
  passed: number;
  /** Questions that failed in the run before and pass now */
  better: number;
  /** Questions that passed in the run before and fail now */
  worse: number;
  /** When it was created, in milliseconds since 1970, UTC */
  create_time: number;
  /** When it ended; null while it runs */
  finish_time: number | null;
}

export interface SavedQuestionRunDetail {
  /** Id of the run */
  run_id: string;
  /** What started the run */
  trigger: "manual" | "import" | "restore";
  /** State */
  state: "waiting" | "finished" | "failed";
  /** The document that was imported or restored */
  doc_id: string | null;
  /** Revision of the document that the pair belongs to */
  revision: number | null;
  /** The content was held back: these are the answers it would have given */
  held: boolean;
  /** Number of entries on all pages */
  total: number;
  /** Questions that passed */
  passed: number;
  /** Questions that failed in the run before and pass now */
  better: number;
  /** Questions that passed in the run before and fail now */
  worse: number;
  /** When it was created, in milliseconds since 1970, UTC */
  create_time: number;
  /** When it ended; null while it runs */
  finish_time: number | null;
  /** One entry for each configured webhook */
  results: SavedQuestionResult[];
}

export interface SavedQuestionRunPage {
  /** Entries of this page */
  list: SavedQuestionRun[];
  /** `cursor` of the next page; null on the last page */
  next_cursor: string | null;
}

export interface SearchConversationsRequest {
  /** Id of the agent */
  agent_id?: string | undefined;
  /** Conversations with a message that contains all these words or word beginnings. Requires agent_id. 1 to 200 characters */
  text?: string | undefined;
  /** Only conversations of this user. Requires agent_id. 1 to 255 characters */
  user_id?: string | undefined;
  /** Only conversations of this anonymous id. Requires agent_id. 1 to 128 characters */
  anonymous_id?: string | undefined;
  /** Channel of the conversation */
  channel?: "api" | "widget" | undefined;
  /** Who speaks now */
  control?: "bot" | "human" | undefined;
  outcome?: ConversationOutcome | undefined;
  /** Started at or after this time */
  from_time?: number | undefined;
  /** Started before this time */
  to_time?: number | undefined;
  /** If true, include the beginning of each last message. The read is audited. Default false */
  with_last_message?: boolean | undefined;
  /** Entries per page. 1 to 100. Default 50 */
  limit?: number | undefined;
  /** `next_cursor` of the previous page */
  cursor?: string | undefined;
}

export interface SecondFactor {
  /** Since when it is on; null: it is off */
  enable_time: number | null;
  /** Number of recovery codes that are left. 0 to 10 */
  recovery_codes_left: number;
}

export interface SecondFactorNeeded {
  /** The password was right; a one-time code is needed too */
  second_factor: "totp";
  /** Until then the code may be given, from this browser */
  expire_time: number;
}

export type SendMessageReply = MessageAccepted | BlockingReply;

export type SendMessageRequest = BlockingMessageRequest | StreamingMessageRequest | WebhookMessageRequest;

export type ServiceHealth = "service is normal";

/** database: PostgreSQL takes work; engine: Restate takes calls; workers: at least one sends heartbeats; turns: messages of most agents are answered within 60 s; deliveries: those of most agents are at most 60 s late */
export type ServicePart = "database" | "engine" | "workers" | "turns" | "deliveries";

/** As seen by the node that responds */
export interface ServiceStatus {
  /** True if no part failed, as 4.4 reports it */
  is_normal: boolean;
  /** Parts of the score; only with `score_parts` */
  parts: PartStatus[];
  /** Settings that should be changed, found since this node started */
  warnings: StatusWarning[];
  /** Models of agents whose last call failed, newest first, at most 20. The agents answer without them */
  models: FailingModel[];
}

export interface Session {
  /** Id of the session */
  session_id: string;
  /** The account that is signed in */
  account: {
    /** Id of the account */
    account_id: string;
    /** The user's email address; null if unknown */
    email: string;
    /** Name */
    name: string;
  };
  /** Roles */
  roles: AccountRole[];
  /** When it expires; null if it does not. Milliseconds since 1970, UTC */
  expire_time: number;
  /** When password, passkeys, one-time codes or identity of the account last changed; null: never */
  credentials_change_time: number | null;
}

export interface SessionPage {
  /** Entries of this page */
  list: ListedSession[];
  /** `cursor` of the next page; null on the last page */
  next_cursor: string | null;
}

export interface SetModelRequest {
  /** Base URL of an OpenAI-compatible API, including /v1, without the path of an operation. At most 2,048 characters */
  url: string;
  /** Name of the model. 1 to 200 characters */
  model: string;
  /** Stored encrypted and never shown. Unchanged if omitted; null removes it. Required again when url changes to another server. 1 to 2,000 characters */
  api_key?: string | null | undefined;
  /** 20 unless another was set. 1 to 120 */
  timeout_seconds?: number | undefined;
  /** Credits per million input tokens, for `usage`. 0 to 1,000,000 */
  input_credits_per_million?: number | undefined;
  /** Credits per million output tokens, for `usage`. 0 to 1,000,000 */
  output_credits_per_million?: number | undefined;
}

export interface SetOperatorWebhookRequest {
  /** URL. At most 2,048 characters */
  url: string;
  /** Without a secret, it is sent as a Bearer token. Required again when url changes to another server. 1 to 256 characters */
  username?: string | null | undefined;
  /** With a secret, username and secret are sent as HTTP Basic. Required again when url changes to another server. 1 to 256 characters */
  secret?: string | null | undefined;
}

export interface SetUserIdRequest {
  /** The developer's id of the user. 1 to 255 characters */
  user_id: string;
  /** Anonymous ids bound to this user. 1 to 100 entries */
  anonymous_ids: AnonymousId[];
}

export type ShownPart = {
  /** Kind */
  type: "text";
  /** Text */
  text: string;
} | {
  /** Kind */
  type: "image";
  /** Images */
  image: {
    /** URL */
    url: string;
    /** File format */
    format?: string | undefined;
    /** Name */
    name?: string | undefined;
  }[];
} | {
  /** Kind */
  type: "audio";
  /** Recordings */
  audio: {
    /** URL */
    url: string;
    /** File format */
    format?: string | undefined;
    /** Name */
    name?: string | undefined;
  }[];
} | {
  /** Kind */
  type: "document";
  /** Documents */
  document: {
    /** URL */
    url: string;
    /** File format */
    format?: string | undefined;
    /** Name */
    name?: string | undefined;
  }[];
};

export type SignInReply = Session | SecondFactorNeeded;

export interface SignInRequest {
  /** The user's email address; null if unknown. At most 254 characters */
  email: string;
  /** Password. 1 to 200 characters */
  password: string;
}

export interface SignInWays {
  /** Name of the identity provider, for a button; null: none is configured */
  oidc_label: string | null;
  /** Passkeys can be used: PUBLIC_URL has a host name, over HTTPS */
  passkeys: boolean;
}

export interface SmallTalkSettings {
  /** If false, small talk is searched for like any question */
  enabled: boolean;
  /** Reply to each kind of small talk. Kinds left out use the default text */
  replies?: Record<string, string> | undefined;
}

/** The pairs that the answer stands on, where there are any */
export interface SourcesEvent {
  /** Result code. The HTTP status decides */
  code: 14;
  /** The result in words */
  message: "Sources";
  /** Pairs that the answer stands on: the one it was taken from, or those that the model cites, in the order of their citations. Empty if it stands on none. At least 1 entries */
  data: AnswerSource[];
}

export interface SpeechModel {
  /** URL */
  url: string;
  /** Name of the model */
  model: string;
  /** Whether a key is stored. The key itself is never shown */
  api_key_set: boolean;
  /** How long the service waits for the model */
  timeout_seconds: number;
  /** Credits for a million output tokens. 0 to 1,000,000 */
  output_credits_per_million: number;
  /** When it was last changed, in milliseconds since 1970, UTC */
  update_time: number;
  /** Why the last call failed; null if it did not */
  failure: ModelFailure | null;
  /** Voice. 1 to 100 characters */
  voice: string;
  /** File format */
  format: "mp3" | "opus" | "aac" | "flac" | "wav";
}

export interface StartPasskeyRequest {
  /** Password. 1 to 200 characters */
  password: string;
}

export interface StartReplayRequest {
  /** Which deliveries */
  filter: ReplayFilter;
  /** If true, only count what would be sent again. Default false */
  dry_run?: boolean | undefined;
  /** Deliveries a second. 1 to 1,000. Default 10 */
  rate_per_second?: number | undefined;
}

export interface StartTotpRequest {
  /** Password. 1 to 200 characters */
  password: string;
}

export interface StartedReplay {
  /** Null after a dry run */
  replay_id: string | null;
  /** Deliveries that matched when the replay started, without replays and deleted webhooks. 0 to 1,000,000 */
  matched: number;
}

/** Nothing has failed, but the installation is less protected */
export interface StatusWarning {
  /** The result in words */
  message: string;
  /** What to do about it */
  advice: string;
}

export interface StreamingMessageRequest {
  /** Id of the conversation */
  conversation_id: string;
  /** `blocking` and `streaming` answer this call. In webhook mode the answer goes to the message webhook (4.5) */
  response_mode: "streaming";
  /** The last one is the user's message, which is stored and answered. Earlier ones are context for the model, for this answer only. 1 to 100 entries */
  messages: InboundMessage[];
  /** Options of this answer */
  conversation_config?: ConversationConfig | null | undefined;
}

export interface SuggestedAnswers {
  /** The user's last message; null if there is none with words */
  question: string | null;
  /** The nearest pairs of the agent's knowledge, best first */
  list: {
    /** Stays the same while the pair is edited. Replacing the document gives its pairs new ids */
    pair_id: string;
    /** Id of the document */
    doc_id: string;
    /** Text of the question */
    question: string;
    /** Text of the answer */
    answer: string;
    /** Match, from 0 to 1. 0 to 1 */
    score: number;
  }[];
}

/** Questions to choose from */
export interface SuggestionsEvent {
  /** Result code. The HTTP status decides */
  code: 12;
  /** The result in words */
  message: "Suggestions";
  /** Questions the user can choose from if the agent is not sure what is meant */
  data: string[];
}

export interface TagPairsReply {
  /** Pairs whose tags are different now, each with a new version */
  changed: string[];
  /** Pairs that are not there, or no longer */
  missing: string[];
}

export interface Talk {
  /** Id of the handoff: the conversation_id of 4.6 to 4.10 */
  talk_id: string;
  /** Id of the agent */
  agent_id: string;
  /** The agent's own conversation */
  conversation_id: string;
  /** Left_message: the user left an email address out of hours and is not in the chat */
  kind: "chat" | "left_message";
  state: TalkState;
  /** Who has taken it */
  holder: InboxPerson | null;
  /** You have taken it */
  is_mine: boolean;
  /** Who it is offered to while it waits */
  offered_to: InboxPerson | null;
  /** The team it was transferred to; null for everybody */
  team: TalkTeam | null;
  trigger: HandoffTrigger;
  /** Why it ended */
  reason: HandoffReason | null;
  /** Channel of the conversation */
  channel: "api" | "widget";
  /** The user */
  user: {
    /** The developer's id of the user; null if no user is bound */
    user_id: string | null;
    /** Anonymous user (device) */
    anonymous_id: string | null;
    /** The user's email address; null if unknown */
    email: string | null;
    /** The user's phone number; null if unknown */
    phone: string | null;
  };
  /** Messages of the user after the last one that was marked as seen */
  unread_count: number;
  /** The last message of the user */
  last_user_message: {
    /** Its first 200 characters */
    text: string;
    /** Milliseconds since 1970, UTC */
    time: number;
  } | null;
  /** Since when the user waits for a human's words; null if the last words are a human's */
  waiting_since: number | null;
  /** When the handoff was requested, in milliseconds since 1970, UTC */
  request_time: number;
  /** When somebody took the chat */
  take_time: number | null;
  /** When the chat was closed */
  close_time: number | null;
}

export interface TalkDetail {
  /** Id of the handoff: the conversation_id of 4.6 to 4.10 */
  talk_id: string;
  /** Id of the agent */
  agent_id: string;
  /** The agent's own conversation */
  conversation_id: string;
  /** Left_message: the user left an email address out of hours and is not in the chat */
  kind: "chat" | "left_message";
  state: TalkState;
  /** Who has taken it */
  holder: InboxPerson | null;
  /** You have taken it */
  is_mine: boolean;
  /** Who it is offered to while it waits */
  offered_to: InboxPerson | null;
  /** The team it was transferred to; null for everybody */
  team: TalkTeam | null;
  trigger: HandoffTrigger;
  /** Why it ended */
  reason: HandoffReason | null;
  /** Channel of the conversation */
  channel: "api" | "widget";
  /** The user */
  user: {
    /** The developer's id of the user; null if no user is bound */
    user_id: string | null;
    /** Anonymous user (device) */
    anonymous_id: string | null;
    /** The user's email address; null if unknown */
    email: string | null;
    /** The user's phone number; null if unknown */
    phone: string | null;
  };
  /** Messages of the user after the last one that was marked as seen */
  unread_count: number;
  /** The last message of the user */
  last_user_message: {
    /** Its first 200 characters */
    text: string;
    /** Milliseconds since 1970, UTC */
    time: number;
  } | null;
  /** Since when the user waits for a human's words; null if the last words are a human's */
  waiting_since: number | null;
  /** When the handoff was requested, in milliseconds since 1970, UTC */
  request_time: number;
  /** When somebody took the chat */
  take_time: number | null;
  /** When the chat was closed */
  close_time: number | null;
  /** The latest of the whole conversation, oldest first */
  messages: TalkMessage[];
  /** For the messages before these */
  next_cursor: string | null;
  /** The user's messages up to here were marked as seen */
  seen_sequence: number;
  /** The user's page has shown the messages up to here */
  user_seen_sequence: number;
  /** Oldest first. Users never see them */
  notes: TalkNote[];
  /** Other chats of the same user, newest first. At most 20 entries */
  earlier_talks: Talk[];
}

export interface TalkMessage {
  /** Id of the message */
  message_id: string;
  /** Position in the conversation. At least 1 */
  sequence: number;
  /** Who sent it */
  sender: "user" | "ai" | "human" | "system";
  /** Text */
  text: string;
  /** Attachments */
  attachments: {
    /** Kind */
    type: string;
    /** URL */
    url: string;
    /** File format */
    format?: string | undefined;
    /** Name */
    name?: string | undefined;
  }[];
  /** Who wrote it in the inbox */
  author: InboxPerson | null;
  /** Milliseconds since 1970, UTC */
  time: number;
}

export interface TalkNote {
  /** Id of the note */
  note_id: string;
  /** Who made it */
  author: InboxPerson;
  /** Text */
  text: string;
  /** Milliseconds since 1970, UTC */
  time: number;
}

/** With text, a page may be short or empty and still have a next_cursor: each looks through a bounded number of chats */
export interface TalkPage {
  /** Entries of this page */
  list: Talk[];
  /** `cursor` of the next page; null on the last page */
  next_cursor: string | null;
  /** How many open chats each view has, whatever text says */
  counts: {
    /** Chats that wait */
    waiting: number;
    /** Chats you hold */
    mine: number;
    /** Team */
    team: number;
  };
}

/** waiting: nobody has taken it; taken: its holder answers; closed: it is over */
export type TalkState = "waiting" | "taken" | "closed";

export interface TalkTeam {
  /** Id of the team */
  team_id: string;
  /** Name */
  name: string;
}

export interface TestModelRequest {
  /** Base URL of an OpenAI-compatible API, including /v1, without the path of an operation. At most 2,048 characters */
  url?: string | undefined;
  /** Name of the model. 1 to 200 characters */
  model?: string | undefined;
  /** Stored encrypted and never shown. Unchanged if omitted; null removes it. Required again when url changes to another server. 1 to 2,000 characters */
  api_key?: string | null | undefined;
  /** 20 unless another was set. 1 to 120 */
  timeout_seconds?: number | undefined;
}

export type TestableEvent = "message" | "handoff_requested" | "message_left" | "user_message";

/** A part of the reply's text */
export interface TextEvent {
  /** Result code. The HTTP status decides */
  code: 3;
  /** The result in words */
  message: "Text";
  /** Append it to what you show */
  data: string;
}

export interface TimelineDelivery {
  /** Id of the delivery */
  delivery_id: string;
  /** Id of the webhook */
  webhook_id: string;
  /** What happened */
  event: DeliveryEvent;
  state: DeliveryState;
  /** Cause of the last failed attempt, or of giving up */
  cause: Cause | null;
  /** Page that explains the cause, as a path in the repository */
  cause_page: string | null;
  /** Number of attempts so far */
  attempt_count: number;
  /** The delivery it repeats, whose id is sent as webhook-id */
  replay_of: string | null;
  /** When it was created, in milliseconds since 1970, UTC */
  create_time: number;
  /** When it ended; null while it runs */
  finish_time: number | null;
}

export interface TimelineHandoff {
  /** Kind of timer */
  kind: "handoff";
  /** Milliseconds since 1970, UTC */
  time: number;
  /** Joined: the first reply of a human */
  step: "requested" | "joined" | "ended";
  /** Handoff */
  handoff: HandoffView;
  /** Calls to the desk that do not carry one message */
  deliveries: TimelineDelivery[];
}

export type TimelineItem = TimelineMessage | TimelineHandoff | TimelineRating;

export interface TimelineMessage {
  /** Kind of timer */
  kind: "message";
  /** Milliseconds since 1970, UTC */
  time: number;
  /** Id of the message */
  message_id: string;
  /** Position in the conversation. At least 1 */
  sequence: number;
  /** Who sent it */
  sender: "user" | "ai" | "human" | "system";
  /** Origin of the message: direct, small_talk, model, fallback or notice */
  branch: string | null;
  /** Text */
  text: string;
  /** Attachments */
  attachments: {
    /** Kind */
    type: string;
    /** URL */
    url: string;
    /** File format */
    format?: string | undefined;
    /** Name */
    name?: string | undefined;
  }[];
  /** Stored questions offered with the message */
  suggestions: string[];
  /** Pairs that the answer stands on: the one it was taken from, or those that the model cites, in the order of their citations. Empty if it stands on none */
  sources: AnswerSource[];
  /** The user's message it answers; null if it was not delivered to a webhook */
  in_reply_to: string | null;
  /** For a user's message, the epoch in which the agent took it up */
  epoch: number | null;
  /** What the user thought of an answer of the agent */
  rating: GivenRating | null;
  /** Oldest first. Attempts past their retention are deleted */
  deliveries: TimelineDelivery[];
}

/** What the user thought of the conversation */
export interface TimelineRating {
  /** Kind of timer */
  kind: "rating";
  /** Milliseconds since 1970, UTC */
  time: number;
  /** Good or bad */
  rating: Rating;
  /** Comment of the user */
  comment: string | null;
  /** The handoff it is about; null if there was none */
  handoff_id: string | null;
}

export interface TokenUsage {
  /** Input and output tokens */
  total_tokens: number;
  /** Input tokens */
  prompt_tokens: number;
  /** Output tokens */
  completion_tokens: number;
  /** Input tokens by kind */
  prompt_tokens_details: {
    /** Audio tokens */
    audio_tokens: number;
    /** Text tokens */
    text_tokens: number;
  };
  /** Output tokens by kind */
  completion_tokens_details: {
    /** Reasoning tokens */
    reasoning_tokens: number;
    /** Audio tokens */
    audio_tokens: number;
    /** Text tokens */
    text_tokens: number;
  };
}

export interface TopQuestion {
  /** The wording used most. Personal data is masked */
  question: string;
  /** How often, in all wordings. At least 1 */
  asked: number;
  /** How many wordings it has. At least 1 */
  phrasings: number;
}

export interface TopQuestions {
  /** What users asked most, in at least two conversations. Small talk is left out */
  asked: TopQuestion[];
  /** What the agent could not answer, asked last within the range; counted since it was first asked */
  unanswered: TopQuestion[];
  /** True if only the newest 20,000 messages of the range were read */
  is_partial: boolean;
}

export interface TotpEnrolment {
  /** In Base32, for an app that cannot scan. Shown once, stored encrypted */
  totp_secret: string;
  /** The same as a URI, for a QR code */
  otpauth_uri: string;
}

export interface TriedPair {
  /** Stays the same while the pair is edited. Replacing the document gives its pairs new ids */
  pair_id: string;
  /** Id of the document */
  doc_id: string;
  /** Text of the question */
  question: string;
  /** Text of the answer */
  answer: string;
  /** Match, from 0 to 1. 0 to 1 */
  score: number;
  /** How the score came about */
  parts: {
    /** Text of the question */
    question: number;
    /** Share of equal trigrams */
    trigram: number;
    /** Text of the answer */
    answer: number;
    /** Sum of question, trigram and answer */
    lexical: number;
    /** Null if no vectors were compared */
    semantic: number | null;
  };
  /** Share of the question that the pair does not cover. 0 to 1 */
  unsupported: number;
}

export interface TryQuestionReply {
  /** What a user gets who begins a conversation with this question */
  reply: {
    /** Result */
    outcome: "answered" | "offered" | "small_talk" | "unanswered" | "handed_over";
    /** What the user reads, before a chat model rewords it; null if a person takes over */
    text: string | null;
  };
  /** What the knowledge alone says to it */
  decision: AgentDecision;
  /** What the agent would say from a pair; null for an offer or fallback */
  answer: string | null;
  /** If true, the model phrases answers of the decision model */
  has_chat_model: boolean;
  /** The questions it would offer */
  offers: string[];
  /** What the thresholds are for */
  searched_by: "words" | "han" | "meaning";
  /** From the best pair's score, its distance to the next, and how much of the question it leaves out */
  confidence: number | null;
  /** Two pairs are equally near, so neither is given */
  is_tie: boolean;
  /** The thresholds of the agent */
  thresholds: {
    /** Score from which the answer is given word for word */
    direct: number;
    /** Confidence from which the best pair answers */
    answer: number;
    /** Score from which a question is offered */
    offer: number;
    /** The agent's own minimum score, which replaces confidence; null if it has none */
    answer_score: number | null;
  };
  /** The nearest pairs, best first */
  pairs: TriedPair[];
}

export interface TypeAsHumanRequest {
  /** Id of the handoff, as in 4.6. With an API key also the id of the agent's conversation, while a handoff of it is open. 1 to 100 characters */
  conversation_id: string;
  /** The name that the chat widget shows. 1 to 100 characters */
  human_name?: string | null | undefined;
}

export interface UnansweredQuestion {
  /** Id of the question */
  question_id: string;
  /** Text of the question */
  question: string;
  /** How often it was asked, whatever the punctuation; 0 if it was only proposed */
  asked: number;
  /** Score of the nearest pair; 0 if there was none */
  best_score: number;
  /** Question of the best pair */
  best_question: string | null;
  /** Document of the best pair */
  best_doc_id: string | null;
  /** Milliseconds since 1970, UTC */
  first_time: number;
  /** Milliseconds since 1970, UTC */
  last_time: number;
  proposal: ProposedAnswer | null;
}

export interface UnansweredQuestionPage {
  /** Entries of this page */
  list: UnansweredQuestion[];
  /** `cursor` of the next page; null on the last page */
  next_cursor: string | null;
}

export interface UpdateQaRequest {
  /** Required when updating with qaList */
  doc_id?: string | null | undefined;
  /** The document's knowledge base if omitted */
  knowledge_base_id?: string | null | undefined;
  /** The complete list, which replaces all pairs. At most 10,000 entries */
  qaList?: QaPair[] | null | undefined;
  /** Files, each with its URL. At most 20 entries */
  files?: UpdatedFileEntry[] | null | undefined;
  /** Number of header rows of a CSV file. Detected if omitted. 0 to 2,147,483,647 */
  header_row?: number | null | undefined;
  /** Columns of a CSV file, where their names and cells do not say which holds questions and which answers */
  columns?: ImportColumns | null | undefined;
  /** Tokens a chunk, when a document is converted. 64 to 4,000 are used; the import's problems say so. 1 to 2,147,483,647. Default 600 */
  chunk_token?: number | null | undefined;
  /** Literal separator of a converted document, or the one-character delimiter of a CSV file. One that cannot be a delimiter is ignored for QA_FILE. 1 to 100 characters */
  splitter?: string | null | undefined;
}

export interface UpdatedFileEntry {
  /** Id of the document. 1 to 100 characters */
  doc_id: string;
  /** URL of the file. Required for `QA_FILE`; `source_url` is accepted instead. At most 4,096 characters */
  file_url?: string | null | undefined;
  /** URL of the document. Required for `FILE_2_QA` and for updates; `file_url` is accepted instead. At most 4,096 characters */
  source_url?: string | null | undefined;
  /** File name, with its extension. 1 to 200 characters */
  file_name: string;
}

export interface Upload {
  /** Id of the upload */
  upload_id: string;
  /** File name, with its extension */
  file_name: string;
  /** Size of the file in bytes */
  size_bytes: number;
  /** Where to continue after an interruption */
  received_bytes: number;
  /** Null until the last one that was asked for is ready */
  preview: UploadPreview | null;
  /** When it was created, in milliseconds since 1970, UTC */
  create_time: number;
}

export interface UploadPreview {
  /** Document: sections of its text become pairs. null if the file cannot be read */
  reads_as: "pairs" | "document" | null;
  /** Why an import would fail */
  failure: {
    /** Cause of the failure, as docs/reference/errors lists them */
    cause: string;
    /** The cause in a sentence */
    detail: string;
    /** Line number */
    line: number | null;
  } | null;
  /** Encoding detected */
  encoding: string | null;
  /** Delimiter detected */
  delimiter: string | null;
  /** Header rows detected */
  header_rows: number | null;
  /** Null for a document without columns */
  columns: FoundColumns | null;
  /** False: `columns` is needed in the next call, because nothing is guessed */
  certain: boolean;
  /** The first rows. Long cells are cut */
  rows: {
    /** Line number */
    line: number;
    /** Cells of the row */
    cells: string[];
  }[];
  /** Number of rows read */
  rows_read: number;
  /** Pairs stored */
  pairs: number;
  /** Rows rejected */
  rejected: number;
  /** Rows that repeat a pair */
  duplicates: number;
  /** Empty rows */
  blank: number;
  /** Pairs whose question stands in the file with another answer too */
  conflicts: number;
  /** Sections of a document that become pairs */
  sections: number;
  /** Up to 200 */
  problems: ImportProblem[];
  /** The first pairs, as they would be stored */
  first_pairs: {
    /** Text of the question */
    question: string;
    /** Text of the answer */
    answer: string;
  }[];
  /** Compared with the knowledge base, without the document to replace */
  existing: {
    /** Pairs of the file that the knowledge base already has */
    same: number;
    /** Questions that it has with another answer */
    contradictions: number;
    /** The first contradictions */
    examples: {
      /** Line number */
      line: number | null;
      /** Text of the question */
      question: string;
      /** Text of the answer */
      answer: string;
      /** Stays the same while the pair is edited. Replacing the document gives its pairs new ids */
      pair_id: string;
      /** The answer that is stored now */
      existing_answer: string;
    }[];
  };
}

export interface UploadReading {
  /** Rows up to and including the header, title lines included. Detected if omitted. 0 to 20 */
  header_rows?: number | null | undefined;
  /** One character, or tab, comma, semicolon or pipe. Detected if omitted. 1 to 20 characters */
  delimiter?: string | null | undefined;
  /** Recognised by their names and cells if omitted */
  columns?: ImportColumns | null | undefined;
  /** The document to replace. A new one if omitted */
  doc_id?: string | null | undefined;
  /** The agent's default knowledge base if omitted */
  knowledge_base_id?: string | null | undefined;
}

/** What this message's turn consumed */
export interface Usage {
  /** Tokens */
  tokens: TokenUsage;
  /** Credits */
  credits: {
    /** Total credits */
    total_credits: number;
    /** Credits for input text */
    text_input_credits: number;
    /** Credits for output text */
    text_output_credits: number;
    /** Credits for input audio */
    audio_input_credits: number;
    /** Credits for output audio */
    audio_output_credits: number;
  };
}

/** Export everything stored about a user */
export interface UserExport {
  /** Id of the agent */
  agent_id: string;
  /** The developer's id of the user; null if no user is bound */
  user_id: string | null;
  /** Anonymous user (device) */
  anonymous_id: string | null;
  /** When it was created, in milliseconds since 1970, UTC */
  create_time: number;
  /** Anonymous ids to bind to the user */
  bindings: {
    /** Anonymous user (device) */
    anonymous_id: string;
    /** Channel of the id: `API` or `WIDGET` for channels of this service */
    conversation_type: string;
    /** Id that was bound */
    source_id: string;
    /** The developer's id of the user; null if no user is bound */
    user_id: string | null;
    /** When it was created, in milliseconds since 1970, UTC */
    create_time: number;
  }[];
  /** Oldest first */
  conversations: ExportedConversation[];
}

/** A user of an agent: by user_id, or by anonymous_id for somebody who never signed in */
export interface UserOfAgent {
  /** The developer's id of the user. 1 to 255 characters */
  user_id?: string | undefined;
  /** Anonymous user (device). 1 to 128 characters */
  anonymous_id?: string | undefined;
}

export interface VerifyApiKeyReply {
  /** Kind of owner of the key */
  entity_type: "agent";
  /** The agent the key belongs to */
  entity_id: string;
}

export interface WebhookCheck {
  /** Id of the check */
  check_id: string;
  /** Id of the webhook */
  webhook_id: string;
  /** Milliseconds since 1970, UTC */
  check_time: number;
  /** URL of the first request that failed, or of the first */
  url: string;
  /** True if every response was HTTP 200 */
  reachable: boolean;
  /** 0 if there was no response */
  http_status: number;
  /** The latency of the slowest request */
  latency_ms: number;
  cause: Cause | null;
  /** Page that explains the cause, as a path in the repository */
  cause_page: string | null;
}

/** Newest first. The last 50 checks of each webhook are kept, by whichever way they were made */
export interface WebhookCheckPage {
  /** Entries of this page */
  list: WebhookCheck[];
  /** `cursor` of the next page; null on the last page */
  next_cursor: string | null;
}

export type WebhookCheckResult = {
  /** Kind */
  type: "message";
  /** Id of the human service component; null for the message webhook */
  component_id: null;
  /** Name of the human service component; null for the message webhook */
  component_name: null;
  /** The URL probed. A human service has two: the first that did not answer 200 is given, or the establish URL if both did */
  webhook_url: string;
  /** True if the response was HTTP 200 */
  reachable: boolean;
  /** HTTP status of the URL probed; 0 if there was no response */
  http_status: number | null;
  /** Duration of the probe; for a human service, of the slower one */
  latency_ms: number;
} | {
  /** Kind */
  type: "human_service";
  /** Id of the human service component; null for the message webhook */
  component_id: string;
  /** Name of the human service component; null for the message webhook */
  component_name: string;
  /** The URL probed. A human service has two: the first that did not answer 200 is given, or the establish URL if both did */
  webhook_url: string;
  /** True if the response was HTTP 200 */
  reachable: boolean;
  /** HTTP status of the URL probed; 0 if there was no response */
  http_status: number | null;
  /** Duration of the probe; for a human service, of the slower one */
  latency_ms: number;
};

export interface WebhookMessageRequest {
  /** Id of the conversation */
  conversation_id: string;
  /** `blocking` and `streaming` answer this call. In webhook mode the answer goes to the message webhook (4.5) */
  response_mode: "webhook";
  /** The last one is the user's message, which is stored and answered. Earlier ones are context for the model, for this answer only. 1 to 100 entries */
  messages: InboundMessage[];
  /** Options of this answer */
  conversation_config?: ConversationConfig | null | undefined;
}

export interface WebhookProbe {
  /** URL */
  url: string;
  /** 0 if there was no response */
  http_status: number;
  /** How long the answer took, in milliseconds */
  latency_ms: number;
  /** Cause of the failure; null for HTTP 200 */
  cause: Cause | null;
  /** Page that explains the cause, as a path in the repository */
  cause_page: string | null;
  /** Beginning of the response, with credentials redacted */
  response_body: string | null;
}

/** Discard what you have shown of this reply: it is not stored, for example because a human took over. A failure follows */
export interface WithdrawnEvent {
  /** Result code. The HTTP status decides */
  code: 13;
  /** The result in words */
  message: "Withdrawn";
  /** Content of the event */
  data: {
    /** Id of the message */
    message_id: string;
  };
}
