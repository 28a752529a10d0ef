import { FAILURES, failureBody, HEADERS, type FailureName } from "@signalbox/contract";
import type { FastifyReply } from "fastify";
import { UnreadableBody } from "./json-body.ts";
import { isDatabaseUnavailable, LimitReached, Refusal, type ReachedLimit } from "../platform/index.ts";

const reachedLimits = new WeakMap<FastifyReply, ReachedLimit>();

/** The limit this reply was refused by, if it was. */
export function limitReachedBy(reply: FastifyReply): ReachedLimit | undefined {
  return reachedLimits.get(reply);
}

/** The only writer of failure bodies: `{ code, message }` with the status of the code, or the message alone where a route speaks plain text. */
export function sendRefusal(
  reply: FastifyReply,
  { failure, advice, retryAfterSeconds, limit }: Refusal,
): FastifyReply {
  if (retryAfterSeconds !== undefined) reply.header(HEADERS.retryAfter, String(retryAfterSeconds));
  if (limit !== undefined) {
    reachedLimits.set(reply, limit);
    if (retryAfterSeconds !== undefined)
      writeRateLimit(reply, { limit: limit.most, remaining: 0, resetSeconds: retryAfterSeconds });
  }
  // Fastify would close the connection under a sender who is still sending, and who then never reads this answer.
  // Left open, Node reads the rest and throws it away.
  reply.removeHeader("connection");
  const body = failureBody(failure, advice);
  const isPlainText = "plainText" in reply.request.routeOptions.config;
  return reply
    .code(FAILURES[failure].status)
    .header("content-type", `${isPlainText ? "text/plain" : "application/json"}; charset=utf-8`)
    .send(isPlainText ? body.message : JSON.stringify(body));
}

export function writeRateLimit(
  reply: FastifyReply,
  { limit, remaining, resetSeconds }: { limit: number; remaining: number; resetSeconds: number },
): void {
  reply.header(HEADERS.rateLimitLimit, String(limit));
  reply.header(HEADERS.rateLimitRemaining, String(remaining));
  reply.header(HEADERS.rateLimitReset, String(resetSeconds));
}

const RETRY_AFTER_SECONDS = 2;

/** The refusal for an error: Fastify's own complaint about a request, a database that is away, or a bug of ours. */
export function refusalFor(error: unknown): Refusal {
  if (error instanceof LimitReached) return error.refusal;
  if (isDatabaseUnavailable(error)) {
    return new Refusal(
      "notAccepting",
      "the database is not available right now; try again shortly",
      RETRY_AFTER_SECONDS,
    );
  }
  if (error instanceof UnreadableBody && error.valuesMax !== undefined) {
    const limit = { name: "body_values", most: error.valuesMax } as const;
    return new Refusal("tooLarge", error.message, undefined, limit);
  }
  const status = error instanceof Error && "statusCode" in error ? error.statusCode : undefined;
  if (status === 413) return new Refusal("tooLarge", "send a smaller body");
  if (status === 415) return new Refusal("badParameter", "send the body as application/json");
  if (typeof status === "number" && status >= 400 && status < 500)
    return new Refusal("badParameter", describeBadRequest(error));
  return new Refusal("internal");
}

function describeBadRequest(error: unknown): string {
  if (error instanceof UnreadableBody) return error.message;
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === "FST_ERR_BAD_URL") return "the path is not a valid URL";
  return "the request could not be read";
}

/** Node answers a broken request line itself, before Fastify sees it; these are its words instead. */
export function rawFailure(name: FailureName, advice: string, headers: Record<string, string> = {}): string {
  const body = JSON.stringify(failureBody(name, advice));
  return [
    `HTTP/1.1 ${FAILURES[name].status} ${name}`,
    "content-type: application/json; charset=utf-8",
    `content-length: ${Buffer.byteLength(body)}`,
    ...Object.entries(headers).map(([header, value]) => `${header}: ${value}`),
    "connection: close",
    "",
    body,
  ].join("\r\n");
}
