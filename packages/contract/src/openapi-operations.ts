import type { z } from "zod";
import type { DeveloperCall, DeveloperCallName } from "./developer-calls.ts";
import type { FailureName } from "./failures.ts";
import { Failure, FAILURE_NAMES, FAILURES, failureBody } from "./failures.ts";
import { FIELD_MEANINGS } from "./field-meanings.ts";
import { HEADERS, WEBHOOK_HEADERS } from "./headers.ts";
import type { Json, SchemaOf } from "./openapi-schemas.ts";
import { CALL_RULES, rulesOf } from "./operation-rules.ts";
import { RESOURCES } from "./resources.ts";
import { BODY_LIMIT_BYTES, methodOf, type Route, type RouteName, takesIdempotencyKey } from "./routes.ts";

export function operationOf(
  name: RouteName,
  route: Route,
  schemaOf: SchemaOf,
  responses: Record<string, Json>,
): Json {
  return {
    operationId: name,
    summary: route.summary,
    description: descriptionOf(name, route),
    tags: [RESOURCES[methodOf(route).resource].subject],
    security: securityOf(route),
    ...withParameters(route, schemaOf),
    ...(route.body && {
      requestBody: {
        required: !route.body.safeParse({}).success,
        content: { "application/json": { schema: schemaOf(route.body, "input") } },
      },
    }),
    ...(route.form && {
      requestBody: {
        required: true,
        content: { "multipart/form-data": { schema: schemaOf(route.form, "input") } },
      },
    }),
    responses: {
      [route.status ?? 200]: {
        description: "Success",
        content: contentOf(route, schemaOf),
      },
      ...failureResponses(route, schemaOf, responses),
    },
  };
}

function contentOf({ plainText, file, reply, events }: Route, schemaOf: SchemaOf): Json {
  if (file !== undefined)
    return Object.fromEntries(
      file.map((type) => [type, { schema: { type: "string", contentMediaType: type } }]),
    );
  return {
    ...(reply.type !== "never" && {
      [plainText ? "text/plain" : "application/json"]: { schema: schemaOf(reply, "output") },
    }),
    ...(events && { "text/event-stream": { schema: schemaOf(events, "output") } }),
  };
}

/** One alternative for each scope that is enough. */
function securityOf({ auth, scopes = [] }: Route): Json[] {
  const scheme = securitySchemeOf(auth);
  if (scheme === undefined) return [];
  const alternatives =
    scopes.length === 0 ? [{ [scheme]: [] }] : scopes.map((scope) => ({ [scheme]: [scope] }));
  return auth === "humanService" ? [...alternatives, {}] : alternatives;
}

export function securitySchemeOf(auth: Route["auth"]): "apiKey" | "chatToken" | "operator" | undefined {
  if (auth === "none" || auth === "browser") return undefined;
  return auth === "humanService" ? "apiKey" : auth;
}

function withParameters(route: Route, schemaOf: SchemaOf): Json {
  const parameters: Json[] = [];
  for (const [place, schema] of [
    ["path", route.params],
    ["query", route.query],
  ] as const) {
    for (const [name, field] of Object.entries(schema?.shape ?? {})) {
      const required = place === "path" || !(field as z.ZodType).safeParse(undefined).success;
      const { description = FIELD_MEANINGS[name], ...written } = schemaOf(field as z.ZodType, "input");
      parameters.push({
        name,
        in: place,
        required,
        ...(description !== undefined && { description }),
        schema: written,
      });
    }
  }
  if (takesIdempotencyKey(route)) {
    parameters.push({
      name: HEADERS.idempotencyKey,
      in: "header",
      required: false,
      description:
        "Within 24 hours the same key of the same caller gives the same answer, so a repeat does nothing twice. An answer that showed a secret is not kept: its repeat is 40900",
      schema: { type: "string", minLength: 1, maxLength: 255 },
    });
  }
  return parameters.length === 0 ? {} : { parameters };
}

/** What can go wrong follows from the line of the route; only what is particular to it is written there. */
export function failuresOf(route: Route): FailureName[] {
  const writes = route.method === "POST" || route.method === "PUT";
  const possible = new Set<FailureName>(route.failures ?? []);
  if (route.params || route.query || route.body || route.form) possible.add("badParameter");
  if (route.auth !== "none") possible.add("internal");
  if (route.auth !== "none" && route.auth !== "browser") possible.add("developerAuth");
  if (route.scopes !== undefined && route.scopes.length > 0) possible.add("missingScope");
  const isOfAgent = ["apiKey", "humanService", "chatToken"].includes(route.auth);
  if (isOfAgent) possible.add("tooManyRequests");
  if (isOfAgent || (writes && route.params)) possible.add("agentDeleted");
  if (route.params) possible.add("notFound");
  if (writes) possible.add("stateConflict").add("tooLarge");
  possible.add("notAccepting");
  return FAILURE_NAMES.filter((name) => possible.has(name));
}

