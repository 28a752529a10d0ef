import { createClient, isFailure } from "@signalbox/sdk";

declare const BASE_URL: string;
declare const API_KEY: string;

/** What the SDK does in any runtime: ask, stream, read a list to its end, and tell a failure. */
let userAgent: string | null = null;
const signalbox = createClient({
  baseUrl: BASE_URL,
  apiKey: API_KEY,
  onRequest: ({ headers }) => void (userAgent = headers.get("user-agent")),
});
const { conversations, keys } = signalbox;
const { conversation_id } = await conversations.create({ user_id: "runtime" });
const messages = [{ role: "user" as const, content: "When do you open?" }];
const { output } = await conversations.sendMessage({ conversation_id, response_mode: "blocking", messages });
const streamed = await conversations.streamMessage({ conversation_id, messages }).text();
const roles: string[] = [];
for await (const { role } of conversations.listMessages({ conversation_id, page_size: 1 })) roles.push(role);
const stranger = createClient({ baseUrl: BASE_URL, apiKey: `sbx_${"0".repeat(40)}` });
const refused = await stranger.keys.verify().catch((error: unknown) => isFailure(error, "developerAuth"));
await keys.verify();
console.log(
  JSON.stringify({ answered: output[0]?.content.text, streamed, roles: roles.join(), refused, userAgent }),
);
