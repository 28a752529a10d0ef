import { isIP } from "node:net";
import { domainToASCII } from "node:url";
import ipaddr from "ipaddr.js";
import type { InternalAddresses } from "./internal-addresses.ts";

/** A port by number; `*`: every port that is not usually an internal service's; undefined: 80 and 443. */
export type AllowedPort = number | "*" | undefined;

/** The allow-list of one purpose: webhooks, models or imports. */
export interface AddressRules {
  /** Host names that may lead to private addresses. */
  allowedHosts: { host: string; port: AllowedPort }[];
  /** Addresses or CIDR ranges that may be called although they are private. */
  allowedRanges: { range: string; port: AllowedPort }[];
  /** The engine's, the database's and our own: no allow-list opens these. */
  internal?: InternalAddresses;
}

/** Guards against SSRF (server-side request forgery): says where the way out may lead. */
export interface AddressGuard {
  /** Judges one address a name resolved to, or a literal. */
  mayConnect: (hostname: string, address: string, port: number) => boolean;
  /** False when no address of the host could be called at this port. */
  mayUsePort: (hostname: string, port: number) => boolean;
  /** `local`: as this machine knows it. `never`: whatever it leads to is forbidden. */
  lookupOf: (hostname: string) => "dns" | "local" | "never";
}

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** Cloud metadata services: no allow-list opens these. Azure's wire server is formally a public address. */
const METADATA = [
  "169.254.169.254",
  "169.254.170.2",
  "169.254.170.23",
  "100.100.100.200",
  "192.0.0.192",
  "168.63.129.16",
  "fd00:ec2::254",
  "fd00:ec2::23",
  "fd20:ce::254",
];

/**
 * Only global unicast is public; for IPv6 that is 2000::/3 without its tunnels, because ipaddr.js calls ::/96 unicast too.
 * A name that means something only inside a network never leads to a public address: a search domain would be choosing it.
 */
export function createAddressGuard({ allowedHosts, allowedRanges, internal }: AddressRules): AddressGuard {
  const hosts = Map.groupBy(allowedHosts, ({ host }) => nameOf(domainToASCII(host) || host));
  const ranges = allowedRanges.map(({ range, port }) => ({ range: parseRange(range), port }));
  const metadata = METADATA.map((address) => ipaddr.process(address).toString());
  const isAllowedHost = (hostname: string, port: number) =>
    hosts.get(nameOf(hostname))?.some((entry) => isPortOf(entry.port, port)) ?? false;

  return {
    mayConnect(hostname, address, port) {
      if (!ipaddr.isValid(address)) return false;
      const judged = ipaddr.process(address);
      const reached = [judged, carriedBy(judged)].map(String);
      if (reached.some((found) => metadata.includes(found))) return false;
      if (reached.some((found) => internal?.includes(nameOf(hostname), found, port) === true)) return false;
      if (isAllowedHost(hostname, port)) return true;
      if (ranges.some((entry) => isWithin(judged, entry.range) && isPortOf(entry.port, port))) return true;
      if (isLocalName(nameOf(hostname)) || judged.range() !== "unicast" || !isOrdinaryPort(port))
        return false;
      return judged.kind() === "ipv4" || isWithin(judged, GLOBAL_UNICAST);
    },
    mayUsePort: (hostname, port) =>
      isOrdinaryPort(port) ||
      isAllowedHost(hostname, port) ||
      ranges.some((entry) => isPortOf(entry.port, port)),
    lookupOf(hostname) {
      if (hosts.has(nameOf(hostname))) return "local";
      if (!isLocalName(nameOf(hostname))) return "dns";
      return ranges.length > 0 ? "local" : "never";
    },
  };
}

const GLOBAL_UNICAST = ipaddr.parseCIDR("2000::/3");

const WEB_PORTS = new Set([80, 443]);

/** Above 1023, what databases, brokers, caches, control planes and our own engine listen on: denied unless named. */
const INTERNAL_PORTS = new Set([
  1433, 1521, 2375, 2376, 2379, 2380, 3306, 5122, 5432, 5672, 5984, 6379, 6443, 8080, 8086, 8200, 8500, 9042,
  9070, 9080, 9090, 9092, 9093, 9100, 9200, 9300, 10250, 10255, 11211, 15672, 27017,
]);

function isOrdinaryPort(port: number): boolean {
  return WEB_PORTS.has(port) || (port >= 1024 && !INTERNAL_PORTS.has(port));
}

function isPortOf(allowed: AllowedPort, port: number): boolean {
  if (allowed === undefined) return WEB_PORTS.has(port);
  return allowed === "*" ? isOrdinaryPort(port) : allowed === port;
}

/** Networks with an IPv4 address inside, and the byte it begins at: a translator or tunnel goes on to that address. */
const CARRIERS: [[Address, number], number][] = [
  [ipaddr.parseCIDR("::/96"), 12],
  [ipaddr.parseCIDR("::ffff:0:0:0/96"), 12],
  [ipaddr.parseCIDR("64:ff9b::/96"), 12],
  [ipaddr.parseCIDR("64:ff9b:1::/48"), 12],
  [ipaddr.parseCIDR("2002::/16"), 2],
];

function carriedBy(address: Address): Address {
  const [, begin] = CARRIERS.find(([range]) => isWithin(address, range)) ?? [];
  if (begin === undefined) return address;
  return ipaddr.fromByteArray(address.toByteArray().slice(begin, begin + 4));
}

function nameOf(hostname: string): string {
  return hostname.toLowerCase().replace(/\.$/, "");
}

function isLocalName(name: string): boolean {
  if (isIP(name) !== 0) return false;
  return !name.includes(".") || /\.(localhost|local|internal|home\.arpa)$/.test(name);
}

function parseRange(range: string): [Address, number] {
  if (range.includes("/")) return ipaddr.parseCIDR(range);
  const address = ipaddr.process(range);
  return [address, address.kind() === "ipv4" ? 32 : 128];
}

function isWithin(address: Address, range: [Address, number]): boolean {
  return address.kind() === range[0].kind() && address.match(range);
}
