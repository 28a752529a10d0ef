/** What exists already and may be named in a request. */
export type SampleIds = {
  agentId: string;
  conversationId: string;
  messageId: string;
  keyId: string;
  tokenId: string;
  componentId: string;
  knowledgeBaseId: string;
  documentId: string;
  pairId: string;
  uploadId: string;
  /** A document whose first content was replaced. */
  replacedId: string;
  questionId: string;
  webhookId: string;
  deliveryId: string;
  replayId: string;
  handoffId: string;
  /** A chat in the inbox, a canned reply, and a team. */
  talkId: string;
  replyId: string;
  teamId: string;
  erasureId: string;
  accountId: string;
  invitationId: string;
  sessionId: string;
  alternateId: string;
  savedQuestionId: string;
  answerId: string;
  runId: string;
  webhookUrl: string;
  /** A conversation on the live channel, and the token of its user. */
  chatId: string;
  chatToken: string;
};
