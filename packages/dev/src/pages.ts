import { existsSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Desk } from "@signalbox/desk";
import { type Client, createClient } from "@signalbox/sdk";
import type { ConsoleLink } from "./console-sign-in.ts";
import type { Home } from "./home.ts";
import { PartFailed } from "./part.ts";
import { createReceivers } from "./receivers.ts";
import { type Door, isOwnPage, protect, readJson, reply, sendFile } from "./serving.ts";
import type { DevSettings, SeededAgent } from "./settings.ts";

const FILES = join(import.meta.dirname, "../pages");
/** What the chat page has in common with the sample desk. */
const DESK_FILES = join(dirname(fileURLToPath(import.meta.resolve("@signalbox/desk"))), "../page");
/** Whom the chat page lets talk: one developer, at however many browsers. */
const USER = { user_id: "you", email: "you@example.com" };

export function pageAddresses({ ports }: DevSettings) {
  const url = `http://127.0.0.1:${ports.pages}`;
  return { chat: `${url}/`, inbox: `${url}/inbox/en`, desk: `${url}/desk/` };
}

export interface PageParts {
  home: Home;
  settings: DevSettings;
  /** Whether the sample desk is wanted. */
  desk: boolean;
  consoleLink: ConsoleLink;
  show: (agentName: string, text: string) => void;
}

/** The chat page, the way into the console, the webhooks of the seeded agents and, where wanted, the sample desk, on one port. */
export async function servePages(
  door: Door,
  { home, settings, desk: wantsDesk, consoleLink, show }: PageParts,
): Promise<{ close(): Promise<void> }> {
  const { ports, agents } = settings;
  const serviceUrl = `http://127.0.0.1:${ports.http}`;
  const widget = findWidget();
  const seeded = Object.values(agents);
  const clients = new Map(
    seeded.map(({ agentId, apiKey }) => [agentId, createClient({ baseUrl: serviceUrl, apiKey })]),
  );
  const desk = wantsDesk ? await openSampleDesk(home, seeded, clients) : undefined;
  const receivers = createReceivers(agents, show);

  async function giveToken(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const language = new URLSearchParams(request.url?.split("?")[1]).get("language") ?? "";
    const client = clients.get(agents[language]?.agentId ?? "");
    if (client === undefined) return reply(response, 404, { problem: "unknown" });
    await readJson(request);
    const { token } = await client.chatTokens.mint(USER);
    reply(response, 200, { token });
  }

  async function answer(path: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!isOwnPage(request, ports.pages)) return reply(response, 403, { problem: "host" });
    protect(response, serviceUrl);
    const withService = (text: string) => text.replaceAll("SERVICE_URL", serviceUrl);
    const [, file] = path.match(/^\/pages\/([a-z-]+\.(?:css|js))$/) ?? [];
    const [, deskFile] = path.match(/^\/desk\/page\/([a-z-]+\.(?:css|js))$/) ?? [];
    const agent = agents[path.match(/^\/inbox\/([\w-]+)$/)?.[1] ?? ""];
    const [, linkToken] = path.match(/^\/console\/([\w-]{1,64})$/) ?? [];
    if (path === "/token" && request.method === "POST") return giveToken(request, response);
    if (request.method !== "GET") return reply(response, 404, { problem: "unknown" });
    if (path === "/") return sendFile(response, join(FILES, "chat.html"), withService);
    if (linkToken !== undefined) return consoleLink.follow(linkToken, request, response);
    if (path === "/signalbox-chat.js") return sendFile(response, widget);
    if (file !== undefined) return sendFile(response, join(FILES, file));
    if (deskFile !== undefined) return sendFile(response, join(DESK_FILES, deskFile));
    if (agent !== undefined) {
      response.writeHead(303, { location: `${serviceUrl}/console/inbox?agent=${agent.agentId}` }).end();
      return undefined;
    }
    reply(response, 404, { problem: "unknown" });
  }

  door.serve((request, response) => {
    const path = (request.url ?? "").split("?", 1)[0] ?? "";
    const receive = receivers.get(path.match(/^\/hooks\/([\w-]+)$/)?.[1] ?? "");
    if (receive !== undefined) receive(request, response);
    else if (desk !== undefined && (path === "/desk" || path.startsWith("/desk/")))
      desk.handle(request, response);
    else
      answer(path, request, response).catch((error: unknown) => {
        if (!response.headersSent) reply(response, 500, { problem: String(error) });
      });
  });
  return { close: async () => desk?.close() };
}

async function openSampleDesk(
  home: Home,
  agents: readonly SeededAgent[],
  clients: ReadonlyMap<string, Client>,
): Promise<Desk> {
  // Only here: it keeps its files with Node's own SQLite, which the Node of other commands may lack.
  const { openDesk } = await import("@signalbox/desk");
  return openDesk({
    file: join(home.path, "desk.sqlite"),
    basePath: "/desk",
    credentials: { signingSecrets: agents.map((agent) => agent.desk?.signingSecret) },
    clientFor: (agentId) => clients.get(agentId ?? ""),
  });
}

function findWidget(): string {
  const file = fileURLToPath(import.meta.resolve("@signalbox/widget/signalbox-chat.js"));
  if (existsSync(file)) return file;
  // Only in the repository, where nothing else needs to be built.
  throw new PartFailed(`${file} is not there: node packages/widget/bundle.ts makes it`);
}
