import { createHash } from "node:crypto";
import { HEADERS, takesIdempotencyKey, type Route } from "@signalbox/contract";
import type { FastifyRequest } from "fastify";
import { refuse, type Refusal, type IdempotencyKey } from "../platform/index.ts";
import type { Identity } from "./authenticate.ts";
import type { JsonBody } from "./json-body.ts";
import { principalOf } from "./principal.ts";

const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/;

/** Decisions: honoured on every POST and PUT that changes something. A key belongs to its principal: nobody is given another's answer. */
export function readIdempotencyKey(
  route: Route,
  request: FastifyRequest,
  identity: Identity | undefined,
  body: JsonBody | undefined,
): IdempotencyKey | Refusal | undefined {
  const key = request.headers[HEADERS.idempotencyKey];
  if (key === undefined || !takesIdempotencyKey(route)) return undefined;
  if (typeof key !== "string" || !IDEMPOTENCY_KEY.test(key)) {
    return refuse("badParameter", "Idempotency-Key must be 1 to 255 printable characters without spaces");
  }
  const hash = (...parts: (string | Buffer)[]) => {
    const digest = createHash("sha256");
    for (const part of parts) digest.update(part).update("\n");
    return digest.digest();
  };
  const principal = identity === undefined ? "" : principalOf(identity);
  return { keyHash: hash(principal, key), requestHash: hash(request.method, request.url, body?.bytes ?? "") };
}
