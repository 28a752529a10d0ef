import { createHash, randomBytes, randomUUID } from "node:crypto";

const COUNTER_END = 0x1000;
let countedMs = 0;
let counter = 0;

/** UUID version 7: ordered by time, so that new rows land on the last page of an index; within a millisecond, by a counter. */
export function newId(): string {
  const now = Date.now();
  counter = now === countedMs ? (counter + 1) % COUNTER_END : 0;
  countedMs = now;
  const time = now.toString(16).padStart(12, "0");
  const count = counter.toString(16).padStart(3, "0");
  // The rest is that of a version 4, which Node draws from a pool of its own.
  return `${time.slice(0, 8)}-${time.slice(8)}-7${count}${randomUUID().slice(18)}`;
}

/** The same parts always give the same id, so that two nodes agree on it without asking. */
export function derivedId(...parts: string[]): string {
  const bytes = createHash("sha256").update(parts.join("\n")).digest().subarray(0, 16);
  // Version 8: made by a rule of our own.
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x80;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = bytes.toString("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/** Letters and digits, each equally likely: bytes past the last whole alphabet are thrown away. */
export function randomText(length: number): string {
  let text = "";
  while (text.length < length) {
    for (const byte of randomBytes(length)) {
      if (byte < 248 && text.length < length) text += ALPHABET[byte % 62];
    }
  }
  return text;
}

/** When an id of version 7 was made, in milliseconds. */
export function timeOfId(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16) || 0;
}

/** Ids are ordered by time: no id that was made from then on is smaller. */
export function firstIdAt(timeMs: number): string {
  const time = Math.max(0, timeMs).toString(16).padStart(12, "0");
  return `${time.slice(0, 8)}-${time.slice(8)}-0000-0000-000000000000`;
}
