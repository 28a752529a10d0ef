import {
  type AttemptTimings,
  CAUSE_NAMES,
  type DeliveryDetail,
  type DeliveryEntry,
  DeliveryEvent,
  DeliveryState,
} from "@signalbox/contract";
import { describeCause } from "../cause-text.ts";
import {
  type Command,
  type CommandContext,
  oneOf,
  type Option,
  type Options,
  wholeNumber,
} from "../command.ts";
import { EXIT_CODES } from "../exit-codes.ts";
import { given } from "../given-fields.ts";
import { type Output, timeText } from "../output.ts";
import { timeFrom } from "../times.ts";

/** Shared with `replay`. */
export const filterOptions: readonly Option[] = [
  { name: "agent", value: "ID", summary: "Only this agent" },
  { name: "webhook", value: "ID", summary: "Only this webhook or human service component" },
  { name: "conversation", value: "ID", summary: "Only this conversation; requires --agent" },
  { name: "message", value: "ID", summary: "Only deliveries of this message or of replies to it" },
  { name: "state", value: "STATE", summary: "Only this state", choices: DeliveryState.options },
  {
    name: "cause",
    value: "CAUSE",
    summary: "Only if the last attempt failed with this cause",
    choices: CAUSE_NAMES,
  },
  { name: "event", value: "EVENT", summary: "Only this event", choices: DeliveryEvent.options },
  { name: "since", value: "TIME", summary: "Created since this time: a timestamp, or an age such as 2h" },
  { name: "until", value: "TIME", summary: "Created before this time" },
];

export function readFilter(options: Options, nowMs: number) {
  return given({
    agent_id: options.text("agent"),
    webhook_id: options.text("webhook"),
    conversation_id: options.text("conversation"),
    message_id: options.text("message"),
    cause: oneOf(options.text("cause"), CAUSE_NAMES, "--cause"),
    event: oneOf(options.text("event"), DeliveryEvent.options, "--event"),
    from_time: timeFrom(options.text("since"), "--since", nowMs),
    to_time: timeFrom(options.text("until"), "--until", nowMs),
  });
}

export const deliveriesCommand: Command = {
  name: "deliveries",
  summary: "List deliveries, or show one with all its attempts",
  about: ["The newest come first. Requires an operator token."],
  arguments: [{ name: "DELIVERY", summary: "Delivery to show" }],
  options: [
    ...filterOptions,
    { name: "limit", value: "N", summary: "Maximum number to list; 50 by default" },
    { name: "preview", summary: "Show the beginning of what each delivery says; the read is audited" },
  ],
  examples: [
    "signalbox deliveries --state dead --since 2h",
    "signalbox deliveries --message 0199f3a2-5b0d-7c3e-8a41-2f6f1c8e2155",
    "signalbox deliveries 0199f3a2-6c1e-7b44-9d0a-5f2f6f1c8e21",
  ],
  async run(context) {
    const [delivery_id] = context.arguments;
    if (delivery_id === undefined) await list(context);
    else {
      const delivery = await context.client().deliveries.get({ delivery_id });
      context.output.result(delivery, () => showDelivery(delivery, context.output));
    }
    return EXIT_CODES.ok.code;
  },
};

async function list({ client, options, output }: CommandContext): Promise<void> {
  const wanted = wholeNumber(options.text("limit"), "--limit") ?? 50;
  const state = oneOf(options.text("state"), DeliveryState.options, "--state");
  const filter = { ...readFilter(options, Date.now()), ...(state !== undefined && { state }) };
  const with_preview = options.isOn("preview");
  const found: DeliveryEntry[] = [];
  let cursor: string | null | undefined;
  do {
    const page = await client().deliveries.list({
      ...filter,
      limit: Math.min(100, wanted - found.length),
      with_preview,
      ...(typeof cursor === "string" && { cursor }),
    });
    found.push(...page.list);
    cursor = page.next_cursor;
  } while (cursor !== null && found.length < wanted);
  output.result({ list: found }, () => {
    if (found.length === 0) return output.line("No deliveries match.");
    const rows = found.map((delivery) => [
      timeText(delivery.create_time),
      delivery.state,
      delivery.event,
      String(delivery.attempt_count),
      delivery.cause ?? "",
      delivery.delivery_id,
      ...(with_preview ? [delivery.preview ?? ""] : []),
    ]);
    const headings = ["created (UTC)", "state", "event", "attempts", "cause", "delivery_id"];
    output.table(with_preview ? [...headings, "text"] : headings, rows);
    if (cursor !== null)
      output.note("More deliveries match. Raise --limit, or narrow the list with --since.");
  });
}

function showDelivery(delivery: DeliveryDetail, output: Output): void {
  const { attempts, body, ...fields } = delivery;
  const shown = Object.entries(fields).filter(([, value]) => value !== null);
  const isTime = (name: string) => name.endsWith("_time");
  output.table(
    ["", ""],
    shown.map(([name, value]) => [name, isTime(name) ? `${timeText(Number(value))} UTC` : String(value)]),
  );
  output.line();
  const rows = attempts.map(({ number, start_time, http_status, duration_ms, timings, cause, url }) => [
    String(number),
    timeText(start_time),
    http_status === null ? "no response" : `HTTP ${http_status}`,
    `${duration_ms} ms`,
    stepsOf(timings),
    cause ?? "",
    url ?? "",
  ]);
  output.table(
    ["attempt", "time (UTC)", "response", "duration", "dns/connect/tls/first byte", "cause", "url"],
    rows,
  );
  const last = attempts.at(-1);
  if (last !== undefined && last.cause !== null) {
    output.line(`\nLast attempt: ${describeCause(last.cause, last.http_status)}`);
    if (last.response_body !== null) output.line(`Response: ${last.response_body}`);
    if (last.cause_page !== null) output.line(`How to fix: ${last.cause_page}`);
  }
  output.line(`\n${body}`);
}

/** A step that did not happen is a dash, as on a connection that was used again. */
function stepsOf({ dns_ms, connect_ms, tls_ms, first_byte_ms }: AttemptTimings): string {
  const steps = [dns_ms, connect_ms, tls_ms, first_byte_ms];
  return steps.every((ms) => ms === null) ? "" : `${steps.map((ms) => ms ?? "-").join("/")} ms`;
}
