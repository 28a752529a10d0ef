import type { z } from "zod";
import { changeEvents } from "./changes.ts";
import { chatEvents } from "./chat.ts";
import { CALL_OF_EVENT, DEVELOPER_CALL_NAMES, developerCalls } from "./developer-calls.ts";
import {
  CLOUD_EVENT_HEADERS,
  WEBHOOK_HEADER_MEANINGS,
  type WebhookHeader,
  WEBHOOK_HEADERS,
} from "./headers.ts";
import { SECURITY_SCHEMES, sortedByName } from "./openapi.ts";
import { securitySchemeOf, whoMayCall, withoutLinks } from "./openapi-operations.ts";
import { collectInto, describeFields, type Json, type SchemaOf } from "./openapi-schemas.ts";
import { CALL_RULES } from "./operation-rules.ts";
import { type Route, type RouteName, ROUTE_NAMES, routes } from "./routes.ts";
import { CONTRACT_VERSION } from "./version.ts";

/** Streams whose events have names. Any other stream is one message: the data of its events. */
const NAMED_EVENTS: { readonly [Name in RouteName]?: Readonly<Record<string, z.ZodType>> } = {
  followChat: chatEvents,
  followChanges: changeEvents,
};

const REQUIRED_HEADERS: readonly WebhookHeader[] = ["id", "timestamp", "signature", "event"];

/** What Signalbox sends by itself, as AsyncAPI 3.1: the calls a developer receives, and the streams a client follows. */
export function buildAsyncApi() {
  const schemas: Record<string, Json> = {};
  const messages: Record<string, Json> = {};
  const channels: Record<string, Json> = {};
  const operations: Record<string, Json> = {};
  const schemaOf = collectInto(schemas);
  for (const described of [...webhooksOf(schemaOf), ...streamsOf(schemaOf)]) {
    const { name, channel, operation } = described;
    Object.assign(messages, described.messages);
    const told = Object.keys(described.messages);
    channels[name] = {
      ...channel,
      messages: Object.fromEntries(told.map((one) => [one, { $ref: `#/components/messages/${one}` }])),
    };
    const within = (names: string[]) => names.map((one) => ({ $ref: `#/channels/${name}/messages/${one}` }));
    const { replies = [] } = described;
    operations[name] = {
      action: "send",
      channel: { $ref: `#/channels/${name}` },
      ...operation,
      messages: within(told.filter((one) => !replies.includes(one))),
      ...(replies.length > 0 && {
        reply: { channel: { $ref: `#/channels/${name}` }, messages: within(replies) },
      }),
    };
  }
  describeFields({ ...schemas, ...messages });
  return {
    asyncapi: "3.1.0",
    id: "urn:signalbox",
    info: {
      title: "Signalbox",
      version: CONTRACT_VERSION,
      description:
        "What Signalbox sends by itself: the calls to your webhooks, and the streams of server-sent events. Requests are in the OpenAPI document of the same installation, at /openapi.json.",
      license: { name: "Apache-2.0", url: "https://www.apache.org/licenses/LICENSE-2.0" },
      tags: [{ name: "webhooks" }, { name: "streams" }],
    },
    defaultContentType: "application/json",
    servers: SERVERS,
    channels,
    operations,
    components: {
      schemas: sortedByName(schemas),
      messages,
      messageTraits: { webhook: { headers: webhookHeaders() } },
      securitySchemes: SECURITY_SCHEMES,
    },
  };
}

const SERVERS = {
  service: {
    host: "{host}",
    protocol: "http",
    description: "Your installation",
    variables: {
      host: {
        default: "127.0.0.1:8080",
        description: "Host and port. The default is a service on this machine",
      },
    },
  },
  receiver: {
    host: "{host}",
    protocol: "https",
    description: "Your server, which receives the webhooks",
    variables: { host: { default: "example.com", description: "The host of the URL you configured" } },
  },
};

interface Described {
  name: string;
  channel: Json;
  operation: Json;
  messages: Record<string, Json>;
  /** Which of the messages come back. */
  replies?: string[];
}

