import { isIP } from "node:net";
import { domainToASCII } from "node:url";
import ipaddr from "ipaddr.js";

export interface AddressRules {
  /** Host names whose private addresses, and whose every port, may be called. */
  allowedHosts: string[];
  /** Addresses or CIDR ranges that may be called although they are private. */
  allowedRanges: string[];
}

/** Where the way out may lead. */
export interface AddressGuard {
  /** Judges one address a name resolved to, or a literal. */
  mayConnect: (hostname: string, address: string) => boolean;
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
export function createAddressGuard({ allowedHosts, allowedRanges }: AddressRules): AddressGuard {
  const hosts = new Set(allowedHosts.map((host) => nameOf(domainToASCII(host) || host)));
  const ranges = allowedRanges.map(parseRange);
  const metadata = METADATA.map((address) => ipaddr.process(address).toString());

  return {
    mayConnect(hostname, address) {
      if (!ipaddr.isValid(address)) return false;
      const judged = ipaddr.process(address);
      if ([judged, carriedBy(judged)].some((found) => metadata.includes(found.toString()))) return false;
      if (hosts.has(nameOf(hostname))) return true;
      if (ranges.some((range) => isWithin(judged, range))) return true;
      if (isLocalName(nameOf(hostname)) || judged.range() !== "unicast") return false;
      return judged.kind() === "ipv4" || isWithin(judged, GLOBAL_UNICAST);
    },
    mayUsePort(hostname, port) {
      return hosts.has(nameOf(hostname)) || WEB_PORTS.has(port) || (port >= 1024 && !OTHER_PORTS.has(port));
    },
    lookupOf(hostname) {
      if (hosts.has(nameOf(hostname))) return "local";
      if (!isLocalName(nameOf(hostname))) return "dns";
      return ranges.length > 0 ? "local" : "never";
    },
  };
}

const GLOBAL_UNICAST = ipaddr.parseCIDR("2000::/3");

const WEB_PORTS = new Set([80, 443]);

/** Above 1023, what databases, brokers, caches and control planes listen on: a POST there is never a webhook. */
const OTHER_PORTS = new Set([
  1433, 1521, 2375, 2376, 2379, 2380, 3306, 5432, 5672, 6379, 9042, 9092, 9200, 9300, 10250, 11211, 27017,
]);

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
