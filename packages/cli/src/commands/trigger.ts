import { readFile } from "node:fs/promises";
import { DeliveryEvent } from "@signalbox/contract";
import { prepareCall, sampleBody, sendCall } from "@signalbox/sdk/testing";
import { type Command, oneOf, required, UsageError, wholeNumber } from "../command.ts";
import { exitCodeFor } from "../exit-codes.ts";
import { readReceiver, receiverOptions } from "../receiver-options.ts";

const EVENTS = DeliveryEvent.options;
const TIMES_MAX = 1_000;

export const triggerCommand: Command = {
  name: "trigger",
  summary: "Send a signed sample event to a receiver",
  about: [
    "Sends the request straight to the receiver, so no service is needed. --set changes the sample, --data replaces it, --test marks it as an availability test.",
  ],
  arguments: [{ name: "EVENT", summary: "Event to send", required: true, choices: EVENTS }],
  options: [
    { name: "to", value: "URL", summary: "Receiver URL, as configured in Signalbox" },
    {
      name: "set",
      value: "PATH=VALUE",
      summary: "Set a field to a JSON value or text, such as output.0.content.text=Hi",
      many: true,
    },
    { name: "data", value: "FILE", summary: "File with the JSON body to send" },
    { name: "times", value: "N", summary: "Number of requests to send, each with a new webhook-id" },
    { name: "test", summary: "Mark it as an availability test (istest)" },
    ...receiverOptions,
  ],
  examples: [
    "signalbox trigger message --to http://127.0.0.1:3000/hooks --set output.0.content.text=Hello",
    "signalbox trigger handoff_requested --to http://127.0.0.1:3000/hooks --set user_info.email=null",
  ],
  async run(context) {
    const { options, output } = context;
    const [name] = context.arguments;
    const kind = oneOf(required(name, "EVENT"), EVENTS, "EVENT") ?? "message";
    const { signingSecret, ...address } = readReceiver(required(options.text("to"), "--to URL"), context);
    const times = Math.min(wholeNumber(options.text("times"), "--times") ?? 1, TIMES_MAX);
    const file = options.text("data");
    const sample: object = file === undefined ? sampleBody(kind) : await readSample(file);
    const body = options.texts("set").reduce((changed, pair) => withPair(changed, pair), sample);
    const results: object[] = [];
    let isWell = true;
    for (let sequence = 1; sequence <= times; sequence += 1) {
      const call = await prepareCall({
        ...address,
        signingSecrets: signingSecret,
        kind,
        body: options.isOn("test") ? { ...body, istest: true } : body,
        sequence,
      });
      const result = await sendCall(call);
      isWell &&= result.kind === "answered" && result.status === 200;
      const told =
        result.kind === "answered"
          ? { status: result.status, body: result.text, duration_ms: result.durationMs }
          : {
              status: 0,
              body: result.timedOut ? "timed out" : "connection failed",
              duration_ms: result.durationMs,
            };
      results.push({ url: call.url, webhook_id: call.headers["webhook-id"], ...told });
      output.progress(
        `${call.url}  ${told.status === 0 ? "✖" : `HTTP ${told.status}`}  ${told.duration_ms} ms  ${told.body}`,
      );
    }
    output.result({ results }, () => undefined);
    return exitCodeFor(isWell);
  },
};

async function readSample(file: string): Promise<object> {
  const text = await readFile(file, "utf8").catch(() => "");
  const value = valueOf(text);
  if (typeof value === "object" && value !== null) return value;
  throw new UsageError(`--data ${file} does not contain a JSON object`);
}

/** A copy with the value put at the path; lists are entered by their numbers. */
function withPair(body: object, pair: string): object {
  const [path = "", ...rest] = pair.split("=");
  if (path === "" || rest.length === 0) throw new UsageError("--set must be PATH=VALUE");
  const changed = structuredClone(body);
  const steps = path.split(".");
  const last = steps.pop() ?? "";
  let at = changed as Record<string, unknown>;
  for (const step of steps) {
    const next = Object.hasOwn(at, step) ? at[step] : undefined;
    if (typeof next !== "object" || next === null)
      throw new UsageError(`--set ${path}: ${step} does not exist`);
    at = next as Record<string, unknown>;
  }
  // Defined, not assigned: a name such as __proto__ is a field like any other.
  Object.defineProperty(at, last, {
    value: valueOf(rest.join("=")),
    enumerable: true,
    configurable: true,
    writable: true,
  });
  return changed;
}

function valueOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
