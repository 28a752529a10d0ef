import { randomUUID } from "node:crypto";

export const OURS = randomUUID();
export const THEIRS = randomUUID();
export const AGENTS = [OURS, THEIRS];
export const BASES = new Map<string, string>(AGENTS.map((agentId) => [agentId, randomUUID()]));
export const DOCUMENTS = new Map<string, string>(AGENTS.map((agentId) => [agentId, randomUUID()]));
let revisions = 0;
let models = 0;
let days = 0;

export interface TableFacts {
  api: string[];
  /** Columns the api role may read where it may not read them all. */
  apiColumns?: string[];
  /** What of these it may do for each agent that a transaction of several agents names (ADR 0038). */
  apiShared?: string[];
  work: string[];
  /** A row of one agent; undefined for a table that holds nothing of any agent. */
  row: ((agentId: string) => Record<string, unknown>) | undefined;
  agentColumn?: string;
  /** Columns that both roles may change where they may not change them all. */
  changes?: string[];
  /** Rights of the work role on each partition, past the parent's policies: COPY needs one. */
  workOnPartitions?: string[];
}

const read = ["SELECT"];
const add = ["INSERT", "SELECT"];
const change = ["INSERT", "SELECT", "UPDATE"];
const shed = ["DELETE", "INSERT", "SELECT"];
const replace = ["DELETE", "INSERT", "SELECT", "UPDATE"];
const bytes = Buffer.from("probe");
const of = (agent_id: string) => ({ agent_id, id: randomUUID() });
const inConversation = (agent_id: string) => ({ ...of(agent_id), conversation_id: randomUUID() });

const REQUESTED = { trigger: "api", state: "requested", forwarded_seq: 0 };

/** The columns of a webhook that the api role reads to choose one: none of them is a credential. */
const WEBHOOK_COLUMNS =
  "agent_id allow_unauthenticated_replies business_hours created_at deleted_at first_reply id kind mirrors_live name rule";

