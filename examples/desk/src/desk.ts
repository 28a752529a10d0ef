import type { IncomingMessage, ServerResponse } from "node:http";
import type { Client } from "@signalbox/sdk";
import { nodeReceiver } from "@signalbox/sdk/node";
import { openOutbox } from "./outbox.ts";
import { createDeskReceiver, type DeskCredentials } from "./receiving.ts";
import { answerBrowser } from "./requests.ts";
import { openSessions } from "./sessions.ts";
import { openStore } from "./store.ts";
import { createViewers } from "./viewers.ts";

export interface DeskOptions {
  /** Where everything is kept. */
  file: string;
  /** What the service proves itself with; the human service's URL is this desk's with `/hooks`. */
  credentials: DeskCredentials;
  /** With the key of the agent whose user asks; undefined: not an agent of this desk. */
  clientFor: (agentId: string | null) => Client | undefined;
  /** The team's password; without one, only browsers of this machine are answered. */
  password?: string | undefined;
  /** Below which path it is served, such as `/desk`; left out: at the root. */
  basePath?: string;
  /** How long conversations that ended are kept. */
  keepDays?: number;
}

export interface Desk {
  handle(request: IncomingMessage, response: ServerResponse): void;
  close(): Promise<void>;
}

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

export function openDesk(options: DeskOptions): Desk {
  const { file, credentials, clientFor, password, basePath = "", keepDays = 90 } = options;
  const store = openStore(file);
  const viewers = createViewers();
  const outbox = openOutbox(store, clientFor, viewers.tell);
  const receive = nodeReceiver(createDeskReceiver(credentials, store, viewers.tell));
  const sessions = openSessions(store, password, `${basePath}/`);
  const forget = () => store.forgetBefore(Date.now() - keepDays * DAY_MS);
  forget();
  const forgetting = setInterval(forget, HOUR_MS).unref();

  return {
    handle(request, response) {
      const path = (request.url ?? "").split("?", 1)[0]?.slice(basePath.length) ?? "";
      if (path === "/hooks" || path.startsWith("/hooks/")) receive(request, response);
      else void answerBrowser({ store, viewers, outbox, sessions, basePath }, path, request, response);
    },
    async close() {
      clearInterval(forgetting);
      viewers.close();
      await outbox.stop();
      store.close();
    },
  };
}
