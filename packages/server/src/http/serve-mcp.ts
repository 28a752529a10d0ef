import { MCP_ROUTE } from "@signalbox/contract";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { refuse, type AgentCaller, type Refusal } from "../platform/index.ts";
import type { ApiKeyHolder } from "./authenticate.ts";
import { sendRefusal } from "./failure-reply.ts";
import { JsonBody } from "./json-body.ts";
import type { MountedRoutes } from "./mount.ts";

/** Answers one message of the Model Context Protocol, as the key that sent it. */
export type AnswerMcp = (
  key: AgentCaller & ApiKeyHolder,
  message: { request: Request; body: unknown },
) => Promise<Response>;

/** Another protocol's endpoint: authenticated and limited as a route, but with that protocol's own replies. */
export function serveMcp(
  http: FastifyInstance,
  answer: AnswerMcp,
  { authenticate, keyOf }: MountedRoutes,
  publicUrl: string | undefined,
): void {
  http.route({
    // GET and DELETE are answered 405: there are no sessions, and no stream to resume.
    method: ["GET", "POST", "DELETE"],
    url: MCP_ROUTE.path,
    exposeHeadRoute: false,
    onRequest: (request, reply) => {
      reply.headers({ "cache-control": "no-store", "x-content-type-options": "nosniff" });
      return authenticate(MCP_ROUTE, request, reply);
    },
    handler: async (request, reply) => {
      const refusal = refuseMessage(request, publicUrl);
      if (refusal !== undefined) return sendRefusal(reply, refusal);
      const response = await answer(keyOf(request), messageOf(request));
      return reply
        .code(response.status)
        .headers(Object.fromEntries(response.headers))
        .send(await response.text());
    },
  });
}

function refuseMessage(request: FastifyRequest, publicUrl: string | undefined): Refusal | undefined {
  if (isForeignPage(request, publicUrl))
    return refuse(
      "missingScope",
      "an API key does not belong in a browser page: call from a program, without Origin",
    );
  // The protocol has no batches since 2025-06-18: a request is one call, as the limits count it.
  if (Array.isArray(bodyOf(request)))
    return refuse("badParameter", "send one JSON-RPC message a request, not a batch");
  return undefined;
}

function messageOf(request: FastifyRequest): { request: Request; body: unknown } {
  const { method } = request;
  const headers = headersOf(request);
  const url = `http://localhost${MCP_ROUTE.path}`;
  const sent = new Request(url, { method, headers, ...(method === "POST" && { body: "" }) });
  return { request: sent, body: bodyOf(request) };
}

function bodyOf({ body }: FastifyRequest): unknown {
  return body instanceof JsonBody ? body.value : undefined;
}

const LOOPBACK: ReadonlySet<string> = new Set(["localhost", "127.0.0.1", "[::1]"]);

/** Against DNS rebinding: Host is not asked, which is what it forges. Programs send no Origin, or one of a scheme of their own. */
function isForeignPage({ headers }: FastifyRequest, publicUrl: string | undefined): boolean {
  const origin = headers.origin === undefined ? null : URL.parse(headers.origin);
  if (origin === null || !origin.protocol.startsWith("http")) return false;
  return !LOOPBACK.has(origin.hostname) && origin.origin !== (publicUrl && new URL(publicUrl).origin);
}

/** Those that the protocol knows; what proves the caller is not handed on. */
function headersOf({ headers }: FastifyRequest): Headers {
  const known = new Headers();
  for (const [name, value] of Object.entries(headers))
    if (typeof value === "string" && (PASSED_ON.has(name) || name.startsWith("mcp-"))) known.set(name, value);
  return known;
}

const PASSED_ON: ReadonlySet<string> = new Set(["accept", "content-type"]);
