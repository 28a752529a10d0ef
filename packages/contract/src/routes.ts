import type { z } from "zod";
import { accountRoutes } from "./routes/accounts.ts";
import { agentRoutes } from "./routes/agents.ts";
import { chatRoutes } from "./routes/chat.ts";
import { conversationRoutes } from "./routes/conversations.ts";
import { deliveryRoutes } from "./routes/deliveries.ts";
import { handoffRoutes } from "./routes/handoff.ts";
import { inboxRoutes } from "./routes/inbox.ts";
import { knowledgeRoutes } from "./routes/knowledge.ts";
import { numbersRoutes } from "./routes/numbers.ts";
import { oidcRoutes } from "./routes/oidc.ts";
import { operationsRoutes } from "./routes/operations.ts";
import { passkeyRoutes } from "./routes/passkeys.ts";
import { passwordResetRoutes } from "./routes/password-reset.ts";
import { personalDataRoutes } from "./routes/personal-data.ts";
import type { Auth, Route } from "./routes/route.ts";
import { secondFactorRoutes } from "./routes/second-factor.ts";
import { questionLoopRoutes } from "./routes/question-loop.ts";
import { webhookRoutes } from "./routes/webhooks.ts";
import { workbenchRoutes } from "./routes/workbench.ts";

export {
  BODY_LIMIT_BYTES,
  BODY_VALUES_MAX,
  type Auth,
  type MethodName,
  type Route,
  type RouteLimit,
} from "./routes/route.ts";

export { MCP_ROUTE } from "./routes/mcp.ts";
export { UI_MESSAGE_ROUTES } from "./routes/ui-messages.ts";

/** Every endpoint of the service, by its name, which is the operationId of the API description. */
export const routes = {
  ...knowledgeRoutes,
  ...workbenchRoutes,
  ...questionLoopRoutes,
  ...conversationRoutes,
  ...handoffRoutes,
  ...inboxRoutes,
  ...chatRoutes,
  ...agentRoutes,
  ...accountRoutes,
  ...secondFactorRoutes,
  ...passkeyRoutes,
  ...passwordResetRoutes,
  ...oidcRoutes,
  ...webhookRoutes,
  ...deliveryRoutes,
  ...numbersRoutes,
  ...personalDataRoutes,
  ...operationsRoutes,
} as const satisfies Record<string, Route>;

export type Routes = typeof routes;
export type RouteName = keyof Routes;

type ResourceOf<Method> = Method extends `${infer Name}.${string}` ? Name : never;
/** What the methods of the client are grouped by. */
export type Resource = ResourceOf<Routes[RouteName]["sdk"]>;

/** `deliveries.list` is the verb `list` of the resource `deliveries`. */
export function methodOf({ sdk }: Route): { resource: Resource; verb: string } {
  const [resource = "", verb = ""] = sdk.split(".");
  // Safe because every resource there is comes from this table.
  return { resource: resource as Resource, verb };
}

export const ROUTE_NAMES = Object.keys(routes) as RouteName[];

/** Whether a call of this route is made once for an Idempotency-Key. */
export function takesIdempotencyKey(route: Route): boolean {
  const { method, safe, auth } = route;
  // Nothing is kept of passwords and of cookies.
  if (auth === "browser" || (auth === "operator" && route.about === "self")) return false;
  return (method === "POST" || method === "PUT") && safe !== true;
}

type Part = "params" | "query" | "body";
type Sent<R, Place extends Part> = R extends { readonly [P in Place]: infer Schema extends z.ZodType }
  ? z.input<Schema>
  : object;
type Parsed<R, Place extends Part> = R extends { readonly [P in Place]: infer Schema extends z.ZodType }
  ? z.output<Schema>
  : object;

/** One object out of an intersection, alternative by alternative. */
type Flat<Type> = Type extends unknown ? { [Key in keyof Type]: Type[Key] } : never;

/** What a caller gives: path, query and body in one object, by their names on the wire. */
export type RequestOf<Name extends RouteName> = Flat<
  Sent<Routes[Name], "params"> &
    Sent<Routes[Name], "query"> &
    (Routes[Name] extends { readonly form: infer Form extends z.ZodType }
      ? z.input<Form>
      : Sent<Routes[Name], "body">)
>;

/** The same after reading: defaults filled in, times in milliseconds. */
export type InputOf<Name extends RouteName> = Flat<
  Parsed<Routes[Name], "params"> & Parsed<Routes[Name], "query"> & Parsed<Routes[Name], "body">
>;

export type ReplyOf<Name extends RouteName> = z.output<Routes[Name]["reply"]>;

/**
 * One function a route; `Callers` says who stands behind each kind of authentication, `Form` is a form as it comes. A missing
 * one does not compile.
 */
export type Handlers<Callers extends Record<Auth, unknown>, Otherwise = never, Form = never> = {
  [Name in RouteName]: (
    caller: Callers[Routes[Name]["auth"]],
    input: InputOf<Name>,
    form: Routes[Name] extends { readonly form: z.ZodObject } ? Form : undefined,
  ) => Promise<ReplyOf<Name> | Otherwise>;
};
