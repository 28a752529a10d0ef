import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import type { Certificate } from "./certificates.ts";

export type RawRequest = {
  /** Counts the connections of this receiver from 1. */
  connection: number;
  /** Counts the requests of this connection from 1. */
  number: number;
  head: string;
  headers: Record<string, string>;
  body: string;
  arrivedAt: number;
};

/** How a receiver behaves, below HTTP. */
export type Behaviour = {
  /** Before a byte is read. */
  onConnection?: (socket: Socket, connection: number) => void;
  /** When a request is in, whole. */
  onRequest?: (socket: Socket, request: RawRequest) => void;
};

export type HostileReceiver = AsyncDisposable & {
  url: string;
  port: number;
  requests: RawRequest[];
  /** Connections that are open now. */
  open(): number;
};

/** A developer's server that obeys no rule: a socket, and whatever the test does with it. */
export async function startHostileReceiver(
  { onConnection, onRequest }: Behaviour,
  { tls, host = "127.0.0.1" }: { tls?: Certificate; host?: string } = {},
): Promise<HostileReceiver> {
  const requests: RawRequest[] = [];
  const raw = new Set<Socket>();
  let connections = 0;

  const talk = (socket: Socket) => {
    connections += 1;
    const connection = connections;
    let number = 0;
    let pending = Buffer.alloc(0);
    socket.on("error", () => undefined);
    onConnection?.(socket, connection);
    socket.on("data", (chunk) => {
      pending = Buffer.concat([pending, chunk]);
      for (let read = readRequest(pending); read !== undefined; read = readRequest(pending)) {
        number += 1;
        pending = pending.subarray(read.size);
        const request = {
          ...read.request,
          connection,
          number,
          arrivedAt: performance.timeOrigin + performance.now(),
        };
        requests.push(request);
        onRequest?.(socket, request);
      }
    });
  };
  const server: Server = tls === undefined ? createServer(talk) : createTlsServer(tls, talk);
  server.on("tlsClientError", () => undefined);
  server.on("connection", (socket: Socket) => {
    raw.add(socket);
    socket.on("error", () => undefined);
    socket.on("close", () => raw.delete(socket));
  });
  server.listen(0, host);
  await once(server, "listening");
  const address = server.address();
  const actual = typeof address === "object" && address !== null ? address.port : 0;
  return {
    url: `${tls === undefined ? "http" : "https"}://${host}:${actual}/hook`,
    port: actual,
    requests,
    open: () => raw.size,
    async [Symbol.asyncDispose]() {
      for (const socket of raw) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function readRequest(
  bytes: Buffer,
): { size: number; request: Pick<RawRequest, "head" | "headers" | "body"> } | undefined {
  const end = bytes.indexOf("\r\n\r\n");
  if (end === -1) return undefined;
  const [head = "", ...lines] = bytes.toString("latin1", 0, end).split("\r\n");
  const headers = Object.fromEntries(
    lines.map((line) => [
      line.slice(0, line.indexOf(":")).toLowerCase(),
      line.slice(line.indexOf(":") + 1).trim(),
    ]),
  );
  const size = end + 4 + Number(headers["content-length"] ?? 0);
  if (bytes.length < size) return undefined;
  return { size, request: { head, headers, body: bytes.toString("utf8", end + 4, size) } };
}

export const SUCCESS_BODY = '{"code":200,"msg":"success"}';

/** An ordinary answer, as bytes. */
export function answerBytes(
  status: number,
  body: string | Buffer = SUCCESS_BODY,
  headers: string[] = [],
): Buffer {
  const bytes = Buffer.from(body);
  const lines = [`HTTP/1.1 ${status} Whatever`, `content-length: ${bytes.length}`, ...headers, "", ""];
  return Buffer.concat([Buffer.from(lines.join("\r\n"), "latin1"), bytes]);
}

/** Writes the same again and again until the socket is gone. */
export function drip(socket: Socket, text: string, everyMs: number): void {
  const timer = setInterval(() => void (socket.destroyed || socket.write(text)), everyMs);
  socket.once("close", () => clearInterval(timer));
}

/** Writes as fast as the other side takes it, until the socket is gone. */
export function pour(socket: Socket, chunk: Buffer): void {
  const more = () => {
    while (!socket.destroyed && socket.write(chunk));
  };
  socket.on("drain", more);
  more();
}
