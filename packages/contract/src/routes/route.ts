import type { z } from "zod";
import type { FailureName } from "../failures.ts";
import type { ApiKeyScope, OperatorScope } from "../scopes.ts";

/**
 * `humanService`: an API key, unless the human service the call is about may call without one. `chatToken`: one user's, in a
 * browser. `operator`: an operator token, or the session of an account. `browser`: a person about to sign in.
 */
export type Auth = "apiKey" | "humanService" | "chatToken" | "operator" | "browser" | "none";

/** Limits of their own for routes that cost others something: each is a setting of the service. */
export type RouteLimit = "check";

/** Who may call a route. `scopes`: one of them is enough; with none named, any key of that kind will do. */
type Access =
  | { readonly auth: "apiKey" | "humanService"; readonly scopes: readonly ApiKeyScope[] }
  | { readonly auth: "operator"; readonly scopes: readonly OperatorScope[]; readonly about?: About }
  | { readonly auth: "chatToken" | "browser" | "none"; readonly scopes?: undefined };

/**
 * What an operator's call is about, where it names neither an agent nor something of one: the installation, unless it says
 * otherwise. `reach`: as many agents as the caller may see. `self`: the account that calls.
 */
type About = "reach" | "self";

export type MethodName = `${string}.${string}`;

export type Route = RouteDescription & Access;

interface RouteDescription {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  readonly path: `/${string}`;
  /** The section of the specification that defines it; routes without one are Signalbox's own. */
  readonly section?: string;
  /** Resource and verb: `deliveries.list` is `client.deliveries.list(...)`, and its tag follows from the resource. */
  readonly sdk: MethodName;
  readonly summary: string;
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType<object>;
  /** The fields of a multipart/form-data body, in place of a JSON body. Its file is read as it comes. */
  readonly form?: z.ZodObject;
  readonly reply: z.ZodType;
  /** What a reply is made of that comes as server-sent events. */
  readonly events?: z.ZodType;
  /** The reply is a plain text, not JSON. HEAD is answered too: monitors send it. */
  readonly plainText?: true;
  /** The reply is a file of one of these media types, not JSON. */
  readonly file?: readonly string[];
  /** Failures beyond those that follow from the rest of the line. */
  readonly failures?: readonly FailureName[];
  readonly bodyLimitBytes?: number;
  /** How many values a body may hold in all, counting each member, element, list and object. */
  readonly bodyValuesMax?: number;
  /** Calls of one key are limited beyond what holds for all routes. */
  readonly limit?: RouteLimit;
  /** A POST that changes nothing, for the sake of its body: it takes no Idempotency-Key. */
  readonly safe?: true;
  /** HTTP status of success, when it is not 200. */
  readonly status?: number;
}

export const BODY_LIMIT_BYTES = 1024 * 1024;
/** What parsing costs depends on the number of values. */
export const BODY_VALUES_MAX = 10_000;

export const AGENTS = "/admin/v1/agents";
export const AGENT = `${AGENTS}/:agent_id` as const;

/** An operator token that may change things may also read them. */
export const READ = ["read", "manage"] as const;
export const MANAGE = ["manage"] as const;
/** Which agents there are, without their secrets. */
export const AGENTS_SEEN = [...READ, "agents"] as const;
export const SEE_SETTINGS = [...READ, "settings"] as const;
export const SETTINGS = ["manage", "settings"] as const;
/** What a support team decides for itself. */
export const TEAM_SETTINGS = [...SETTINGS, "team-settings"] as const;
export const SEE_DELIVERIES = [...READ, "deliveries"] as const;
export const DELIVERIES = ["manage", "deliveries"] as const;
export const CONVERSATIONS = [...READ, "conversations"] as const;
export const SEE_USERS = [...READ, "users"] as const;
export const USERS = ["manage", "users"] as const;
/** People who answer users see what the agent answers from. */
export const SEE_KNOWLEDGE = [...CONVERSATIONS, "knowledge"] as const;
export const KNOWLEDGE = ["manage", "knowledge"] as const;
export const SEE_INBOX = [...READ, "inbox"] as const;
export const INBOX = ["manage", "inbox"] as const;
export const SEE_INBOX_SETTINGS = [...SEE_SETTINGS, "inbox"] as const;
