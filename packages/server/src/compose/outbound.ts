import type { Config } from "../config.ts";
import * as platform from "../platform/index.ts";

/** Restate's own default for traffic between its nodes; no setting of ours names it. */
const ENGINE_NODE_PORT = 5_122;
const DEFAULT_PORTS: Readonly<Record<string, number>> = { "http:": 80, "https:": 443 };
const POSTGRES_PORT = 5_432;

/** One way out for each purpose, with an allow-list of its own: a model that may be called can still not be read by an import. */
export interface WaysOut {
  webhooks: platform.Outbound;
  models: platform.Outbound;
  imports: platform.Outbound;
  /** To the identity provider. */
  signIn: platform.Outbound;
}

export function openWaysOut(opening: AsyncDisposableStack, config: Config, log: platform.Log): WaysOut {
  const internal = platform.createInternalAddresses(internalTargets(config));
  const { connectionLifeMs, ...configured } = config.outbound;
  const purposes = { ...configured, signIn: config.signIn.outbound };
  const open = (purpose: keyof typeof purposes) =>
    opening.adopt(
      platform.openOutbound({
        ...purposes[purpose],
        connectionLifeMs,
        internal,
        onForbidden: (refused) => log.info("outbound_forbidden", { purpose, ...refused }),
      }),
      (client) => client.close(),
    );
  return {
    webhooks: open("webhooks"),
    models: open("models"),
    imports: open("imports"),
    signIn: open("signIn"),
  };
}

/** Where our own parts listen: nobody is called there, whatever an allow-list says. */
function internalTargets({ database, engine, http }: Config): platform.InternalTarget[] {
  const engineUrls = [engine.ingressUrl, engine.adminUrl, engine.serviceUri].map((url) => new URL(url));
  const databaseUrls = [database.url, database.migrationUrl].map((url) => new URL(url));
  return [
    ...databaseUrls.map(({ hostname, port }) => ({ host: hostname, port: Number(port) || POSTGRES_PORT })),
    ...engineUrls.map(({ hostname, port, protocol }) => ({
      host: hostname,
      port: Number(port) || (DEFAULT_PORTS[protocol] ?? 0),
    })),
    { host: new URL(engine.adminUrl).hostname, port: ENGINE_NODE_PORT },
    { host: "127.0.0.1", port: engine.port },
    { host: "127.0.0.1", port: http.port },
  ].filter(({ host }) => host !== "");
}
