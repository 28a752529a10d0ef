// Written by tools/write-sdk.ts from packages/contract: change it there and run npm run write-sdk.
import type { Call, PagedCall } from "./call.ts";
import type { ChangeStreamEvent } from "./change-stream.ts";
import type { ChatStreamEvent } from "./chat-stream.ts";
import type { FollowOptions } from "./following.ts";
import type { MessageStream, NotStreaming, ReplyIn, StreamMessageRequest } from "./message-stream.ts";
import type { CallOptions } from "./options.ts";
import type {
  AcceptHumanAnswerRequest,
  AcceptInvitationRequest,
  Account,
  AccountPage,
  Acknowledged,
  AddPairRequest,
  AddQaChunksRequest,
  AddQaRequest,
  AddTalkNoteRequest,
  AddUploadPartRequest,
  Agent,
  AgentModel,
  AgentPage,
  ApiKey,
  ApiKeyPage,
  ApproveProposedAlternateRequest,
  AskForPersonRequest,
  AskedForPerson,
  AuditEntry,
  AuditPage,
  CannedReply,
  CannedReplyList,
  ChangePairRequest,
  ChangePasswordRequest,
  ChatBegun,
  ChatList,
  ChatToken,
  CheckWebhooksReply,
  CloseByHumanReply,
  CloseByHumanRequest,
  CloseTalkRequest,
  ConfirmSignInRequest,
  ConfirmTotpRequest,
  ConversationEntry,
  ConversationPage,
  ConversationTimeline,
  CreateAgentRequest,
  CreateApiKeyRequest,
  CreateCannedReplyRequest,
  CreateConversationReply,
  CreateConversationRequest,
  CreateHumanServiceRequest,
  CreateInboxTeamRequest,
  CreateInvitationRequest,
  CreateKnowledgeBaseReply,
  CreateKnowledgeBaseRequest,
  CreateOperatorTokenRequest,
  CreatePasskeyRequest,
  CreatePasswordResetRequest,
  CreateUploadRequest,
  CreatedApiKey,
  CreatedInvitation,
  CreatedOperatorToken,
  CreatedPasswordReset,
  CurrentHandoff,
  DeleteAccountRequest,
  DeleteAgentRequest,
  DeleteCannedReplyRequest,
  DeleteChatFallbackModelRequest,
  DeleteChatModelRequest,
  DeleteDocumentsRequest,
  DeleteEmbeddingModelRequest,
  DeleteHumanServiceRequest,
  DeleteInboxRequest,
  DeleteInboxTeamRequest,
  DeleteMessageWebhookRequest,
  DeletePairRequest,
  DeletePasskeyRequest,
  DeleteSavedQuestionRequest,
  DeleteSpeechModelRequest,
  DeleteUploadRequest,
  Delivery,
  DeliveryDetail,
  DeliveryEntry,
  DeliveryPage,
  DestinationPage,
  DestinationState,
  DiagnoseWebhooksReply,
  DiagnoseWebhooksRequest,
  DisableTotpRequest,
  DismissHumanAnswerRequest,
  DismissQuestionRequest,
  DocumentDetails,
  DocumentPage,
  DocumentRevision,
  DocumentRevisionPage,
  DocumentsResult,
  EnableDestinationRequest,
  EraseUserRequest,
  Erasure,
  ErasurePage,
  ExportNumbersRequest,
  ExportPairsRequest,
  ExportUserRequest,
  FillCannedReplyRequest,
  FilledReply,
  FinishOidcSignInRequest,
  FinishPasskeySignInRequest,
  FollowChangesRequest,
  FollowChatRequest,
  GetAgentRequest,
  GetChatFallbackModelRequest,
  GetChatModelRequest,
  GetConversationRequest,
  GetDeliveryRequest,
  GetDocumentDetailsRequest,
  GetEmbeddingModelRequest,
  GetErasureRequest,
  GetHandoffRequest,
  GetHandoffSettingsRequest,
  GetInboxRequest,
  GetMessageSourcesRequest,
  GetMessageWebhookRequest,
  GetNumbersRequest,
  GetPairRequest,
  GetReplayRequest,
  GetRetentionRequest,
  GetSavedQuestionRunRequest,
  GetSpeechModelRequest,
  GetTalkRequest,
  GetUploadRequest,
  HandoffPage,
  HandoffSettings,
  HandoffView,
  HumanAnswer,
  HumanAnswerPage,
  HumanService,
  HumanServicePage,
  ImportUploadRequest,
  Inbox,
  InboxMemberList,
  InboxTeam,
  InboxTeamList,
  Invitation,
  InvitationOffer,
  InvitationPage,
  JoinWithAccountRequest,
  KnowledgeBase,
  KnowledgeBaseList,
  KnowledgeBasePage,
  KnowledgeDocument,
  KnowledgeDocumentPage,
  LeaveHandoffRequest,
  LeavePersonRequest,
  ListAccountsRequest,
  ListAgentDocumentsRequest,
  ListAgentKnowledgeBasesRequest,
  ListAgentsRequest,
  ListApiKeysRequest,
  ListAuditRequest,
  ListCannedRepliesRequest,
  ListDeliveriesRequest,
  ListDestinationsRequest,
  ListDocumentsRequest,
  ListErasuresRequest,
  ListHandoffsRequest,
  ListHumanAnswersRequest,
  ListHumanServicesRequest,
  ListInboxMembersRequest,
  ListInboxTeamsRequest,
  ListInvitationsRequest,
  ListKnowledgeBasesRequest,
  ListMessagesRequest,
  ListOperatorTokensRequest,
  ListPairHistoryRequest,
  ListPairTagsRequest,
  ListPairsRequest,
  ListProposedAlternatesRequest,
  ListQaChunksRequest,
  ListQuestionGroupsRequest,
  ListRefusedRowsRequest,
  ListRevisionsRequest,
  ListSavedQuestionRunsRequest,
  ListSavedQuestionsRequest,
  ListSessionsRequest,
  ListTopQuestionsRequest,
  ListUnansweredQuestionsRequest,
  ListWebhookChecksRequest,
  ListedDocument,
  ListedMessage,
  ListedSession,
  LookAtInvitationRequest,
  LookAtPasswordResetRequest,
  MarkChatSeenRequest,
  MarkTalkSeenRequest,
  MatchKnowledgeRequest,
  MatchReply,
  MessagePage,
  MessageSources,
  MessageWebhook,
  MintChatTokenRequest,
  ModelTest,
  Numbers,
  OidcSignIn,
  OperatorToken,
  OperatorTokenPage,
  OperatorWebhook,
  Pair,
  PairHistory,
  PairPage,
  PairTagList,
  PairVersion,
  Passkey,
  PasskeyList,
  PasskeyOptions,
  PasswordResetOffer,
  PreviewUploadRequest,
  ProposePairRequest,
  ProposedAlternate,
  ProposedAlternatePage,
  PublishRevisionRequest,
  QaChunk,
  QaChunkPage,
  QuestionGroup,
  QuestionGroupPage,
  RateChatRequest,
  ReceiveHumanMessageRequest,
  RecoveryCodes,
  RefusedRows,
  RejectProposedAlternateRequest,
  RemoveMemberRequest,
  RenamePasskeyRequest,
  Replay,
  ReplayDeliveryRequest,
  ReplyInTalkRequest,
  RequestHandoffRequest,
  RequestedHandoff,
  ResetPasswordRequest,
  ResetSecondFactorRequest,
  RestorePairRequest,
  RestoreRevisionRequest,
  Retention,
  RevokeAgentChatTokensRequest,
  RevokeApiKeyRequest,
  RevokeChatTokensRequest,
  RevokeInvitationRequest,
  RevokeOperatorTokenRequest,
  RevokeSessionRequest,
  RotateHumanServiceSecretRequest,
  RotateMessageWebhookSecretRequest,
  RotateOperatorTokenRequest,
  RotateOperatorWebhookSecretRequest,
  RotatedSigningSecret,
  RunSavedQuestionsRequest,
  SaidInChat,
  SaveQuestionRequest,
  SavedQuestion,
  SavedQuestionPage,
  SavedQuestionRun,
  SavedQuestionRunDetail,
  SavedQuestionRunPage,
  SayInChatRequest,
  SearchConversationsRequest,
  SearchTalksRequest,
  SecondFactor,
  SendMessageRequest,
  SendTestEventRequest,
  ServiceHealth,
  ServiceStatus,
  Session,
  SessionPage,
  SetAccountRolesRequest,
  SetChatFallbackModelRequest,
  SetChatModelRequest,
  SetEmbeddingModelRequest,
  SetHandoffSettingsRequest,
  SetInboxRequest,
  SetMemberRolesRequest,
  SetMessageWebhookRequest,
  SetOperatorWebhookRequest,
  SetPresenceRequest,
  SetRetentionRequest,
  SetSpeechModelRequest,
  SetUserIdRequest,
  SignInReply,
  SignInRequest,
  SignInWays,
  SpeechModel,
  StartPasskeyRequest,
  StartReplayRequest,
  StartTotpRequest,
  StartedReplay,
  StopReplayRequest,
  SuggestAnswersRequest,
  SuggestedAnswers,
  TagPairsReply,
  TagPairsRequest,
  TakeTalkRequest,
  Talk,
  TalkDetail,
  TalkNote,
  TalkPage,
  TestChatFallbackModelRequest,
  TestChatModelRequest,
  TestEmbeddingModelRequest,
  TestSpeechModelRequest,
  TimelineItem,
  TopQuestions,
  TotpEnrolment,
  TransferTalkRequest,
  TryQuestionReply,
  TryQuestionRequest,
  TypeAsHumanRequest,
  TypeInChatRequest,
  TypeInTalkRequest,
  UnansweredQuestion,
  UnansweredQuestionPage,
  UpdateAgentRequest,
  UpdateCannedReplyRequest,
  UpdateHumanServiceRequest,
  UpdateInboxTeamRequest,
  UpdateQaRequest,
  Upload,
  UploadFileRequest,
  UserExport,
  VerifyApiKeyReply,
  WebhookCheck,
  WebhookCheckPage,
  WebhookProbe,
} from "./bodies.generated.ts";

