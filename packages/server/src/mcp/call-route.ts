import {
  failureBody,
  readParts,
  routes,
  type ApiKeyScope,
  type Handlers,
  type ReplyOf,
  type RequestParts,
  type Route,
} from "@signalbox/contract";
import { z } from "zod";
import { refuse, Refusal, type AgentCaller, type OperatorCaller } from "../platform/index.ts";

/** What the tools call: the handlers of these routes, and nothing else of the service. */
const TOOL_ROUTES = [
  "matchKnowledge",
  "tryQuestion",
  "listQuestionGroups",
  "proposePair",
  "getConversation",
  "createConversation",
  "sendMessage",
  "listMessages",
  "requestHandoff",
  "getHandoff",
  "listDeliveries",
  "replayDelivery",
] as const;
export type ToolRoute = (typeof TOOL_ROUTES)[number];

export type ToolHandlers = Pick<
  Handlers<
    {
      apiKey: AgentCaller;
      operator: OperatorCaller;
      humanService: never;
      chatToken: never;
      browser: never;
      none: never;
    },
    unknown
  >,
  ToolRoute
>;

/** Who calls: an API key, with what it may do. */
export interface McpKey extends AgentCaller {
  scopes: readonly ApiKeyScope[];
}

export interface CallRouteParts {
  handlers: ToolHandlers;
  findOwner: (field: "delivery_id", id: string) => Promise<string | undefined>;
  /** Charges the reads and writes of an operator's route to this key. */
  onBehalfOf: <Result>(holder: string, work: () => Result) => Result;
}

export type CallRoute = <Name extends ToolRoute>(
  name: Name,
  parts: RequestParts,
) => Promise<ReplyOf<Name> | Refusal>;

type AnyHandler = (caller: AgentCaller | OperatorCaller, input: object) => Promise<unknown>;

/** A route as this key: its input is read, its reach held to the key's agent and its reply checked as over HTTP. */
export function createCallRoute({ handlers, findOwner, onBehalfOf }: CallRouteParts, key: McpKey): CallRoute {
  const operator = operatorOf(key);
  const call = async (name: ToolRoute, parts: RequestParts): Promise<unknown> => {
    const route: Route = routes[name];
    const read = readParts(route, route.auth === "operator" ? nameAgent(route, parts, key.agentId) : parts);
    if (!read.ok) return refuse("badParameter", read.problem);
    // Safe because ToolHandlers gives each name the handler of its own input and reply.
    const handle = handlers[name] as AnyHandler;
    const result = await onBehalfOf(`api_key ${key.apiKeyId}`, async () => {
      if (route.auth !== "operator") return handle(key, read.value);
      return (await refuseOtherAgent(read.value)) ?? handle(operator, read.value);
    });
    return result instanceof Refusal ? result : route.reply.parse(result);
  };
  /** An operator's route that names neither its agent nor something of one is about the installation: no key reaches that. */
  const refuseOtherAgent = async (input: object): Promise<Refusal | undefined> => {
    if ("agent_id" in input && input.agent_id === key.agentId) return undefined;
    const owner =
      "delivery_id" in input ? await findOwner("delivery_id", String(input.delivery_id)) : undefined;
    return owner === key.agentId
      ? undefined
      : refuse("notFound", "this agent has no delivery with this delivery_id");
  };
  return call as CallRoute;
}

/** Wherever the route takes it, whatever the tool was given. */
function nameAgent(route: Route, parts: RequestParts, agent_id: string): RequestParts {
  const takes = (part: z.ZodType | undefined) => part instanceof z.ZodObject && "agent_id" in part.shape;
  if (takes(route.params)) return { ...parts, params: { ...Object(parts.params), agent_id } };
  if (takes(route.query)) return { ...parts, query: { ...Object(parts.query), agent_id } };
  return parts;
}

/** A key does for its agent what a role for that agent does, under its own name in the audit. */
function operatorOf({ agentId, apiKeyId, apiKeyName, request, trace }: McpKey): OperatorCaller {
  return {
    kind: "operator",
    actor: "api_key",
    actorId: apiKeyId,
    actorName: apiKeyName,
    sessionId: undefined,
    agentIds: [agentId],
    request,
    idempotency: undefined,
    trace,
  };
}

/** For a reader who may be a model: what is wrong, what to do, and when. */
export function describeRefusal({ failure, advice, retryAfterSeconds }: Refusal): string {
  const { code, message } = failureBody(failure, advice);
  const when = retryAfterSeconds === undefined ? "" : `. Try again in ${retryAfterSeconds} seconds`;
  return `${message}${when} (code ${code})`;
}
