import {
  HEADERS,
  methodOf,
  paginationOf,
  ROUTE_NAMES,
  type Route,
  type RouteName,
  routes,
} from "@signalbox/contract";
import type { Client } from "./client.generated.ts";
import { type Answer, asCall, asPagedCall } from "./call.ts";
import { followChanges } from "./change-stream.ts";
import { followChat } from "./chat-stream.ts";
import { createMessageStream } from "./message-stream.ts";
import type { CallOptions, ClientOptions } from "./options.ts";
import { type Answered, createSender, failureOf, readJson, type Sender } from "./sending.ts";

/** Calls a Signalbox service: `client.conversations.sendMessage(...)`. */
export function createClient(options: ClientOptions): Client {
  const sender = createSender(options);
  const client: Record<string, Record<string, unknown>> = {};
  for (const name of ROUTE_NAMES) {
    const { resource, verb } = methodOf(routes[name]);
    client[resource] ??= {};
    client[resource][verb] = createMethod(sender, name);
  }
  const streams: Streams = {
    conversations: {
      streamMessage: (request, callOptions) => createMessageStream(sender, request, callOptions),
    },
    chats: { follow: (request, followOptions) => followChat(sender, request, followOptions) },
    service: {
      followChanges: (request = {}, followOptions = {}) => followChanges(sender, request, followOptions),
    },
  };
  for (const [resource, methods] of Object.entries(streams)) Object.assign(client[resource] ?? {}, methods);
  // Safe because the types of the client are written from the same table of routes.
  return client as unknown as Client;
}

interface Streams {
  conversations: Pick<Client["conversations"], "streamMessage">;
  chats: Pick<Client["chats"], "follow">;
  service: Pick<Client["service"], "followChanges">;
}

function createMethod(sender: Sender, name: RouteName) {
  const pagination = paginationOf(routes[name]);
  return (request: object = {}, options: CallOptions = {}) => {
    const send = async (asked: object) => readAnswer(name, await sender.send(name, asked, options));
    return pagination === undefined ? asCall(send(request)) : asPagedCall(pagination, request, send);
  };
}

function readAnswer(name: RouteName, answered: Answered): Answer<unknown> {
  const { response, text, file } = answered;
  const { status, headers } = response;
  const route: Route = routes[name];
  const reply = file ?? (route.plainText ? text : readJson(text));
  if (!response.ok || reply === undefined) throw failureOf(name, answered);
  return { reply, status, headers, requestId: headers.get(HEADERS.requestId) ?? undefined };
}
