import { z } from "zod";
import { FIELD_EXAMPLES } from "./field-examples.ts";
import type { DeveloperCall } from "./developer-calls.ts";
import { developerCalls } from "./developer-calls.ts";
import type { FailureName } from "./failures.ts";
import { Failure, FAILURE_NAMES, FAILURES, failureBody } from "./failures.ts";
import { HEADERS, WEBHOOK_HEADERS } from "./headers.ts";
import type { Route } from "./routes.ts";
import { routes, takesIdempotencyKey } from "./routes.ts";

/** The version of the package; a test keeps the two equal. */
export const CONTRACT_VERSION = "0.1.0";

type Json = Record<string, unknown>;
type SchemaOf = (schema: z.ZodType, io: "input" | "output") => Json;

/** The whole contract as OpenAPI 3.1: what we host as paths, what a developer hosts as webhooks. */
export function buildOpenApi() {
  const schemas: Record<string, Json> = {};
  const responses: Record<string, Json> = {};
  const schemaOf = collectInto(schemas);
  const paths: Record<string, Json> = {};
  for (const [name, route] of Object.entries<Route>(routes)) {
    const path = route.path.replaceAll(/:(\w+)/g, "{$1}");
    paths[path] = {
      ...paths[path],
      [route.method.toLowerCase()]: operationOf(name, route, schemaOf, responses),
    };
  }
  const webhooks: Record<string, Json> = {};
  for (const [name, call] of Object.entries<DeveloperCall>(developerCalls)) {
    webhooks[name] = { post: developerOperationOf(name, call, schemaOf) };
  }
  return {
    openapi: "3.1.1",
    info: {
      title: "Signalbox",
      version: CONTRACT_VERSION,
      description: "QA knowledge, message delivery and human handoff of a conversational agent.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [
      { url: "http://127.0.0.1:8080", description: "A service on this machine, with its default port" },
    ],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    webhooks,
    components: {
      schemas: sortedByName(schemas),
      responses: sortedByName(responses),
      securitySchemes: SECURITY_SCHEMES,
    },
  };
}

