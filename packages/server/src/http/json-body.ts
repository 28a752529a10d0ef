/** A request's body as it came, and what it says. The bytes are kept for the Idempotency-Key's comparison. */
export class JsonBody {
  readonly bytes: Buffer;
  readonly value: unknown;

  constructor(bytes: Buffer, value: unknown) {
    this.bytes = bytes;
    this.value = value;
  }
}

/** Fastify wants a parser's complaint as an error; the sentence is for the caller. */
export class UnreadableBody extends Error {
  readonly statusCode = 400;
}

const DEPTH_MAX = 32;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPENING = new Set([0x5b, 0x7b]);
const CLOSING = new Set([0x5d, 0x7d]);

export type ReadJson = { ok: true; body: JsonBody } | { ok: false; problem: string };

/** Everything PostgreSQL or a deep recursion would choke on later is refused here, in words. */
export function readJson(bytes: Buffer): ReadJson {
  // Decisions: `application/json` with an empty body is an empty body.
  if (bytes.length === 0) return { ok: true, body: new JsonBody(bytes, undefined) };
  if (isDeeperThan(bytes, DEPTH_MAX))
    return { ok: false, problem: `the body is nested deeper than ${DEPTH_MAX} levels` };
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    return { ok: false, problem: "the body is not valid JSON in UTF-8" };
  }
  // Only an escape can bring in these two: raw ones are not valid UTF-8 or not valid JSON.
  if (bytes.includes("\\u") && hasUnstorableText(value)) {
    return { ok: false, problem: "the body contains U+0000 or half of a surrogate pair" };
  }
  return { ok: true, body: new JsonBody(bytes, value) };
}

function isDeeperThan(bytes: Buffer, max: number): boolean {
  let depth = 0;
  let inString = false;
  for (let index = 0; index < bytes.length; index += 1) {
    const byte = bytes[index] ?? 0;
    if (inString) {
      if (byte === BACKSLASH) index += 1;
      else if (byte === QUOTE) inString = false;
    } else if (byte === QUOTE) inString = true;
    else if (OPENING.has(byte)) {
      depth += 1;
      if (depth > max) return true;
    } else if (CLOSING.has(byte)) depth -= 1;
  }
  return false;
}

function hasUnstorableText(value: unknown): boolean {
  if (typeof value === "string") return value.includes("\u0000") || !value.isWellFormed();
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(value).some(([key, inner]) => hasUnstorableText(key) || hasUnstorableText(inner));
}
