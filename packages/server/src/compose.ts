import { createSessionDirectory, inviteFirstOwner } from "./accounts/index.ts";
import { createKeyDirectory, createOperatorDirectory } from "./agents/index.ts";
import { readSpeech } from "./answering/index.ts";
import { openFoundation, type Foundation, type Role } from "./compose/foundation.ts";
import { findOwner } from "./compose/find-owner.ts";
import { composeHandlers } from "./compose/handlers.ts";
import { inboxReceiver } from "./compose/inbox.ts";
import { createRetrieval } from "./compose/knowledge.ts";
import { openWorker } from "./compose/worker.ts";
import type { Config } from "./config.ts";
import { takesKeylessCalls } from "./handoff/index.ts";
import { composeMcp } from "./compose/mcp.ts";
import {
  createHttp,
  createSilentProxies,
  findConsole,
  findWidget,
  stopListening,
  type FindOwner,
} from "./http/index.ts";
import { createChatTokens } from "./live/index.ts";
import type { Log } from "./platform/index.ts";

export { RefusedToRun, type Role } from "./compose/foundation.ts";
export { generateIdentityKey } from "./engine/index.ts";
export { migrateDatabase, planMigration, resealSecrets, verifySchema } from "./compose/maintenance.ts";

export interface Service extends AsyncDisposable {
  log: Log;
  /** Says 503 at /readyz, and serves on. */
  drain(): void;
  /** Takes no more work; what is under way ends with the disposal. */
  stop(): void;
}

/** The first reader of this log may become the owner, once, while there is no account. */
async function printFirstLink({ work, log, config }: Foundation): Promise<void> {
  const { publicUrl, host, port } = config.http;
  const path = await inviteFirstOwner(work);
  if (path === undefined) return;
  const reachable = ["0.0.0.0", "::"].includes(host) ? "localhost" : host;
  const link = `${publicUrl ?? `http://${reachable}:${port}`}${path}`;
  log.info("first_account_link", { link });
}

/** Opens everything a role needs, in order; closes it in reverse, also when opening fails half way. */
export async function composeService(config: Config, role: Role): Promise<Service> {
  await using opening = new AsyncDisposableStack();
  const foundation = await openFoundation(opening, config, role);
  const { log, metrics, health, lifecycle, work, console, sealer } = foundation;
  const retrieval = createRetrieval(foundation);
  const keys = createKeyDirectory(work, log);
  const chatTokens = createChatTokens({ db: work, sealer });
  const operators = createOperatorDirectory(work, log, config.operatorToken);
  const sessions = createSessionDirectory(work, log);
  const { host, port, rateLimitPerSecond, checksPerMinute, trustedProxies } = config.http;
  const { addressRateLimitPerSecond, visitorRateLimitPerSecond, operatorRateLimitPerSecond } = config.limits;
  const proxies = createSilentProxies({ log, publicUrl: config.http.publicUrl });
  const api = role === "worker" ? undefined : composeHandlers(foundation, retrieval, proxies);
  const ownerOf: FindOwner = (field, id) => findOwner(console.db, field, id);
  const http = createHttp({
    health,
    log,
    metrics,
    operator: (token) => operators.find(token),
    keepAliveMs: role === "worker" ? 0 : config.shutdownDrainMs,
    trustedProxies,
    addressRateLimitPerSecond,
    connections: config.limits.connections,
    api:
      api === undefined
        ? undefined
        : {
            ...api,
            answerMcp: composeMcp(foundation, api.handlers, ownerOf),
            authenticators: {
              apiKey: (key) => keys.find(key),
              chatToken: (token) => chatTokens.open(token),
              session: (token) => sessions.find(token),
              keylessDesk: (handoffId) => takesKeylessCalls(work, handoffId),
            },
            findOwner: ownerOf,
            onBehalfOf: (holder, work) => console.onBehalfOf(holder, work),
            publicUrl: config.http.publicUrl,
            proxies,
            readAudio: (token) => readSpeech({ db: work, sealer }, token),
            receiveInboxCall: inboxReceiver(foundation),
            consoleDirectory: config.http.isConsoleServed ? findConsole() : undefined,
            widget: findWidget(),
            rateLimitPerSecond,
            visitorRateLimitPerSecond,
            operatorRateLimitPerSecond,
            routeLimitsPerMinute: { check: checksPerMinute },
          },
  });
  opening.defer(() => http.close());
  // Closed before the API: what Restate sends to a worker that stops would come back at once, again and again.
  if (role !== "api") await openWorker(opening, foundation, retrieval);
  await http.listen({ host, port });
  if (role !== "worker" && config.http.isConsoleServed) await printFirstLink(foundation);

  const open = opening.move();
  return {
    log,
    drain: () => lifecycle.drain(),
    stop() {
      // Before live streams end: their clients come back at once, and must find another node.
      stopListening(http);
      lifecycle.stop();
    },
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}
