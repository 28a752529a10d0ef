import { HEADERS, type Route } from "@signalbox/contract";
import type { FastifyInstance } from "fastify";

/**
 * CORS: the widget runs on the developer's pages, which are another origin. Any origin may read these answers, because they need
 * a user's token in a header, never a cookie that a browser sends by itself.
 */
export const CORS_HEADERS = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers": [HEADERS.requestId, HEADERS.retryAfter].join(", "),
};

const PREFLIGHT = {
  ...CORS_HEADERS,
  "access-control-allow-headers": [
    HEADERS.authorization,
    "content-type",
    HEADERS.idempotencyKey,
    HEADERS.lastEventId,
  ].join(", "),
  "access-control-max-age": "86400",
};

/** Answers the preflight request of a route. */
export function enableCors(http: FastifyInstance, { method, path }: Route): void {
  http.options(path, (_request, reply) =>
    reply
      .code(204)
      .headers({ ...PREFLIGHT, "access-control-allow-methods": method })
      .send(),
  );
}
