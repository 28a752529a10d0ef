import { z } from "zod";
import type { Route } from "./route.ts";

/**
 * Where coding assistants and other clients of the Model Context Protocol call. It stands beside the table of routes: its bodies
 * and replies are that protocol's. Each of its tools names the scopes it needs.
 */
export const MCP_ROUTE = {
  method: "POST",
  path: "/mcp",
  auth: "apiKey",
  scopes: [],
  sdk: "mcp.call",
  summary: "Call a tool by the Model Context Protocol",
  reply: z.unknown(),
} as const satisfies Route;
