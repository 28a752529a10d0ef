import ipaddr from "ipaddr.js";

export interface AddressRules {
  /** Host names whose private addresses may be called. */
  allowedHosts: string[];
  /** Addresses or CIDR ranges that may be called although they are private. */
  allowedRanges: string[];
}

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** Cloud metadata services: no allow-list opens these. Azure's wire server is formally a public address. */
const METADATA = [
  "169.254.169.254",
  "169.254.170.2",
  "100.100.100.200",
  "192.0.0.192",
  "168.63.129.16",
  "fd00:ec2::254",
];

/**
 * Judges one address a name resolved to, or a literal. Only global unicast is public; for IPv6 that is 2000::/3 without
 * its tunnels, because ipaddr.js calls ::/96 unicast too.
 */
export function createAddressJudge({ allowedHosts, allowedRanges }: AddressRules) {
  const hosts = new Set(allowedHosts.map((host) => host.toLowerCase()));
  const ranges = allowedRanges.map(parseRange);
  const metadata = METADATA.map((address) => ipaddr.process(address).toString());

  return function mayConnect(hostname: string, address: string): boolean {
    if (!ipaddr.isValid(address)) return false;
    const judged = ipaddr.process(address);
    if ([judged, carriedBy(judged)].some((found) => metadata.includes(found.toString()))) return false;
    if (hosts.has(hostname.toLowerCase().replace(/\.$/, ""))) return true;
    if (ranges.some((range) => isWithin(judged, range))) return true;
    if (judged.kind() === "ipv4") return judged.range() === "unicast";
    return judged.range() === "unicast" && isWithin(judged, GLOBAL_UNICAST);
  };
}

const GLOBAL_UNICAST = ipaddr.parseCIDR("2000::/3");

/** Networks with an IPv4 address inside, and the byte it begins at: a translator or tunnel goes on to that address. */
const CARRIERS: [[Address, number], number][] = [
  [ipaddr.parseCIDR("::ffff:0:0:0/96"), 12],
  [ipaddr.parseCIDR("64:ff9b::/96"), 12],
  [ipaddr.parseCIDR("2002::/16"), 2],
];

function carriedBy(address: Address): Address {
  const [, begin] = CARRIERS.find(([range]) => isWithin(address, range)) ?? [];
  if (begin === undefined) return address;
  return ipaddr.fromByteArray(address.toByteArray().slice(begin, begin + 4));
}

function parseRange(range: string): [Address, number] {
  if (range.includes("/")) return ipaddr.parseCIDR(range);
  const address = ipaddr.process(range);
  return [address, address.kind() === "ipv4" ? 32 : 128];
}

function isWithin(address: Address, range: [Address, number]): boolean {
  return address.kind() === range[0].kind() && address.match(range);
}