function sortedByName(entries: Record<string, Json>): Record<string, Json> {
  return Object.fromEntries(Object.entries(entries).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

const TAGS = {
  specification: "Endpoints of the specification, by its section numbers",
  neighbour: "What the specification presupposes: conversations, messages, keys",
  live: "The live channel: one user's browser, with that user's token",
  operator: "Agents, keys and webhooks, with the operator token",
  developer: "Called by the service, hosted by the developer",
};

const SECURITY_SCHEMES = {
  apiKey: { type: "http", scheme: "bearer", description: "An API key of the agent: sbx_ and 40 characters" },
  chatToken: {
    type: "http",
    scheme: "bearer",
    description: "One user's token, minted by the developer's server",
  },
  operator: { type: "http", scheme: "bearer", description: "A named operator token: sbo_ and 40 characters" },
  webhookBearer: {
    type: "http",
    scheme: "bearer",
    description: "The webhook username, when no secret is set",
  },
  webhookBasic: { type: "http", scheme: "basic", description: "The webhook username and secret" },
};

function operationOf(name: string, route: Route, schemaOf: SchemaOf, responses: Record<string, Json>): Json {
  const isOfSpecification = /^\d/.test(route.spec);
  return {
    operationId: name,
    summary: route.summary,
    ...(isOfSpecification && { description: `Section ${route.spec} of the specification.` }),
    tags: [tagOf(route)],
    security: securityOf(route),
    ...withParameters(route, schemaOf),
    ...(route.body && {
      requestBody: {
        required: !route.body.safeParse({}).success,
        content: { "application/json": { schema: schemaOf(route.body, "input") } },
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

function tagOf({ auth, spec }: Route): keyof typeof TAGS {
  if (auth === "operator" || auth === "browser") return "operator";
  if (auth === "chatToken") return "live";
  return /^\d/.test(spec) ? "specification" : "neighbour";
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
  if (auth === "none" || auth === "browser") return [];
  const scheme = auth === "humanService" ? "apiKey" : auth;
  const alternatives =
    scopes.length === 0 ? [{ [scheme]: [] }] : scopes.map((scope) => ({ [scheme]: [scope] }));
  return auth === "humanService" ? [...alternatives, {}] : alternatives;
}

function withParameters(route: Route, schemaOf: SchemaOf): Json {
  const parameters: Json[] = [];
  for (const [place, schema] of [
    ["path", route.params],
    ["query", route.query],
  ] as const) {
    for (const [name, field] of Object.entries(schema?.shape ?? {})) {
      const required = place === "path" || !(field as z.ZodType).safeParse(undefined).success;
      parameters.push({ name, in: place, required, schema: schemaOf(field as z.ZodType, "input") });
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
  if (route.params || route.query || route.body) possible.add("badParameter");
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

function developerOperationOf(name: string, call: DeveloperCall, schemaOf: SchemaOf): Json {
  const where = {
    message: "the message webhook",
    human_service: `the human service, ${call.suffix}`,
    operator: "the operator's webhook",
  }[call.target];
  const section = call.spec === "ours" ? "Sent" : `Section ${call.spec} of the specification: sent`;
  return {
    operationId: name,
    summary: call.summary,
    description: `${section} to ${where}. HTTP 200 means taken.`,
    tags: ["developer"],
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

/** Named schemas go to the components, once; anything else is written where it stands. */
function collectInto(schemas: Record<string, Json>): SchemaOf {
  return (schema, io) => {
    const written = z.toJSONSchema(schema, { io, override: finish }) as Json;
    const {
      $schema: _,
      $defs,
      ...rest
    } = JSON.parse(JSON.stringify(written).replaceAll("#/$defs/", "#/components/schemas/")) as Json & {
      $defs?: Record<string, Json>;
    };
    for (const [name, { $id: __, id: ___, ...definition }] of Object.entries($defs ?? {})) {
      const earlier = schemas[name];
      if (earlier !== undefined && JSON.stringify(earlier) !== JSON.stringify(definition)) {
        throw new Error(
          `${name} reads differently as a request and as a reply: give the two different names`,
        );
      }
      schemas[name] = definition;
    }
    return rest;
  };
}

type Written = { zodSchema: z.core.$ZodTypes; jsonSchema: z.core.JSONSchema.BaseSchema };

/** Replies may gain fields: only bodies that are strict here are closed. `format: uuid` says enough without a pattern. */
function finish({ zodSchema, jsonSchema }: Written): void {
  const { def } = zodSchema._zod;
  if (def.type === "object" && def.catchall === undefined) delete jsonSchema.additionalProperties;
  if (jsonSchema.format === "uuid") delete jsonSchema.pattern;
  // The library leaves examples out wherever reading changes a value; ours show what is sent.
  const examples = z.globalRegistry.get(zodSchema)?.examples as unknown[] | undefined;
  if (examples !== undefined) jsonSchema.examples = examples;
  for (const [name, property] of Object.entries(jsonSchema.properties ?? {}))
    if (isExampled(name, property))
      jsonSchema.properties![name] = { ...property, examples: [FIELD_EXAMPLES[name]] };
}

/** Whether the field has an example by its name, of its kind, and its schema says nothing nearer. */
function isExampled(
  name: string,
  property: z.core.JSONSchema._JSONSchema,
): property is z.core.JSONSchema.BaseSchema {
  if (typeof property === "boolean" || property.$ref !== undefined) return false;
  if (["examples", "enum", "const", "default", "format", "properties"].some((key) => key in property))
    return false;
  const example = FIELD_EXAMPLES[name];
  const kind = Array.isArray(example) ? "array" : typeof example;
  return [property, ...(property.anyOf ?? [])].some(
    (one) => typeof one === "object" && (one.type === kind || (kind === "number" && one.type === "integer")),
  );
}
