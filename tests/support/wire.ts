import { connect } from "node:net";
import type { Bed } from "./bed.ts";

/** An answer as it came over the socket. */
export type WireAnswer = {
  status: number;
  /** The last value of each header that came more than once. */
  headers: Record<string, string>;
  /** What a browser keeps of it and sends back. */
  cookies: string;
  text: string;
  /** The parsed JSON, or undefined when it is none. */
  body: unknown;
};

export type WireRequest = {
  method?: string;
  path?: string;
  /** Sent as they are; Host and the length of the body are added unless they are given. */
  headers?: Record<string, string>;
  body?: string | Buffer;
};

const ANSWER_MS = 20_000;

/** A request written by hand, so that nothing between the test and the service mends it. */
export function sendRequest(baseUrl: string, request: WireRequest = {}): Promise<WireAnswer> {
  const { method = "GET", path = "/", headers = {}, body = "" } = request;
  const bytes = Buffer.from(body);
  const names = new Set(Object.keys(headers).map((name) => name.toLowerCase()));
  const all = {
    ...(names.has("host") ? {} : { host: "localhost" }),
    ...(names.has("content-length") || names.has("transfer-encoding") || bytes.length === 0
      ? {}
      : { "content-length": String(bytes.length) }),
    connection: "close",
    ...headers,
  };
  const head = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return sendBytes(
    baseUrl,
    Buffer.concat([Buffer.from(`${method} ${path} HTTP/1.1\r\n${head.join("")}\r\n`, "latin1"), bytes]),
  );
}

/** Bytes that need not be HTTP; the answer is what came until the service closed the connection. */
export function sendBytes(
  baseUrl: string,
  bytes: Buffer | string,
  { thenEnd = false }: { thenEnd?: boolean } = {},
): Promise<WireAnswer> {
  const { hostname, port } = new URL(baseUrl);
  return new Promise((resolve, reject) => {
    const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true });
    const chunks: Buffer[] = [];
    const timer = setTimeout(() => {
      socket.destroy();
      reject(new Error(`no end of the answer within ${ANSWER_MS} ms: ${Buffer.concat(chunks).toString()}`));
    }, ANSWER_MS);
    socket.on("data", (chunk) => {
      chunks.push(chunk);
      // A stream that is followed has no end: what it has told by now is the answer.
      if (chunk.includes("event: ready\n")) socket.destroy();
    });
    socket.on("error", () => undefined);
    socket.on("end", () => socket.end());
    socket.on("close", () => {
      clearTimeout(timer);
      resolve(readAnswer(Buffer.concat(chunks)));
    });
    if (thenEnd) socket.end(bytes);
    else socket.write(bytes);
  });
}

function readAnswer(bytes: Buffer): WireAnswer {
  const whole = bytes.toString("utf8").replace(/^HTTP\/1\.1 100 Continue\r\n\r\n/, "");
  const end = whole.indexOf("\r\n\r\n");
  const [statusLine = "", ...lines] = whole.slice(0, Math.max(end, 0)).split("\r\n");
  const text = whole.slice(end + 4);
  return {
    status: Number(statusLine.split(" ")[1] ?? 0),
    headers: Object.fromEntries(
      lines.map((line) => {
        const colon = line.indexOf(":");
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
      }),
    ),
    cookies: keptCookies(lines),
    text,
    body: parsed(text),
  };
}

function keptCookies(lines: readonly string[]): string {
  const set = lines.flatMap((line) => /^set-cookie: (.+)$/i.exec(line)?.[1] ?? []);
  const kept = set.filter((cookie) => !cookie.includes("Max-Age=0"));
  return kept.map((cookie) => cookie.split(";")[0]).join("; ");
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function bearer(token: string): Record<string, string> {
  return { authorization: `Bearer ${token}` };
}

export function asOperator(bed: Pick<Bed, "operatorToken">): Record<string, string> {
  return bearer(bed.operatorToken);
}

export const JSON_TYPE = { "content-type": "application/json" };
