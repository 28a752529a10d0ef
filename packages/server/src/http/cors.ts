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

/** Answers the preflight requests of the routes that a browser calls with a user's token. */
export function enableCors(http: FastifyInstance, routes: readonly Route[]): void {
  const open = routes.filter(({ auth }) => auth === "chatToken");
  for (const [path, some] of Map.groupBy(open, (route) => route.path)) {
    const methods = some.map(({ method }) => method).join(", ");
    http.options(path, (_request, reply) =>
      reply
        .code(204)
        .headers({ ...PREFLIGHT, "access-control-allow-methods": methods })
        .send(),
    );
  }
}
