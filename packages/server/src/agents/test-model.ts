import {
  MODEL_CAUSES,
  type ModelKind,
  type ModelTest,
  type TestSpeechModelRequest,
} from "@signalbox/contract";
import {
  openChatModel,
  openEmbeddingModel,
  openSpeechModel,
  Refusal,
  type ModelCalls,
  type ModelFailure,
  type ModelQuota,
  type Outbound,
} from "../platform/index.ts";
import { forgetFailure, isState, recordFailure } from "./model-failures.ts";
import { proposeModel, type ConfiguredModel, type Voice } from "./models.ts";
import type { OperatorParts } from "./operator-write.ts";

export interface TestParts extends OperatorParts {
  outbound: Pick<Outbound, "stream">;
  modelQuota: ModelQuota;
}

/** As long as an answer waits. */
const TEST_MS_MAX = 25_000;
const ASKED: Readonly<Record<ModelKind, string>> = {
  chat: "Reply with the word OK.",
  chat_fallback: "Reply with the word OK.",
  embedding: "When do you open?",
  speech: "At nine.",
};
/** A model that thinks first spends some of them on that. */
const REPLY_TOKENS = 100;
const ANSWER_CHARACTERS_MAX = 200;

type Reply = Pick<ModelTest, "answer" | "dimensions" | "audio_bytes" | "tokens">;
type Address = ConfiguredModel & Partial<Voice>;

const NO_REPLY: Reply = { answer: null, dimensions: null, audio_bytes: null, tokens: 0 };

/** One call as the agent makes it, on the agent's account. What it finds is the state of a model that is stored so. */
export async function testModel(
  parts: TestParts,
  kind: ModelKind,
  { agent_id, ...given }: TestSpeechModelRequest & { agent_id: string },
): Promise<ModelTest | Refusal> {
  const proposed = await proposeModel(parts, kind, { agent_id, ...given });
  if (proposed instanceof Refusal) return proposed;
  const isTrial = Object.keys(given).length > 0;
  const address = { ...proposed, timeoutMs: Math.min(proposed.timeoutMs, TEST_MS_MAX) };
  const begun = performance.now();
  const outcome = await callOnce(parts.outbound, address, parts.modelQuota.of(agent_id, { isTrial }));
  const latency_ms = Math.round(performance.now() - begun);
  const asked = ASKED[kind];
  const model = { agentId: agent_id, kind };
  if (!("cause" in outcome)) {
    if (!isTrial) await forgetFailure(parts.db, model);
    return { works: true, asked, latency_ms, failure: null, ...outcome };
  }
  // Nobody calls a test off.
  const cause = outcome.cause === "called_off" ? "timeout" : outcome.cause;
  const { detail } = outcome;
  if (!isTrial && isState(cause)) await recordFailure(parts.db, model, { cause, detail });
  const failure = { cause, ...MODEL_CAUSES[cause], detail, time: Date.now() };
  return { works: false, asked, latency_ms, failure, ...NO_REPLY };
}

async function callOnce(
  outbound: TestParts["outbound"],
  address: Address,
  calls: ModelCalls,
): Promise<Reply | ModelFailure> {
  const asked = ASKED[address.kind];
  const { voice, format } = address;
  if (voice !== undefined && format !== undefined) {
    const spoken = await openSpeechModel(outbound, { ...address, voice, format }, calls).speak(asked);
    return spoken.kind === "failed" ? spoken : { ...NO_REPLY, audio_bytes: spoken.audio.length };
  }
  if (address.kind === "embedding") {
    const embedded = await openEmbeddingModel(outbound, address, calls).embed([asked]);
    if (embedded.kind === "failed") return embedded;
    return { ...NO_REPLY, dimensions: embedded.vectors[0]?.length ?? 0, tokens: embedded.tokens };
  }
  const said = await openChatModel(outbound, address, calls).say({
    messages: [{ role: "user", content: asked }],
    maxTokens: REPLY_TOKENS,
  });
  if (said.kind === "failed") return said;
  const answer = said.kind === "said" ? said.text.trim().slice(0, ANSWER_CHARACTERS_MAX).toWellFormed() : "";
  return { ...NO_REPLY, answer, tokens: said.usage.promptTokens + said.usage.completionTokens };
}
