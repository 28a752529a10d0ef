import { BlockList, isIP } from "node:net";
import type { Route, StatusWarning } from "@signalbox/contract";
import type { FastifyRequest } from "fastify";
import { LruMap, type Log } from "../platform/index.ts";
import type { ClientAddresses } from "./client-address.ts";

/** Notices trusted proxies that name no client: nothing limits an address behind them. */
export interface SilentProxies {
  note(route: Route, request: FastifyRequest, clients: ClientAddresses): void;
  warnings(): StatusWarning[];
}

const WARN_EVERY_MS = 3_600_000;
const PROXIES_MAX = 20;

export function createSilentProxies({
  log,
  publicUrl,
}: {
  log: Log;
  publicUrl: string | undefined;
}): SilentProxies {
  const warnedAt = new LruMap<string, number>(PROXIES_MAX);
  const silent = new Set<string>();

  /** Programs on this machine come without a proxy; a browser that uses a public URL does not. */
  function isProxy(address: string, route: Route): boolean {
    if (route.auth === "none") return false;
    if (!isLoopback(address)) return true;
    return publicUrl !== undefined && (route.auth === "chatToken" || route.auth === "browser");
  }

  return {
    note(route, { headers, socket }, clients) {
      const { remoteAddress: address = "" } = socket;
      if (headers["x-forwarded-for"] !== undefined || !clients.isTrustedProxy(address)) return;
      if (!isProxy(address, route)) return;
      const now = performance.now();
      if (now - (warnedAt.get(address) ?? -Infinity) < WARN_EVERY_MS) return;
      warnedAt.set(address, now);
      if (silent.size < PROXIES_MAX) silent.add(address);
      log.warn("proxy_names_no_client", { address });
    },
    warnings: () =>
      [...silent].map((address) => ({
        message: `The trusted proxy ${address} has sent requests without X-Forwarded-For, so nothing limits the addresses behind it.`,
        advice:
          "Let the proxy set X-Forwarded-For and restart the node, or take its address out of TRUSTED_PROXIES.",
      })),
  };
}

const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8, "ipv4");
loopback.addAddress("::1", "ipv6");

function isLoopback(address: string): boolean {
  return loopback.check(address, isIP(address) === 6 ? "ipv6" : "ipv4");
}
