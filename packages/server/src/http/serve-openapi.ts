import { buildOpenApi } from "@signalbox/contract";
import type { FastifyInstance } from "fastify";

/** The contract for machines, and for the page at /reference. It tells nothing of this installation, so anybody may read it. */
export function serveOpenApi(http: FastifyInstance): void {
  let written: string | undefined;
  http.get("/openapi.json", (_request, reply) => {
    written ??= JSON.stringify({ ...buildOpenApi(), servers: [{ url: "/", description: "This service" }] });
    return reply
      .headers({ "content-type": "application/json; charset=utf-8", "cache-control": "no-cache" })
      .send(written);
  });
}
