import { buildAsyncApi, buildOpenApi } from "@signalbox/contract";
import type { FastifyInstance } from "fastify";

/** The contract for machines, and for the page at /reference. It tells nothing of this installation, so anybody may read it. */
export function serveContract(http: FastifyInstance): void {
  serve(http, "/openapi.json", () => ({
    ...buildOpenApi(),
    servers: [{ url: "/", description: "This service" }],
  }));
  serve(http, "/asyncapi.json", buildAsyncApi);
}

function serve(http: FastifyInstance, path: string, build: () => object): void {
  let written: string | undefined;
  http.get(path, (_request, reply) => {
    written ??= JSON.stringify(build());
    return reply
      .headers({ "content-type": "application/json; charset=utf-8", "cache-control": "no-cache" })
      .send(written);
  });
}