/** A method for each endpoint, under what it is about. Path, query and body are one object, named as on the wire. */
export interface Client {
  /** Knowledge of the agent whose API key calls */
  readonly knowledge: KnowledgeMethods;
  /** Documents of an agent, their imports and revisions */
  readonly documents: DocumentsMethods;
  /** Pairs of a question and an answer, one at a time */
  readonly pairs: PairsMethods;
  /** Files on their way to become documents */
  readonly uploads: UploadsMethods;
  /** Questions that the agent could not answer */
  readonly unanswered: UnansweredMethods;
  /** Proposed wordings of questions */
  readonly alternates: AlternatesMethods;
  /** Answers of humans, offered as pairs */
  readonly humanAnswers: HumanAnswersMethods;
  /** Questions that are asked after each import */
  readonly savedQuestions: SavedQuestionsMethods;
  /** Conversations and their messages */
  readonly conversations: ConversationsMethods;
  /** The developer's users */
  readonly users: UsersMethods;
  /** Handoffs to a human, and what a desk calls */
  readonly handoffs: HandoffsMethods;
  /** Human service components: the desks that handoffs go to */
  readonly desks: DesksMethods;
  /** The inbox of an agent, and who answers in it */
  readonly inbox: InboxMethods;
  /** Chats of the inbox */
  readonly talks: TalksMethods;
  /** Texts that people of the inbox reuse */
  readonly cannedReplies: CannedRepliesMethods;
  /** Teams of the inbox */
  readonly inboxTeams: InboxTeamsMethods;
  /** A user's own chats, with a chat token */
  readonly chats: ChatsMethods;
  /** Tokens that let a user's browser chat */
  readonly chatTokens: ChatTokensMethods;
  /** Agents and their settings */
  readonly agents: AgentsMethods;
  /** The models of an agent: chat, embedding and speech */
  readonly models: ModelsMethods;
  /** API keys of an agent */
  readonly keys: KeysMethods;
  /** The message webhook of an agent, and checks of all its webhooks */
  readonly webhooks: WebhooksMethods;
  /** The webhook that tells operators what fails */
  readonly operatorWebhook: OperatorWebhookMethods;
  /** The log of webhook calls */
  readonly deliveries: DeliveriesMethods;
  /** Replays of many deliveries */
  readonly replays: ReplaysMethods;
  /** The health of each webhook */
  readonly destinations: DestinationsMethods;
  /** Figures of conversations, answers and handoffs */
  readonly numbers: NumbersMethods;
  /** Signing in, and the sessions of the account that calls */
  readonly session: SessionMethods;
  /** Password and one-time codes of the account that calls */
  readonly account: AccountMethods;
  /** Passkeys of the account that calls */
  readonly passkeys: PasskeysMethods;
  /** Invitations of people */
  readonly invitations: InvitationsMethods;
  /** Accounts of people, and their roles */
  readonly accounts: AccountsMethods;
  /** Who works on an agent */
  readonly members: MembersMethods;
  /** Links that set a new password */
  readonly passwordResets: PasswordResetsMethods;
  /** Health, status and changes of the service */
  readonly service: ServiceMethods;
  /** Who changed what */
  readonly audit: AuditMethods;
  /** Operator tokens */
  readonly tokens: TokensMethods;
}

/** Knowledge of the agent whose API key calls */
export interface KnowledgeMethods {
  /**
   * Add QA documents to a knowledge base.
   *
   * Section 4.1 of the specification.
   *
   * - `QA_TEXT` needs `name` and `qaList`. `QA_FILE` takes files of pairs (CSV, workbooks). `FILE_2_QA` converts documents into pairs.
   * - At most 20 files. A missing field or a 21st file is 40000, and nothing is stored.
   * - With files the reply comes when each is stored or refused, or after 20 seconds. Files still in progress are in `doc`.
   * - A file that fails does not affect the others: its name is in `failed`. Imports explains how files are read.
   * - The body may have up to 10 MiB.
   *
   * Called with an API key of the agent. Scope: `knowledge`.
   */
  add(request: AddQaRequest, options?: CallOptions): Call<DocumentsResult>;

  /**
   * Replace the content of QA documents.
   *
   * Section 4.2 of the specification.
   *
   * - Send `qaList` or `files`, not both and not neither: 40000 otherwise.
   * - `qaList` replaces every pair of the document `doc_id`. Send the complete list.
   * - With `files` each entry names its document by its own `doc_id`. An unknown one goes to `failed`.
   * - The update is atomic: readers see the whole old content, then the whole new content. A failed update changes nothing.
   * - The body may have up to 10 MiB.
   *
   * Called with an API key of the agent. Scope: `knowledge`.
   */
  update(request: UpdateQaRequest, options?: CallOptions): Call<DocumentsResult>;

  /**
   * Import a file from disk, as a new document or in place of one.
   *
   * - The body is `multipart/form-data`: the part `file`, and a part for each field that is given, in any order.
   * - The file is read while it arrives. It may be as large as the service's `IMPORT_FILE_MEGABYTES` allows, and the whole request may take 30 seconds.
   * - The reply comes when the file is stored or refused, or after 20 seconds. `state` says which, and `cause` and `detail` say why: a file that fails is no failure of the call.
   * - A table whose columns are not certain ends with `columns_unclear`: send it again with `question_column` and `answer_column`. Imports explains how files are read.
   *
   * Called with an API key of the agent. Scope: `knowledge`.
   */
  uploadFile(request: UploadFileRequest, options?: CallOptions): Call<DocumentRevision>;

  /**
   * Create a knowledge base.
   *
   * Called with an API key of the agent. Scope: `knowledge`.
   */
  createBase(request: CreateKnowledgeBaseRequest, options?: CallOptions): Call<CreateKnowledgeBaseReply>;

  /**
   * List knowledge bases.
   *
   * - A page of a list. Pages are numbered from 1; `total` counts the entries of all pages.
   *
   * Called with an API key of the agent. Scope: `knowledge` or `read`.
   */
  listBases(request?: ListKnowledgeBasesRequest, options?: CallOptions): PagedCall<KnowledgeBasePage, KnowledgeBasePage["knowledge_base"][number]>;

  /**
   * List the documents of a knowledge base.
   *
   * - A page of a list. Pages are numbered from 1; `total` counts the entries of all pages.
   *
   * Called with an API key of the agent. Scope: `knowledge` or `read`.
   */
  listDocuments(request?: ListDocumentsRequest, options?: CallOptions): PagedCall<DocumentPage, ListedDocument>;

  /**
   * Read the state of documents, and the result of each import.
   *
   * - Name documents by `data_ids`, or one call's files by `import_id`.
   *
   * Called with an API key of the agent. Scope: `knowledge` or `read`.
   */
  getDocuments(request?: GetDocumentDetailsRequest, options?: CallOptions): Call<DocumentDetails>;

  /**
   * Delete documents.
   *
   * Called with an API key of the agent. Scope: `knowledge`.
   */
  deleteDocuments(request: DeleteDocumentsRequest, options?: CallOptions): Call<Acknowledged>;

  /**
   * Append pairs to a document, or replace them.
   *
   * - The body may have up to 10 MiB.
   *
   * Called with an API key of the agent. Scope: `knowledge`.
   */
  addPairs(request: AddQaChunksRequest, options?: CallOptions): Call<Acknowledged>;

  /**
   * List the pairs of a document, in order.
   *
   * - A document that is replaced between two pages is 40900: start at the first page again. Pairs that are appended meanwhile come at the end.
   * - A page of a list. Give its `next_cursor` as `cursor` for the next page; null means it was the last.
   *
   * Called with an API key of the agent. Scope: `knowledge` or `read`.
   */
  listPairs(request: ListQaChunksRequest, options?: CallOptions): PagedCall<QaChunkPage, QaChunk>;

  /**
   * Search for pairs as the agent does.
   *
   * Called with an API key of the agent. Scope: `knowledge` or `read`.
   */
  search(request: MatchKnowledgeRequest, options?: CallOptions): Call<MatchReply>;
}

/** Documents of an agent, their imports and revisions */
export interface DocumentsMethods {
  /**
   * List an agent's knowledge bases, newest first.
   *
   * - A page of a list. Give its `next_cursor` as `cursor` for the next page; null means it was the last.
   *
   * Called with an operator token, or the session of an account. Scope: `read` or `manage` or `conversations` or `knowledge`.
   */
  listBases(request: ListAgentKnowledgeBasesRequest, options?: CallOptions): PagedCall<KnowledgeBaseList, KnowledgeBase>;