/** Reviewed by hand: a table that is not here fails the test, as does a right that is not here. */
export const TABLES: Record<string, TableFacts> = {
  schema_migration: { api: [], work: read, row: undefined },
  agent: { api: read, work: change, row: (id) => ({ id, name: "probe" }), agentColumn: "id" },
  api_key: { api: [], work: change, row: (id) => ({ ...of(id), key_hash: hash(), prefix: "p", name: "n" }) },
  webhook: {
    api: [],
    apiColumns: WEBHOOK_COLUMNS.split(" "),
    apiShared: read,
    work: change,
    row: (id) => ({ ...of(id), kind: "human_service", name: "n", url: "u", signing_secret_sealed: bytes }),
  },
  webhook_check: {
    api: [],
    work: shed,
    row: (id) => ({ ...of(id), webhook_id: randomUUID(), url: "u", http_status: 200, latency_ms: 1 }),
  },
  chat_revocation: {
    api: change,
    work: replace,
    row: (agent_id) => ({ agent_id, subject: randomUUID(), not_before: new Date() }),
  },
  operator_token: { api: [], work: change, row: undefined },
  account: { api: [], work: change, row: undefined },
  account_role: { api: [], work: replace, row: undefined },
  account_session: { api: [], work: replace, row: undefined },
  account_device: { api: [], work: replace, row: undefined },
  account_guess: { api: [], work: replace, row: undefined },
  account_invitation: { api: [], work: change, row: undefined },
  account_totp: { api: [], work: replace, row: undefined },
  account_recovery_code: { api: [], work: shed, row: undefined },
  account_password_reset: { api: [], work: shed, row: undefined },
  account_passkey: { api: [], work: replace, row: undefined },
  account_passkey_challenge: { api: [], work: shed, row: undefined },
  account_identity: { api: [], work: shed, row: undefined },
  account_sign_in: { api: [], work: replace, row: undefined },
  audit: { api: ["INSERT"], work: add, row: (id) => ({ ...of(id), actor: "a", action: "a", detail: {} }) },
  knowledge_base: {
    api: add,
    work: add,
    changes: ["version"],
    row: (id) => ({ ...of(id), name: "n" }),
  },
  document: {
    api: change,
    work: change,
    row: (id) => ({ ...of(id), knowledge_base_id: BASES.get(id), name: "n", purpose: "QA_TEXT" }),
  },
  document_revision: {
    api: change,
    work: change,
    row: (id) => ({
      ...of(id),
      document_id: DOCUMENTS.get(id),
      // Each probe is a revision of its own.
      revision: (revisions += 1),
      knowledge_base_id: BASES.get(id),
      import_id: randomUUID(),
      reading: "text",
      state: "waiting",
      terms_version: 1,
    }),
  },
  ingest_chunk: {
    api: [],
    work: shed,
    row: (agent_id) => ({
      agent_id,
      ingest_id: randomUUID(),
      ordinal: 1,
      text: "t",
      heading_path: [],
      tokens: 1,
      chunk_hash: bytes,
    }),
  },
  chunk_result: {
    api: [],
    work: replace,
    row: (agent_id) => ({
      agent_id,
      document_id: randomUUID(),
      chunk_hash: hash(),
      prompt: "p",
      model: "m",
      revision: 1,
      pairs: "[]",
      unsupported: 0,
      prompt_tokens: 0,
      completion_tokens: 0,
    }),
  },
  qa_embedding: {
    api: add,
    work: change,
    row: (agent_id) => ({
      agent_id,
      knowledge_base_id: BASES.get(agent_id),
      document_id: randomUUID(),
      revision: 1,
      ordinal: 1,
      form: 0,
      model: "m",
      vector: "[1,0]",
    }),
  },
  daily_use: {
    api: [],
    work: replace,
    row: (agent_id) => ({ agent_id, day: "2026-11-15", kind: "k", subject: randomUUID(), used: 1 }),
  },
  agent_model: {
    api: [],
    work: replace,
    row: (agent_id) => ({
      agent_id,
      kind: (models += 1) <= AGENTS.length ? "chat" : "embedding",
      url: "u",
      model: "m",
      timeout_ms: 1,
    }),
  },
  unanswered_question: {
    api: [],
    work: replace,
    row: (id) => ({ ...of(id), question_key: hash(), question: "q", best_score: 0 }),
  },
  unanswered_question_asker: {
    api: [],
    work: change,
    row: (agent_id) => ({ agent_id, conversation_id: randomUUID(), question_key: hash() }),
  },
  question_offer: {
    api: [],
    work: replace,
    row: (id) => ({ ...inConversation(id), question_key: hash(), question: "q", offered: "[]" }),
  },
  erasure: { api: [], work: change, row: (id) => ({ ...of(id), scope: "user_id", subject_id: "u" }) },
  qa_pair: {
    api: add,
    work: add,
    workOnPartitions: ["INSERT"],
    row: (agent_id) => ({
      agent_id,
      knowledge_base_id: BASES.get(agent_id),
      document_id: randomUUID(),
      revision: 1,
      ordinal: 1,
      question: "q",
      answer: "a",
      terms: "",
    }),
  },
  qa_pair_version: {
    api: read,
    work: add,
    row: (agent_id) => ({
      agent_id,
      knowledge_base_id: BASES.get(agent_id),
      document_id: randomUUID(),
      revision: 1,
      ordinal: 1,
      version: 1,
      change: "added",
      question: "q",
      answer: "a",
      alternates: [],
    }),
  },
  archived_content: {
    api: [],
    work: ["DELETE", "SELECT"],
    row: (agent_id) => ({ agent_id, document_id: randomUUID(), revision: 1, part: 0, pairs: "[]" }),
  },
  human_answer_decision: {
    api: [],
    work: shed,
    row: (agent_id) => ({
      agent_id,
      message_id: randomUUID(),
      conversation_id: randomUUID(),
      decision: "dismissed",
    }),
  },
  conversation_rating: {
    api: change,
    work: ["SELECT", "UPDATE"],
    row: (id) => ({ ...inConversation(id), rating: "good" }),
  },
  inbox_talk: {
    api: [],
    work: replace,
    row: (id) => ({ ...inConversation(id), requested_at: new Date() }),
  },
  inbox_note: {
    api: [],
    work: shed,
    row: (id) => ({ ...inConversation(id), talk_id: randomUUID(), text: "t", actor_name: "n" }),
  },
  canned_reply: { api: [], work: replace, row: (id) => ({ ...of(id), title: "t", text: "t" }) },
  inbox_team: { api: [], work: replace, row: (id) => ({ ...of(id), name: randomUUID() }) },
  inbox_team_member: {
    api: [],
    work: shed,
    row: (agent_id) => ({ agent_id, team_id: randomUUID(), account_id: randomUUID() }),
  },
  inbox_presence: {
    api: [],
    work: replace,
    row: (agent_id) => ({ agent_id, account_id: randomUUID(), presence: "away" }),
  },
  saved_question: {
    api: [],
    work: replace,
    row: (id) => ({ ...of(id), question_key: Buffer.from(randomUUID()), question: "q" }),
  },
  saved_question_run: { api: [], work: replace, row: (id) => ({ ...of(id), trigger: "manual" }) },
  upload: { api: [], work: replace, row: (id) => ({ ...of(id), file_name: "n", size_bytes: 1 }) },
  upload_part: {
    api: [],
    work: shed,
    row: (agent_id) => ({ agent_id, upload_id: randomUUID(), starts_at: 0, bytes }),
  },
  conversation: {
    api: change,
    apiShared: change,
    work: change,
    row: (id) => ({ ...of(id), channel: "api" }),
  },
  speech: {
    api: [],
    work: add,
    row: (id) => ({ ...of(id), content_type: "audio/mpeg", audio: bytes }),
  },
  user_binding: {
    api: change,
    work: read,
    row: (agent_id) => ({
      agent_id,
      anonymous_id: randomUUID(),
      conversation_type: "API",
      source_id: "",
      user_id: "u",
    }),
  },
  message: {
    api: add,
    apiShared: ["INSERT"],
    work: add,
    row: (id) => ({ ...inConversation(id), seq: 1, sender: "user", text: "t" }),
  },
  turn: {
    api: change,
    work: change,
    row: (id) => ({
      ...inConversation(id),
      first_seq: 1,
      last_seq: 1,
      epoch: 0,
      owner: "o",
      lease_until: new Date(),
    }),
  },
  handoff: {
    api: change,
    work: change,
    row: (id) => ({ ...inConversation(id), component_id: randomUUID(), ...REQUESTED }),
  },
  lane: {
    api: change,
    work: change,
    row: (id) => ({ ...inConversation(id), destination_id: randomUUID(), state: "idle", tail_seq: 1 }),
  },
  delivery: {
    api: add,
    work: change,
    row: (id) => ({ ...of(id), lane_id: randomUUID(), seq: 1, event: "message", sender: "ai", body: bytes }),
  },
  destination: { api: [], work: change, row: (id) => ({ ...of(id), url: "u", breaker: "open" }) },
  dead_letter: {
    api: [],
    work: add,
    row: (agent_id) => ({ agent_id, delivery_id: randomUUID(), created_at: new Date() }),
  },
  replay: { api: [], work: change, row: undefined },
  worker: { api: [], work: replace, row: undefined },
  numbers_hour: {
    api: [],
    work: replace,
    row: (agent_id) => ({
      agent_id,
      hour: new Date(),
      channel: randomUUID(),
      language: "en",
      kind: "answer",
      count: 1,
    }),
  },
  numbers_conversation: {
    api: [],
    work: replace,
    row: (agent_id) => ({ agent_id, conversation_id: randomUUID(), counted_seq: 1, language: "en" }),
  },
  numbers_handoff: {
    api: [],
    work: replace,
    row: (agent_id) => ({
      agent_id,
      handoff_id: randomUUID(),
      conversation_id: randomUUID(),
      channel: "api",
      language: "en",
    }),
  },
  numbers_tokens: {
    api: [],
    work: replace,
    row: (agent_id) => ({ agent_id, day: new Date(Date.UTC(2000, 0, (days += 1))), counted: 1 }),
  },
  numbers_sweep: { api: [], work: ["SELECT", "UPDATE"], row: undefined },
  attempt: {
    api: [],
    work: add,
    row: (id) => ({
      ...of(id),
      delivery_id: randomUUID(),
      number: 1,
      started_at: new Date(),
      duration_ms: 1,
    }),
  },
  idempotency: {
    api: add,
    work: add,
    row: (agent_id) => ({ agent_id, key_hash: hash(), request_hash: bytes, result_sealed: bytes }),
  },
};

function hash(): Buffer {
  return Buffer.from(randomUUID());
}
