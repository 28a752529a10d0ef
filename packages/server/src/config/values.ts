import { isIP } from "node:net";
import { z } from "zod";

export const seconds = z.coerce.number().positive().max(86_400);
export const port = z.coerce.number().int().min(1).max(65_535);

/** A whole number from `least` to `most`. */
export function count(least: number, most: number) {
  return z.coerce.number().int().min(least).max(most);
}

/** So that one holder leaves room to another. */
export function halfOf(total: number): number {
  return Math.max(1, Math.floor(total / 2));
}

function listOr(fallback: string) {
  return z
    .string()
    .default(fallback)
    .transform((value) =>
      value
        .split(",")
        .map((part) => part.trim())
        .filter((part) => part !== ""),
    );
}

export const list = listOr("");

function isAddressRange(text: string): boolean {
  const [address = "", bits = "0", ...more] = text.split("/");
  const bitsMax = isIP(address) === 4 ? 32 : 128;
  return isIP(address) !== 0 && more.length === 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= bitsMax;
}

const ranges = z.array(
  z.string().refine(isAddressRange, "Each entry must be an IP address or a CIDR range, such as 10.0.0.0/8"),
);

export function addressRangesOr(fallback: string) {
  return listOr(fallback).pipe(ranges);
}

const isPort = (text: string | undefined) =>
  text === undefined || text === "*" || port.safeParse(text).success;
const PORT_MISTAKE =
  "The port must be a number up to 65535, or * for every port except those common for internal services";

function readPort(text: string | undefined): number | "*" | undefined {
  return text === undefined || text === "*" ? text : Number(text);
}

/** HOST or HOST:PORT. */
export const allowedHosts = list.pipe(
  z.array(
    z
      .string()
      .regex(
        /^[^\s:/[\]]+(:[^:]*)?$/,
        "Each entry must be a host name, such as desk.internal or desk.internal:8443",
      )
      .transform((entry) => entry.split(":"))
      .refine(([, port]) => isPort(port), PORT_MISTAKE)
      .transform(([host = "", port]) => ({ host, port: readPort(port) })),
  ),
);

/** An address or a range, alone or with a port; those of IPv6 in brackets before a port. */
export const allowedRanges = list.pipe(
  z.array(
    z
      .string()
      .transform((entry): [string, string | undefined] => {
        if (isAddressRange(entry)) return [entry, undefined];
        const [, bracketed, plain, port] = /^(?:\[([^\]]*)\]|([^:]*)):([^:]*)$/.exec(entry) ?? [];
        return [bracketed ?? plain ?? "", port];
      })
      .refine(
        ([range]) => isAddressRange(range),
        "Each entry must be an IP address or a CIDR range, such as 10.0.0.0/8, 10.0.0.7:8443 or [fd00::/8]:8443",
      )
      .refine(([, port]) => isPort(port), PORT_MISTAKE)
      .transform(([range, port]) => ({ range, port: readPort(port) })),
  ),
);
