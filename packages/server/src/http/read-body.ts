import type { Readable } from "node:stream";
import { createShapeJudge, parseJson, type JsonBody } from "./json-body.ts";

export interface ExpectedBody {
  /** What Content-Length says; 0 where it says nothing. */
  announcedBytes: number;
  bytesMax: number;
  valuesMax: number;
}

/** Fastify's answer to a body beyond its limit has the same status. */
class BodyTooLarge extends Error {
  readonly statusCode = 413;
}

/**
 * Judges a body while it arrives. What is to be refused is not kept: 10 MB of `{},{}` would cost more to collect than to
 * judge. The rest is read and thrown away, since a sender that nobody reads from never sees the refusal.
 */
export function readBody(stream: Readable, expected: ExpectedBody): Promise<JsonBody> {
  const { announcedBytes, bytesMax, valuesMax } = expected;
  if (announcedBytes > bytesMax) return Promise.reject(new BodyTooLarge());
  const judge = createShapeJudge(valuesMax);
  const pieces: Buffer[] = [];
  let length = 0;
  return new Promise((resolve, reject) => {
    const settle = (take: () => void) => {
      stream.off("data", onPiece).off("end", onEnd).off("error", onError).resume();
      pieces.length = 0;
      take();
    };
    const onPiece = (piece: Buffer) => {
      length += piece.length;
      if (length > bytesMax) return settle(() => reject(new BodyTooLarge()));
      pieces.push(piece);
      const problem = judge(piece);
      if (problem !== undefined) settle(() => reject(problem));
    };
    const onEnd = () => {
      const read = parseJson(Buffer.concat(pieces, length));
      settle(() => (read.ok ? resolve(read.body) : reject(read.problem)));
    };
    const onError = (error: Error) => settle(() => reject(error));
    stream.on("data", onPiece).on("end", onEnd).on("error", onError);
  });
}
