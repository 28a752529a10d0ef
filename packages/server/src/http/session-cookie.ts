import type { FastifyRequest } from "fastify";
import { refuse, type Refusal } from "../platform/index.ts";

const NAME = "signalbox_session";
/** A browser takes a cookie of this name over HTTPS alone, and from no other host or path. */
const SECURE_NAME = `__Host-${NAME}`;

export function sessionTokenOf({ headers }: FastifyRequest): string | undefined {
  for (const part of headers.cookie?.split(";") ?? []) {
    const [name, value] = part.trim().split("=");
    if (name === NAME || name === SECURE_NAME) return value;
  }
  return undefined;
}

/** Strict: no request that another site begins carries it. */
const ATTRIBUTES = "Path=/; HttpOnly; SameSite=Strict";

export function sessionCookie(token: string, expiresAt: Date, isSecure: boolean): string {
  const rest = `${token}; ${ATTRIBUTES}; Expires=${expiresAt.toUTCString()}`;
  return isSecure ? `${SECURE_NAME}=${rest}; Secure` : `${NAME}=${rest}`;
}

/** After signing out, whichever of the two the browser had. */
export const NO_SESSION_COOKIES = [
  `${NAME}=; ${ATTRIBUTES}; Max-Age=0`,
  `${SECURE_NAME}=; ${ATTRIBUTES}; Max-Age=0; Secure`,
];

/**
 * CSRF protection beside SameSite: a browser names the Origin of a request that changes something, and only our pages may
 * send one. The scheme is not compared, because TLS often ends at a proxy; one that rewrites Host needs `publicUrl`.
 */
export function refuseOrigin(request: FastifyRequest, publicUrl: string | undefined): Refusal | undefined {
  const { method, headers, host } = request;
  if (method === "GET") return undefined;
  const origin = headers.origin === undefined ? null : URL.parse(headers.origin);
  const hosts = [host, publicUrl === undefined ? undefined : new URL(publicUrl).host];
  if (origin !== null && origin.host !== "" && hosts.includes(origin.host)) return undefined;
  return refuse(
    "missingScope",
    "the Origin header must name this service: sign in and call from its own pages, behind a proxy that passes on Host or with PUBLIC_URL set; a program sends an operator token instead",
  );
}