  /**
   * List the documents of a knowledge base, newest first.
   *
   * - A page of a list. Give its `next_cursor` as `cursor` for the next page; null means it was the last.
   *
   * Called with an operator token, or the session of an account. Scope: `read` or `manage` or `conversations` or `knowledge`.
   */
  list(request: ListAgentDocumentsRequest, options?: CallOptions): PagedCall<KnowledgeDocumentPage, KnowledgeDocument>;

  /**
   * List the imports and changes of a document, newest first.
   *
   * - A page of a list. Give its `next_cursor` as `cursor` for the next page; null means it was the last.
   *
   * Called with an operator token, or the session of an account. Scope: `read` or `manage` or `conversations` or `knowledge`.
   */
  listRevisions(request: ListRevisionsRequest, options?: CallOptions): PagedCall<DocumentRevisionPage, DocumentRevision>;

  /**
   * Roll a document back: bring the pairs of an earlier revision back, as a new one.
   *
   * Called with an operator token, or the session of an account. Scope: `manage` or `knowledge`.
   */
  restore(request: RestoreRevisionRequest, options?: CallOptions): Call<DocumentRevision>;

  /**
   * Publish an import that was held back.
   *
   * Called with an operator token, or the session of an account. Scope: `manage` or `knowledge`.
   */
  publish(request: PublishRevisionRequest, options?: CallOptions): Call<DocumentRevision>;

  /**
   * List the rows that an import refused, with their cells.
   *
   * Called with an operator token, or the session of an account. Scope: `read` or `manage` or `conversations` or `knowledge`.
   */
  listRefusedRows(request: ListRefusedRowsRequest, options?: CallOptions): Call<RefusedRows>;
}

/** Pairs of a question and an answer, one at a time */
export interface PairsMethods {
  /**
   * List or search the pairs of a knowledge base or document.
   *
   * - A page of a list. Give its `next_cursor` as `cursor` for the next page; null means it was the last.
   *
   * Called with an operator token, or the session of an account. Scope: `read` or `manage` or `conversations` or `knowledge`.
   */
  list(request: ListPairsRequest, options?: CallOptions): PagedCall<PairPage, Pair>;

  /**
   * Export pairs as CSV, XLSX or JSON.
   *
   * - The reply is a file: `text/csv` or `application/vnd.openxmlformats-officedocument.spreadsheetml.sheet` or `application/json`.
   *
   * Called with an operator token, or the session of an account. Scope: `read` or `manage` or `conversations` or `knowledge`.
   */
  export(request: ExportPairsRequest, options?: CallOptions): Call<Blob>;

  /**
   * List the tags of a knowledge base or document, with how many pairs have them.
   *
   * Called with an operator token, or the session of an account. Scope: `read` or `manage` or `conversations` or `knowledge`.
   */
  listTags(request: ListPairTagsRequest, options?: CallOptions): Call<PairTagList>;

  /**
   * Add tags to several pairs, or remove them.
   *
   * Called with an operator token, or the session of an account. Scope: `manage` or `knowledge`.
   */
  tag(request: TagPairsRequest, options?: CallOptions): Call<TagPairsReply>;

  /**
   * Add a pair.
   *
   * Called with an operator token, or the session of an account. Scope: `manage` or `knowledge`.
   */
  add(request: AddPairRequest, options?: CallOptions): Call<Pair>;

  /**
   * Get a pair.
   *
   * Called with an operator token, or the session of an account. Scope: `read` or `manage` or `conversations` or `knowledge`.
   */
  get(request: GetPairRequest, options?: CallOptions): Call<Pair>;

  /**
   * Change the question, answer, alternates or tags of a pair.
   *
   * Called with an operator token, or the session of an account. Scope: `manage` or `knowledge`.
   */
  update(request: ChangePairRequest, options?: CallOptions): Call<Pair>;

  /**
   * Delete a pair.
   *
   * Called with an operator token, or the session of an account. Scope: `manage` or `knowledge`.
   */
  delete(request: DeletePairRequest, options?: CallOptions): Call<Acknowledged>;

  /**
   * List the versions of a pair, newest first, also of a deleted one.
   *
   * - A page of a list. Give its `next_cursor` as `cursor` for the next page; null means it was the last.
   *
   * Called with an operator token, or the session of an account. Scope: `read` or `manage` or `conversations` or `knowledge`.
   */
  listHistory(request: ListPairHistoryRequest, options?: CallOptions): PagedCall<PairHistory, PairVersion>;

  /**
   * Give a pair the texts of an earlier version, or bring a deleted one back.
   *
   * Called with an operator token, or the session of an account. Scope: `manage` or `knowledge`.
   */
  restore(request: RestorePairRequest, options?: CallOptions): Call<Pair>;
}

/** Files on their way to become documents */
export interface UploadsMethods {
  /**
   * Begin the upload of a file.
   *
   * Called with an operator token, or the session of an account. Scope: `manage` or `knowledge`.
   */
  create(request: CreateUploadRequest, options?: CallOptions): Call<Upload>;

  /**
   * Add the next part of a file; after an interruption, go on at received_bytes.
   *
   * Called with an operator token, or the session of an account. Scope: `manage` or `knowledge`.
   */
  addPart(request: AddUploadPartRequest, options?: CallOptions): Call<Upload>;

  /**
   * Get an upload and its preview.
   *
   * Called with an operator token, or the session of an account. Scope: `manage` or `knowledge`.
   */
  get(request: GetUploadRequest, options?: CallOptions): Call<Upload>;

  /**
   * Delete an uploaded file.
   *
   * Called with an operator token, or the session of an account. Scope: `manage` or `knowledge`.
   */
  delete(request: DeleteUploadRequest, options?: CallOptions): Call<Acknowledged>;

  /**
   * Show how a file would be imported, and its problems. Stores no pair.
   *
   * Called with an operator token, or the session of an account. Scope: `manage` or `knowledge`.
   */
  preview(request: PreviewUploadRequest, options?: CallOptions): Call<Upload>;

  /**
   * Import an uploaded file as a new document, or in place of one.
   *
   * Called with an operator token, or the session of an account. Scope: `manage` or `knowledge`.
   */
  import(request: ImportUploadRequest, options?: CallOptions): Call<DocumentRevision>;
}

/** Questions that the agent could not answer */
export interface UnansweredMethods {
  /**
   * List questions that the agent could not answer.
   *
   * - A page of a list. Give its `next_cursor` as `cursor` for the next page; null means it was the last.
   *
   * Called with an operator token, or the session of an account. Scope: `read` or `manage` or `conversations` or `knowledge`.
   */
  list(request: ListUnansweredQuestionsRequest, options?: CallOptions): PagedCall<UnansweredQuestionPage, UnansweredQuestion>;

  /**
   * Remove an unanswered question from the list until it is asked again.
   *
   * Called with an operator token, or the session of an account. Scope: `manage` or `knowledge`.
   */
  dismiss(request: DismissQuestionRequest, options?: CallOptions): Call<Acknowledged>;

  /**
   * List unanswered and poorly rated questions grouped by likeness, those asked most first.
   *
   * - A page of a list. Give its `next_cursor` as `cursor` for the next page; null means it was the last.
   *
   * Called with an operator token, or the session of an account. Scope: `read` or `manage` or `conversations` or `knowledge`.
   */
  listGroups(request: ListQuestionGroupsRequest, options?: CallOptions): PagedCall<QuestionGroupPage, QuestionGroup>;

  /**
   * Propose an answer: it waits among the unanswered questions until an editor adds or dismisses it.
   *
   * Called with an operator token, or the session of an account. Scope: `manage` or `knowledge`.
   */
  propose(request: ProposePairRequest, options?: CallOptions): Call<UnansweredQuestion>;
}

/** Proposed wordings of questions */
export interface AlternatesMethods {
  /**
   * List what users typed before they chose an offered question.
   *
   * - A page of a list. Give its `next_cursor` as `cursor` for the next page; null means it was the last.
   *
   * Called with an operator token, or the session of an account. Scope: `read` or `manage` or `knowledge`.
   */
  list(request: ListProposedAlternatesRequest, options?: CallOptions): PagedCall<ProposedAlternatePage, ProposedAlternate>;

  /**
   * Approve a proposed alternate: it becomes another wording of the question that was chosen.
   *
   * Called with an operator token, or the session of an account. Scope: `manage` or `knowledge`.
   */
  approve(request: ApproveProposedAlternateRequest, options?: CallOptions): Call<Acknowledged>;

  /**
   * Reject a proposed alternate.
   *
   * Called with an operator token, or the session of an account. Scope: `manage` or `knowledge`.
   */
  reject(request: RejectProposedAlternateRequest, options?: CallOptions): Call<Acknowledged>;
}

/** Answers of humans, offered as pairs */
export interface HumanAnswersMethods {
  /**
   * List what humans answered in handoffs, offered as pairs.
   *
   * - A page of a list. Give its `next_cursor` as `cursor` for the next page; null means it was the last.
   *
   * Called with an operator token, or the session of an account. Scope: `read` or `manage` or `conversations` or `knowledge`.
   */
  list(request: ListHumanAnswersRequest, options?: CallOptions): PagedCall<HumanAnswerPage, HumanAnswer>;

  /**
   * Add a human's answer as a pair, with the texts you give.
   *
   * Called with an operator token, or the session of an account. Scope: `manage` or `knowledge`.
   */
  accept(request: AcceptHumanAnswerRequest, options?: CallOptions): Call<Pair>;

