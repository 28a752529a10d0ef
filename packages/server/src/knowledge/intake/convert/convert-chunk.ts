import { setTimeout as sleep } from "node:timers/promises";
import {
  NO_USAGE,
  sumUsage,
  type ChatModel,
  type ChatResult,
  type ModelUsage,
} from "../../../platform/index.ts";
import type { Chunk } from "../extract/chunks.ts";
import { pairFault, questionKey, type IncomingPair } from "../incoming-pair.ts";
import { INTAKE_LIMITS, type IntakeLimits } from "../limits.ts";
import { createSupportCheck } from "./check-pair.ts";
import { pairWithoutModel } from "./fallback.ts";
import { halveChunk } from "./halve-chunk.ts";
import { pairsMaxOf, promptFor, REPLY_SCHEMA } from "./prompt.ts";
import { readReply, type SaidPair } from "./read-reply.ts";

export interface ConvertedChunk {
  pairs: IncomingPair[];
  /** Pairs the model gave that the text does not bear out, or beyond the number it was allowed. */
  unsupported: number;
  usage: ModelUsage;
  /** Why the model's work could not be used; the pairs are then those of no model. */
  failed?: string;
}

export interface ConvertOptions {
  language?: string;
  limits?: Pick<IntakeLimits, "questionCharactersMax" | "answerCharactersMax" | "alternatesMax">;
  signal?: AbortSignal;
}

const TRIES_MAX = 3;
const BACKOFF_MS = 500;
const WAIT_MS_MAX = 30_000;
const HALVINGS_MAX = 3;
const REPLY_TOKENS_A_PAIR = 400;
const WORTH_ANOTHER_TRY = [
  "rate_limited",
  "unavailable",
  "unreachable",
  "timeout",
  "malformed_reply",
  "no_list",
];

/** One chunk becomes pairs. Whatever the model does, the chunk's text is never lost and never spoken for falsely. */
export async function convertChunk(
  model: ChatModel | undefined,
  chunk: Chunk,
  options: ConvertOptions = {},
): Promise<ConvertedChunk> {
  if (model === undefined) return { pairs: [pairWithoutModel(chunk)], unsupported: 0, usage: NO_USAGE };
  return ask(model, chunk, options, 0);
}

async function ask(
  model: ChatModel,
  chunk: Chunk,
  options: ConvertOptions,
  halvings: number,
): Promise<ConvertedChunk> {
  let usage = NO_USAGE;
  let cause = "no_list";
  for (let tries = 1; tries <= TRIES_MAX; tries += 1) {
    const result = await model.say({
      messages: promptFor(chunk, options.language),
      jsonSchema: REPLY_SCHEMA,
      maxTokens: pairsMaxOf(chunk) * REPLY_TOKENS_A_PAIR,
      ...(options.signal === undefined ? {} : { signal: options.signal }),
    });
    if (result.kind === "said") {
      usage = sumUsage(usage, result.usage);
      if (result.finish === "length") {
        const halves = halvings < HALVINGS_MAX ? halveChunk(chunk) : undefined;
        if (halves !== undefined) return askHalves(model, halves, options, halvings + 1, usage);
        cause = "length";
      } else {
        const said = readReply(result.text);
        if (said !== undefined) return judge(chunk, said, usage, options);
        cause = "no_list";
      }
    } else cause = result.kind === "failed" ? result.cause : "malformed_reply";
    if (!WORTH_ANOTHER_TRY.includes(cause) || options.signal?.aborted === true) break;
    if (tries < TRIES_MAX && !(await waited(result, tries, options.signal))) break;
  }
  return { pairs: [pairWithoutModel(chunk)], unsupported: 0, usage, failed: cause };
}

/** A reply that was cut off had more to say than fits: each half gets a reply of its own. */
async function askHalves(
  model: ChatModel,
  halves: [Chunk, Chunk],
  options: ConvertOptions,
  halvings: number,
  usage: ModelUsage,
): Promise<ConvertedChunk> {
  const [first, second] = [
    await ask(model, halves[0], options, halvings),
    await ask(model, halves[1], options, halvings),
  ];
  const failed = first.failed ?? second.failed;
  return {
    pairs: [...first.pairs, ...second.pairs],
    unsupported: first.unsupported + second.unsupported,
    usage: sumUsage(usage, sumUsage(first.usage, second.usage)),
    ...(failed === undefined ? {} : { failed }),
  };
}

function judge(
  chunk: Chunk,
  said: SaidPair[],
  usage: ModelUsage,
  { limits = INTAKE_LIMITS }: ConvertOptions,
): ConvertedChunk {
  const isSupported = createSupportCheck(chunk.text);
  const keys = new Set<string>();
  const pairs: IncomingPair[] = [];
  const pairsMax = pairsMaxOf(chunk);
  const source = {
    ...(chunk.headingPath.length === 0 ? {} : { path: chunk.headingPath }),
    ...(chunk.page === undefined ? {} : { page: chunk.page }),
  };
  for (const { question, answer, quote } of said) {
    if (pairs.length >= pairsMax) break;
    const pair: IncomingPair = { question, answer, alternates: [], origin: "model", source };
    const key = questionKey(question);
    if (keys.has(key) || pairFault(pair, limits) !== undefined || !isSupported({ question, answer, quote }))
      continue;
    keys.add(key);
    pairs.push(pair);
  }
  const unsupported = said.length - pairs.length;
  if (pairs.length > 0) return { pairs, unsupported, usage };
  // A model that finds nothing may be right about a colophon; the text can still be found.
  const fallback = { pairs: [pairWithoutModel(chunk)], unsupported, usage };
  return said.length === 0 ? fallback : { ...fallback, failed: "unsupported" };
}

/** False when the work was called off meanwhile. */
async function waited(result: ChatResult, tries: number, signal: AbortSignal | undefined): Promise<boolean> {
  const asked = result.kind === "failed" ? result.retryAfterMs : undefined;
  const ms = Math.min(WAIT_MS_MAX, asked ?? BACKOFF_MS * 2 ** (tries - 1));
  try {
    await sleep(ms, undefined, signal === undefined ? {} : { signal });
    return true;
  } catch {
    return false;
  }
}
