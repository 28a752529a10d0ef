import { openChatModel, type ChatAsk, type ChatModel, type ChatResult } from "./model.ts";
import { TooSlow, type ModelAddress, type ModelFailure } from "./model-client.ts";
import type { ModelCalls } from "./model-quota.ts";
import type { Outbound } from "./outbound-http.ts";

/** An agent's chat model, and the one that is asked when it fails. */
export interface ChatModelAddresses {
  chat: ModelAddress;
  fallback: ModelAddress | undefined;
}

export interface FallbackOptions {
  /** For both together. */
  withinMs?: number;
  /** Told of each failure that is not returned. */
  onFailed?: (failure: ModelFailure) => void;
}

/** The share of the time for both that the first model leaves to its fallback, unless that one may take less. */
const FALLBACK_SHARE = 0.4;
/** What a first model has at least: in less, another would hardly do better. */
const FIRST_MS_MIN = 4_000;

/**
 * One model to the caller. The fallback is asked the same when the first fails, and only while nobody has read a word of
 * the first. If both fail, the failure is that of the first: it is the one to be mended.
 */
export function openChatModelWithFallback(
  outbound: Pick<Outbound, "stream">,
  { chat, fallback }: ChatModelAddresses,
  calls: ModelCalls,
  { withinMs = Infinity, onFailed }: FallbackOptions = {},
): ChatModel {
  const openWithin = (address: ModelAddress, leftMs: number) =>
    openChatModel(outbound, { ...address, timeoutMs: Math.min(address.timeoutMs, leftMs) }, calls);
  const first = openWithin(chat, withinMs);
  if (fallback === undefined) return first;
  const openSecond = (leftMs: number) => openWithin(fallback, leftMs);
  const firstMs = Math.max(FIRST_MS_MIN, withinMs - Math.min(fallback.timeoutMs, withinMs * FALLBACK_SHARE));

  async function say(ask: ChatAsk): Promise<ChatResult> {
    const begun = performance.now();
    const said = await sayUnlessSlow(first, ask, firstMs);
    const leftMs = withinMs - (performance.now() - begun);
    if (said.kind !== "failed" || leftMs <= 0 || !mayAskAnother(said, ask)) return said;
    ask.restart?.();
    const instead = await openSecond(leftMs).say(ask);
    const hasFailed = instead.kind === "failed" && instead.cause !== "called_off";
    onFailed?.(hasFailed ? instead : said);
    return hasFailed ? said : instead;
  }

  return { model: first.model, say };
}

/** A model whose first words come late is left to its fallback; one that speaks may go on. */
async function sayUnlessSlow(model: ChatModel, ask: ChatAsk, withinMs: number): Promise<ChatResult> {
  if (withinMs === Infinity) return model.say(ask);
  const leaving = new AbortController();
  const timer = setTimeout(() => {
    if (ask.isTold?.() !== true) leaving.abort(new TooSlow());
  }, withinMs);
  const { signal = leaving.signal } = ask;
  try {
    return await model.say({ ...ask, signal: AbortSignal.any([signal, leaving.signal]) });
  } finally {
    clearTimeout(timer);
  }
}

/** A model that refuses to speak of something has replied, and an agent's own limits hold for both its models. */
function mayAskAnother({ cause, isOwnLimit }: ModelFailure, { signal, isTold }: ChatAsk): boolean {
  return cause !== "refused" && isOwnLimit !== true && signal?.aborted !== true && isTold?.() !== true;
}
