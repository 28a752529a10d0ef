import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

export const USERNAME = "signalbox";
export const SECRET = "a:secret";
export const SIGNING_SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

/** One mistake each, of those people make. */
export type Defect =
  | "wrong secret accepted"
  | "no credentials asked"
  | "close left open"
  | "signature ignored"
  | "old signature accepted"
  | "first signature only"
  | "parsed body"
  | "istest handled"
  | "istest refused"
  | "no dedup"
  | "repeat refused"
  | "redirect"
  | "slow"
  | "hangs up"
  | "201"
  | "wrong body"
  | "msg everywhere"
  | "100 kB at most"
  | "null ids refused"
  | "one at a time"
  | "no close path"
  | "unknown close refused"
  | "handles then refuses"
  | "handles nothing"
  | "204"
  | "reads latin1";

export type Handwritten = AsyncDisposable & { url: string; effects(): Promise<string> };

type Answer = { status: number; body?: string; headers?: Record<string, string> };

/** A receiver of somebody who read the documents and used no kit; `defect` is what was overlooked. */
export async function startHandwritten(defect?: Defect): Promise<Handwritten> {
  const handled: string[] = [];
  const seen = new Set<string>();
  const handoffs = new Set<unknown>();
  let busy = false;

  function handle(body: Record<string, unknown>): void {
    if (defect !== "handles nothing") handled.push(JSON.stringify(body));
  }

  function refusal(request: IncomingMessage, bytes: Buffer): Answer | undefined {
    if (defect === "close left open" && request.url?.endsWith("/close")) return undefined;
    if (!hasCredentials(request, defect)) return { status: 401 };
    return isSigned(request, bytes, defect) ? undefined : { status: 401 };
  }

  async function answer(request: IncomingMessage, bytes: Buffer): Promise<Answer> {
    const path = (request.url ?? "").slice("/hooks".length);
    if (defect === "redirect") return { status: 308, headers: { location: `${request.url}/` } };
    if (defect === "slow") await sleep(1_300);
    if (defect === "100 kB at most" && bytes.length > 100_000) return { status: 413 };
    if (defect === "handles then refuses") handle(JSON.parse(bytes.toString()) as Record<string, unknown>);
    const refused = refusal(request, bytes);
    if (refused !== undefined) return refused;
    if (defect === "no close path" && path === "/conversation/close") return { status: 404 };
    if (!["", "/conversation/establish", "/chat", "/conversation/close"].includes(path))
      return { status: 404 };

    const charset = defect === "reads latin1" ? "latin1" : "utf8";
    const body = JSON.parse(bytes.toString(charset)) as Record<string, unknown>;
    if (defect === "204") return { status: 204 };
    const success: Answer = { status: defect === "201" ? 201 : 200, body: acknowledgement(path, defect) };
    if (body["istest"] === true && defect === "istest refused") return { status: 400 };
    if (body["istest"] === true && defect !== "istest handled") return success;
    if (defect === "null ids refused" && body["user_id"] === null) return { status: 422 };
    const handoff = body["conversation_id"];
    if (path === "/chat" && !handoffs.has(handoff)) return { status: 404 };
    if (path.endsWith("/close") && defect === "unknown close refused" && !handoffs.has(handoff))
      return { status: 404 };
    const id = String(request.headers["webhook-id"]);
    if (seen.has(id) && defect === "repeat refused") return { status: 409 };
    if (seen.has(id) && defect !== "no dedup") return success;
    if (defect === "one at a time") {
      if (busy) return { status: 503 };
      busy = true;
      await sleep(5);
      busy = false;
    }
    seen.add(id);
    if (path.endsWith("/establish")) handoffs.add(handoff);
    if (defect !== "handles then refuses") handle(body);
    return success;
  }

  const server = createServer((request, response) => {
    void (async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      if (defect === "hangs up") return void request.socket.destroy();
      const { status, body = "", headers } = await answer(request, Buffer.concat(chunks));
      response.writeHead(status, { "content-type": "application/json", ...headers }).end(body);
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`,
    effects: () => Promise.resolve(handled.join("\n")),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function acknowledgement(path: string, defect: Defect | undefined): string {
  if (defect === "wrong body") return "OK";
  const word = path === "" || defect === "msg everywhere" ? "msg" : "message";
  return JSON.stringify({ code: 200, [word]: "success" });
}

function hasCredentials({ headers }: IncomingMessage, defect: Defect | undefined): boolean {
  if (defect === "no credentials asked") return true;
  const [name, password] = Buffer.from(headers.authorization?.slice(6) ?? "", "base64")
    .toString()
    .split(/:(.*)/s);
  if (defect === "wrong secret accepted") return name === USERNAME;
  return headers.authorization?.startsWith("Basic ") === true && name === USERNAME && password === SECRET;
}

function isSigned({ headers }: IncomingMessage, bytes: Buffer, defect: Defect | undefined): boolean {
  if (defect === "signature ignored") return true;
  const timestamp = String(headers["webhook-timestamp"]);
  const isOld = Math.abs(Date.now() / 1000 - Number(timestamp)) > 300;
  if (isOld && defect !== "old signature accepted") return false;
  const signed = defect === "parsed body" ? JSON.stringify(JSON.parse(bytes.toString())) : bytes;
  const key = Buffer.from(SIGNING_SECRET.slice("whsec_".length), "base64");
  const expected = createHmac("sha256", key)
    .update(`${String(headers["webhook-id"])}.${timestamp}.`)
    .update(signed)
    .digest();
  const given = String(headers["webhook-signature"]).split(" ");
  return given.slice(0, defect === "first signature only" ? 1 : undefined).some((signature) => {
    const bytesGiven = Buffer.from(signature.slice("v1,".length), "base64");
    return bytesGiven.length === expected.length && timingSafeEqual(bytesGiven, expected);
  });
}
