import type { LookupAddress } from "node:dns";
import { isIP } from "node:net";
import { callbackify } from "node:util";
import { buildConnector } from "undici";
import { createAddressGuard, type AddressRules } from "./address-guard.ts";
import { lookUpInDns, lookUpLocally } from "./name-lookup.ts";
import { ForbiddenAddress, HandshakeFailed } from "./outbound-failure.ts";

const CONNECT_MS = 10_000;

/**
 * Makes every connection of the way out. An address is judged as a literal, as the answer of the resolver, and once more
 * as the peer of the socket, before the first byte is sent: of the application or of the handshake.
 */
export function guardedConnector(rules: AddressRules): buildConnector.connector {
  const { mayConnect, mayUsePort, lookupOf } = createAddressGuard(rules);

  async function judgedLookup(hostname: string, _options: unknown): Promise<LookupAddress[]> {
    const how = lookupOf(hostname);
    if (how === "never") throw new ForbiddenAddress(`${hostname} means something only inside a network`);
    const addresses = await (how === "dns" ? lookUpInDns(hostname) : lookUpLocally(hostname));
    // One forbidden answer spoils all: a name that mixes public and private is an attack or a mistake.
    if (!addresses.every(({ address }) => mayConnect(hostname, address)))
      throw new ForbiddenAddress(`${hostname} resolves to a forbidden address`);
    return addresses;
  }
  const connectPlain = buildConnector({
    timeout: CONNECT_MS,
    lookup: callbackify(judgedLookup),
    autoSelectFamily: true,
    allowH2: false,
  });
  // Over a socket that is already connected and judged: on its own it would resolve and connect by itself.
  const connectSecure = buildConnector({ timeout: CONNECT_MS, allowH2: false });

  return (options, callback) => {
    const hostname = options.hostname.replace(/^\[|\]$/g, "");
    const isSecure = options.protocol === "https:";
    const port = options.port === "" ? (isSecure ? "443" : "80") : options.port;
    if (!mayUsePort(hostname, Number(port)))
      return callback(new ForbiddenAddress(`port ${port} is no port for a webhook`), null);
    // A literal never reaches the lookup.
    if (isIP(hostname) !== 0 && !mayConnect(hostname, hostname))
      return callback(new ForbiddenAddress(`${hostname} is a forbidden address`), null);

    const target = { ...options, hostname, port };
    connectPlain({ ...target, protocol: "http:" }, (error, socket) => {
      if (error !== null) return callback(error, null);
      if (!mayConnect(hostname, socket.remoteAddress ?? "")) {
        socket.destroy();
        return callback(new ForbiddenAddress(`${hostname} led to a forbidden address`), null);
      }
      if (!isSecure) return callback(null, socket);
      connectSecure({ ...target, httpSocket: socket }, (failure, secured) =>
        failure === null
          ? callback(null, secured)
          : callback(new HandshakeFailed(failure.message, { cause: failure }), null),
      );
    });
  };
}
