import { isIP } from "node:net";
import { z } from "zod";

export const seconds = z.coerce.number().positive().max(86_400);
export const port = z.coerce.number().int().min(1).max(65_535);

/** A whole number from `least` to `most`. */
export function count(least: number, most: number) {
  return z.coerce.number().int().min(least).max(most);
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

const ranges = z.array(z.string().refine(isAddressRange, "each is an address or a range such as 10.0.0.0/8"));

export const addressRanges = list.pipe(ranges);

export function addressRangesOr(fallback: string) {
  return listOr(fallback).pipe(ranges);
}
