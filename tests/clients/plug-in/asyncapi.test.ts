import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { createClient } from "@signalbox/sdk";
import { type MadeAgent, makeAgent } from "../../support/agents.ts";
import { type Bed, openBed } from "../../support/bed.ts";
import { followChat } from "../../support/followed-chat.ts";
import { compileAlone, importInstalled, without } from "../installed.ts";

type Message = { id(): string; payload(): { json(): object } | undefined };
type Document = { components: { messages: Record<string, { payload: object }> } };
type Generator = { compile(schema: object, name: string, options: object): Promise<string> };
type AsyncApi = {
  parse(
    text: string,
  ): Promise<{ document?: { allMessages(): { all(): Message[] } }; diagnostics: Diagnostic[] }>;
};
type Diagnostic = { message: string; path: (string | number)[] };
type Ajv = new (options: object) => {
  compile(schema: object): ((value: unknown) => boolean) & { errors?: unknown };
};

const NEEDED = ["@asyncapi/parser", "ajv", "json-schema-to-typescript", "typescript"];

/** What a developer writes with the types: the body of a webhook, and an event of a stream. */
const TYPED = `
import type { Messages } from "./types.ts";
export const textOf = (body: Messages["message"]) => body.output.map(({ content }) => content.text).join("");
export const isHuman = ({ sender }: Messages["followChat.message"]) => sender === "human";
// @ts-expect-error there is no such sender
export const isRobot = ({ sender }: Messages["followChat.message"]) => sender === "robot";
`;

describe("AsyncAPI parser", { skip: without(...NEEDED) }, () => {
  let bed: Bed;
  let agent: MadeAgent;
  let text: string;
  const schemas = new Map<string, object>();

  before(async () => {
    bed = await openBed();
    agent = await makeAgent(bed, { qaList: [{ question: "When do you open?", answer: "At nine." }] });
    text = await (await fetch(`${bed.baseUrl}/asyncapi.json`)).text();
  });
  after(() => bed?.[Symbol.asyncDispose]());

  it("the AsyncAPI document of a running service has no diagnostics of @asyncapi/parser", async () => {
    const { Parser } = await importInstalled<{ Parser: new () => AsyncApi }>("@asyncapi/parser/cjs/index.js");
    const { document, diagnostics } = await new Parser().parse(text);
    assert.deepEqual(
      diagnostics.map(({ message, path }) => `${message} at ${path.join("/")}`),
      [],
    );
    for (const message of document?.allMessages().all() ?? [])
      schemas.set(message.id(), message.payload()?.json() ?? {});
    assert.ok(schemas.has("message") && schemas.has("followChat.message"), [...schemas.keys()].join());
  });

  it("a delivered webhook and each event of a stream fit the schemas of the AsyncAPI document", async () => {
    const { default: Ajv } = await importInstalled<{ default: Ajv }>("ajv/dist/ajv.js");
    const { components } = JSON.parse(text) as { components: object };
    const fits = (name: string, value: unknown) => {
      const $ref = `#/components/messages/${name}/payload`;
      const validate = new Ajv({ strict: false, validateFormats: false }).compile({ $ref, components });
      assert.ok(validate(value), `${name}: ${JSON.stringify(validate.errors)} in ${JSON.stringify(value)}`);
    };
    await agent.ask(await agent.converse(), "When do you open?");
    const [delivered] = await agent.arrivals(1);
    fits("message", delivered?.body);
    const { token: chatToken } = await agent.client.chatTokens.mint({ user_id: "user-1" });
    const { chats } = createClient({ baseUrl: bed.baseUrl, chatToken });
    const { conversation_id } = await chats.begin();
    await chats.say({ conversation_id, text: "When do you open?" });
    const stream = await followChat({ baseUrl: bed.baseUrl, chatToken }, conversation_id);
    await stream.heard("ai: At nine.");
    await stream.leave();
    for (const { event, data } of stream.told) fits(`followChat.${event}`, data);
    assert.ok(
      new Set(stream.told.map(({ event }) => event)).isSupersetOf(new Set(["message", "control", "ready"])),
    );
    assert.throws(() => fits("message", { ...(delivered?.body as object), extra: 1 }));
  });

  it("types that json-schema-to-typescript generates from the AsyncAPI document compile", async (context) => {
    const generator = await importInstalled<Generator>("json-schema-to-typescript/dist/src/index.js");
    const folder = await mkdtemp(join(import.meta.dirname, "../node_modules/.asyncapi-"));
    context.after(() => rm(folder, { recursive: true }));
    const { components } = JSON.parse(text) as Document;
    const payloads = Object.entries(components.messages).map(([name, { payload }]) => [name, payload]);
    const schema = {
      type: "object",
      required: Object.keys(components.messages),
      properties: Object.fromEntries(payloads),
      components,
    };
    await writeFile(join(folder, "types.ts"), await generator.compile(schema, "Messages", { format: false }));
    await writeFile(join(folder, "typed.ts"), TYPED);
    await compileAlone(folder, "typed.ts");
  });
});
