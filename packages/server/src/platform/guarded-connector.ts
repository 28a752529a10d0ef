import type { LookupAddress } from "node:dns";
import { isIP } from "node:net";
import { callbackify } from "node:util";
import { buildConnector } from "undici";
import { createAddressGuard, type AddressRules } from "./address-guard.ts";
import { noteConnection, type ConnectionTimings } from "./exchange-timings.ts";
import { LookupFailed, lookUpInDns, lookUpLocally } from "./name-lookup.ts";
import { ForbiddenAddress, HandshakeFailed } from "./outbound-failure.ts";

const CONNECT_MS = 10_000;

export interface ConnectorRules extends AddressRules {
  httpsOnly?: boolean;
  /** Told of every refusal, for the operator: callers learn nothing of what was judged. */
  onForbidden?: (refused: { host: string; port: number; reason: string }) => void;
}

/**
 * Guards against SSRF: makes every connection of the way out. An address is judged as a literal, as the answer of the
 * resolver, and once more as the peer of the socket, before the first byte is sent: of the application or of the handshake.
 */
export function guardedConnector(rules: ConnectorRules): buildConnector.connector {
  const { mayConnect, mayUsePort, lookupOf } = createAddressGuard(rules);

  async function judgedLookup(hostname: string, port: number): Promise<LookupAddress[]> {
    const how = lookupOf(hostname);
    if (how === "never") throw new ForbiddenAddress(`${hostname} means something only inside a network`);
    const addresses = await (how === "dns" ? lookUpInDns(hostname) : lookUpLocally(hostname));
    // One forbidden answer spoils all: a name that mixes public and private is an attack or a mistake.
    if (!addresses.every(({ address }) => mayConnect(hostname, address, port)))
      throw new ForbiddenAddress(`${hostname} resolves to a forbidden address`);
    return addresses;
  }
  const connectPlain = (
    target: buildConnector.Options,
    timings: ConnectionTimings,
    callback: buildConnector.Callback,
  ) => {
    const begunAt = performance.now();
    buildConnector({
      timeout: CONNECT_MS,
      lookup: callbackify(async (hostname: string, _options: unknown) => {
        try {
          return await judgedLookup(hostname, Number(target.port));
        } finally {
          timings.dnsMs = performance.now() - begunAt;
        }
      }),
      autoSelectFamily: true,
      allowH2: false,
    })(target, (...outcome) => {
      const [error] = outcome;
      if (!(error instanceof LookupFailed || error instanceof ForbiddenAddress))
        timings.connectMs = performance.now() - begunAt - (timings.dnsMs ?? 0);
      callback(...outcome);
    });
  };
  // Over a socket that is already connected and judged: on its own it would resolve and connect by itself.
  const connectSecure = buildConnector({ timeout: CONNECT_MS, allowH2: false });

  const connect = (
    options: buildConnector.Options,
    timings: ConnectionTimings,
    callback: buildConnector.Callback,
  ) => {
    const hostname = options.hostname.replace(/^\[|\]$/g, "");
    const isSecure = options.protocol === "https:";
    const portNumber = portOf(options);
    const port = String(portNumber);
    if (rules.httpsOnly === true && !isSecure)
      return callback(new ForbiddenAddress("only https may be called"), null);
    if (!mayUsePort(hostname, portNumber))
      return callback(new ForbiddenAddress(`port ${port} may not be called`), null);
    // A literal never reaches the lookup.
    if (isIP(hostname) !== 0 && !mayConnect(hostname, hostname, portNumber))
      return callback(new ForbiddenAddress(`${hostname} is a forbidden address`), null);

    const target = { ...options, hostname, port };
    connectPlain({ ...target, protocol: "http:" }, timings, (error, socket) => {
      if (error !== null) return callback(error, null);
      if (!mayConnect(hostname, socket.remoteAddress ?? "", portNumber)) {
        socket.destroy();
        return callback(new ForbiddenAddress(`${hostname} led to a forbidden address`), null);
      }
      if (!isSecure) return callback(null, socket);
      const connectedAt = performance.now();
      connectSecure({ ...target, httpSocket: socket }, (failure, secured) => {
        timings.tlsMs = performance.now() - connectedAt;
        if (failure === null) callback(null, secured);
        else callback(new HandshakeFailed(failure.message, { cause: failure }), null);
      });
    });
  };

  return (options, callback) => {
    const timings: ConnectionTimings = {};
    const told: buildConnector.Callback = (...outcome) => {
      const [error, socket] = outcome;
      noteConnection(error ?? socket, timings);
      if (error instanceof ForbiddenAddress)
        rules.onForbidden?.({ host: options.hostname, port: portOf(options), reason: error.message });
      callback(...outcome);
    };
    void (rules.internal?.refresh() ?? Promise.resolve()).then(() => connect(options, timings, told));
  };
}

function portOf({ protocol, port }: buildConnector.Options): number {
  if (port !== "") return Number(port);
  return protocol === "https:" ? 443 : 80;
}