  /**
   * Dismiss a human's answer: it is not offered again.
   *
   * Called with an operator token, or the session of an account. Scope: `manage` or `knowledge`.
   */
  dismiss(request: DismissHumanAnswerRequest, options?: CallOptions): Call<Acknowledged>;
}

/** Questions that are asked after each import */
export interface SavedQuestionsMethods {
  /**
   * List saved questions with their last results.
   *
   * - A page of a list. Give its `next_cursor` as `cursor` for the next page; null means it was the last.
   *
   * Called with an operator token, or the session of an account. Scope: `read` or `manage` or `conversations` or `knowledge`.
   */
  list(request: ListSavedQuestionsRequest, options?: CallOptions): PagedCall<SavedQuestionPage, SavedQuestion>;

  /**
   * Save a question with the pair that should answer it.
   *
   * Called with an operator token, or the session of an account. Scope: `manage` or `knowledge`.
   */
  add(request: SaveQuestionRequest, options?: CallOptions): Call<SavedQuestion>;

  /**
   * Delete a saved question.
   *
   * Called with an operator token, or the session of an account. Scope: `manage` or `knowledge`.
   */
  delete(request: DeleteSavedQuestionRequest, options?: CallOptions): Call<Acknowledged>;

  /**
   * Ask all saved questions now. A run that waits already is returned.
   *
   * Called with an operator token, or the session of an account. Scope: `manage` or `knowledge`.
   */
  run(request: RunSavedQuestionsRequest, options?: CallOptions): Call<SavedQuestionRun>;

  /**
   * List runs of the saved questions, newest first.
   *
   * - A page of a list. Give its `next_cursor` as `cursor` for the next page; null means it was the last.
   *
   * Called with an operator token, or the session of an account. Scope: `read` or `manage` or `conversations` or `knowledge`.
   */
  listRuns(request: ListSavedQuestionRunsRequest, options?: CallOptions): PagedCall<SavedQuestionRunPage, SavedQuestionRun>;

  /**
   * Get a run with the result of each question.
   *
   * Called with an operator token, or the session of an account. Scope: `read` or `manage` or `conversations` or `knowledge`.
   */
  getRun(request: GetSavedQuestionRunRequest, options?: CallOptions): Call<SavedQuestionRunDetail>;
}

/** Conversations and their messages */
export interface ConversationsMethods {
  /**
   * Start a conversation for a user.
   *
   * - One of `user_id` and `anonymous_id` is required.
   *
   * Called with an API key of the agent. Scope: `messages`.
   */
  create(request: CreateConversationRequest, options?: CallOptions): Call<CreateConversationReply>;

  /**
   * Send a user's message.
   *
   * - In blocking mode the reply is the answer. In streaming mode it is a stream of server-sent events. In webhook mode it is the ids, and the answer goes to the message webhook (4.5).
   * - While a human holds the conversation, blocking and streaming are 40900.
   * - Webhook mode without a configured message webhook is 40000. See conversations.
   *
   * Called with an API key of the agent. Scope: `messages`.
   */
  sendMessage<Mode extends SendMessageRequest["response_mode"]>(
    request: SendMessageRequest & { response_mode: Mode } & NotStreaming<Mode>,
    options?: CallOptions,
  ): Call<ReplyIn<Mode>>;
  /** Send a user's message, and read the reply event by event while it is made. */
  streamMessage(request: StreamMessageRequest, options?: CallOptions): MessageStream;

  /**
   * List the messages of a conversation.
   *
   * - A page of a list. Pages are numbered from 1; `total` counts the entries of all pages.
   *
   * Called with an API key of the agent. Scope: `messages` or `read`.
   */
  listMessages(request: ListMessagesRequest, options?: CallOptions): PagedCall<MessagePage, ListedMessage>;

  /**
   * Read the pairs that an answer stands on.
   *
   * - For messages that came by 4.5, whose body is fixed. Replies in blocking and streaming mode carry the same.
   * - A user's message, a human's and a fallback have none: the list is empty. An unknown id is 40401.
   *
   * Called with an API key of the agent. Scope: `messages` or `read`.
   */
  sources(request: GetMessageSourcesRequest, options?: CallOptions): Call<MessageSources>;

  /**
   * List conversations, newest first, by agent, user, channel, outcome, time and text.
   *
   * - A page of a list. Give its `next_cursor` as `cursor` for the next page; null means it was the last.
   *
   * Called with an operator token, or the session of an account. Scope: `read` or `manage` or `conversations`.
   */
  search(request?: SearchConversationsRequest, options?: CallOptions): PagedCall<ConversationPage, ConversationEntry>;

  /**
   * Read a conversation as a timeline: messages, handoffs, and deliveries with their state.
   *
   * - A page of a list. Give its `next_cursor` as `cursor` for the next page; null means it was the last.
   *
   * Called with an operator token, or the session of an account. Scope: `read` or `manage` or `conversations`.
   */
  get(request: GetConversationRequest, options?: CallOptions): PagedCall<ConversationTimeline, TimelineItem>;
}

/** The developer's users */
export interface UsersMethods {
  /**
   * Bind anonymous ids to a user.
   *
   * Called with an API key of the agent. Scope: `messages`.
   */
  bind(request: SetUserIdRequest, options?: CallOptions): Call<Acknowledged>;

  /**
   * Export everything stored about a user.
   *
   * Called with an operator token, or the session of an account. Scope: `manage` or `users`.
   */
  export(request: ExportUserRequest, options?: CallOptions): Call<UserExport>;

  /**
   * Erase everything stored about a user.
   *
   * Called with an operator token, or the session of an account. Scope: `manage` or `users`.
   */
  erase(request: EraseUserRequest, options?: CallOptions): Call<Erasure>;

  /**
   * List erasures, newest first.
   *
   * - A page of a list. Give its `next_cursor` as `cursor` for the next page; null means it was the last.
   *
   * Called with an operator token, or the session of an account. Scope: `read` or `manage` or `users`.
   */
  listErasures(request?: ListErasuresRequest, options?: CallOptions): PagedCall<ErasurePage, Erasure>;

  /**
   * Read the progress of an erasure.
   *
   * Called with an operator token, or the session of an account. Scope: `read` or `manage` or `users`.
   */
  getErasure(request: GetErasureRequest, options?: CallOptions): Call<Erasure>;
}

/** Handoffs to a human, and what a desk calls */
export interface HandoffsMethods {
  /**
   * Request a handoff for a user.
   *
   * Called with an API key of the agent. Scope: `messages`.
   */
  request(request: RequestHandoffRequest, options?: CallOptions): Call<RequestedHandoff>;

  /**
   * End a handoff for the user, so that the agent answers again.
   *
   * Called with an API key of the agent. Scope: `messages`.
   */
  leave(request: LeaveHandoffRequest, options?: CallOptions): Call<CurrentHandoff>;

  /**
   * Read who speaks in a conversation, and its last handoff.
   *
   * Called with an API key of the agent. Scope: `messages` or `read`.
   */
  get(request: GetHandoffRequest, options?: CallOptions): Call<CurrentHandoff>;

  /**
   * Send a human's reply to the user.
   *
   * Section 4.9 of the specification.
   *
   * - `conversation_id` is the handoff's id: the `conversation_id` of establish (4.6) and chat (4.7).
   * - The service sends the text to the user, as a message of the human service component.
   * - A handoff that has ended is 40900, and the message says why. An unknown id is 40356.
   * - The same `Idempotency-Key`, or the same body with the same `timestamp` in milliseconds, is one message.
   *
   * Called by a desk, with an API key of the handoff's agent or, where the desk allows it, without one. Scope: `desk`.
   */
  reply(request: ReceiveHumanMessageRequest, options?: CallOptions): Call<Acknowledged>;

  /**
   * Show the user for six seconds that a human types.
   *
   * - Users of the live channel see that the human types, for six seconds or until the reply. Nothing is stored.
   * - While the human types, call it every three seconds and no more often.
   * - A handoff that has ended is 40900. An unknown id is 40356.
   *
   * Called by a desk, with an API key of the handoff's agent or, where the desk allows it, without one. Scope: `desk`.
   */
  type(request: TypeAsHumanRequest, options?: CallOptions): Call<Acknowledged>;

  /**
   * Close a handoff as the human.
   *
   * Section 4.10 of the specification.
   *
   * - `conversation_id` is the handoff's id: the `conversation_id` of establish (4.6) and chat (4.7).
   * - The agent speaks again. No close (4.8) comes back for a close you made.
   * - Closing twice gives the same reply. An unknown id is 40356.
   *
   * Called by a desk, with an API key of the handoff's agent or, where the desk allows it, without one. Scope: `desk`.
   */
  close(request: CloseByHumanRequest, options?: CallOptions): Call<CloseByHumanReply>;

  /**
   * List an agent's handoffs, newest first.
   *
   * - A page of a list. Give its `next_cursor` as `cursor` for the next page; null means it was the last.
   *
   * Called with an operator token, or the session of an account. Scope: `read` or `manage` or `conversations`.
   */
  list(request: ListHandoffsRequest, options?: CallOptions): PagedCall<HandoffPage, HandoffView>;

  /**
   * Set an agent's handoff settings.
   *
   * Called with an operator token, or the session of an account. Scope: `manage` or `settings` or `team-settings`.
   */
  setSettings(request: SetHandoffSettingsRequest, options?: CallOptions): Call<HandoffSettings>;

