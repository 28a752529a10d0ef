import { createHmac } from "node:crypto";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { type Delivery, DeliveryEvent, WEBHOOK_HEADERS } from "@signalbox/contract";
import { type CallResult, prepareCall, sendCall } from "@signalbox/sdk/testing";
import { type Command, type CommandContext, oneOf, required, UsageError, wholeNumber } from "../command.ts";
import { EXIT_CODES, type ExitCode, exitCodeFor } from "../exit-codes.ts";
import { followDeliveries } from "../follow-deliveries.ts";
import { type ReceiverAddress, readReceiver, receiverOptions } from "../receiver-options.ts";
import { timeFrom } from "../times.ts";

const LOOK_EVERY_MS = 500;
/** A receiver that is being restarted is back within these. */
const RETRY_MS = [1_000, 3_000, 10_000];

export const listenCommand: Command = {
  name: "listen",
  summary: "Forward deliveries to a receiver on this machine, without a public URL",
  about: [
    "Follows the delivery log, so it includes replays, misses nothing while this machine sleeps, and does not touch the configured webhooks. Requests arrive in order and are signed with a secret that stays the same for each URL. Requires an operator token.",
    "A request without HTTP 200 is retried after 1, 3 and 10 seconds. signalbox replay sends one again at any time. With --json, each delivery is one JSON object per line. Stop it with Ctrl-C.",
  ],
  options: [
    { name: "forward-to", value: "URL", summary: "Receiver URL" },
    {
      name: "map",
      value: "EVENT=URL",
      summary: "Receiver URL for one event; without --forward-to, other events are not forwarded",
      many: true,
    },
    { name: "agent", value: "ID", summary: "Only this agent" },
    { name: "since", value: "TIME", summary: "Start earlier: a timestamp, or an age such as 2h" },
    { name: "count", value: "N", summary: "Stop after this many deliveries" },
    ...receiverOptions,
  ],
  examples: [
    "signalbox listen --forward-to http://127.0.0.1:3000/hooks",
    "signalbox listen --map message=http://127.0.0.1:3000/chat --map handoff_requested=http://127.0.0.1:3001/desk",
  ],
  run: listen,
};

async function listen(context: CommandContext): Promise<ExitCode> {
  const { client, options, output } = context;
  const addressOf = readAddresses(context);
  const most = wholeNumber(options.text("count"), "--count") ?? Infinity;
  const agent_id = options.text("agent");
  const ending = new AbortController();
  const end = () => ending.abort();
  process.once("SIGINT", end);
  process.once("SIGTERM", end);
  let isReachable = true;
  const deliveries = followDeliveries({
    client: client(),
    filter: agent_id === undefined ? {} : { agent_id },
    sinceMs: timeFrom(options.text("since"), "--since", Date.now()),
    everyMs: LOOK_EVERY_MS,
    stopping: ending.signal,
    onReachable: (now) => {
      if (now !== isReachable)
        output.note(now ? "Connected to the service again." : "The service is not responding. Retrying…");
      isReachable = now;
    },
  });
  let forwarded = 0;
  let isWell = true;
  for await (const delivery of deliveries) {
    const address = addressOf(delivery.event);
    if (address === undefined) continue;
    isWell = (await forward(context, address, delivery, ending.signal)) && isWell;
    forwarded += 1;
    if (forwarded >= most) break;
  }
  process.off("SIGINT", end);
  process.off("SIGTERM", end);
  return most === Infinity ? EXIT_CODES.ok.code : exitCodeFor(isWell);
}

type AddressOf = (event: DeliveryEvent) => ReceiverAddress | undefined;

function readAddresses(context: CommandContext): AddressOf {
  const { options, output } = context;
  const everything = options.text("forward-to");
  const mapped = new Map<DeliveryEvent, string>();
  for (const pair of options.texts("map")) {
    const at = pair.indexOf("=");
    const event = oneOf(pair.slice(0, Math.max(0, at)), DeliveryEvent.options, "--map EVENT=URL: EVENT");
    if (event !== undefined) mapped.set(event, pair.slice(at + 1));
  }
  if (everything === undefined && mapped.size === 0)
    throw new UsageError("Give --forward-to URL or --map EVENT=URL");
  const addresses = new Map<string, ReceiverAddress>();
  for (const url of new Set([everything ?? [], ...mapped.values()].flat())) {
    const address = readReceiver(url, context);
    const signingSecret = address.signingSecret ?? secretFor(url, context);
    addresses.set(url, { ...address, signingSecret });
    output.note(`Forwarding to ${url}, signed with ${signingSecret}`);
  }
  return (event) => addresses.get(mapped.get(event) ?? everything ?? "");
}

/** The same for the same address at every start, and nobody without the operator token can make it. */
function secretFor(url: string, { settings }: CommandContext): string {
  const token = required(settings.operatorToken, "--operator-token");
  return `whsec_${createHmac("sha256", token).update(`signalbox listen ${url}`).digest("base64")}`;
}

async function forward(
  { client, output, options }: CommandContext,
  address: ReceiverAddress,
  delivery: Delivery,
  stopping: AbortSignal,
): Promise<boolean> {
  const { delivery_id, replay_of, event, sender, sequence, conversation_id } = delivery;
  const { body } = await client().deliveries.get({ delivery_id });
  const isOfHandoff = event !== "message" && event !== "operator_event";
  for (let attempt = 1; ; attempt += 1) {
    const call = await prepareCall({
      url: address.url,
      username: address.username,
      secret: address.secret,
      signingSecrets: address.signingSecret,
      kind: event,
      body,
      webhookId: replay_of ?? delivery_id,
      attempt,
      sequence,
      headers: {
        [WEBHOOK_HEADERS.sender]: sender,
        [WEBHOOK_HEADERS.conversation]: isOfHandoff ? conversation_id : undefined,
      },
    });
    const result = await sendCall(call);
    const isTaken = result.kind === "answered" && result.status === 200;
    const told = { delivery_id, event, attempt, url: call.url, ...answerOf(result) };
    if (options.isOn("json")) output.line(JSON.stringify(told));
    else {
      const again = replay_of === null ? "" : " (replay)";
      output.line(
        `${isTaken ? "✔" : "✖"} ${event}${again}  ${told.answer}  ${told.duration_ms} ms  ${call.url}  ${delivery_id}`,
      );
    }
    const retryMs = RETRY_MS[attempt - 1];
    if (isTaken || retryMs === undefined || stopping.aborted) return isTaken;
    await sleep(retryMs, undefined, { signal: stopping }).catch(() => undefined);
  }
}

function answerOf(result: CallResult): { answer: string; duration_ms: number } {
  const { durationMs: duration_ms } = result;
  if (result.kind === "answered") return { answer: `HTTP ${result.status}`, duration_ms };
  return { answer: result.timedOut ? "timed out" : "connection failed", duration_ms };
}
