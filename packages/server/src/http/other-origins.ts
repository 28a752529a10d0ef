import { HEADERS, type Route } from "@signalbox/contract";
import type { FastifyInstance } from "fastify";

/**
 * A widget stands on the developer's pages, which are another origin. Any may read these answers: they are given for a user's
 * token alone, never for a cookie that a browser would send by itself.
 */
export const FOR_OTHER_ORIGINS = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers": [HEADERS.requestId, HEADERS.retryAfter].join(", "),
};

const PREFLIGHT = {
  ...FOR_OTHER_ORIGINS,
  "access-control-allow-headers": [
    HEADERS.authorization,
    "content-type",
    HEADERS.idempotencyKey,
    HEADERS.lastEventId,
  ].join(", "),
  "access-control-max-age": "86400",
};

/** What a browser asks before it calls from another origin. */
export function admitOtherOrigins(http: FastifyInstance, { method, path }: Route): void {
  http.options(path, (_request, reply) =>
    reply
      .code(204)
      .headers({ ...PREFLIGHT, "access-control-allow-methods": method })
      .send(),
  );
}
