import {
  DISGUISED_URLS,
  FORBIDDEN_ANSWERS,
  FORBIDDEN_LITERALS,
  LOCAL_NAMES,
  METADATA_LITERALS,
  UNPARSABLE_HOSTS,
} from "./forbidden-addresses.ts";
import type { DnsAnswer } from "./dns-server.ts";

/** Where everything listens in the watched network. */
export const PORT = 8_443;
/** Public addresses: where a developer may well be. */
export const PUBLIC = "8.8.8.8";
export const PUBLIC_V6 = "2606:4700::1111";
const OTHER_PUBLIC = "9.9.9.9";
const SCHEMES = ["http", "https"] as const;
/** Ports that are no web server's. */
export const OTHER_PORTS = [22, 25, 110, 2_375, 5_432, 6_379, 6_443, 8_080, 9_070, 9_200, 11_211, 27_017];

/** One attempt to lead the way out astray. */
export type Case = {
  what: string;
  url: string;
  /** What the result must be; undefined: whatever it is, but nobody forbidden is visited. */
  expect?: string;
  mayVisit?: string[];
  rules?: {
    allowedHosts?: { host: string; port: "*" }[];
    allowedRanges?: { range: string; port: "*" }[];
  };
  zone?: Record<string, DnsAnswer[]>;
  /** Posts one after another, over one way out. */
  times?: number;
  redirectTo?: string;
};

const atAnyPort = (...ranges: string[]) => ranges.map((range) => ({ range, port: "*" as const }));

export const on = (scheme: string, host: string) => `${scheme}://${host}:${PORT}/hook`;

export function literalCases(): Case[] {
  return SCHEMES.flatMap((scheme) => [
    ...[...FORBIDDEN_LITERALS, ...METADATA_LITERALS, ...LOCAL_NAMES].map((host) => ({
      what: `${scheme} literal`,
      url: on(scheme, host),
      expect: "forbidden_address",
    })),
    ...METADATA_LITERALS.map((host) => ({
      what: `${scheme} metadata, everything allowed`,
      url: on(scheme, host),
      expect: "forbidden_address",
      rules: {
        allowedRanges: atAnyPort("0.0.0.0/0", "::/0"),
        allowedHosts: [{ host: host.replace(/^\[|\]$/g, ""), port: "*" as const }],
      },
    })),
    ...UNPARSABLE_HOSTS.map((host) => ({
      what: `${scheme} no URL`,
      url: on(scheme, host),
      expect: "invalid_request",
    })),
    ...["user:password@127.0.0.1", "a@127.1", `user@127.0.0.1@${PUBLIC}`, `user:pw@${PUBLIC}`].map(
      (host) => ({
        what: `${scheme} credentials in the URL`,
        url: on(scheme, host),
        expect: "invalid_request",
      }),
    ),
    ...DISGUISED_URLS.map((url) => ({
      what: "disguised URL",
      url: url
        .replace("PORT", String(PORT))
        .replace(/^(\s*)h(\W*)ttp/i, `$1h$2ttp${scheme === "https" ? "s" : ""}`),
      expect: "forbidden_address",
    })),
    ...OTHER_PORTS.map((port) => ({
      what: `${scheme} port of another service`,
      url: `${scheme}://${PUBLIC}:${port}/`,
      expect: "forbidden_address",
    })),
    // Octal, whatever others make of it: this is 87.0.0.1.
    { what: "octal trap", url: on(scheme, "0000000127.0.0.1"), mayVisit: ["87.0.0.1"] },
    { what: "backslash trap", url: `${scheme}://${PUBLIC}:${PORT}\\@127.0.0.1/`, mayVisit: [PUBLIC] },
    {
      what: "the peer of the socket is not the address that was judged",
      url: on(scheme, "0.0.0.0"),
      expect: "forbidden_address",
      rules: { allowedRanges: atAnyPort("0.0.0.0/32") },
    },
    {
      what: "the peer of the socket is not the address that was judged",
      url: on(scheme, "[::]"),
      expect: "forbidden_address",
      rules: { allowedRanges: atAnyPort("::/128") },
    },
  ]);
}

export function nameCases(): Case[] {
  return SCHEMES.flatMap((scheme) => [
    ...FORBIDDEN_ANSWERS.flatMap((address): Case[] => {
      const url = on(scheme, "name.example");
      const expect = "forbidden_address";
      return [
        {
          what: `${scheme} name at ${address}`,
          url,
          expect,
          zone: { "name.example": [{ addresses: [address] }] },
        },
        {
          what: `${scheme} name at ${PUBLIC} and ${address}`,
          url,
          expect,
          zone: { "name.example": [{ addresses: [PUBLIC, PUBLIC_V6, address] }] },
        },
        {
          what: `${scheme} name at ${address} and ${PUBLIC}`,
          url,
          expect,
          zone: { "name.example": [{ addresses: [address, PUBLIC] }] },
        },
        {
          what: `${scheme} alias of an internal name at ${address}`,
          url,
          expect,
          zone: {
            "name.example": [{ alias: "hop.example" }],
            "hop.example": [{ alias: "db.corp.example" }],
            "db.corp.example": [{ addresses: [address] }],
          },
        },
        {
          what: `${scheme} public at first, then ${address}`,
          url,
          times: 4,
          mayVisit: [PUBLIC],
          zone: { "name.example": [{ addresses: [PUBLIC] }, { addresses: [address] }] },
        },
        {
          what: `${scheme} ${PUBLIC} and ${address} by turns`,
          url,
          times: 4,
          mayVisit: [PUBLIC],
          zone: {
            "name.example": [PUBLIC, address, PUBLIC, address, PUBLIC, address].map((one) => ({
              addresses: [one],
            })),
          },
        },
        {
          what: `${scheme} redirected to ${address}`,
          url: on(scheme, PUBLIC),
          mayVisit: [PUBLIC],
          redirectTo: on("http", address.includes(":") ? `[${address}]` : address),
        },
      ];
    }),
    {
      what: `${scheme} private answer of the other family comes late`,
      url: on(scheme, "late.example"),
      mayVisit: [PUBLIC],
      zone: {
        "late.example": [{ addresses: [PUBLIC] }],
        "late.example AAAA": [{ addresses: ["::1"], delayMs: 600 }],
      },
    },
    {
      what: `${scheme} single label that a search domain makes whole`,
      url: on(scheme, "db"),
      expect: "forbidden_address",
      rules: { allowedRanges: atAnyPort("192.0.2.1") },
      zone: { "db.corp.example": [{ addresses: [PUBLIC] }] },
    },
    {
      what: `${scheme} name that only a search domain knows`,
      url: on(scheme, "db.internal-zone"),
      expect: "dns_not_found",
      zone: { "db.internal-zone.corp.example": [{ addresses: [PUBLIC] }] },
    },
    {
      what: "redirected elsewhere",
      url: on("http", PUBLIC),
      mayVisit: [PUBLIC],
      redirectTo: on("http", OTHER_PUBLIC),
    },
    { what: "redirected to itself", url: on("http", PUBLIC), mayVisit: [PUBLIC], redirectTo: `/again` },
  ]);
}
