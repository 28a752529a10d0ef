import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { refuse } from "../platform/index.ts";
import { sendRefusal } from "./failure-reply.ts";

const NAME = "signalbox-chat.js";
/** A new version reaches pages within minutes, without a change of theirs. */
const CURRENT = "public, max-age=300";
const IMMUTABLE = "public, max-age=31536000, immutable";

export interface WidgetScript {
  version: string;
  script: Buffer;
}

/** The chat widget for browsers; undefined where it was not installed or not built. */
export function findWidget(): WidgetScript | undefined {
  try {
    const file = fileURLToPath(import.meta.resolve(`@signalbox/widget/${NAME}`));
    if (!existsSync(file)) return undefined;
    const manifest = readFileSync(join(dirname(file), "../package.json"), "utf8");
    const { version } = JSON.parse(manifest) as { version: string };
    return { version, script: readFileSync(file) };
  } catch {
    return undefined;
  }
}

/** The script that developers' pages load: the current one, and the same under its version for pages that pin its hash. */
export function serveWidget(http: FastifyInstance, { version, script }: WidgetScript): void {
  const zipped = gzipSync(script, { level: 9 });
  const etag = `W/"${createHash("sha256").update(script).digest("base64url")}"`;
  const send = (request: FastifyRequest, reply: FastifyReply, caching: string) => {
    reply.headers({
      "content-type": "text/javascript; charset=utf-8",
      "cache-control": caching,
      etag,
      vary: "accept-encoding",
      "x-content-type-options": "nosniff",
      // CORS, without which a browser verifies no hash, and for pages that embed nothing else (COEP).
      "access-control-allow-origin": "*",
      "cross-origin-resource-policy": "cross-origin",
    });
    if (request.headers["if-none-match"]?.includes(etag) === true) return reply.code(304).send();
    const takesGzip = /\bgzip\b/.test(request.headers["accept-encoding"] ?? "");
    return takesGzip ? reply.header("content-encoding", "gzip").send(zipped) : reply.send(script);
  };
  http.get(`/${NAME}`, (request, reply) => send(request, reply, CURRENT));
  http.get<{ Params: { version: string } }>(`/widget/:version/${NAME}`, (request, reply) =>
    request.params.version === version
      ? send(request, reply, IMMUTABLE)
      : sendRefusal(
          reply,
          refuse("notFound", `this service has version ${version} of the widget: /widget/${version}/${NAME}`),
        ),
  );
}
