import type { FastifyInstance } from "fastify";
import { Refusal } from "../platform/index.ts";
import { sendRefusal } from "./failure-reply.ts";

export type ReadAudio = (token: string) => Promise<{ contentType: string; audio: Buffer } | Refusal>;

/** What agents said aloud. Its address is all that is needed, so nobody on the way keeps it, and it is taken for nothing else. */
export function serveAudio(http: FastifyInstance, readAudio: ReadAudio): void {
  http.get<{ Params: { token: string } }>("/v1/audio/:token", async (request, reply) => {
    const found = await readAudio(request.params.token);
    if (found instanceof Refusal) return sendRefusal(reply, found);
    const { audio, contentType } = found;
    reply.headers({
      "content-type": contentType,
      "accept-ranges": "bytes",
      "cache-control": "private, max-age=3600",
      "x-content-type-options": "nosniff",
      "content-security-policy": "default-src 'none'; sandbox",
      "cross-origin-resource-policy": "cross-origin",
    });
    // Some browsers play nothing that they cannot ask for in parts.
    const part = partOf(request.headers.range, audio.length);
    if (part === undefined) return reply.send(audio);
    return reply
      .code(206)
      .header("content-range", `bytes ${part.first}-${part.last}/${audio.length}`)
      .send(audio.subarray(part.first, part.last + 1));
  });
}

/** One part, of bytes that are there; whatever else is asked for is answered with the whole, as RFC 9110 allows. */
function partOf(range: string | undefined, length: number): { first: number; last: number } | undefined {
  const [, from = "", to = ""] = /^bytes=(\d*)-(\d*)$/.exec(range ?? "") ?? [];
  if (from === "" && to === "") return undefined;
  const first = from === "" ? Math.max(0, length - Number(to)) : Number(from);
  const last = from === "" || to === "" ? length - 1 : Math.min(Number(to), length - 1);
  return first <= last ? { first, last } : undefined;
}
