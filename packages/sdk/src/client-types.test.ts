import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ReplyOf, RequestOf, RouteName, Routes } from "@signalbox/contract";
import {
  type Agent,
  type BlockingReply,
  type Client,
  type ClientOptions,
  createClient,
  type DeliveryEntry,
  type DeliveryPage,
  type FlowOutputEvent,
  type ListedDocument,
  type ListedMessage,
  type MessageAccepted,
  type MessageStreamEvent,
  type NotStreaming,
  type Pair,
  type SendMessageRequest,
  type TokenUsage,
} from "./index.ts";

/* Compiled, which is the test: what does not hold is an error of `npm run check`. */

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
function expectTypeOf<Actual>(): { is<Expected>(same: Same<Actual, Expected>): void } {
  return { is: () => undefined };
}

/** Whatever the generated types let through must be what the schemas take, and give what they give. */
type MethodAt<Name extends RouteName> = Routes[Name]["sdk"] extends `${infer Resource}.${infer Verb}`
  ? Resource extends keyof Client
    ? Verb extends keyof Client[Resource]
      ? Client[Resource][Verb]
      : never
    : never
  : never;
type Given<Method> = Method extends (request: infer Request, ...rest: never[]) => unknown
  ? NonNullable<Request>
  : never;
type Gives<Method> = Method extends (...given: never[]) => Promise<infer Reply> ? Reply : never;
type Streamed = "sendMessage" | "followChat" | "followChanges";
type Differing = {
  [Name in Exclude<RouteName, Streamed>]: [
    Given<MethodAt<Name>> extends RequestOf<Name> ? true : "request",
    // A call without parameters takes an empty object, which no type of an object is.
    keyof RequestOf<Name> extends never
      ? true
      : RequestOf<Name> extends Given<MethodAt<Name>>
        ? true
        : "request of the schema",
    Gives<MethodAt<Name>> extends ReplyOf<Name> ? true : "reply",
    ReplyOf<Name> extends Gives<MethodAt<Name>> ? true : "reply of the schema",
  ] extends [true, true, true, true]
    ? never
    : Name;
}[Exclude<RouteName, Streamed>];
expectTypeOf<Differing>().is<never>(true);

/** The lines that everybody writes first. */
export async function firstLines(signalbox: Client, conversation_id: string): Promise<void> {
  const messages: SendMessageRequest["messages"] = [{ role: "user", content: "When do you open?" }];

  const blocking = await signalbox.conversations.sendMessage({
    conversation_id,
    response_mode: "blocking",
    messages,
  });
  expectTypeOf<typeof blocking>().is<BlockingReply>(true);
  expectTypeOf<(typeof blocking.output)[number]["content"]["text"]>().is<string>(true);

  const accepted = await signalbox.conversations.sendMessage({
    conversation_id,
    response_mode: "webhook",
    messages,
  });
  expectTypeOf<typeof accepted>().is<MessageAccepted>(true);

  const mode = "webhook" as "blocking" | "webhook";
  const either = await signalbox.conversations.sendMessage({
    conversation_id,
    response_mode: mode,
    messages,
  });
  expectTypeOf<typeof either>().is<BlockingReply | MessageAccepted>(true);

  // @ts-expect-error a stream is read with streamMessage
  await signalbox.conversations.sendMessage({ conversation_id, response_mode: "streaming", messages });

  for await (const event of signalbox.conversations.streamMessage({ conversation_id, messages })) {
    expectTypeOf<typeof event>().is<MessageStreamEvent>(true);
    if (event.message === "Text") expectTypeOf<typeof event.data>().is<string>(true);
    if (event.code === 10) {
      expectTypeOf<typeof event>().is<FlowOutputEvent>(true);
      expectTypeOf<(typeof event.data)[number]["content"]>().is<BlockingReply["output"][number]["content"]>(
        true,
      );
    }
    if (event.message === "Suggestions") expectTypeOf<typeof event.data>().is<string[]>(true);
    if (event.message === "Cost") expectTypeOf<typeof event.data>().is<TokenUsage>(true);
  }

  for await (const delivery of signalbox.deliveries.list({ state: "dead" }))
    expectTypeOf<typeof delivery>().is<DeliveryEntry>(true);
  const page = await signalbox.deliveries.list();
  expectTypeOf<typeof page>().is<DeliveryPage>(true);
  for await (const agent of signalbox.agents.list()) expectTypeOf<typeof agent>().is<Agent>(true);
  for await (const document of signalbox.knowledge.listDocuments({ knowledge_base_id: "b" }))
    expectTypeOf<typeof document>().is<ListedDocument>(true);
  for await (const message of signalbox.conversations.listMessages({ conversation_id }))
    expectTypeOf<typeof message>().is<ListedMessage>(true);
  for await (const pair of signalbox.pairs.list({ agent_id: "a" }))
    expectTypeOf<typeof pair>().is<Pair>(true);

  await signalbox.knowledge.add(
    { purpose: "QA_TEXT", name: "Hours", qaList: [{ question: "When?", answer: "At nine." }] },
    { timeoutMs: 5_000, retries: 0, headers: { traceparent: "00-0-0-00" } },
  );
  // @ts-expect-error qaList is missing
  await signalbox.knowledge.add({ purpose: "QA_TEXT", name: "Hours" });
  await signalbox.handoffs.close({ conversation_id, timestamp: Date.now() });
  // @ts-expect-error the method is client.deliveries.list
  void signalbox.listDeliveries;
}

// The compiler's error is that this field is missing.
expectTypeOf<keyof NotStreaming<"streaming">>().is<"call streamMessage for a streamed reply">(true);

const OPTIONS: ClientOptions = {
  baseUrl: "http://127.0.0.1:8080",
  session: true,
  headers: { "x-team": "web" },
  onRequest: ({ headers }) => headers.set("x-trace", "1"),
  onResponse: ({ status, durationMs }) => void [status, durationMs],
};

describe("types of the client", () => {
  it("the client has a resource for each subject, and no method of its own", () => {
    const client = createClient(OPTIONS);
    assert.ok(Object.values(client).every((resource) => typeof resource === "object"));
    assert.equal(typeof client.conversations.streamMessage, "function");
  });
});
