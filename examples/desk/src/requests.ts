import { readFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { extname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { actOn, type Parts } from "./acting.ts";
import type { Sessions } from "./sessions.ts";

export interface BrowserParts extends Parts {
  sessions: Sessions;
  basePath: string;
}

const PAGE = join(import.meta.dirname, "../page");
const FILES: Record<string, string> = {
  ".html": "text/html; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
};
const HEADERS = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cache-control": "no-store",
};
const ENDED_SHOWN = 30;
const BODY_MAX_BYTES = 200_000;
const NAME_MAX_CHARACTERS = 60;
const WRONG_PASSWORD_WAIT_MS = 1_000;
const THIS_MACHINE = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/;

/** Everything but the service's own calls. Never rejects. */
export async function answerBrowser(
  parts: BrowserParts,
  path: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value);
  try {
    await answer(parts, path, request, response);
  } catch (error) {
    console.error(error);
    if (!response.headersSent) reply(response, 500, { problem: "failed" });
  }
}

async function answer(
  parts: BrowserParts,
  path: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { sessions, store, viewers, basePath } = parts;
  const { host = "", origin } = request.headers;
  // Without a password, a name that some other site gave this machine's address would be all it takes to read along.
  if (!sessions.needsPassword && !THIS_MACHINE.test(host)) return reply(response, 403, { problem: "host" });
  if (request.method === "GET") {
    if (path === "") return void response.writeHead(308, { location: `${basePath}/` }).end();
    if (path === "/") return sendFile(response, "index.html");
    const [, file] = path.match(/^\/page\/([a-z-]+\.(?:css|js))$/) ?? [];
    if (file !== undefined) return sendFile(response, file);
  } else if (origin !== undefined && origin !== `http://${host}` && origin !== `https://${host}`)
    return reply(response, 403, { problem: "origin" });

  if (path === "/api/session") return answerSession(parts, request, response);
  const name = sessions.nameOf(request);
  if (name === undefined) return reply(response, 401, { problem: "signed_out" });
  if (request.method === "GET" && path === "/api/events") return viewers.add(response);
  if (request.method === "GET" && path === "/api/conversations")
    return reply(response, 200, { list: store.summaries(ENDED_SHOWN), now: Date.now() });
  const [, id, action] = path.match(/^\/api\/conversations\/([\w-]{1,64})(?:\/([a-z]+))?$/) ?? [];
  const conversation = id === undefined ? undefined : store.conversation(id);
  if (conversation === undefined) return reply(response, 404, { problem: "unknown" });
  if (request.method === "POST" && action !== undefined) {
    const problem = actOn(parts, conversation, name, action, await readJson(request));
    if (problem !== undefined) return reply(response, 409, { problem });
  } else if (request.method !== "GET" || action !== undefined)
    return reply(response, 404, { problem: "unknown" });
  reply(response, 200, {
    conversation: store.conversation(conversation.id),
    entries: store.entries(conversation.id),
  });
}

async function answerSession(
  { sessions }: BrowserParts,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { needsPassword } = sessions;
  if (request.method === "DELETE") {
    response.setHeader("set-cookie", sessions.end());
    return reply(response, 200, { needs_password: needsPassword });
  }
  if (request.method !== "POST") {
    const name = sessions.nameOf(request) ?? null;
    return reply(response, 200, { name, needs_password: needsPassword });
  }
  const { name, password } = await readJson(request);
  const chosen = textOf(name).trim().slice(0, NAME_MAX_CHARACTERS);
  if (chosen === "") return reply(response, 400, { problem: "name" });
  const cookie = sessions.begin(request, chosen, textOf(password));
  if (cookie === undefined) {
    await sleep(WRONG_PASSWORD_WAIT_MS);
    return reply(response, 403, { problem: "password" });
  }
  response.setHeader("set-cookie", cookie);
  reply(response, 200, { name: chosen, needs_password: needsPassword });
}

async function sendFile(response: ServerResponse, name: string): Promise<void> {
  const content = await readFile(join(PAGE, name)).catch(() => undefined);
  if (content === undefined) return reply(response, 404, { problem: "unknown" });
  response.writeHead(200, { "content-type": FILES[extname(name)] ?? "" }).end(content);
}

function reply(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

/** Any other body counts as an empty object: each field is checked anyway. */
async function readJson(request: IncomingMessage): Promise<Record<string, unknown>> {
  let text = "";
  for await (const chunk of request.setEncoding("utf8")) {
    text += String(chunk);
    if (text.length > BODY_MAX_BYTES) break;
  }
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
