import { z } from "zod";
import { identifier, timestamp } from "./values.ts";

/** Why a call of a model failed: the closed list of stable words. `MODEL_CAUSES` says what to do about each. */
export const MODEL_CAUSE_NAMES = [
  "unreachable",
  "forbidden_address",
  "no_api",
  "unauthorised",
  "unknown_model",
  "no_credit",
  "rate_limited",
  "over_quota",
  "bad_request",
  "unavailable",
  "timeout",
  "malformed_reply",
  "refused",
] as const;

export type ModelCause = (typeof MODEL_CAUSE_NAMES)[number];

export const ModelCauseName = z
  .enum(MODEL_CAUSE_NAMES)
  .meta({ id: "ModelCause", description: "Why a call of a model failed" });

export const ModelFailure = z
  .object({
    cause: ModelCauseName,
    message: z.string().describe("The cause in words"),
    advice: z.string().describe("What to do about it"),
    detail: z.string().describe("What the model's server or the connection said"),
    time: timestamp,
  })
  .meta({ id: "ModelFailure" });
export type ModelFailure = z.output<typeof ModelFailure>;

export const ModelKind = z.enum(["chat", "chat_fallback", "embedding", "speech"]).meta({ id: "ModelKind" });
export type ModelKind = z.output<typeof ModelKind>;

export const FailingModel = z
  .object({
    agent_id: identifier,
    agent_name: z.string().describe("Name of the agent"),
    kind: ModelKind,
    model: z.string(),
    failure: ModelFailure,
  })
  .meta({ id: "FailingModel", description: "A model whose last call failed" });
export type FailingModel = z.output<typeof FailingModel>;

export const ModelTest = z
  .object({
    works: z.boolean().describe("Whether the model replied as it must"),
    asked: z.string().describe("What the model was asked"),
    answer: z.string().nullable().describe("What a chat model said; null for another model"),
    dimensions: z.int().nullable().describe("Numbers of a vector; null unless it is an embedding model"),
    audio_bytes: z.int().nullable().describe("Size of the audio; null unless it is a speech model"),
    latency_ms: z.int().min(0),
    tokens: z.int().min(0).describe("Tokens used, as the server counts them; 0 where it does not"),
    failure: ModelFailure.nullable().describe("Why it does not work; null if it does"),
  })
  .meta({ id: "ModelTest" });
export type ModelTest = z.output<typeof ModelTest>;
