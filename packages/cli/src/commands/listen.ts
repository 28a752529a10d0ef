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
  summary: "Forward what the service delivers to a receiver on this machine, with no public address",
  about: [
    "Follows the delivery log, so it carries replays, misses nothing while this machine sleeps, and leaves the configured webhooks alone. Each call is made as the service makes it, in order, and signed with a secret that stays the same for this address. Needs the operator token.",
    "A call that is not answered with HTTP 200 is made again after 1, 3 and 10 seconds; signalbox replay sends one again at any time. With --json each delivery is one JSON object on a line. Ctrl-C ends it.",
  ],
  options: [
    { name: "forward-to", value: "URL", summary: "The receiver's address" },
    {
      name: "map",
      value: "EVENT=URL",
      summary: "Another address for one event; alone, nothing else is forwarded",
      many: true,
    },
    { name: "agent", value: "ID", summary: "Of this agent only" },
    { name: "since", value: "TIME", summary: "Begin earlier: a time, or how long ago, such as 2h" },
    { name: "count", value: "N", summary: "End after so many" },
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
        output.note(now ? "The service answers again." : "The service does not answer; it is asked again.");
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
    throw new UsageError("--forward-to URL is missing, or --map EVENT=URL");
  const addresses = new Map<string, ReceiverAddress>();
  for (const url of new Set([everything ?? [], ...mapped.values()].flat())) {
    const address = readReceiver(url, context);
    const signingSecret = address.signingSecret ?? secretFor(url, context);
    addresses.set(url, { ...address, signingSecret });
    output.note(`${url} is called with signatures of ${signingSecret}`);
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
  const { body } = await client().getDelivery({ delivery_id });
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
      const again = replay_of === null ? "" : ", a replay";
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
  return { answer: result.timedOut ? "no answer in time" : "no connection", duration_ms };
}