  /**
   * Read an agent's handoff settings.
   *
   * Called with an operator token, or the session of an account. Scope: `read` or `manage` or `agents`.
   */
  getSettings(request: GetHandoffSettingsRequest, options?: CallOptions): Call<HandoffSettings>;
}

/** Human service components: the desks that handoffs go to */
export interface DesksMethods {
  /**
   * Add a human service component.
   *
   * Called with an operator token, or the session of an account. Scope: `manage` or `settings`.
   */
  create(request: CreateHumanServiceRequest, options?: CallOptions): Call<HumanService>;

  /**
   * List human service components.
   *
   * - A page of a list. Give its `next_cursor` as `cursor` for the next page; null means it was the last.
   *
   * Called with an operator token, or the session of an account. Scope: `read` or `manage` or `settings`.
   */
  list(request: ListHumanServicesRequest, options?: CallOptions): PagedCall<HumanServicePage, HumanService>;

  /**
   * Update a human service component.
   *
   * Called with an operator token, or the session of an account. Scope: `manage` or `settings`.
   */
  update(request: UpdateHumanServiceRequest, options?: CallOptions): Call<HumanService>;

  /**
   * Rotate the signing secret of a human service component.
   *
   * Called with an operator token, or the session of an account. Scope: `manage` or `settings`.
   */
  rotateSecret(request: RotateHumanServiceSecretRequest, options?: CallOptions): Call<RotatedSigningSecret>;

  /**
   * Delete a human service component.
   *
   * Called with an operator token, or the session of an account. Scope: `manage` or `settings`.
   */
  delete(request: DeleteHumanServiceRequest, options?: CallOptions): Call<Acknowledged>;
}

/** The inbox of an agent, and who answers in it */
export interface InboxMethods {
  /**
   * Switch on an agent's inbox, or change its settings.
   *
   * Called with an operator token, or the session of an account. Scope: `manage` or `settings` or `team-settings`.
   */
  set(request: SetInboxRequest, options?: CallOptions): Call<Inbox>;

  /**
   * Read the settings of an agent's inbox.
   *
   * Called with an operator token, or the session of an account. Scope: `read` or `manage` or `settings` or `inbox`.
   */
  get(request: GetInboxRequest, options?: CallOptions): Call<Inbox>;

  /**
   * Switch off an agent's inbox. Its open chats end, and the agent answers again.
   *
   * Called with an operator token, or the session of an account. Scope: `manage` or `settings` or `team-settings`.
   */
  delete(request: DeleteInboxRequest, options?: CallOptions): Call<Acknowledged>;

  /**
   * Say whether you are available for chats of this agent.
   *
   * Called with an operator token, or the session of an account. Scope: `manage` or `inbox`.
   */
  setPresence(request: SetPresenceRequest, options?: CallOptions): Call<InboxMemberList>;

  /**
   * List everybody who may answer for this agent, with their presence.
   *
   * Called with an operator token, or the session of an account. Scope: `read` or `manage` or `inbox`.
   */
  listMembers(request: ListInboxMembersRequest, options?: CallOptions): Call<InboxMemberList>;
}

/** Chats of the inbox */
export interface TalksMethods {
  /**
   * List the chats of the inbox, by view and text.
   *
   * - A page of a list. Give its `next_cursor` as `cursor` for the next page; null means it was the last.
   *
   * Called with an operator token, or the session of an account. Scope: `read` or `manage` or `inbox`.
   */
  search(request: SearchTalksRequest, options?: CallOptions): PagedCall<TalkPage, Talk>;

  /**
   * Read a chat of the inbox: messages, notes, and the user's details.
   *
   * Called with an operator token, or the session of an account. Scope: `read` or `manage` or `inbox`.
   */
  get(request: GetTalkRequest, options?: CallOptions): Call<TalkDetail>;

  /**
   * Take a waiting chat. If several people try, one succeeds; the others are told who.
   *
   * Called with an operator token, or the session of an account. Scope: `manage` or `inbox`.
   */
  take(request: TakeTalkRequest, options?: CallOptions): Call<Talk>;

  /**
   * Hand a chat to another person, to a team, or back to the queue.
   *
   * Called with an operator token, or the session of an account. Scope: `manage` or `inbox`.
   */
  transfer(request: TransferTalkRequest, options?: CallOptions): Call<Talk>;

  /**
   * Reply to the user, as 4.9 does. A reply to a waiting chat takes it.
   *
   * Called with an operator token, or the session of an account. Scope: `manage` or `inbox`.
   */
  reply(request: ReplyInTalkRequest, options?: CallOptions): Call<Acknowledged>;

  /**
   * Show the user that you type, for six seconds. Call it at most every three seconds.
   *
   * Called with an operator token, or the session of an account. Scope: `manage` or `inbox`.
   */
  type(request: TypeInTalkRequest, options?: CallOptions): Call<Acknowledged>;

  /**
   * Close a chat, as 4.10 does. The agent answers again.
   *
   * Called with an operator token, or the session of an account. Scope: `manage` or `inbox`.
   */
  close(request: CloseTalkRequest, options?: CallOptions): Call<Talk>;

  /**
   * Add a note for the team. Users never see it.
   *
   * Called with an operator token, or the session of an account. Scope: `manage` or `inbox`.
   */
  addNote(request: AddTalkNoteRequest, options?: CallOptions): Call<TalkNote>;

  /**
   * Mark the user's messages as seen, up to one of them. Only its holder can mark a taken chat.
   *
   * Called with an operator token, or the session of an account. Scope: `manage` or `inbox`.
   */
  markSeen(request: MarkTalkSeenRequest, options?: CallOptions): Call<Acknowledged>;

  /**
   * Suggest answers from the agent's knowledge to the user's last message.
   *
   * Called with an operator token, or the session of an account. Scope: `read` or `manage` or `inbox`.
   */
  suggestAnswers(request: SuggestAnswersRequest, options?: CallOptions): Call<SuggestedAnswers>;

  /**
   * Fill in the placeholders of a canned reply for one chat.
   *
   * Called with an operator token, or the session of an account. Scope: `read` or `manage` or `inbox`.
   */
  fillCannedReply(request: FillCannedReplyRequest, options?: CallOptions): Call<FilledReply>;
}

/** Texts that people of the inbox reuse */
export interface CannedRepliesMethods {
  /**
   * List an agent's canned replies.
   *
   * Called with an operator token, or the session of an account. Scope: `read` or `manage` or `inbox`.
   */
  list(request: ListCannedRepliesRequest, options?: CallOptions): Call<CannedReplyList>;

  /**
   * Add a canned reply.
   *
   * Called with an operator token, or the session of an account. Scope: `manage` or `inbox`.
   */
  create(request: CreateCannedReplyRequest, options?: CallOptions): Call<CannedReply>;

  /**
   * Change a canned reply.
   *
   * Called with an operator token, or the session of an account. Scope: `manage` or `inbox`.
   */
  update(request: UpdateCannedReplyRequest, options?: CallOptions): Call<CannedReply>;

  /**
   * Delete a canned reply.
   *
   * Called with an operator token, or the session of an account. Scope: `manage` or `inbox`.
   */
  delete(request: DeleteCannedReplyRequest, options?: CallOptions): Call<Acknowledged>;
}

/** Teams of the inbox */
export interface InboxTeamsMethods {
  /**
   * List the teams of an inbox, with their members and who of them is available.
   *
   * Called with an operator token, or the session of an account. Scope: `read` or `manage` or `inbox`.
   */
  list(request: ListInboxTeamsRequest, options?: CallOptions): Call<InboxTeamList>;

  /**
   * Create a team of people who answer in the inbox.
   *
   * Called with an operator token, or the session of an account. Scope: `manage` or `inbox`.
   */
  create(request: CreateInboxTeamRequest, options?: CallOptions): Call<InboxTeam>;

  /**
   * Rename a team, or change its members.
   *
   * Called with an operator token, or the session of an account. Scope: `manage` or `inbox`.
   */
  update(request: UpdateInboxTeamRequest, options?: CallOptions): Call<InboxTeam>;

  /**
   * Delete a team. Its chats wait for everybody.
   *
   * Called with an operator token, or the session of an account. Scope: `manage` or `inbox`.
   */
  delete(request: DeleteInboxTeamRequest, options?: CallOptions): Call<Acknowledged>;
}

/** A user's own chats, with a chat token */
export interface ChatsMethods {
  /**
   * Start a conversation on the live channel.
   *
   * Called from a user's browser, with the user's chat token.
   */
  begin(request?: Record<string, never>, options?: CallOptions): Call<ChatBegun>;

  /**
   * List the user's own conversations on the live channel.
   *
   * Called from a user's browser, with the user's chat token.
   */
  list(request?: Record<string, never>, options?: CallOptions): Call<ChatList>;

  /**
   * Send a user's message; replies arrive on the stream.
   *
   * Called from a user's browser, with the user's chat token.
   */
  say(request: SayInChatRequest, options?: CallOptions): Call<SaidInChat>;

  /**
   * Show the human that the user types, for six seconds. Call it at most every three seconds.
   *
   * Called from a user's browser, with the user's chat token.
   */
  type(request: TypeInChatRequest, options?: CallOptions): Call<Acknowledged>;

  /**
   * Tell the team that the user's page has shown the messages, up to one of them.
   *
   * Called from a user's browser, with the user's chat token.
   */
  markSeen(request: MarkChatSeenRequest, options?: CallOptions): Call<Acknowledged>;

