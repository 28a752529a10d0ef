import { CONTRACT_VERSION, isInScope, type ApiKeyScope } from "@signalbox/contract";
import type { CallToolResult, McpHttpHandler } from "@modelcontextprotocol/server";
import { Refusal, type Log } from "../platform/index.ts";
import { createCallRoute, describeRefusal, type CallRouteParts, type McpKey } from "./call-route.ts";
import { DELIVERY_TOOLS } from "./delivery-tools.ts";
import { HANDOFF_TOOLS } from "./handoff-tools.ts";
import { CONVERSATION_TOOLS, KNOWLEDGE_TOOLS } from "./knowledge-tools.ts";
import type { Tool } from "./tool.ts";

export type { McpKey } from "./call-route.ts";

const TOOLS: readonly Tool[] = [
  ...KNOWLEDGE_TOOLS,
  ...CONVERSATION_TOOLS,
  ...HANDOFF_TOOLS,
  ...DELIVERY_TOOLS,
];

const INSTRUCTIONS =
  "Signalbox answers users from question-and-answer pairs, hands over to humans and delivers webhooks in order. The API key belongs to one agent: every tool is about that agent.";

export interface McpParts extends CallRouteParts {
  log: Log;
  /** What a caller may see of an error. */
  refusalFor: (error: unknown) => Refusal;
  /** Why a key with these scopes may not do what needs one of those. */
  refuseScopes: (wanted: readonly ApiKeyScope[], held: readonly ApiKeyScope[]) => Refusal | undefined;
}

/** One message of the Model Context Protocol, as this key; stateless, so any node answers any message. */
export type AnswerMcp = (key: McpKey, message: { request: Request; body: unknown }) => Promise<Response>;

export function createMcp(parts: McpParts): AnswerMcp {
  let opening: Promise<McpHttpHandler> | undefined;
  return async (key, { request, body }) => {
    // 13 MB and 0.1 s that a node without assistants does not spend.
    const handler = await (opening ??= openHandler(parts));
    const authInfo = { token: "", clientId: key.apiKeyId, scopes: [...key.scopes], extra: { key } };
    return handler.fetch(request, { parsedBody: body, authInfo });
  };
}

async function openHandler(parts: McpParts): Promise<McpHttpHandler> {
  const { createMcpHandler, ProtocolError, ProtocolErrorCode, Server } =
    await import("@modelcontextprotocol/server");
  return createMcpHandler(({ authInfo }) => {
    // Safe because createMcp is the only one who calls the handler.
    const key = authInfo?.extra?.["key"] as McpKey;
    const tools = TOOLS.filter((tool) => isInScope(tool.scopes, key.scopes));
    const server = new Server(
      { name: "signalbox", title: "Signalbox", version: CONTRACT_VERSION },
      { capabilities: { tools: {} }, instructions: INSTRUCTIONS },
    );
    server.setRequestHandler("tools/list", async () => ({
      tools: tools.map(describeTool),
      ttlMs: LIST_TTL_MS,
    }));
    server.setRequestHandler("tools/call", async ({ params }) => {
      const tool = TOOLS.find(({ name }) => name === params.name);
      if (tool === undefined)
        throw new ProtocolError(
          ProtocolErrorCode.InvalidParams,
          `There is no such tool; tools/list names them: ${tools.map(({ name }) => name).join(", ")}`,
        );
      return resultOf(await runTool(parts, key, tool, params.arguments));
    });
    return server;
  });
}

/** A key's scopes never change. */
const LIST_TTL_MS = 3_600_000;

function describeTool({ name, title, description, inputSchema, annotations }: Tool) {
  return { name, title, description, inputSchema: inputSchema as { type: "object" }, annotations };
}

async function runTool(parts: McpParts, key: McpKey, tool: Tool, given: unknown): Promise<object | Refusal> {
  try {
    return (
      parts.refuseScopes(tool.scopes, key.scopes) ?? (await tool.run(createCallRoute(parts, key), given))
    );
  } catch (error) {
    const refusal = parts.refusalFor(error);
    if (refusal.failure === "internal")
      parts.log.error("http_request_crashed", { err: error, requestId: key.request.id });
    return refusal;
  }
}

/** A refusal is a result too: the model reads what to do, and tries again. */
function resultOf(result: object | Refusal): CallToolResult {
  if (result instanceof Refusal)
    return { isError: true, content: [{ type: "text", text: describeRefusal(result) }] };
  return {
    content: [{ type: "text", text: JSON.stringify(result) }],
    structuredContent: { ...result },
  };
}
