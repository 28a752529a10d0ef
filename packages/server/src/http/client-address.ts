import { BlockList, isIP } from "node:net";
import type { FastifyRequest } from "fastify";

/** Whom a request comes from, behind proxies that are known by their address. */
export interface ClientAddresses {
  /** For Fastify, which reads X-Forwarded-For from the right, up to the first address that is no proxy of ours. */
  isTrustedProxy: (address: string) => boolean;
  /** Undefined for a trusted proxy that names no client: a probe of its own, or a proxy that sends no X-Forwarded-For. */
  clientOf: (request: Pick<FastifyRequest, "ip">) => string | undefined;
}

export function createClientAddresses(trustedProxies: string[]): ClientAddresses {
  const trusted = new BlockList();
  for (const range of trustedProxies) {
    const [address = "", bits] = range.split("/");
    const family = isIP(address) === 6 ? "ipv6" : "ipv4";
    trusted.addSubnet(address, Number(bits ?? (family === "ipv6" ? 128 : 32)), family);
  }
  const isTrustedProxy = (address: string) => {
    const version = isIP(address);
    return version !== 0 && trusted.check(address, version === 6 ? "ipv6" : "ipv4");
  };
  return {
    isTrustedProxy,
    clientOf: ({ ip }) => (isIP(ip) === 0 || isTrustedProxy(ip) ? undefined : networkOf(ip)),
  };
}

const HEXTETS = 8;
const NETWORK_HEXTETS = 4;

/** One client has a whole /64 of IPv6 addresses to call from, and one IPv4 address however it is written. */
export function networkOf(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined || isIP(address) !== 6) return mapped ?? address;
  const [head = "", tail] = (address.split("%")[0] ?? "").split("::");
  const hextets = head === "" ? [] : head.split(":");
  const after = tail === undefined || tail === "" ? 0 : tail.split(":").length + (tail.includes(".") ? 1 : 0);
  const zeros = tail === undefined ? 0 : HEXTETS - hextets.length - after;
  const all = [...hextets, ...Array<string>(Math.max(0, zeros)).fill("0"), ...(tail?.split(":") ?? [])];
  const network = all.slice(0, NETWORK_HEXTETS).map((hextet) => Number.parseInt(hextet, 16).toString(16));
  return `${network.join(":")}::/64`;
}
