import type { OutputItem } from "@signalbox/contract";
import { sql } from "kysely";
import type { ConfiguredModels } from "../agents/index.ts";
import {
  newId,
  refuse,
  openSpeechModel,
  SPEECH_TYPES,
  type Database,
  type Refusal,
  type Sealer,
} from "../platform/index.ts";
import type { KnowledgeParts } from "./agent-knowledge.ts";
import type { Asking } from "./unanswered-questions.ts";

/** Servers of OpenAI's API take no more at once; a reply that is longer is read, not heard. */
const SPOKEN_CHARACTERS_MAX = 4_096;
/** Longer than a message may wait for its webhook, and than anybody should keep its address. */
const ADDRESS_MS = 48 * 3_600_000;
const CONTEXT = "speech";

export interface Spoken {
  audio: OutputItem["content"]["audio"];
  characters: number;
}

const SILENCE: Spoken = { audio: [], characters: 0 };

/** An answer aloud, kept under an address that expires; its text is worth giving without it. */
export async function speakAnswer(
  { db, sealer, outbound, modelQuota, publicUrl, log }: KnowledgeParts,
  { agentId, conversationId }: Asking,
  { speech }: ConfiguredModels,
  text: string,
  { withinMs, signal }: { withinMs: number; signal: AbortSignal | undefined },
): Promise<Spoken> {
  if (speech === undefined || text.length > SPOKEN_CHARACTERS_MAX || withinMs <= 0) return SILENCE;
  if (publicUrl === undefined) {
    log.warn("speech_needs_public_url", { agentId });
    return SILENCE;
  }
  const timeoutMs = Math.min(speech.timeoutMs, withinMs);
  const model = openSpeechModel(outbound, { ...speech, timeoutMs }, modelQuota.of(agentId));
  const spoken = await model.speak(text, signal);
  if (spoken.kind === "failed") {
    log.warn("speech_failed", { agentId, cause: spoken.cause, detail: spoken.detail });
    return SILENCE;
  }
  const id = newId();
  const { audio } = spoken;
  // The conversation is held: one that is erased at this moment leaves nothing here.
  await sql`
    insert into speech (agent_id, id, content_type, audio, conversation_id)
    select agent_id, ${id}::uuid, ${SPEECH_TYPES[speech.format]}, ${audio}::bytea, id from conversation
    where agent_id = ${agentId} and id = ${conversationId} for key share`.execute(db);
  const named: SpeechAddress = { agentId, id, expiresAt: Date.now() + ADDRESS_MS };
  const token = sealer.seal(JSON.stringify(named), CONTEXT).toString("base64url");
  const url = `${publicUrl}/v1/audio/${token}`;
  return { audio: [{ audio: url, transcript: text }], characters: text.length };
}

interface SpeechAddress {
  agentId: string;
  id: string;
  expiresAt: number;
}

/** For a client with the address, until it expires. The address is sealed, so nobody can make one up. */
export async function readSpeech(
  { db, sealer }: { db: Database; sealer: Sealer },
  token: string,
): Promise<{ contentType: string; audio: Buffer } | Refusal> {
  const named = openAddress(sealer, token);
  if (named === undefined || named.expiresAt <= Date.now())
    return refuse("notFound", "this link is invalid or has expired");
  const row = await db
    .selectFrom("speech")
    .select(["content_type", "audio"])
    .where("agent_id", "=", named.agentId)
    .where("id", "=", named.id)
    .executeTakeFirst();
  if (row === undefined) return refuse("notFound", "this link is invalid or has expired");
  return { contentType: row.content_type, audio: row.audio };
}

function openAddress(sealer: Sealer, token: string): SpeechAddress | undefined {
  try {
    return JSON.parse(sealer.open(Buffer.from(token, "base64url"), CONTEXT)) as SpeechAddress;
  } catch {
    return undefined;
  }
}
