import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { freePort } from "./processes.ts";

/** The content at a path: bytes, or something that goes wrong. */
export type ServedFile =
  | { bytes: Buffer | string; type?: string; delayMs?: number; headers?: Record<string, string> }
  | { status: number }
  | { redirect: string }
  /** The connection breaks off after these bytes of more. */
  | { resetAfter: Buffer | string }
  /** This many bytes are announced, and zeros are sent for as long as somebody reads. */
  | { announced: number }
  /** Zeros without end and without announcement. */
  | { endless: true }
  /** One byte now and then, without end. */
  | { drip: true };

export type FileServer = AsyncDisposable & {
  url: string;
  /** Gives the URL of what is put there. */
  put(name: string, file: ServedFile): string;
  /** How often each path was asked for. */
  asked: Map<string, number>;
  sentBytes(): number;
};

/** A developer's file server, with all that can be wrong with one. */
export async function startFileServer(): Promise<FileServer> {
  const files = new Map<string, ServedFile>();
  const asked = new Map<string, number>();
  let sent = 0;

  function serve(request: IncomingMessage, response: ServerResponse): void {
    const path = decodeURIComponent(request.url ?? "");
    asked.set(path, (asked.get(path) ?? 0) + 1);
    const file = files.get(path) ?? { status: 404 };
    if ("status" in file) return void response.writeHead(file.status).end("no");
    if ("redirect" in file) return void response.writeHead(302, { location: file.redirect }).end();
    if ("bytes" in file) {
      const answer = () => {
        response.writeHead(200, { "content-type": file.type ?? "text/csv", ...file.headers });
        response.end(file.bytes);
      };
      return void (file.delayMs === undefined ? answer() : setTimeout(answer, file.delayMs));
    }
    if ("resetAfter" in file) {
      const bytes = Buffer.from(file.resetAfter);
      response.writeHead(200, { "content-type": "text/csv", "content-length": bytes.length + 1_000 });
      return void response.write(bytes, () => setTimeout(() => response.destroy(), 20));
    }
    if ("drip" in file) {
      response.writeHead(200, { "content-type": "text/csv" });
      const timer = setInterval(() => response.write("a"), 200);
      return void response.once("close", () => clearInterval(timer));
    }
    const length = "announced" in file ? { "content-length": file.announced } : {};
    response.writeHead(200, { "content-type": "text/csv", ...length });
    sendZeros(response);
  }

  function sendZeros(response: ServerResponse): void {
    const zeros = Buffer.alloc(65_536, "a,b\n");
    const more = () => {
      while (!response.destroyed && response.write(zeros)) sent += zeros.length;
      if (!response.destroyed) response.once("drain", more);
    };
    more();
  }

  const server = createServer(serve);
  const port = await freePort();
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    put(name, file) {
      files.set(`/${name}`, file);
      return `${url}/${encodeURIComponent(name)}`;
    },
    asked,
    sentBytes: () => sent,
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}
