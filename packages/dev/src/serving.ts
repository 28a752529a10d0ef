import { readFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { extname } from "node:path";

const KINDS: Record<string, string> = {
  ".html": "text/html; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
};
const BODY_MAX_CHARACTERS = 4 * 1024 * 1024;

type Handle = (request: IncomingMessage, response: ServerResponse) => void;

export interface Door extends Disposable {
  /** From now on calls are answered by this. */
  serve(handle: Handle): void;
}

/** Listens at once, so that no other program takes the port while the parts start. Earlier requests are told to come again. */
export async function openDoor(port: number): Promise<Door> {
  let handle: Handle = (_request, response) => response.writeHead(503, { "retry-after": "1" }).end();
  const server = createServer((request, response) => handle(request, response));
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
  return {
    serve(given) {
      handle = given;
    },
    [Symbol.dispose]() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/**
 * Whether a browser of this machine asks for itself: another site's page cannot, also not under a name of its own for this
 * machine's address.
 */
export function isOwnPage({ headers: { host, origin } }: IncomingMessage, port: number): boolean {
  const ours = [`127.0.0.1:${port}`, `localhost:${port}`];
  return host !== undefined && ours.includes(host) && (origin === undefined || origin === `http://${host}`);
}

export function protect(response: ServerResponse, serviceUrl: string): void {
  const policy = `default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self' ${serviceUrl}; media-src ${serviceUrl}; form-action 'none'; frame-ancestors 'none'; base-uri 'none'`;
  response.setHeader("content-security-policy", policy);
  response.setHeader("x-content-type-options", "nosniff");
  response.setHeader("referrer-policy", "no-referrer");
  response.setHeader("cache-control", "no-store");
}

export function reply(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

export async function sendFile(
  response: ServerResponse,
  path: string,
  change: (text: string) => string = (text) => text,
): Promise<void> {
  const text = await readFile(path, "utf8");
  response.writeHead(200, { "content-type": KINDS[extname(path)] ?? "" }).end(change(text));
}

/** Any other body counts as an empty object: each field is checked anyway. */
export async function readJson(request: IncomingMessage): Promise<Record<string, unknown>> {
  let text = "";
  for await (const chunk of request.setEncoding("utf8")) {
    text += String(chunk);
    if (text.length > BODY_MAX_CHARACTERS) return {};
  }
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}
