import { LruMap } from "./lru-map.ts";
import type { ModelAddress } from "./model-client.ts";

/** What of OpenAI's API a model's server understands. */
export interface Dialect {
  format: "json_schema" | "json_object" | "none";
  tokensField: "max_tokens" | "max_completion_tokens";
  hasTemperature: boolean;
  hasStreamUsage: boolean;
  hasTools: boolean;
  /** How many texts one call may embed. */
  textsMax: number;
}

/** What each model turned out not to understand, so that the next question is not refused first. */
export interface ModelDialects {
  of(address: Named): Dialect;
  /** With this one it answered. */
  learn(address: Named, dialect: Dialect): void;
}

type Named = Pick<ModelAddress, "url" | "model">;

const FULL: Dialect = {
  format: "json_schema",
  tokensField: "max_tokens",
  hasTemperature: true,
  hasStreamUsage: true,
  hasTools: true,
  textsMax: Infinity,
};
const MODELS_MAX = 1_000;
/** Then it is asked in full again: servers learn as well. */
const REMEMBERED_MS = 6 * 3_600_000;

export function createModelDialects(now: () => number = () => performance.now()): ModelDialects {
  const learned = new LruMap<string, { dialect: Dialect; at: number }>(MODELS_MAX);
  const keyOf = ({ url, model }: Named) => JSON.stringify([url, model]);
  return {
    of(address) {
      const known = learned.get(keyOf(address));
      return known === undefined || now() - known.at > REMEMBERED_MS ? FULL : known.dialect;
    },
    learn(address, dialect) {
      learned.set(keyOf(address), { dialect, at: now() });
    },
  };
}
