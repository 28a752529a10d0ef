import type { Route } from "@signalbox/contract";
import type { FastifyRequest } from "fastify";

const BYTES_OF_ONE_REQUEST = 100_000;
/** A form without a length may hold a file: it costs what is there. */
const FORM_BYTES = 100_000_000;

/** A large body counts as many requests, before it is read; one of unknown length as the largest its route takes. */
export function costOf(route: Route, { headers }: FastifyRequest): number {
  const most = route.form === undefined ? (route.bodyLimitBytes ?? 0) : FORM_BYTES;
  const unknown = headers["transfer-encoding"] === undefined ? 0 : most;
  return 1 + Math.floor(Number(headers["content-length"] ?? unknown) / BYTES_OF_ONE_REQUEST);
}
