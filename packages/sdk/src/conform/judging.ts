import type { CallKind } from "../receiver/calls.ts";
import type { CallResult } from "../testing/calling.ts";
import type { Finding } from "./report.ts";

export const PATHS: Record<CallKind, string> = {
  message: "the message webhook",
  handoff_requested: "/conversation/establish",
  message_left: "/conversation/establish",
  user_message: "/chat",
  handoff_closed: "/conversation/close",
  operator_event: "the operator webhook",
};

/** Why this is not HTTP 200, in the words of what most likely caused it. */
export function notAccepted(kind: CallKind, result: CallResult): Finding | undefined {
  const where = PATHS[kind];
  if (result.kind === "unanswered") return unanswered(where, result);
  const { status, location } = result;
  if (status === 200) return undefined;
  const found = `${where} responded with HTTP ${status}${location === undefined ? "" : ` to ${location}`}`;
  return { found, fix: fixFor(status) };
}

function unanswered(where: string, { timedOut, durationMs }: CallResult & { kind: "unanswered" }): Finding {
  return timedOut
    ? {
        found: `${where} did not respond within ${durationMs} ms`,
        fix: "Respond first and process later: put the message in a queue and return 200.",
      }
    : {
        found: `${where} could not be reached or closed the connection`,
        fix: "Check that the server is running and the URL is right. Send a response before closing the connection.",
      };
}

function fixFor(status: number): string {
  if (status >= 300 && status < 400)
    return "Signalbox does not follow redirects. Configure the final URL, or respond at this one. Check for a trailing slash and for http instead of https.";
  if (status === 401 || status === 403)
    return "Your receiver rejected valid credentials. Compare its username, secret and signing secret with the configured ones, and verify the signature over the raw body.";
  if (status === 404 || status === 405)
    return "Accept POST on this path: the configured URL for messages, and /conversation/establish, /chat and /conversation/close below it for a human service.";
  if (status === 413)
    return "Raise the limit of the body parser to 4 MB. A handoff contains up to 20 messages of 25,000 characters.";
  if (status === 400 || status === 415 || status === 422)
    return "Accept every body the specification allows: null ids, empty lists, several outputs, any Unicode text.";
  if (status > 200 && status < 300) return "Only HTTP 200 counts as success: set the status to 200.";
  return "Your handler failed. Look in the receiver's log.";
}

/** Sections 4.5 to 4.8 ask for these bodies. */
export function notAcknowledged(kind: CallKind, result: CallResult): Finding | undefined {
  if (result.kind === "unanswered" || result.status !== 200) return notAccepted(kind, result);
  const wanted = kind === "message" ? '{"code":200,"msg":"success"}' : '{"code":200,"message":"success"}';
  const { code, msg, message } = fieldsOf(result.text);
  const isRight =
    kind === "message"
      ? code === 200 && msg === "success"
      : Number.isInteger(code) && typeof message === "string";
  if (isRight) return undefined;
  const shown = result.text.length > 80 ? `${result.text.slice(0, 80)}…` : result.text;
  return {
    found: `${PATHS[kind]} responded with ${shown === "" ? "an empty body" : shown}`,
    fix: `Respond with the JSON body ${wanted}.`,
  };
}

/** Whether a call that nobody should believe was turned away. */
export function notRefused(kind: CallKind, result: CallResult, fix: string): Finding | undefined {
  const where = PATHS[kind];
  if (result.kind === "unanswered") return result.timedOut ? unanswered(where, result) : undefined;
  const { status } = result;
  if (status >= 400 && status < 500) return undefined;
  if (status < 300) return { found: `${where} responded with HTTP ${status}`, fix };
  return { found: `${where} responded with HTTP ${status}`, fix: `${fix} Return HTTP 401.` };
}

function fieldsOf(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
