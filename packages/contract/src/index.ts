export * from "./agent-models.ts";
export * from "./accounts.ts";
export * from "./agents.ts";
export * from "./api-keys.ts";
export * from "./answer-sources.ts";
export * from "./asyncapi.ts";
export { attachmentAt } from "./attachment-kind.ts";
export { textWithAttachments, shownPart, type MessageAttachment, type ShownPart } from "./attachments.ts";
export * from "./audit.ts";
export * from "./business-hours.ts";
export * from "./causes.ts";
export * from "./changes.ts";
export * from "./chat.ts";
export * from "./conversation-log.ts";
export * from "./conversations.ts";
export * from "./csv.ts";
export { credentialsProblem, type Credentials, type CredentialsProblem } from "./credentials.ts";
export * from "./deliveries.ts";
export * from "./desk-settings.ts";
export * from "./developer-calls.ts";
export * from "./documents.ts";
export * from "./failures.ts";
export * from "./file-upload.ts";
export * from "./handoff-settings.ts";
export * from "./handoff-states.ts";
export * from "./handoff.ts";
export * from "./headers.ts";
export * from "./human-answers.ts";
export * from "./import-columns.ts";
export * from "./inbox-teams.ts";
export * from "./inbox.ts";
export * from "./knowledge.ts";
export * from "./languages.ts";
export * from "./messages.ts";
export * from "./oidc.ts";
export * from "./openapi.ts";
export { CALL_RULES, rulesOf } from "./operation-rules.ts";
export * from "./operator-tokens.ts";
export { paginationOf, type Pagination } from "./pagination.ts";
export * from "./pairs.ts";
export * from "./passkeys.ts";
export * from "./password-reset.ts";
export * from "./personal-data.ts";
export * from "./model-causes.ts";
export * from "./model-failures.ts";
export * from "./normalized.ts";
export * from "./numbers.ts";
export * from "./phrasing.ts";
export * from "./proposed-alternates.ts";
export * from "./proposed-pairs.ts";
export * from "./question-groups.ts";
export * from "./ratings.ts";
export * from "./reading.ts";
export * from "./routes.ts";
export { RESOURCES, SUBJECTS } from "./resources.ts";
export * from "./saved-questions.ts";
export * from "./scopes.ts";
export * from "./second-factor.ts";
export * from "./service-status.ts";
export {
  normalTags,
  splitTags,
  TAG_MAX_CHARACTERS,
  TAGS_MAX,
  type PairTagList,
  type TagPairsReply,
} from "./tags.ts";
export * from "./ui-messages.ts";
export * from "./uploads.ts";
export * from "./users.ts";
export * from "./values.ts";
export { CONTRACT_VERSION } from "./version.ts";
export * from "./webhook-settings.ts";
export * from "./webhooks.ts";
