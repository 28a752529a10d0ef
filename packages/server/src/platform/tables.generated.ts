// Written by tools/write-tables.ts from a migrated database; a test compares the two.
import type { Generated } from "kysely";

export interface Tables {
  agent: {
    id: string;
    name: string;
    language: Generated<string>;
    fallback_text: string | null;
    created_at: Generated<Date>;
    updated_at: Generated<Date>;
    deleted_at: Date | null;
  };
  api_key: {
    id: string;
    agent_id: string;
    key_hash: Buffer;
    prefix: string;
    name: string;
    created_at: Generated<Date>;
    expires_at: Date | null;
    revoked_at: Date | null;
    last_used_at: Date | null;
  };
  attempt: {
    agent_id: string;
    delivery_id: string;
    number: number;
    id: string;
    started_at: Date;
    duration_ms: number;
    cause: string | null;
    http_status: number | null;
    url: string | null;
    response_body: Buffer | null;
    webhook_timestamp: number | null;
    webhook_signature: string | null;
    authorization_scheme: string | null;
  };
  audit: {
    id: string;
    at: Generated<Date>;
    actor: string;
    action: string;
    agent_id: string | null;
    subject_id: string | null;
    detail: unknown;
  };
  conversation: {
    agent_id: string;
    id: string;
    channel: string;
    user_id: string | null;
    anonymous_id: string | null;
    email: string | null;
    phone: string | null;
    control: Generated<string>;
    epoch: Generated<number>;
    last_seq: Generated<number>;
    turn_due_seq: Generated<number>;
    turn_done_seq: Generated<number>;
    turn_awake: Generated<boolean>;
    turn_beat_at: Generated<Date>;
    created_at: Generated<Date>;
  };
  dead_letter: {
    agent_id: string;
    delivery_id: string;
    created_at: Date;
  };
  delivery: {
    agent_id: string;
    lane_id: string;
    seq: number;
    created_at: Generated<Date>;
    id: string;
    event: string;
    sender: string;
    body: Buffer;
    state: Generated<string>;
    attempts: Generated<number>;
    finished_at: Date | null;
    cause: string | null;
    replay_of: string | null;
    replay_seq: number | null;
    replay_id: string | null;
  };
  destination: {
    id: string;
    agent_id: string;
    url: string;
    breaker: string;
    changed_at: Generated<Date>;
    tries: Generated<number>;
    next_try_at: Generated<Date>;
    recovery_step: Generated<number>;
    scheduled_at: Generated<Date>;
  };
  document: {
    id: string;
    agent_id: string;
    knowledge_base_id: string;
    name: string;
    purpose: string;
    current_revision: Generated<number>;
    created_at: Generated<Date>;
    updated_at: Generated<Date>;
  };
  idempotency: {
    agent_id: string;
    key_hash: Buffer;
    created_at: Generated<Date>;
    request_hash: Buffer;
    result_sealed: Buffer;
  };
  knowledge_base: {
    id: string;
    agent_id: string;
    name: string;
    description: Generated<string>;
    is_default: Generated<boolean>;
    created_at: Generated<Date>;
  };
  lane: {
    agent_id: string;
    id: string;
    destination_id: string;
    conversation_id: string;
    state: string;
    tail_seq: number;
    done_seq: Generated<number>;
    fence: Generated<number>;
    due_at: Generated<Date>;
    beat_at: Generated<Date>;
    awake_since: Generated<Date>;
    pending_since: Generated<Date>;
    trying: Generated<boolean>;
    parked_at: Date | null;
    blocked_since: Date | null;
  };
  message: {
    agent_id: string;
    conversation_id: string;
    seq: number;
    id: string;
    sender: string;
    response_mode: string | null;
    text: string;
    created_at: Generated<Date>;
  };
  qa_pair: {
    agent_id: string;
    knowledge_base_id: string;
    document_id: string;
    revision: number;
    ordinal: number;
    question: string;
    answer: string;
    terms: string;
  };
  replay: {
    id: string;
    filter: unknown;
    rate_per_second: number;
    matched: number;
    enqueued: Generated<number>;
    state: Generated<string>;
    position_at: Date | null;
    position_id: string | null;
    next_step_at: Generated<Date>;
    created_at: Generated<Date>;
    finished_at: Date | null;
  };
  turn: {
    agent_id: string;
    conversation_id: string;
    id: string;
    first_seq: number;
    last_seq: number;
    epoch: number;
    owner: string;
    lease_until: Date;
    state: Generated<string>;
    started_at: Generated<Date>;
    finished_at: Date | null;
  };
  webhook: {
    id: string;
    agent_id: string;
    kind: string;
    name: string | null;
    url: string;
    username_sealed: Buffer | null;
    secret_sealed: Buffer | null;
    signing_secret_sealed: Buffer;
    previous_signing_secret_sealed: Buffer | null;
    previous_signing_secret_until: Date | null;
    strict_acknowledgement: Generated<boolean>;
    allow_unauthenticated_replies: Generated<boolean>;
    created_at: Generated<Date>;
    updated_at: Generated<Date>;
    deleted_at: Date | null;
  };
  worker: {
    id: string;
    beat_at: Generated<Date>;
  };
}
