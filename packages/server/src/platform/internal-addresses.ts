import { networkInterfaces } from "node:os";
import ipaddr from "ipaddr.js";
import { lookUpLocally } from "./name-lookup.ts";

/** Where the parts of this installation listen: its engine, its database, its own ports. Nobody is called there on behalf of others. */
export interface InternalAddresses {
  includes: (hostname: string, address: string, port: number) => boolean;
  /** Looks their names up, at most once a minute; to be awaited before `includes` is asked. */
  refresh: () => Promise<void>;
}

export interface InternalTarget {
  host: string;
  port: number;
}

const LOOKED_UP_MS = 60_000;

/** A target on this machine is denied at every address of the machine: whatever the target listens on, some other spelling leads there. */
export function createInternalAddresses(
  targets: InternalTarget[],
  lookUp: (host: string) => Promise<{ address: string }[]> = lookUpLocally,
): InternalAddresses {
  const known = targets.map(({ host, port }) => ({
    name: host.toLowerCase().replace(/^\[|\]$/g, ""),
    port,
    addresses: new Set<string>(),
  }));
  let own = new Set<string>();
  let refreshing: Promise<void> | undefined;
  let lookedUpAt = -Infinity;

  async function lookUpAll(): Promise<void> {
    own = ownAddresses();
    await Promise.all(
      known.map(async (target) => {
        // A name that cannot be looked up now keeps the addresses it had.
        const found = await lookUp(target.name).catch(() => undefined);
        if (found !== undefined) target.addresses = new Set(found.map(({ address }) => canonical(address)));
      }),
    );
  }
  const isOwn = (address: string) => isLoopback(address) || own.has(address);

  return {
    includes(hostname, address, port) {
      const judged = canonical(address);
      return known.some((target) => {
        if (target.port !== port) return false;
        if (target.name === hostname || target.addresses.has(judged)) return true;
        return isOwn(judged) && [...target.addresses].some(isOwn);
      });
    },
    async refresh() {
      if (performance.now() - lookedUpAt >= LOOKED_UP_MS) {
        lookedUpAt = performance.now();
        refreshing = lookUpAll();
      }
      await refreshing;
    },
  };
}

function ownAddresses(): Set<string> {
  const interfaces = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return new Set(interfaces.map(({ address }) => canonical(address)));
}

/** The unspecified address leads to this machine too. */
function isLoopback(address: string): boolean {
  const range = ipaddr.parse(address).range();
  return range === "loopback" || range === "unspecified";
}

function canonical(address: string): string {
  return ipaddr.process(address).toString();
}
