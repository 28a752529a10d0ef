import type { ReplyOf } from "@signalbox/contract";
import { AGENT_OPTION, agentOf } from "../agent-of.ts";
import { describeCause } from "../cause-text.ts";
import type { Command, CommandContext } from "../command.ts";
import { EXIT_CODES, exitCodeFor, type ExitCode } from "../exit-codes.ts";
import { timeText } from "../output.ts";

const ANSWER_SHOWN_CHARACTERS = 200;

export const checkCommand: Command = {
  name: "check",
  summary: "Test whether an agent's webhooks can be reached",
  about: [
    "The service sends a test request to each configured webhook. With an operator token, each failure shows its cause and the receiver's response.",
    "With only an API key, this is the check of section 4.3: it shows whether a webhook responded, but not why it failed.",
  ],
  options: [
    AGENT_OPTION,
    { name: "history", summary: "List the last checks instead; requires an operator token" },
  ],
  examples: ["signalbox check", "signalbox check --json", "signalbox check --history"],
  run(context) {
    if (context.options.isOn("history")) return listHistory(context);
    return context.settings.operatorToken === undefined ? checkAsCaller(context) : checkAsOperator(context);
  },
};

type Result = ReplyOf<"checkWebhooks">["results"][number];

function rowOf({
  reachable,
  type,
  component_name: name,
  webhook_url,
  http_status,
  latency_ms,
}: Result): string[] {
  return [
    reachable ? "✔" : "✖",
    name === null ? type : `${type} ${name}`,
    http_status ? `HTTP ${http_status}` : "no response",
    `${latency_ms} ms`,
    webhook_url,
  ];
}

const HEADINGS = ["", "webhook", "response", "duration", "url"];
const NONE = "No webhooks configured. Set one with: signalbox webhook set URL";

async function checkAsCaller({ client, output }: CommandContext): Promise<ExitCode> {
  const { results } = await client().webhooks.check();
  output.result({ results }, () => {
    if (results.length === 0) return output.line(NONE);
    output.table(HEADINGS, results.map(rowOf));
    if (results.some(({ reachable }) => !reachable))
      output.note("To see the causes, give an operator token.");
  });
  return exitCodeFor(results.every(({ reachable }) => reachable));
}

async function agentFor({ client, options, settings }: CommandContext): Promise<string> {
  const named =
    options.text("agent") ??
    (settings.apiKey === undefined ? undefined : (await client().keys.verify()).entity_id);
  return agentOf(client(), named);
}

async function listHistory(context: CommandContext): Promise<ExitCode> {
  const { client, output } = context;
  const { list } = await client().webhooks.listChecks({ agent_id: await agentFor(context) });
  output.result({ list }, () => {
    if (list.length === 0) return output.line("No checks yet. Run one with: signalbox check");
    const rows = list.map(({ reachable, check_time, http_status, latency_ms, cause, url }) => [
      reachable ? "✔" : "✖",
      timeText(check_time),
      http_status ? `HTTP ${http_status}` : "no response",
      `${latency_ms} ms`,
      cause ?? "",
      url,
    ]);
    output.table(["", "time (UTC)", "response", "duration", "cause", "url"], rows);
  });
  return EXIT_CODES.ok.code;
}

async function checkAsOperator(context: CommandContext): Promise<ExitCode> {
  const { client, output } = context;
  const { results } = await client().webhooks.diagnose({ agent_id: await agentFor(context) });
  output.result({ results }, () => {
    if (results.length === 0) return output.line(NONE);
    output.table(HEADINGS, results.map(rowOf));
    for (const { url, http_status, cause, cause_page, response_body } of results.flatMap(
      ({ probes }) => probes,
    )) {
      if (cause === null) continue;
      output.line(`\n✖ ${url}`);
      output.line(`  ${describeCause(cause, http_status)}`);
      if (response_body) output.line(`  Response: ${response_body.slice(0, ANSWER_SHOWN_CHARACTERS)}`);
      if (cause_page !== null) output.line(`  How to fix: ${cause_page}`);
    }
  });
  return exitCodeFor(results.every(({ reachable }) => reachable));
}