/** Codes that share a status share a response; each combination is written once, among the components. */
function failureResponses(route: Route, schemaOf: SchemaOf, responses: Record<string, Json>): Json {
  if (route.plainText)
    return {
      503: {
        description: "Not normal; so is any other status than 200, and no answer",
        content: { "text/plain": { schema: { type: "string" } } },
      },
    };
  const references: Json = {};
  for (const [status, names] of Map.groupBy(failuresOf(route), (name) => FAILURES[name].status)) {
    const key = `Failure${names.map((name) => FAILURES[name].code).join("Or")}`;
    responses[key] ??= failureResponse(status, names, schemaOf);
    references[status] = { $ref: `#/components/responses/${key}` };
  }
  return references;
}

function failureResponse(status: number, names: FailureName[], schemaOf: SchemaOf): Json {
  const examples = Object.fromEntries(names.map((name) => [name, { value: failureBody(name) }]));
  return {
    description: names.map((name) => `${FAILURES[name].code} ${FAILURES[name].message}`).join("; "),
    ...(status === FAILURES.tooManyRequests.status && { headers: RETRY_AFTER }),
    content: { "application/json": { schema: schemaOf(Failure, "output"), examples } },
  };
}

const RETRY_AFTER = {
  [HEADERS.retryAfter]: { description: "Seconds to wait", schema: { type: "integer", minimum: 0 } },
};

export function developerOperationOf(name: DeveloperCallName, call: DeveloperCall, schemaOf: SchemaOf): Json {
  const where = {
    message: "the message webhook",
    human_service: `the human service, ${call.suffix}`,
    operator: "the operator's webhook",
  }[call.target];
  const rules = [`Sent to ${where}. HTTP 200 means taken.`, ...CALL_RULES[name]];
  return {
    operationId: name,
    summary: call.summary,
    description: textOf(call.section, rules),
    tags: ["Calls you receive"],
    security: [{ webhookBearer: [] }, { webhookBasic: [] }, {}],
    parameters: [WEBHOOK_HEADERS.id, WEBHOOK_HEADERS.timestamp, WEBHOOK_HEADERS.signature].map((header) => ({
      name: header,
      in: "header",
      required: true,
      schema: { type: "string" },
    })),
    requestBody: {
      required: true,
      content: { "application/json": { schema: schemaOf(call.request, "output") } },
    },
    responses: {
      200: {
        description: "Taken",
        content: { "application/json": { schema: schemaOf(call.reply, "input") } },
      },
    },
  };
}

function descriptionOf(name: RouteName, route: Route): string {
  const rules = textOf(route.section, [...rulesOf(name, route), ...sizeRule(route)]);
  return [rules, whoMayCall(route)].filter(Boolean).join("\n\n");
}

function sizeRule({ body, bodyLimitBytes = BODY_LIMIT_BYTES }: Route): string[] {
  return body === undefined || bodyLimitBytes <= BODY_LIMIT_BYTES
    ? []
    : [`The body may have up to ${bodyLimitBytes / 1024 / 1024} MiB.`];
}

/** Links lead to pages of this repository, where a reader of the description may not be. */
function textOf(section: string | undefined, rules: readonly string[]): string {
  const paragraphs = [
    ...(section === undefined ? [] : [`Section ${section} of the specification.`]),
    ...(rules.length === 0 ? [] : [rules.map((rule) => `- ${withoutLinks(rule)}`).join("\n")]),
  ];
  return paragraphs.join("\n\n");
}

export function withoutLinks(text: string): string {
  return text.replaceAll(/\[([^[\]]+)\]\([^()]+\)/g, "$1");
}

const CALLERS: Record<Route["auth"], string> = {
  apiKey: "with an API key of the agent",
  humanService: "by a desk, with an API key of the handoff's agent or, where the desk allows it, without one",
  chatToken: "from a user's browser, with the user's chat token",
  operator: "with an operator token, or the session of an account",
  browser: "from a browser, without a key",
  none: "without a key",
};

export function whoMayCall({ auth, scopes = [], ...route }: Route): string {
  if ("about" in route && route.about === "self")
    return "Called by an account about itself, with its session.";
  const scope = scopes.length === 0 ? "" : ` Scope: ${scopes.map((one) => `\`${one}\``).join(" or ")}.`;
  return `Called ${CALLERS[auth]}.${scope}`;
}
