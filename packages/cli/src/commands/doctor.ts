import {
  type FailingModel,
  MODEL_KINDS,
  type PartStatus,
  SERVICE_IS_NORMAL,
  type ServicePart,
} from "@signalbox/contract";
import { SignalboxError } from "@signalbox/sdk";
import type { Command, CommandContext } from "../command.ts";
import { exitCodeFor } from "../exit-codes.ts";
import { timeText } from "../output.ts";

const SKEW_MAX_MS = 30_000;
const TIMEOUT_MS = 5_000;

type State = "ok" | "failed" | "skipped";
interface Found {
  what: string;
  state: State;
  found: string;
  fix?: string;
}

const MARKS: Record<State, string> = { ok: "✔", failed: "✖", skipped: "–" };

export const doctorCommand: Command = {
  name: "doctor",
  summary: "Diagnose problems from this machine to a delivered message",
  about: [
    "Checks the service and its parts, your API key and operator token, the clock and the webhooks. Checks without the key or token they need are skipped.",
  ],
  examples: ["signalbox doctor", "signalbox doctor --json"],
  async run(context) {
    const checks = [service, parts, clock, apiKey, webhooks, operatorToken, destinations];
    const results: Found[] = [];
    for (const check of checks) results.push(...[await check(context)].flat());
    output(context, results);
    return exitCodeFor(results.every(({ state }) => state !== "failed"));
  },
};

function output({ output: to }: CommandContext, results: Found[]): void {
  to.result({ results }, () => {
    for (const { what, state, found, fix } of results) {
      to.line(`${MARKS[state]} ${what}: ${found}`);
      if (fix !== undefined) to.line(`    ${fix}`);
    }
  });
}

async function service({ client, settings }: CommandContext): Promise<Found> {
  const what = `the service at ${settings.url}`;
  try {
    const text = await client().service.health({}, { timeoutMs: TIMEOUT_MS });
    return { what, state: text === SERVICE_IS_NORMAL ? "ok" : "failed", found: text };
  } catch (error) {
    const fix =
      error instanceof SignalboxError
        ? PART_FAILED
        : "Start the service, or set its address with --url or SIGNALBOX_URL.";
    return { what, state: "failed", found: messageOf(error), fix };
  }
}

const PART_FAILED =
  "The service is running, but one of its parts failed. Set SIGNALBOX_OPERATOR_TOKEN to see which one, or look for part_failed or engine_lost in the log.";

const PART_NAMES: Record<ServicePart, string> = {
  database: "PostgreSQL",
  engine: "Restate",
  workers: "workers",
  turns: "answers",
  deliveries: "deliveries",
};
const PART_STATES: Record<PartStatus["state"], State> = {
  normal: "ok",
  failed: "failed",
  unknown: "skipped",
};

/** As the node that answers sees them. */
async function parts({ client, settings }: CommandContext): Promise<Found[]> {
  const what = "the parts of the service";
  if (settings.operatorToken === undefined) return [missing(what, "SIGNALBOX_OPERATOR_TOKEN")];
  try {
    const status = await client().service.getStatus({}, { timeoutMs: TIMEOUT_MS });
    const warnings = status.warnings.map(({ message, advice }): Found => {
      return { what: "settings", state: "failed", found: message, fix: advice };
    });
    const found = status.parts.map(({ part, state, message, advice }): Found => ({
      what: PART_NAMES[part],
      state: PART_STATES[state],
      found: message,
      ...(advice !== null && { fix: advice }),
    }));
    return [...found, ...warnings, ...status.models.map(failingModel)];
  } catch (error) {
    return [{ what, state: "skipped", found: messageOf(error) }];
  }
}

function failingModel({ agent_id, agent_name, kind, model, failure }: FailingModel): Found {
  const again = `signalbox model test --agent ${agent_id}${kind === "chat" ? "" : ` --kind ${kind}`}`;
  const since = `${timeText(failure.time)} UTC`;
  return {
    what: `the ${MODEL_KINDS[kind].toLowerCase()} of ${agent_name}`,
    state: "failed",
    found: `${model} failed at ${since}. ${failure.message}: ${failure.detail}`,
    fix: `${failure.advice} Then run ${again}.`,
  };
}

/** Signatures are refused when clocks are five minutes apart. */
async function clock({ settings }: CommandContext): Promise<Found> {
  const what = "the clock";
  const response = await fetch(`${settings.url}/livez`, { signal: AbortSignal.timeout(TIMEOUT_MS) }).catch(
    () => undefined,
  );
  const theirs = Date.parse(response?.headers.get("date") ?? "");
  if (Number.isNaN(theirs)) return { what, state: "skipped", found: "the service sent no date" };
  const apartMs = Math.abs(Date.now() - theirs);
  const found = `${Math.round(apartMs / 1000)} s apart from the service`;
  if (apartMs <= SKEW_MAX_MS) return { what, state: "ok", found };
  return {
    what,
    state: "failed",
    found,
    fix: "Synchronize both clocks with NTP. Receivers reject signatures that are more than five minutes off.",
  };
}

async function apiKey({ client, settings }: CommandContext): Promise<Found> {
  const what = "the API key";
  if (settings.apiKey === undefined) return missing(what, "SIGNALBOX_API_KEY");
  return attempt(what, "Create a new key: signalbox keys create --name NAME.", async () => {
    const { entity_id } = await client().keys.verify();
    return `belongs to agent ${entity_id}`;
  });
}

async function operatorToken({ client, settings }: CommandContext): Promise<Found> {
  const what = "the operator token";
  if (settings.operatorToken === undefined) return missing(what, "SIGNALBOX_OPERATOR_TOKEN");
  return attempt(
    what,
    "Use a named operator token (signalbox tokens). The service's OPERATOR_TOKEN only works until the first token with the scope manage exists.",
    async () => {
      await client().agents.list({ limit: 1 });
      return "valid";
    },
  );
}

async function webhooks({ client, settings }: CommandContext): Promise<Found> {
  const what = "the agent's webhooks";
  if (settings.apiKey === undefined) return missing(what, "SIGNALBOX_API_KEY");
  const fix = "Run signalbox check to see which ones, and signalbox conform URL to test a receiver.";
  return attempt(what, fix, async () => {
    const { results } = await client().webhooks.check();
    const away = results.filter(({ reachable }) => !reachable);
    if (away.length > 0) throw new Error(`${away.length} of ${results.length} are unreachable`);
    return results.length === 0 ? "none configured" : `all ${results.length} are reachable`;
  });
}

async function destinations({ client, settings }: CommandContext): Promise<Found> {
  const what = "destinations";
  if (settings.operatorToken === undefined) return missing(what, "SIGNALBOX_OPERATOR_TOKEN");
  const fix =
    "Run signalbox deliveries --state pending to see what is waiting. A destination that returned 410 stays disabled until an operator enables it or sets a new URL.";
  return attempt(what, fix, async () => {
    const { list } = await client().destinations.list({ limit: 100 });
    const sick = list.filter(({ breaker }) => breaker !== "closed");
    if (sick.length > 0)
      throw new Error(sick.map(({ url, breaker }) => `${url}: circuit breaker ${breaker}`).join(", "));
    return `${list.length} accept messages`;
  });
}

function missing(what: string, setting: string): Found {
  return { what, state: "skipped", found: `${setting} is not set` };
}

async function attempt(what: string, fix: string, look: () => Promise<string>): Promise<Found> {
  try {
    return { what, state: "ok", found: await look() };
  } catch (error) {
    return { what, state: "failed", found: messageOf(error), fix };
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
