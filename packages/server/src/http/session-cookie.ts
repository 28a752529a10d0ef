import type { FastifyRequest } from "fastify";
import { refuse, type Refusal } from "../platform/index.ts";

/** A browser takes a cookie whose name begins so over HTTPS alone, and from no other host or path. */
const SECURE = "__Host-";
const SESSION = "signalbox_session";
/** A sign-in whose password was right and whose code is still missing. */
const SIGN_IN = "signalbox_sign_in";
/** Its value is the token of a browser that somebody signed in from. */
const DEVICE = "signalbox_device";

export interface Cookies {
  sessionToken: string | undefined;
  signInToken: string | undefined;
  deviceToken: string | undefined;
  /** Whether browsers speak TLS to us, and so get cookies that only TLS carries. */
  isSecure: boolean;
}

/**
 * With TLS only `__Host-` names count: a site next to ours can set any other for our host, and sign somebody in to an account
 * that is not theirs. A proxy may hide the TLS before it, but then `publicUrl` tells of it.
 */
export function readCookies({ headers, protocol }: FastifyRequest, publicUrl: string | undefined): Cookies {
  const isSecure = protocol === "https" || publicUrl?.startsWith("https:") === true;
  const given = (headers.cookie ?? "").split(";").map((part) => part.trim().split("="));
  const valueOf = (name: string) =>
    given.find(([one]) => one === (isSecure ? `${SECURE}${name}` : name))?.[1];
  return {
    sessionToken: valueOf(SESSION),
    signInToken: valueOf(SIGN_IN),
    deviceToken: valueOf(DEVICE),
    isSecure,
  };
}

/** Strict: no request that another site begins carries it. */
const ATTRIBUTES = "Path=/; HttpOnly; SameSite=Strict";

export function sessionCookie(token: string, expiresAt: Date, isSecure: boolean): string {
  return cookieOf(SESSION, token, expiresAt, isSecure);
}

export function signInCookie(token: string, expiresAt: Date, isSecure: boolean): string {
  return cookieOf(SIGN_IN, token, expiresAt, isSecure);
}

/** It stays when its account signs out, and opens nothing. */
export function deviceCookie(token: string, expiresAt: Date, isSecure: boolean): string {
  return cookieOf(DEVICE, token, expiresAt, isSecure);
}

function cookieOf(name: string, token: string, expiresAt: Date, isSecure: boolean): string {
  const rest = `${name}=${token}; ${ATTRIBUTES}; Expires=${expiresAt.toUTCString()}`;
  return isSecure ? `${SECURE}${rest}; Secure` : rest;
}

/** After signing out, whichever of the two the browser had. */
export const NO_SESSION_COOKIES = endedCookies(SESSION);
/** After the code was given. */
export const NO_SIGN_IN_COOKIES = endedCookies(SIGN_IN);

function endedCookies(name: string): string[] {
  return [`${name}=; ${ATTRIBUTES}; Max-Age=0`, `${SECURE}${name}=; ${ATTRIBUTES}; Max-Age=0; Secure`];
}

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
