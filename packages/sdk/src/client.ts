import {
  HEADERS,
  type ReplyOf,
  type RequestOf,
  ROUTE_NAMES,
  type Route,
  type RouteName,
  routes,
} from "@signalbox/contract";
import { type ChangeStreamEvent, followChanges } from "./change-stream.ts";
import { type ChatStreamEvent, followChat } from "./chat-stream.ts";
import type { FollowOptions } from "./following.ts";
import { type MessageStream, type StreamRequest, createMessageStream } from "./message-stream.ts";
import {
  type Answered,
  type CallOptions,
  type ClientOptions,
  createSender,
  failureOf,
  readJson,
} from "./sending.ts";

export interface Answer<Reply> {
  reply: Reply;
  status: number;
  headers: Headers;
  requestId: string | undefined;
}

export interface Call<Reply> extends Promise<Reply> {
  /** The reply together with status and headers. */
  withResponse(): Promise<Answer<Reply>>;
}

type Arguments<Request> = object extends Request
  ? [input?: Request, options?: CallOptions]
  : [input: Request, options?: CallOptions];

type Methods = {
  [Name in Exclude<RouteName, "followChat" | "followChanges">]: (
    ...given: Arguments<RequestOf<Name>>
  ) => Call<ReplyOf<Name>>;
};

/** One method a route. Path, query and body are one object, with the names they have on the wire. */
export type Client = Methods & {
  /** `sendMessage` in streaming mode: the reply, event by event. */
  streamMessage(input: StreamRequest, options?: CallOptions): MessageStream;
  /** What is said in a conversation of the live channel, until you stop; comes back by itself when the line breaks. */
  followChat(input: RequestOf<"followChat">, options?: FollowOptions): AsyncIterable<ChatStreamEvent>;
  /** Which deliveries and conversations change, until you stop; comes back by itself when the line breaks. */
  followChanges(
    input?: RequestOf<"followChanges">,
    options?: Omit<FollowOptions, "lastEventId">,
  ): AsyncIterable<ChangeStreamEvent>;
};

export function createClient(options: ClientOptions): Client {
  const sender = createSender(options);
  const methods = ROUTE_NAMES.map((name) => {
    const method = (input: object = {}, callOptions: CallOptions = {}) =>
      asCall(sender.send(name, input, callOptions).then((answered) => readAnswer(name, answered)));
    return [name, method] as const;
  });
  const streamMessage = (input: StreamRequest, callOptions?: CallOptions) =>
    createMessageStream(sender, input, callOptions);
  // Safe because there is one method for each route, and the route's own schemas give its types.
  return {
    ...(Object.fromEntries(methods) as unknown as Methods),
    streamMessage,
    followChat: (input, followOptions) => followChat(sender, input, followOptions),
    followChanges: (input = {}, followOptions = {}) => followChanges(sender, input, followOptions),
  };
}

function asCall(sending: Promise<Answer<unknown>>): Call<unknown> {
  const reply = sending.then((answer) => answer.reply);
  const withResponse = () => {
    // Whoever asks for the whole answer hears of a failure there, and need not handle it twice.
    reply.catch(() => undefined);
    return sending;
  };
  return Object.assign(reply, { withResponse });
}

function readAnswer(name: RouteName, answered: Answered): Answer<unknown> {
  const { response, text, file } = answered;
  const { status, headers } = response;
  const route: Route = routes[name];
  const reply = file ?? (route.plainText ? text : readJson(text));
  if (!response.ok || reply === undefined) throw failureOf(name, answered);
  return { reply, status, headers, requestId: headers.get(HEADERS.requestId) ?? undefined };
}
