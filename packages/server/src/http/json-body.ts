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
  /** When it held more values than this. */
  readonly valuesMax: number | undefined;

  constructor(problem: string, valuesMax?: number) {
    super(problem);
    this.valuesMax = valuesMax;
  }
}

const DEPTH_MAX = 32;
const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

export type ReadJson = { ok: true; body: JsonBody } | { ok: false; problem: UnreadableBody };

/** Everything PostgreSQL would choke on later is refused here, in words; what the event loop would, by the shape's judge. */
export function parseJson(bytes: Buffer): ReadJson {
  // Decisions: `application/json` with an empty body is an empty body.
  if (bytes.length === 0) return { ok: true, body: new JsonBody(bytes, undefined) };
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    return unreadable("the body is not valid UTF-8 JSON");
  }
  // Only an escape can bring in these two: raw ones are not valid UTF-8 or not valid JSON.
  if (bytes.includes("\\u") && hasUnstorableText(value)) {
    return unreadable("the body contains U+0000 or half of a surrogate pair");
  }
  return { ok: true, body: new JsonBody(bytes, value) };
}

function unreadable(problem: string): ReadJson {
  return { ok: false, problem: new UnreadableBody(problem) };
}

/**
 * One look at each byte, as they arrive and before anything is built. What JSON.parse costs depends on the number of values,
 * not of bytes: 10 MB of `{},{}` hold up the event loop for more than a second. A comma or a bracket begins a value.
 */
export function createShapeJudge(valuesMax: number): (bytes: Buffer) => UnreadableBody | undefined {
  let depth = 0;
  let values = 1;
  let inString = false;
  let isEscaped = false;
  return (bytes) => {
    for (let index = 0; index < bytes.length; index += 1) {
      const byte = bytes[index];
      if (isEscaped) isEscaped = false;
      else if (inString) {
        if (byte === BACKSLASH) isEscaped = true;
        else if (byte === QUOTE) inString = false;
      } else if (byte === QUOTE) inString = true;
      else if (byte === COMMA) values += 1;
      else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
        depth += 1;
        values += 1;
        if (depth > DEPTH_MAX)
          return new UnreadableBody(`the body is nested more than ${DEPTH_MAX} levels deep`);
      } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) depth -= 1;
      if (values > valuesMax)
        return new UnreadableBody(
          `the body contains more than ${valuesMax} values; split it into smaller requests`,
          valuesMax,
        );
    }
    return undefined;
  };
}

function hasUnstorableText(value: unknown): boolean {
  if (typeof value === "string") return value.includes("\u0000") || !value.isWellFormed();
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(value).some(([key, inner]) => hasUnstorableText(key) || hasUnstorableText(inner));
}