  /**
   * Request a handoff as the user.
   *
   * Called from a user's browser, with the user's chat token.
   */
  askForPerson(request: AskForPersonRequest, options?: CallOptions): Call<AskedForPerson>;

  /**
   * End a handoff for the user, so that the agent answers again.
   *
   * Called from a user's browser, with the user's chat token.
   */
  leavePerson(request: LeavePersonRequest, options?: CallOptions): Call<Acknowledged>;

  /**
   * Rate an answer of the agent, or the conversation, as the user.
   *
   * Called from a user's browser, with the user's chat token.
   */
  rate(request: RateChatRequest, options?: CallOptions): Call<Acknowledged>;

  /**
   * Stream the messages after Last-Event-ID, and new ones as they come.
   *
   * Called from a user's browser, with the user's chat token.
   */
  follow(request: FollowChatRequest, options?: FollowOptions): AsyncIterable<ChatStreamEvent>;
}

/** Tokens that let a user's browser chat */
export interface ChatTokensMethods {
  /**
   * Create a chat token for one user's browser.
   *
   * Called with an API key of the agent. Scope: `chat:mint`.
   */
  mint(request?: MintChatTokenRequest, options?: CallOptions): Call<ChatToken>;

  /**
   * Revoke the chat tokens of a user or of all users.
   *
   * Called with an API key of the agent. Scope: `chat:mint`.
   */
  revoke(request: RevokeChatTokensRequest, options?: CallOptions): Call<Acknowledged>;

  /**
   * Revoke an agent's chat tokens for a user or for all users.
   *
   * Called with an operator token, or the session of an account. Scope: `manage` or `settings`.
   */
  revokeForAgent(request: RevokeAgentChatTokensRequest, options?: CallOptions): Call<Acknowledged>;
}

/** Agents and their settings */
export interface AgentsMethods {
  /**
   * Show what the agent would answer, and why.
   *
   * Called with an operator token, or the session of an account. Scope: `read` or `manage` or `conversations` or `knowledge`.
   */
  try(request: TryQuestionRequest, options?: CallOptions): Call<TryQuestionReply>;

  /**
   * Create an agent.
   *
   * Called with an operator token, or the session of an account. Scope: `manage` or `settings`.
   */
  create(request: CreateAgentRequest, options?: CallOptions): Call<Agent>;

  /**
   * List agents.
   *
   * - A page of a list. Give its `next_cursor` as `cursor` for the next page; null means it was the last.
   *
   * Called with an operator token, or the session of an account. Scope: `read` or `manage` or `agents`.
   */
  list(request?: ListAgentsRequest, options?: CallOptions): PagedCall<AgentPage, Agent>;

  /**
   * Read an agent.
   *
   * Called with an operator token, or the session of an account. Scope: `read` or `manage` or `agents`.
   */
  get(request: GetAgentRequest, options?: CallOptions): Call<Agent>;

  /**
   * Update an agent.
   *
   * Called with an operator token, or the session of an account. Scope: `manage` or `settings` or `team-settings`.
   */
  update(request: UpdateAgentRequest, options?: CallOptions): Call<Agent>;

  /**
   * Delete an agent.
   *
   * Called with an operator token, or the session of an account. Scope: `manage`.
   */
  delete(request: DeleteAgentRequest, options?: CallOptions): Call<Acknowledged>;

  /**
   * Set an agent's retention.
   *
   * Called with an operator token, or the session of an account. Scope: `manage` or `settings`.
   */
  setRetention(request: SetRetentionRequest, options?: CallOptions): Call<Retention>;

  /**
   * Read an agent's retention.
   *
   * Called with an operator token, or the session of an account. Scope: `read` or `manage` or `agents`.
   */
  getRetention(request: GetRetentionRequest, options?: CallOptions): Call<Retention>;
}

/** The models of an agent: chat, embedding and speech */
export interface ModelsMethods {
  /**
   * Set the chat model, which answers questions and converts documents.
   *
   * Called with an operator token, or the session of an account. Scope: `manage` or `settings`.
   */
  setChat(request: SetChatModelRequest, options?: CallOptions): Call<AgentModel>;

  /**
   * Read the chat model.
   *
   * Called with an operator token, or the session of an account. Scope: `read` or `manage` or `settings`.
   */
  getChat(request: GetChatModelRequest, options?: CallOptions): Call<AgentModel>;

  /**
   * Delete the chat model.
   *
   * Called with an operator token, or the session of an account. Scope: `manage` or `settings`.
   */
  deleteChat(request: DeleteChatModelRequest, options?: CallOptions): Call<Acknowledged>;

  /**
   * Call the chat model once, and say why it does not work.
   *
   * - Without a body the stored model is called, and what comes of it is the model's state.
   * - Fields of the body are tested in place of the stored ones, and nothing is stored. A URL on another server needs `api_key` again.
   *
   * Called with an operator token, or the session of an account. Scope: `manage` or `settings`.
   */
  testChat(request: TestChatModelRequest, options?: CallOptions): Call<ModelTest>;

  /**
   * Set the fallback model, which is asked when the chat model fails.
   *
   * Called with an operator token, or the session of an account. Scope: `manage` or `settings`.
   */
  setChatFallback(request: SetChatFallbackModelRequest, options?: CallOptions): Call<AgentModel>;

  /**
   * Read the fallback model.
   *
   * Called with an operator token, or the session of an account. Scope: `read` or `manage` or `settings`.
   */
  getChatFallback(request: GetChatFallbackModelRequest, options?: CallOptions): Call<AgentModel>;

  /**
   * Delete the fallback model.
   *
   * Called with an operator token, or the session of an account. Scope: `manage` or `settings`.
   */
  deleteChatFallback(request: DeleteChatFallbackModelRequest, options?: CallOptions): Call<Acknowledged>;

  /**
   * Call the fallback model once, and say why it does not work.
   *
   * - Without a body the stored model is called, and what comes of it is the model's state.
   * - Fields of the body are tested in place of the stored ones, and nothing is stored. A URL on another server needs `api_key` again.
   *
   * Called with an operator token, or the session of an account. Scope: `manage` or `settings`.
   */
  testChatFallback(request: TestChatFallbackModelRequest, options?: CallOptions): Call<ModelTest>;

  /**
   * Set the embedding model, which searches by meaning.
   *
   * Called with an operator token, or the session of an account. Scope: `manage` or `settings`.
   */
  setEmbedding(request: SetEmbeddingModelRequest, options?: CallOptions): Call<AgentModel>;

  /**
   * Read the embedding model.
   *
   * Called with an operator token, or the session of an account. Scope: `read` or `manage` or `settings`.
   */
  getEmbedding(request: GetEmbeddingModelRequest, options?: CallOptions): Call<AgentModel>;

  /**
   * Delete the embedding model.
   *
   * Called with an operator token, or the session of an account. Scope: `manage` or `settings`.
   */
  deleteEmbedding(request: DeleteEmbeddingModelRequest, options?: CallOptions): Call<Acknowledged>;

  /**
   * Call the embedding model once, and say why it does not work.
   *
   * - Without a body the stored model is called, and what comes of it is the model's state.
   * - Fields of the body are tested in place of the stored ones, and nothing is stored. A URL on another server needs `api_key` again.
   *
   * Called with an operator token, or the session of an account. Scope: `manage` or `settings`.
   */
  testEmbedding(request: TestEmbeddingModelRequest, options?: CallOptions): Call<ModelTest>;

  /**
   * Set the speech model, which reads answers aloud.
   *
   * Called with an operator token, or the session of an account. Scope: `manage` or `settings`.
   */
  setSpeech(request: SetSpeechModelRequest, options?: CallOptions): Call<SpeechModel>;

  /**
   * Read the speech model.
   *
   * Called with an operator token, or the session of an account. Scope: `read` or `manage` or `settings`.
   */
  getSpeech(request: GetSpeechModelRequest, options?: CallOptions): Call<SpeechModel>;

  /**
   * Delete the speech model.
   *
   * Called with an operator token, or the session of an account. Scope: `manage` or `settings`.
   */
  deleteSpeech(request: DeleteSpeechModelRequest, options?: CallOptions): Call<Acknowledged>;

  /**
   * Call the speech model once, and say why it does not work.
   *
   * - Without a body the stored model is called, and what comes of it is the model's state.
   * - Fields of the body are tested in place of the stored ones, and nothing is stored. A URL on another server needs `api_key` again.
   *
   * Called with an operator token, or the session of an account. Scope: `manage` or `settings`.
   */
  testSpeech(request: TestSpeechModelRequest, options?: CallOptions): Call<ModelTest>;
}

/** API keys of an agent */
export interface KeysMethods {
  /**
   * Create an API key, which is shown only once.
   *
   * Called with an operator token, or the session of an account. Scope: `manage` or `settings`.
   */
  create(request: CreateApiKeyRequest, options?: CallOptions): Call<CreatedApiKey>;

  /**
   * List an agent's API keys.
   *
   * - A page of a list. Give its `next_cursor` as `cursor` for the next page; null means it was the last.
   *
   * Called with an operator token, or the session of an account. Scope: `read` or `manage` or `settings`.
   */
  list(request: ListApiKeysRequest, options?: CallOptions): PagedCall<ApiKeyPage, ApiKey>;

