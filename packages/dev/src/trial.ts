import { DeliveryEvent } from "@signalbox/contract";
import { prepareCall, sampleBody, sendCall } from "@signalbox/sdk/testing";
import type { DevSettings } from "./settings.ts";

export function eventOf(value: unknown): DeliveryEvent | undefined {
  return DeliveryEvent.options.find((event) => event === value);
}

/** Something to begin with, for the receiver that takes it here. */
export function sampleOf(event: DeliveryEvent, { ports }: DevSettings): object {
  const path = event === "message" ? "/hooks/en" : "/desk/hooks";
  return { url: `http://127.0.0.1:${ports.pages}${path}`, body: JSON.stringify(sampleBody(event), null, 2) };
}

/** Section 4.3: a body that says `istest`, so that its receiver answers and does nothing. */
export async function sendTest(given: Record<string, unknown>, { agents }: DevSettings): Promise<object> {
  const { url, event, body: text } = given;
  const kind = eventOf(event) ?? "message";
  if (typeof url !== "string" || !/^https?:\/\//.test(url) || !URL.canParse(url)) return { problem: "url" };
  const body = readObject(text);
  if (body === undefined) return { problem: "body" };
  // One signature for each of the agents: the receiver's own secret is among them, whichever agent it belongs to.
  const signingSecrets = Object.values(agents).flatMap(
    ({ signingSecret, desk }) => (kind === "message" ? signingSecret : desk?.signingSecret) ?? [],
  );
  const call = await prepareCall({ url, kind, body: { ...body, istest: true }, signingSecrets });
  const result = await sendCall(call);
  const { durationMs: duration_ms } = result;
  return result.kind === "answered"
    ? { status: result.status, body: result.text, duration_ms }
    : { status: 0, body: result.timedOut ? "timeout" : "connect_refused", duration_ms };
}

function readObject(text: unknown): object | undefined {
  try {
    const value: unknown = JSON.parse(typeof text === "string" ? text : "");
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
