import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { answerBytes, drip, pour, type Behaviour } from "./hostile-receivers.ts";

/** What an attempt at such a receiver must come to. */
export type Hostile = {
  what: string;
  behaviour: Behaviour;
  cause: string | undefined;
  status: number | undefined;
  /** It ends with the deadline and not before. */
  takesAll?: true;
};

const BOMB_BYTES = 52_000_000;
const gzipped = gzipSync(Buffer.alloc(BOMB_BYTES));
const brotlied = brotliCompressSync(Buffer.alloc(BOMB_BYTES), {
  params: { [constants.BROTLI_PARAM_QUALITY]: 4 },
});
const JUNK = Buffer.alloc(65_536, "x");

const answering = (bytes: Buffer | string): Behaviour => ({
  onRequest: (socket) => void socket.write(bytes),
});
const packed = (body: Buffer, encoding: string) =>
  answering(answerBytes(200, body, [`content-encoding: ${encoding}`]));
const redirecting = (status: number, location: string): Behaviour =>
  answering(answerBytes(status, "", [`location: ${location}`]));

/** Every way to be a bad receiver that ends an attempt, with what becomes of it. */
export const HOSTILE: Hostile[] = [
  {
    what: "drips its headers",
    behaviour: {
      onRequest: (socket) => {
        socket.write("HTTP/1.1 200 OK\r\n");
        drip(socket, "x-drip: y\r\n", 150);
      },
    },
    cause: "timeout",
    status: undefined,
    takesAll: true,
  },
  {
    what: "drips its body for ever",
    behaviour: {
      onRequest: (socket) => {
        socket.write("HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\n");
        drip(socket, "x", 100);
      },
    },
    cause: "timeout",
    status: undefined,
    takesAll: true,
  },
  {
    what: "drips chunks for ever",
    behaviour: {
      onRequest: (socket) => {
        socket.write("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n");
        drip(socket, "1\r\nx\r\n", 100);
      },
    },
    cause: "timeout",
    status: undefined,
    takesAll: true,
  },
  {
    what: "sends a body without end",
    behaviour: {
      onRequest: (socket) => {
        socket.write("HTTP/1.1 200 OK\r\n\r\n");
        pour(socket, JUNK);
      },
    },
    cause: undefined,
    status: 200,
  },
  {
    what: "announces 10 GB and sends them",
    behaviour: {
      onRequest: (socket) => {
        socket.write("HTTP/1.1 200 OK\r\ncontent-length: 10000000000\r\n\r\n");
        pour(socket, JUNK);
      },
    },
    cause: undefined,
    status: 200,
  },
  {
    what: "sends an error without end",
    behaviour: {
      onRequest: (socket) => {
        socket.write("HTTP/1.1 500 Broken\r\ncontent-length: 10000000000\r\n\r\n");
        pour(socket, JUNK);
      },
    },
    cause: "http_status",
    status: 500,
  },
  { what: "sends a gzip bomb", behaviour: packed(gzipped, "gzip"), cause: undefined, status: 200 },
  { what: "sends a brotli bomb", behaviour: packed(brotlied, "br"), cause: undefined, status: 200 },
  {
    what: "sends a bomb inside a bomb",
    behaviour: packed(gzipSync(gzipped), "gzip, gzip"),
    cause: undefined,
    status: 200,
  },
  ...[301, 302, 303, 307, 308].flatMap((status): Hostile[] => [
    {
      what: `redirects with ${status} to itself`,
      behaviour: redirecting(status, "/hook"),
      cause: "http_status",
      status,
    },
    {
      what: `redirects with ${status} to a metadata service`,
      behaviour: redirecting(status, "http://169.254.169.254/latest/meta-data/"),
      cause: "http_status",
      status,
    },
  ]),
  { what: "reads and never answers", behaviour: {}, cause: "timeout", status: undefined, takesAll: true },
  {
    what: "hangs up before it has read",
    behaviour: { onConnection: (socket) => void socket.resetAndDestroy() },
    cause: "connection_lost",
    status: undefined,
  },
  {
    what: "hangs up after it has read",
    behaviour: { onRequest: (socket) => void socket.destroy() },
    cause: "connection_lost",
    status: undefined,
  },
  {
    what: "hangs up in the middle of its body",
    behaviour: {
      onRequest: (socket) => void socket.end("HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\nhalf"),
    },
    cause: "connection_lost",
    status: undefined,
  },
  {
    what: "sends 103 for ever",
    behaviour: {
      onRequest: (socket) => pour(socket, Buffer.from("HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n")),
    },
    cause: "malformed_response",
    status: undefined,
  },
  {
    what: "drips 102 for ever",
    behaviour: { onRequest: (socket) => drip(socket, "HTTP/1.1 102 Processing\r\n\r\n", 300) },
    cause: "timeout",
    status: undefined,
    takesAll: true,
  },
  {
    what: "sends 100 although nobody asked",
    behaviour: { onRequest: (socket) => drip(socket, "HTTP/1.1 100 Continue\r\n\r\n", 50) },
    cause: "connection_lost",
    status: undefined,
  },
  {
    what: "sends 1 MB of headers",
    behaviour: answering(
      `HTTP/1.1 200 OK\r\n${`x-filler: ${"y".repeat(1_000)}\r\n`.repeat(1_000)}content-length: 0\r\n\r\n`,
    ),
    cause: "headers_too_large",
    status: undefined,
  },
  {
    what: "sends one header without end",
    behaviour: {
      onRequest: (socket) => {
        socket.write("HTTP/1.1 200 OK\r\nx-endless: ");
        pour(socket, JUNK);
      },
    },
    cause: "headers_too_large",
    status: undefined,
  },
  {
    what: "speaks no HTTP",
    behaviour: answering("220 mail.example ESMTP ready\r\n"),
    cause: "malformed_response",
    status: undefined,
  },
  {
    what: "contradicts itself about the length",
    behaviour: answering("HTTP/1.1 200 OK\r\ncontent-length: 5\r\ncontent-length: 6\r\n\r\nhello"),
    cause: "malformed_response",
    status: undefined,
  },
  {
    what: "sends both a length and chunks",
    behaviour: answering(
      "HTTP/1.1 200 OK\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
    ),
    cause: "malformed_response",
    status: undefined,
  },
  {
    what: "sends a chunk that is none",
    behaviour: answering("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\nhello\r\n0\r\n\r\n"),
    cause: "malformed_response",
    status: undefined,
  },
  {
    what: "switches protocols unasked",
    behaviour: answering("HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n"),
    cause: "connection_lost",
    status: undefined,
  },
];