  /**
   * Revoke an API key.
   *
   * Called with an operator token, or the session of an account. Scope: `manage` or `settings`.
   */
  revoke(request: RevokeApiKeyRequest, options?: CallOptions): Call<Acknowledged>;

  /**
   * Read which agent an API key belongs to.
   *
   * Called with an API key of the agent.
   */
  verify(request?: Record<string, never>, options?: CallOptions): Call<VerifyApiKeyReply>;
}

/** The message webhook of an agent, and checks of all its webhooks */
export interface WebhooksMethods {
  /**
   * Check whether the agent's webhooks can be reached.
   *
   * Section 4.3 of the specification.
   *
   * - The service sends every configured webhook a test request (`istest` is true), in parallel, and waits 5 seconds for each request.
   * - HTTP 200 is reachable. Any other status, a timeout or no connection is not.
   * - A webhook that is not configured is not listed. A human service component is one result for two requests: establish and, once that is answered, chat. The built-in inbox is not listed.
   * - Ten checks a minute for each key. `signalbox check` with an operator token says why a webhook failed.
   *
   * Called with an API key of the agent. Scope: `read`.
   */
  check(request?: Record<string, never>, options?: CallOptions): Call<CheckWebhooksReply>;

  /**
   * Test an agent's webhooks, with the cause of each failure.
   *
   * Called with an operator token, or the session of an account. Scope: `manage` or `settings`.
   */
  diagnose(request: DiagnoseWebhooksRequest, options?: CallOptions): Call<DiagnoseWebhooksReply>;

  /**
   * List the last checks of an agent's webhooks, newest first.
   *
   * - A page of a list. Give its `next_cursor` as `cursor` for the next page; null means it was the last.
   *
   * Called with an operator token, or the session of an account. Scope: `read` or `manage` or `settings`.
   */
  listChecks(request: ListWebhookChecksRequest, options?: CallOptions): PagedCall<WebhookCheckPage, WebhookCheck>;

  /**
   * Send a test event with a body of your own to a webhook.
   *
   * Called with an operator token, or the session of an account. Scope: `manage` or `settings`.
   */
  sendTest(request: SendTestEventRequest, options?: CallOptions): Call<WebhookProbe>;

  /**
   * Set the message webhook.
   *
   * Called with an operator token, or the session of an account. Scope: `manage` or `settings`.
   */
  set(request: SetMessageWebhookRequest, options?: CallOptions): Call<MessageWebhook>;

  /**
   * Read the message webhook.
   *
   * Called with an operator token, or the session of an account. Scope: `read` or `manage` or `settings`.
   */
  get(request: GetMessageWebhookRequest, options?: CallOptions): Call<MessageWebhook>;

  /**
   * Delete the message webhook.
   *
   * Called with an operator token, or the session of an account. Scope: `manage` or `settings`.
   */
  delete(request: DeleteMessageWebhookRequest, options?: CallOptions): Call<Acknowledged>;

  /**
   * Rotate the signing secret of the message webhook.
   *
   * Called with an operator token, or the session of an account. Scope: `manage` or `settings`.
   */
  rotateSecret(request: RotateMessageWebhookSecretRequest, options?: CallOptions): Call<RotatedSigningSecret>;
}

/** The webhook that tells operators what fails */
export interface OperatorWebhookMethods {
  /**
   * Set the operator webhook.
   *
   * Called with an operator token, or the session of an account. Scope: `manage`.
   */
  set(request: SetOperatorWebhookRequest, options?: CallOptions): Call<OperatorWebhook>;

  /**
   * Read the operator webhook.
   *
   * Called with an operator token, or the session of an account. Scope: `read` or `manage`.
   */
  get(request?: Record<string, never>, options?: CallOptions): Call<OperatorWebhook>;

  /**
   * Delete the operator webhook.
   *
   * Called with an operator token, or the session of an account. Scope: `manage`.
   */
  delete(request?: Record<string, never>, options?: CallOptions): Call<Acknowledged>;

  /**
   * Rotate the signing secret of the operator webhook.
   *
   * Called with an operator token, or the session of an account. Scope: `manage`.
   */
  rotateSecret(request?: RotateOperatorWebhookSecretRequest, options?: CallOptions): Call<RotatedSigningSecret>;
}

/** The log of webhook calls */
export interface DeliveriesMethods {
  /**
   * List deliveries, newest first.
   *
   * - A page of a list. Give its `next_cursor` as `cursor` for the next page; null means it was the last.
   *
   * Called with an operator token, or the session of an account. Scope: `read` or `manage` or `deliveries`.
   */
  list(request?: ListDeliveriesRequest, options?: CallOptions): PagedCall<DeliveryPage, DeliveryEntry>;

  /**
   * Read a delivery with its body and every attempt.
   *
   * Called with an operator token, or the session of an account. Scope: `read` or `manage` or `deliveries`.
   */
  get(request: GetDeliveryRequest, options?: CallOptions): Call<DeliveryDetail>;

  /**
   * Replay a delivery.
   *
   * Called with an operator token, or the session of an account. Scope: `manage` or `deliveries`.
   */
  replay(request: ReplayDeliveryRequest, options?: CallOptions): Call<Delivery>;
}

/** Replays of many deliveries */
export interface ReplaysMethods {
  /**
   * Replay many deliveries, at a limited rate.
   *
   * Called with an operator token, or the session of an account. Scope: `manage` or `deliveries`.
   */
  start(request: StartReplayRequest, options?: CallOptions): Call<StartedReplay>;

  /**
   * Read the progress of a replay.
   *
   * Called with an operator token, or the session of an account. Scope: `read` or `manage` or `deliveries`.
   */
  get(request: GetReplayRequest, options?: CallOptions): Call<Replay>;

  /**
   * Stop a replay; deliveries already queued are still sent.
   *
   * Called with an operator token, or the session of an account. Scope: `manage` or `deliveries`.
   */
  stop(request: StopReplayRequest, options?: CallOptions): Call<Replay>;
}

/** The health of each webhook */
export interface DestinationsMethods {
  /**
   * List webhooks with their health.
   *
   * - A page of a list. Give its `next_cursor` as `cursor` for the next page; null means it was the last.
   *
   * Called with an operator token, or the session of an account. Scope: `read` or `manage` or `deliveries`.
   */
  list(request?: ListDestinationsRequest, options?: CallOptions): PagedCall<DestinationPage, DestinationState>;

  /**
   * Enable a webhook that was disabled by an HTTP 410.
   *
   * Called with an operator token, or the session of an account. Scope: `manage` or `deliveries`.
   */
  enable(request: EnableDestinationRequest, options?: CallOptions): Call<DestinationState>;
}

/** Figures of conversations, answers and handoffs */
export interface NumbersMethods {
  /**
   * Read figures by the hour or the day: conversations, answers, handoffs, waiting times and tokens.
   *
   * Called with an operator token, or the session of an account. Scope: `read` or `manage` or `conversations` or `knowledge`.
   */
  get(request: GetNumbersRequest, options?: CallOptions): Call<Numbers>;

  /**
   * Export figures by the hour or the day as CSV.
   *
   * - The reply is a file: `text/csv`.
   *
   * Called with an operator token, or the session of an account. Scope: `read` or `manage` or `conversations` or `knowledge`.
   */
  export(request: ExportNumbersRequest, options?: CallOptions): Call<Blob>;

  /**
   * List what users asked most, and what the agent could not answer.
   *
   * Called with an operator token, or the session of an account. Scope: `read` or `manage` or `conversations` or `knowledge`.
   */
  listTopQuestions(request: ListTopQuestionsRequest, options?: CallOptions): Call<TopQuestions>;
}

/** Signing in, and the sessions of the account that calls */
export interface SessionMethods {
  /**
   * Sign in with email and password; the session is an HttpOnly cookie.
   *
   * Called from a browser, without a key.
   */
  signIn(request: SignInRequest, options?: CallOptions): Call<SignInReply>;

  /**
   * Read the signed-in account and its roles.
   *
   * Called by an account about itself, with its session.
   */
  get(request?: Record<string, never>, options?: CallOptions): Call<Session>;

  /**
   * Sign out.
   *
   * Called by an account about itself, with its session.
   */
  signOut(request?: Record<string, never>, options?: CallOptions): Call<Acknowledged>;

  /**
   * List your sessions.
   *
   * - A page of a list. Give its `next_cursor` as `cursor` for the next page; null means it was the last.
   *
   * Called by an account about itself, with its session.
   */
  list(request?: ListSessionsRequest, options?: CallOptions): PagedCall<SessionPage, ListedSession>;

  /**
   * End one of your sessions.
   *
   * Called by an account about itself, with its session.
   */
  revoke(request: RevokeSessionRequest, options?: CallOptions): Call<Acknowledged>;

  /**
   * Finish signing in with a one-time code, in the browser that gave the password.
   *
   * Called from a browser, without a key.
   */
  confirm(request: ConfirmSignInRequest, options?: CallOptions): Call<Session>;

  /**
   * Start to sign in with a passkey; the browser asks which one.
   *
   * Called from a browser, without a key.
   */
  startPasskey(request?: Record<string, never>, options?: CallOptions): Call<PasskeyOptions>;

  /**
   * Sign in with what the passkey answered, in the browser that started it; no code is asked for.
   *
   * Called from a browser, without a key.
   */
  finishPasskey(request: FinishPasskeySignInRequest, options?: CallOptions): Call<Session>;

