import { createServer } from "node:http";
import { createClient } from "@signalbox/sdk";
import { nodeReceiver } from "@signalbox/sdk/node";
import { createChatwoot } from "./chatwoot-api.ts";
import { createChatwootHook } from "./from-chatwoot.ts";
import { createBridgeReceiver } from "./from-signalbox.ts";
import { openOutbox } from "./outbox.ts";
import { openStore } from "./store.ts";

const DAY_MS = 86_400_000;

const {
  HOST = "127.0.0.1",
  PORT = "3200",
  BRIDGE_FILE = "bridge.sqlite",
  BRIDGE_KEEP_DAYS = "90",
  SIGNALBOX_URL = "http://127.0.0.1:8080",
  SIGNALBOX_WEBHOOK_USERNAME,
  SIGNALBOX_WEBHOOK_SECRET,
  SIGNALBOX_SIGNING_SECRET,
} = process.env;

function needed(name: string): string {
  const value = process.env[name] ?? "";
  if (value !== "") return value;
  console.error(`Missing ${name}. Set it as README.md describes, then start the bridge again.`);
  process.exit(1);
}

const client = createClient({ baseUrl: SIGNALBOX_URL, apiKey: needed("SIGNALBOX_API_KEY") });
const chatwoot = createChatwoot({
  url: needed("CHATWOOT_URL").replace(/(?<!\/)\/+$/, ""),
  accountId: needed("CHATWOOT_ACCOUNT_ID"),
  apiToken: needed("CHATWOOT_API_TOKEN"),
  inboxIdentifier: needed("CHATWOOT_INBOX_IDENTIFIER"),
});
const webhookSecret = needed("CHATWOOT_WEBHOOK_SECRET");

const store = openStore(BRIDGE_FILE);
const outbox = openOutbox(store, client, chatwoot);
const credentials = {
  username: SIGNALBOX_WEBHOOK_USERNAME,
  secret: SIGNALBOX_WEBHOOK_SECRET,
  signingSecrets: SIGNALBOX_SIGNING_SECRET,
};
const fromSignalbox = nodeReceiver(createBridgeReceiver(credentials, store, chatwoot));
const fromChatwoot = createChatwootHook(webhookSecret, store, outbox);

const forget = () => store.forgetBefore(Date.now() - Number(BRIDGE_KEEP_DAYS) * DAY_MS);
forget();
const forgetting = setInterval(forget, DAY_MS);

const server = createServer((request, response) => {
  const path = (request.url ?? "").split("?", 1)[0] ?? "";
  if (path === "/chatwoot") void fromChatwoot(request, response).catch(() => response.destroy());
  else if (path === "/hooks" || path.startsWith("/hooks/")) fromSignalbox(request, response);
  else response.writeHead(404).end();
}).listen(Number(PORT), HOST, () => console.log(`Chatwoot bridge listening at http://${HOST}:${PORT}`));

for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.once(signal, () => {
    clearInterval(forgetting);
    server.close();
    server.closeIdleConnections();
    void outbox.stop().then(() => {
      server.closeAllConnections();
      store.close();
    });
  });
