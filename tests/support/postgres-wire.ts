/** Something that the client asks for, and that PostgreSQL ends with one ReadyForQuery. */
export type Request = {
  text: string;
  writes: boolean;
  isCommit: boolean;
};

export type ServerFrame = { type: string; body: Buffer; at: number };

type Frame = { type: string; body: Buffer; at: number };

const HEADER_BYTES = 5;
const TEXT_SHOWN = 2_000;

/** Splits what one side says into messages; `at` is where one begins in the chunk, negative if it began in an earlier one. */
function frameReader(): (chunk: Buffer) => Frame[] {
  let rest: Buffer = Buffer.alloc(0);
  return (chunk) => {
    const known = rest.length;
    const bytes = known === 0 ? chunk : Buffer.concat([rest, chunk]);
    const frames: Frame[] = [];
    let at = 0;
    while (at + HEADER_BYTES <= bytes.length) {
      const end = at + 1 + bytes.readUInt32BE(at + 1);
      if (end > bytes.length) break;
      frames.push({
        type: String.fromCharCode(bytes[at] ?? 0),
        body: bytes.subarray(at + HEADER_BYTES, end),
        at: at - known,
      });
      at = end;
    }
    rest = bytes.subarray(at);
    return frames;
  };
}

/** What a client asks for, in order, once each request is there as a whole. */
export function requestReader(): (chunk: Buffer) => Request[] {
  const read = frameReader();
  const prepared = new Map<string, string>();
  let hasBegun = false;
  let texts: string[] = [];
  return (chunk) => {
    if (!hasBegun) {
      // The startup packet has no type, and is answered like a request.
      hasBegun = true;
      return [requestOf("startup")];
    }
    return read(chunk).flatMap(({ type, body }) => {
      if (type === "Q") return [requestOf(textAt(body, 0))];
      if (type === "P") {
        const name = textAt(body, 0);
        prepared.set(name, textAt(body, Buffer.byteLength(name) + 1));
      }
      if (type === "B") texts.push(prepared.get(textAt(body, Buffer.byteLength(textAt(body, 0)) + 1)) ?? "");
      if (type !== "S") return [];
      const request = requestOf(texts.join(";"));
      texts = [];
      return [request];
    });
  };
}

/** CommandComplete, ErrorResponse and ReadyForQuery among what PostgreSQL answers. */
export function answerReader(): (chunk: Buffer) => ServerFrame[] {
  const read = frameReader();
  return (chunk) => read(chunk).filter(({ type }) => type === "C" || type === "E" || type === "Z");
}

/** A ReadyForQuery says whether a transaction is open. */
export function isIdle({ type, body }: ServerFrame): boolean {
  return type === "Z" && body.toString("latin1") === "I";
}

export function tagOf({ body }: ServerFrame): string {
  return textAt(body, 0);
}

function textAt(body: Buffer, from: number): string {
  const end = body.indexOf(0, from);
  return body.toString("utf8", from, end === -1 ? body.length : end);
}

function requestOf(text: string): Request {
  const withoutLocks = text.replaceAll(/\bfor (no key )?update\b/gi, "");
  return {
    text: text.slice(0, TEXT_SHOWN),
    writes: /\b(insert into|update|delete from)\b/i.test(withoutLocks),
    isCommit: /^\s*commit\b/i.test(text),
  };
}