  /**
   * Read how people can sign in, beside email and password.
   *
   * Called from a browser, without a key.
   */
  getWays(request?: Record<string, never>, options?: CallOptions): Call<SignInWays>;

  /**
   * Start to sign in at the identity provider; it leads back to `/console/oidc`.
   *
   * Called from a browser, without a key.
   */
  startOidc(request?: Record<string, never>, options?: CallOptions): Call<OidcSignIn>;

  /**
   * Finish signing in with what the identity provider answered, in the browser that started it.
   *
   * Called from a browser, without a key.
   */
  finishOidc(request: FinishOidcSignInRequest, options?: CallOptions): Call<SignInReply>;
}

/** Password and one-time codes of the account that calls */
export interface AccountMethods {
  /**
   * Change your password and end your other sessions.
   *
   * Called by an account about itself, with its session.
   */
  changePassword(request: ChangePasswordRequest, options?: CallOptions): Call<Acknowledged>;

  /**
   * Read whether you sign in with one-time codes.
   *
   * Called by an account about itself, with its session.
   */
  getSecondFactor(request?: Record<string, never>, options?: CallOptions): Call<SecondFactor>;

  /**
   * Start to use one-time codes; the secret for the app is shown once.
   *
   * Called by an account about itself, with its session.
   */
  startTotp(request: StartTotpRequest, options?: CallOptions): Call<TotpEnrolment>;

  /**
   * Turn one-time codes on with the first of them; the recovery codes are shown once.
   *
   * Called by an account about itself, with its session.
   */
  confirmTotp(request: ConfirmTotpRequest, options?: CallOptions): Call<RecoveryCodes>;

  /**
   * Turn one-time codes off, with your password and a code.
   *
   * Called by an account about itself, with its session.
   */
  disableTotp(request: DisableTotpRequest, options?: CallOptions): Call<Acknowledged>;
}

/** Passkeys of the account that calls */
export interface PasskeysMethods {
  /**
   * List your passkeys.
   *
   * Called by an account about itself, with its session.
   */
  list(request?: Record<string, never>, options?: CallOptions): Call<PasskeyList>;

  /**
   * Start to add a passkey, with your password; the browser creates it from the reply.
   *
   * Called by an account about itself, with its session.
   */
  start(request: StartPasskeyRequest, options?: CallOptions): Call<PasskeyOptions>;

  /**
   * Add the passkey that the browser created.
   *
   * Called by an account about itself, with its session.
   */
  create(request: CreatePasskeyRequest, options?: CallOptions): Call<Passkey>;

  /**
   * Rename one of your passkeys.
   *
   * Called by an account about itself, with its session.
   */
  rename(request: RenamePasskeyRequest, options?: CallOptions): Call<Passkey>;

  /**
   * Remove one of your passkeys: it signs nobody in from then on.
   *
   * Called by an account about itself, with its session.
   */
  delete(request: DeletePasskeyRequest, options?: CallOptions): Call<Acknowledged>;
}

/** Invitations of people */
export interface InvitationsMethods {
  /**
   * Read what an invitation offers.
   *
   * Called from a browser, without a key.
   */
  look(request: LookAtInvitationRequest, options?: CallOptions): Call<InvitationOffer>;

  /**
   * Accept an invitation: create an account and sign in.
   *
   * Called from a browser, without a key.
   */
  accept(request: AcceptInvitationRequest, options?: CallOptions): Call<Session>;

  /**
   * Accept an invitation with the account you are signed in with: its role is added to yours.
   *
   * Called by an account about itself, with its session.
   */
  join(request: JoinWithAccountRequest, options?: CallOptions): Call<Session>;

  /**
   * Invite somebody; the link is shown once.
   *
   * Called with an operator token, or the session of an account. Scope: `manage`.
   */
  create(request: CreateInvitationRequest, options?: CallOptions): Call<CreatedInvitation>;

  /**
   * List invitations, newest first.
   *
   * - A page of a list. Give its `next_cursor` as `cursor` for the next page; null means it was the last.
   *
   * Called with an operator token, or the session of an account. Scope: `read` or `manage`.
   */
  list(request?: ListInvitationsRequest, options?: CallOptions): PagedCall<InvitationPage, Invitation>;

  /**
   * Withdraw an invitation.
   *
   * Called with an operator token, or the session of an account. Scope: `manage`.
   */
  revoke(request: RevokeInvitationRequest, options?: CallOptions): Call<Acknowledged>;
}

/** Accounts of people, and their roles */
export interface AccountsMethods {
  /**
   * List accounts and their roles.
   *
   * - A page of a list. Give its `next_cursor` as `cursor` for the next page; null means it was the last.
   *
   * Called with an operator token, or the session of an account. Scope: `read` or `manage`.
   */
  list(request?: ListAccountsRequest, options?: CallOptions): PagedCall<AccountPage, Account>;

  /**
   * Replace the roles of an account.
   *
   * Called with an operator token, or the session of an account. Scope: `manage`.
   */
  setRoles(request: SetAccountRolesRequest, options?: CallOptions): Call<Account>;

  /**
   * Delete an account and end its sessions.
   *
   * Called with an operator token, or the session of an account. Scope: `manage`.
   */
  delete(request: DeleteAccountRequest, options?: CallOptions): Call<Acknowledged>;

  /**
   * Turn off the one-time codes and remove the passkeys of somebody who lost them, and end their sessions.
   *
   * Called with an operator token, or the session of an account. Scope: `manage`.
   */
  resetSecondFactor(request: ResetSecondFactorRequest, options?: CallOptions): Call<Acknowledged>;
}

/** Who works on an agent */
export interface MembersMethods {
  /**
   * Replace the roles that an account has for an agent.
   *
   * Called with an operator token, or the session of an account. Scope: `manage`.
   */
  setRoles(request: SetMemberRolesRequest, options?: CallOptions): Call<Account>;

  /**
   * Remove an account from an agent; the account stays.
   *
   * Called with an operator token, or the session of an account. Scope: `manage`.
   */
  remove(request: RemoveMemberRequest, options?: CallOptions): Call<Acknowledged>;
}

/** Links that set a new password */
export interface PasswordResetsMethods {
  /**
   * Create a link with which somebody sets a new password; it is shown once and lasts an hour.
   *
   * Called with an operator token, or the session of an account. Scope: `manage`.
   */
  create(request: CreatePasswordResetRequest, options?: CallOptions): Call<CreatedPasswordReset>;

  /**
   * Read whose password a link sets.
   *
   * Called from a browser, without a key.
   */
  look(request: LookAtPasswordResetRequest, options?: CallOptions): Call<PasswordResetOffer>;

  /**
   * Set a new password with a link and end all sessions of the account.
   *
   * Called from a browser, without a key.
   */
  use(request: ResetPasswordRequest, options?: CallOptions): Call<Acknowledged>;
}

/** Health, status and changes of the service */
export interface ServiceMethods {
  /**
   * Check the service's health.
   *
   * Section 4.4 of the specification.
   *
   * - HTTP 200 with the body `service is normal` means available.
   * - Ask at most three times a minute, and wait three to five seconds for an answer. Load balancers use `/readyz` instead.
   * - `HEAD` is answered with the same status and headers.
   *
   * Called without a key.
   */
  health(request?: Record<string, never>, options?: CallOptions): Call<ServiceHealth>;

  /**
   * Read the status of each part of the service, with what to do.
   *
   * Called with an operator token, or the session of an account. Scope: `read` or `manage` or `agents`.
   */
  getStatus(request?: Record<string, never>, options?: CallOptions): Call<ServiceStatus>;

  /**
   * Follow which deliveries and conversations change, as server-sent events.
   *
   * Called with an operator token, or the session of an account. Scope: `read` or `manage` or `conversations` or `deliveries`.
   */
  followChanges(request?: FollowChangesRequest, options?: Omit<FollowOptions, "lastEventId">): AsyncIterable<ChangeStreamEvent>;
}

/** Who changed what */
export interface AuditMethods {
  /**
   * List audit entries, newest first.
   *
   * - A page of a list. Give its `next_cursor` as `cursor` for the next page; null means it was the last.
   *
   * Called with an operator token, or the session of an account. Scope: `read` or `manage` or `settings`.
   */
  list(request?: ListAuditRequest, options?: CallOptions): PagedCall<AuditPage, AuditEntry>;
}

/** Operator tokens */
export interface TokensMethods {
  /**
   * Create an operator token, which is shown only once.
   *
   * Called with an operator token, or the session of an account. Scope: `manage`.
   */
  create(request: CreateOperatorTokenRequest, options?: CallOptions): Call<CreatedOperatorToken>;

  /**
   * List operator tokens.
   *
   * - A page of a list. Give its `next_cursor` as `cursor` for the next page; null means it was the last.
   *
   * Called with an operator token, or the session of an account. Scope: `read` or `manage`.
   */
  list(request?: ListOperatorTokensRequest, options?: CallOptions): PagedCall<OperatorTokenPage, OperatorToken>;

  /**
   * Rotate an operator token; the old one works during the overlap.
   *
   * Called with an operator token, or the session of an account. Scope: `manage`.
   */
  rotate(request: RotateOperatorTokenRequest, options?: CallOptions): Call<CreatedOperatorToken>;

  /**
   * Revoke an operator token.
   *
   * Called with an operator token, or the session of an account. Scope: `manage`.
   */
  revoke(request: RevokeOperatorTokenRequest, options?: CallOptions): Call<Acknowledged>;
}
