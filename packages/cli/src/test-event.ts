import { readFile } from "node:fs/promises";
import { type RequestOf, TestableEvent, type WebhookProbe } from "@signalbox/contract";
import { agentOf } from "./agent-of.ts";
import { describeCause } from "./cause-text.ts";
import { type CommandContext, oneOf, type Option, required, UsageError } from "./command.ts";
import { exitCodeFor, type ExitCode } from "./exit-codes.ts";
import type { Output } from "./output.ts";

const ANSWER_SHOWN_CHARACTERS = 200;

export const TEST_EVENT_OPTIONS: readonly Option[] = [
  { name: "delivery", value: "ID", summary: "For test: send the body of this delivery to its webhook" },
  { name: "data", value: "FILE", summary: "For test: file with the JSON body to send instead" },
  { name: "event", value: "EVENT", summary: "For test: event to send", choices: TestableEvent.options },
  { name: "webhook", value: "ID", summary: "For test: send to this webhook or human service component" },
];

/** One test request, with the body of a delivery, of a file, or of a delivery that was edited in a file. */
export async function sendTestEvent(context: CommandContext): Promise<ExitCode> {
  const { client, options, output } = context;
  const delivery_id = options.text("delivery");
  const request = await (delivery_id === undefined
    ? asAsked(context)
    : ofDelivery(await client().deliveries.get({ delivery_id })));
  const event = oneOf(options.text("event"), TestableEvent.options, "--event") ?? request.event;
  const body = (await fileBody(options.text("data"))) ?? request.body;
  const probe = await client().webhooks.sendTest({ ...request, event, body });
  output.result(probe, () => tell(probe, output));
  return exitCodeFor(probe.cause === null);
}

type Request = RequestOf<"sendTestEvent">;

async function asAsked({ client, options }: CommandContext): Promise<Request> {
  required(options.text("data"), "--data FILE or --delivery ID");
  const agent_id = await agentOf(client(), options.text("agent"));
  const webhook_id = options.text("webhook") ?? (await client().webhooks.get({ agent_id })).webhook_id;
  return { agent_id, webhook_id, event: "message", body: {} };
}

function ofDelivery({
  agent_id,
  webhook_id,
  event,
  body,
}: {
  agent_id: string;
  webhook_id: string;
  event: string;
  body: string;
}): Request {
  const testable = TestableEvent.safeParse(event);
  if (!testable.success) throw new UsageError(`A delivery of ${event} cannot be sent as a test`);
  return { agent_id, webhook_id, event: testable.data, body: objectIn(body, "The body of this delivery") };
}

async function fileBody(file: string | undefined): Promise<Record<string, unknown> | undefined> {
  return file === undefined ? undefined : objectIn(await readFile(file, "utf8"), file);
}

function objectIn(text: string, what: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value))
      return value as Record<string, unknown>;
  } catch {
    // Told below.
  }
  throw new UsageError(`${what} is not a JSON object`);
}

function tell(
  { url, http_status, latency_ms, cause, cause_page, response_body }: WebhookProbe,
  output: Output,
) {
  const response = http_status === 0 ? "no response" : `HTTP ${http_status}`;
  output.line(`${cause === null ? "✔" : "✖"} ${response} after ${latency_ms} ms from ${url}`);
  if (cause !== null) output.line(`  ${describeCause(cause, http_status)}`);
  if (response_body) output.line(`  Response: ${response_body.slice(0, ANSWER_SHOWN_CHARACTERS)}`);
  if (cause_page !== null) output.line(`  How to fix: ${cause_page}`);
}
