import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { build } from "esbuild";
import { type MadeAgent, makeAgent } from "../support/agents.ts";
import { type Bed, openBed } from "../support/bed.ts";
import { compileAlone, description, installed, print, without } from "./installed.ts";

const NEEDED = ["openapi-typescript", "@hey-api/openapi-ts", "typescript"];

/** What a caller writes with the types of openapi-typescript: both kinds of reply, and a request for each mode. */
const TYPED = `
import type { components, operations } from "./paths.ts";
type Content = operations["sendMessage"]["responses"][200]["content"];
type Request = components["schemas"]["SendMessageRequest"];
export const request: Request = {
  conversation_id: "c", response_mode: "blocking", messages: [{ role: "user", content: "When?" }],
};
// @ts-expect-error there is no such mode
export const other: Request = { ...request, response_mode: "later" };
export const textOf = (reply: Content["application/json"]) => ("output" in reply ? reply.output[0]?.content.text : reply.message_id);
export const choicesOf = (event: Content["text/event-stream"]) => ("message" in event && event.message === "Suggestions" ? event.data : []);
`;

/** What a caller writes with the client of @hey-api/openapi-ts. */
const CALLING = `
import { createConversation, listMessages, sendMessage } from "./client";
import { createClient } from "./client/client";
declare const BASE_URL: string, API_KEY: string;
const client = createClient({ baseUrl: BASE_URL, auth: () => API_KEY });
const begun = await createConversation({ client, body: { user_id: "generated" }, throwOnError: true });
const { conversation_id } = begun.data;
const messages = [{ role: "user" as const, content: "When do you open?" }];
const { data } = await sendMessage({ client, body: { conversation_id, response_mode: "blocking", messages } });
const text = data !== undefined && "output" in data ? data.output[0]?.content.text : undefined;
const listed = await listMessages({ client, query: { conversation_id }, throwOnError: true });
const refused = await sendMessage({ client, body: { conversation_id: crypto.randomUUID(), response_mode: "blocking", messages } });
console.log(JSON.stringify({ text, total: listed.data.total, code: refused.error?.code }));
`;

describe("generated clients", { skip: without(...NEEDED) }, () => {
  let bed: Bed;
  let agent: MadeAgent;
  let folder: string;

  before(async () => {
    bed = await openBed();
    agent = await makeAgent(bed, { qaList: [{ question: "When do you open?", answer: "At nine." }] });
    // Below the folder of the tests, where the generators and their types are found.
    folder = await mkdtemp(join(import.meta.dirname, "node_modules/.generated-"));
  });
  after(async () => {
    await bed?.[Symbol.asyncDispose]();
    if (folder !== undefined) await rm(folder, { recursive: true });
  });

  it("types of openapi-typescript compile, with both replies of sendMessage and a request for each mode", async () => {
    const cli = installed("openapi-typescript/bin/cli.js");
    await print(process.execPath, [cli, description, "-o", join(folder, "paths.ts")]);
    await writeFile(join(folder, "typed.ts"), TYPED);
    await compileAlone(folder, "typed.ts");
  });

  it("a client of @hey-api/openapi-ts compiles, and asks a running service", async () => {
    const cli = installed("@hey-api/openapi-ts/bin/run.js");
    await print(process.execPath, [cli, "-i", description, "-o", join(folder, "client"), "--no-log-file"]);
    const program = join(folder, "calling.ts");
    await writeFile(program, CALLING);
    await compileAlone(folder, "calling.ts");
    const outfile = join(folder, "calling.mjs");
    const define = { BASE_URL: JSON.stringify(bed.baseUrl), API_KEY: JSON.stringify(agent.apiKey) };
    await build({ entryPoints: [program], outfile, bundle: true, format: "esm", platform: "node", define });
    assert.deepEqual(JSON.parse(await print(process.execPath, [outfile])), {
      text: "At nine.",
      total: 2,
      code: 40356,
    });
  });
});