function webhooksOf(schemaOf: SchemaOf): Described[] {
  return DEVELOPER_CALL_NAMES.map((name): Described => {
    const call = developerCalls[name];
    const events = Object.entries(CALL_OF_EVENT).filter(([, calledBy]) => calledBy === name);
    const messages = events.map(([event]) => [
      event,
      {
        name: event,
        title: event,
        contentType: "application/json",
        traits: [{ $ref: "#/components/messageTraits/webhook" }],
        payload: schemaOf(call.request, "output"),
      },
    ]);
    const taken = `${name}Taken`;
    const reply = {
      name: taken,
      title: "Taken",
      contentType: "application/json",
      summary: "HTTP 200",
      payload: schemaOf(call.reply, "input"),
    };
    return {
      name,
      channel: {
        address: `{webhook}${call.suffix}`,
        description: "The URL you configured",
        servers: [{ $ref: "#/servers/receiver" }],
        parameters: { webhook: { description: "The path of the URL you configured" } },
      },
      operation: {
        title: call.summary,
        summary: "section" in call ? `Section ${call.section} of the specification` : call.summary,
        description: CALL_RULES[name].map((rule) => `- ${withoutLinks(rule)}`).join("\n"),
        tags: [{ name: "webhooks" }],
        security: ["webhookBearer", "webhookBasic"].map(securityReference),
        bindings: { http: { method: "POST", bindingVersion: "0.3.0" } },
      },
      messages: { ...Object.fromEntries(messages), [taken]: reply },
      replies: [taken],
    };
  });
}

function streamsOf(schemaOf: SchemaOf): Described[] {
  return ROUTE_NAMES.flatMap((name): Described[] => {
    const route: Route = routes[name];
    if (route.events === undefined) return [];
    const events = NAMED_EVENTS[name] ?? { data: route.events };
    const messages = Object.entries(events).map(([event, schema]) => [
      `${name}.${event}`,
      { name: event, title: event, contentType: "application/json", payload: schemaOf(schema, "output") },
    ]);
    const scheme = securitySchemeOf(route.auth);
    const query = Object.entries(route.query?.shape ?? {}).map(([field, schema]) => [
      field,
      schemaOf(schema as z.ZodType, "input"),
    ]);
    const parameters = Object.keys(route.params?.shape ?? {}).map((field) => [
      field,
      { description: `The ${field.replaceAll("_", " ").replace(/ id$/, "'s id")}` },
    ]);
    return [
      {
        name,
        channel: {
          address: route.path.replaceAll(/:(\w+)/g, "{$1}"),
          description: "Server-sent events",
          servers: [{ $ref: "#/servers/service" }],
          ...(parameters.length > 0 && { parameters: Object.fromEntries(parameters) }),
        },
        operation: {
          title: route.summary,
          description: whoMayCall(route),
          tags: [{ name: "streams" }],
          ...(scheme !== undefined && { security: [securityReference(scheme)] }),
          bindings: {
            http: {
              method: route.method,
              ...(query.length > 0 && {
                query: { type: "object", properties: Object.fromEntries(query), additionalProperties: false },
              }),
              bindingVersion: "0.3.0",
            },
          },
        },
        messages: Object.fromEntries(messages),
      },
    ];
  });
}

function securityReference(name: string): Json {
  return { $ref: `#/components/securitySchemes/${name}` };
}

function webhookHeaders(): Json {
  const names = Object.keys(WEBHOOK_HEADERS) as WebhookHeader[];
  return {
    type: "object",
    required: REQUIRED_HEADERS.map((name) => WEBHOOK_HEADERS[name]),
    properties: Object.fromEntries([
      ...names.map((name) => [
        WEBHOOK_HEADERS[name],
        { type: "string", description: withoutLinks(WEBHOOK_HEADER_MEANINGS[name]) },
      ]),
      ...Object.values(CLOUD_EVENT_HEADERS).map((name) => [
        name,
        { type: "string", description: "CloudEvents 1.0; only of a webhook with `cloud_events`" },
      ]),
    ]),
  };
}
