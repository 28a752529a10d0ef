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

/**
 * Calls to the inbox go to INBOX_URL and nowhere else, by a way out of their own: for everybody else the service's own port stays
 * forbidden. Whether a destination is an inbox is said by its row, which only the service itself writes.
 */
function withInbox(
  webhooks: platform.Outbound,
  inbox: platform.Outbound,
  inboxUrl: string,
): platform.Outbound {
  return {
    ...webhooks,
    post: (post) =>
      post.toInbox === true
        ? inbox.post({ ...post, url: `${inboxUrl}${new URL(post.url).pathname}` })
        : webhooks.post(post),
  };
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
  const { hostname, port, protocol } = new URL(config.http.inboxUrl);
  const host = hostname.replace(/^\[|\]$/g, "");
  const inbox = opening.adopt(
    platform.openOutbound({
      allowedHosts: [{ host, port: Number(port) || DEFAULT_PORTS[protocol] }],
      allowedRanges: [],
      connectionLifeMs,
      onForbidden: (refused) => log.info("outbound_forbidden", { purpose: "inbox", ...refused }),
    }),
    (client) => client.close(),
  );
  return {
    webhooks: withInbox(open("webhooks"), inbox, config.http.inboxUrl),
    models: open("models"),
    imports: open("imports"),
    signIn: open("signIn"),
  };
}

/** Where our own parts listen: nobody is called there, whatever an allow-list says. */
function internalTargets({ database, engine, http }: Config): platform.InternalTarget[] {
  const engineUrls = [engine.ingressUrl, engine.adminUrl, engine.serviceUri].map((url) => new URL(url));
  const databaseUrls = [database.url, database.directUrl, database.migrationUrl].map((url) => new URL(url));
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
