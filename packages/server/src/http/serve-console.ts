import { existsSync, readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, extname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { gzip as gzipCallback } from "node:zlib";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";

const gzip = promisify(gzipCallback);

const KINDS: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".woff2": "font/woff2",
};
const PAGE = "index.html";

/** No inline script or style, and nothing from another origin; what messages contain is text and cannot become code. */
const HEADERS_OF_ALL = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  vary: "accept-encoding",
};
/** A file whose name holds its hash never changes; any other is asked for again. */
const IMMUTABLE = "public, max-age=31536000, immutable";

interface ServedFile {
  plain: Buffer;
  zipped: Buffer | undefined;
}

/** Where the built console lies; undefined where it was not installed or not built. */
export function findConsole(): string | undefined {
  try {
    const page = fileURLToPath(import.meta.resolve(`@signalbox/console/${PAGE}`));
    return existsSync(page) ? dirname(page) : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The console's static files below /console, and the API reference, which is a page of it. Only files that were there at the start are read, by their exact name, and
 * each is read and compressed once. Every other path is a screen of the console: the page itself knows which.
 */
export function serveConsole(http: FastifyInstance, directory: string): void {
  const names = new Set(
    readdirSync(directory, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && Object.hasOwn(KINDS, extname(entry.name)))
      .map((entry) => relative(directory, join(entry.parentPath, entry.name)).split(sep).join("/")),
  );
  const read = new Map<string, Promise<ServedFile>>();
  const open = (name: string): Promise<ServedFile> => {
    const found = read.get(name) ?? readServed(join(directory, name));
    read.set(name, found);
    return found;
  };
  const send = async (request: FastifyRequest, reply: FastifyReply, wanted: string) => {
    const name = names.has(wanted) ? wanted : PAGE;
    const { plain, zipped } = await open(name);
    reply.headers({
      ...HEADERS_OF_ALL,
      "content-type": KINDS[extname(name)],
      "cache-control": name.startsWith("assets/") ? IMMUTABLE : "no-cache",
    });
    const takesGzip = /\bgzip\b/.test(request.headers["accept-encoding"] ?? "");
    if (zipped === undefined || !takesGzip) return reply.send(plain);
    return reply.header("content-encoding", "gzip").send(zipped);
  };
  http.get("/reference", (request, reply) => send(request, reply, PAGE));
  http.get("/console", (_request, reply) => reply.redirect("/console/"));
  http.get<{ Params: { "*": string } }>("/console/*", (request, reply) =>
    send(request, reply, request.params["*"]),
  );
}

async function readServed(path: string): Promise<ServedFile> {
  const plain = await readFile(path);
  // Fonts are compressed already.
  return { plain, zipped: extname(path) === ".woff2" ? undefined : await gzip(plain, { level: 9 }) };
}
