import { type PartStatus, SERVICE_IS_NORMAL, type ServicePart } from "@signalbox/contract";
import { SignalboxError } from "@signalbox/sdk";
import type { Command, CommandContext } from "../command.ts";
import { exitCodeFor } from "../exit-codes.ts";

const SKEW_MAX_MS = 30_000;
const TIMEOUT_MS = 5_000;

type State = "well" | "not well" | "not looked at";
interface Found {
  what: string;
  state: State;
  found: string;
  fix?: string;
}

const MARKS: Record<State, string> = { well: "✔", "not well": "✖", "not looked at": "–" };

export const doctorCommand: Command = {
  name: "doctor",
  summary: "Look at everything between here and a delivered message, and say what to do",
  about: [
    "Looks at the service and its parts, the key, the token, the clock and the webhooks; what it has no key or token for is not looked at.",
  ],
  examples: ["signalbox doctor", "signalbox doctor --json"],
  async run(context) {
    const checks = [service, parts, clock, apiKey, webhooks, operatorToken, destinations];
    const results: Found[] = [];
    for (const check of checks) results.push(...[await check(context)].flat());
    output(context, results);
    return exitCodeFor(results.every(({ state }) => state !== "not well"));
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
    const text = await client().serviceHealth({}, { timeoutMs: TIMEOUT_MS });
    return { what, state: text === SERVICE_IS_NORMAL ? "well" : "not well", found: text };
  } catch (error) {
    const fix =
      error instanceof SignalboxError
        ? PART_FAILED
        : "Start it, or name its address with --url or SIGNALBOX_URL.";
    return { what, state: "not well", found: messageOf(error), fix };
  }
}

const PART_FAILED =
  "It answers, and one of its parts failed. With SIGNALBOX_OPERATOR_TOKEN set, doctor says which; the service's log says it as part_failed or engine_lost.";

const PART_NAMES: Record<ServicePart, string> = {
  database: "PostgreSQL",
  engine: "Restate",
  workers: "workers",
  turns: "answers",
  deliveries: "deliveries",
};
const PART_STATES: Record<PartStatus["state"], State> = {
  normal: "well",
  failed: "not well",
  unknown: "not looked at",
};

/** As the node that answers sees them. */
async function parts({ client, settings }: CommandContext): Promise<Found[]> {
  const what = "the parts of the service";
  if (settings.operatorToken === undefined) return [missing(what, "SIGNALBOX_OPERATOR_TOKEN")];
  try {
    const status = await client().getServiceStatus({}, { timeoutMs: TIMEOUT_MS });
    return status.parts.map(({ part, state, message, advice }) => ({
      what: PART_NAMES[part],
      state: PART_STATES[state],
      found: message,
      ...(advice !== null && { fix: advice }),
    }));
  } catch (error) {
    return [{ what, state: "not looked at", found: messageOf(error) }];
  }
}

/** Signatures are refused when clocks are five minutes apart. */
async function clock({ settings }: CommandContext): Promise<Found> {
  const what = "the clock";
  const response = await fetch(`${settings.url}/livez`, { signal: AbortSignal.timeout(TIMEOUT_MS) }).catch(
    () => undefined,
  );
  const theirs = Date.parse(response?.headers.get("date") ?? "");
  if (Number.isNaN(theirs)) return { what, state: "not looked at", found: "the service told no time" };
  const apartMs = Math.abs(Date.now() - theirs);
  const found = `${Math.round(apartMs / 1000)} s apart from the service's`;
  if (apartMs <= SKEW_MAX_MS) return { what, state: "well", found };
  return {
    what,
    state: "not well",
    found,
    fix: "Set the clocks by a time server: signatures five minutes off are refused.",
  };
}

async function apiKey({ client, settings }: CommandContext): Promise<Found> {
  const what = "the API key";
  if (settings.apiKey === undefined) return missing(what, "SIGNALBOX_API_KEY");
  return attempt(what, "Make a new one: signalbox keys create --name NAME.", async () => {
    const { entity_id } = await client().verifyApiKey();
    return `of agent ${entity_id}`;
  });
}

async function operatorToken({ client, settings }: CommandContext): Promise<Found> {
  const what = "the operator token";
  if (settings.operatorToken === undefined) return missing(what, "SIGNALBOX_OPERATOR_TOKEN");
  return attempt(
    what,
    "It is a named one (signalbox tokens), or OPERATOR_TOKEN of the service until the first named one with the scope manage.",
    async () => {
      await client().listAgents({ limit: 1 });
      return "it is taken";
    },
  );
}

async function webhooks({ client, settings }: CommandContext): Promise<Found> {
  const what = "the agent's webhooks";
  if (settings.apiKey === undefined) return missing(what, "SIGNALBOX_API_KEY");
  const fix = "signalbox check names them; signalbox conform URL holds a receiver against every rule.";
  return attempt(what, fix, async () => {
    const { results } = await client().checkWebhooks();
    const away = results.filter(({ reachable }) => !reachable);
    if (away.length > 0) throw new Error(`${away.length} of ${results.length} cannot be reached`);
    return results.length === 0 ? "none is configured" : `all ${results.length} can be reached`;
  });
}

async function destinations({ client, settings }: CommandContext): Promise<Found> {
  const what = "destinations";
  if (settings.operatorToken === undefined) return missing(what, "SIGNALBOX_OPERATOR_TOKEN");
  const fix =
    "signalbox deliveries --state pending shows what waits; one that said 410 is enabled by a new URL or an operator.";
  return attempt(what, fix, async () => {
    const { list } = await client().listDestinations({ limit: 100 });
    const sick = list.filter(({ breaker }) => breaker !== "closed");
    if (sick.length > 0) throw new Error(sick.map(({ url, breaker }) => `${url} is ${breaker}`).join(", "));
    return `${list.length} take messages`;
  });
}

function missing(what: string, setting: string): Found {
  return { what, state: "not looked at", found: `${setting} is not set` };
}

async function attempt(what: string, fix: string, look: () => Promise<string>): Promise<Found> {
  try {
    return { what, state: "well", found: await look() };
  } catch (error) {
    return { what, state: "not well", found: messageOf(error), fix };
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
