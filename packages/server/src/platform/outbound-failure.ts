import type { Cause } from "@signalbox/contract";
import { errors } from "undici";
import { LookupFailed } from "./name-lookup.ts";

/** Causes that are not about the wire: there was an answer, or nothing was sent. */
type OtherCause =
  | "http_status"
  | "unacknowledged"
  | "unreadable_secret"
  | "no_destination"
  | "destination_down"
  | "expired"
  | "erased";

/** Why an exchange ended without an answer. */
export type UnansweredCause = Exclude<Cause, OtherCause>;

export interface Unanswered {
  kind: "unanswered";
  cause: UnansweredCause;
  /** For the log; a caller decides by the cause alone. */
  detail: string;
}

/** Nothing was sent: the address may not be called. */
export class ForbiddenAddress extends Error {}

/** The handshake failed, for the reason in `cause`. */
export class HandshakeFailed extends Error {}

class EndlessInterimAnswers extends Error {}

const INTERIM_ANSWERS_MAX = 16;

/** To be called at each interim answer (1xx): ends an exchange that consists of nothing else. */
export function countInterimAnswers(ending: AbortController): () => void {
  let interimAnswers = 0;
  return () => {
    interimAnswers += 1;
    if (interimAnswers > INTERIM_ANSWERS_MAX)
      ending.abort(new EndlessInterimAnswers("interim answers without end"));
  };
}

export function unanswered(cause: UnansweredCause, detail: string): Unanswered {
  return { kind: "unanswered", cause, detail };
}

export function describeFailure(error: unknown): Unanswered {
  if (!(error instanceof Error)) return unanswered("connection_lost", String(error));
  return unanswered(causeOfFailure(error), error.message === "" ? codeOf(error) : error.message);
}

function causeOfFailure(error: Error): UnansweredCause {
  if (error instanceof ForbiddenAddress) return "forbidden_address";
  if (error instanceof EndlessInterimAnswers || error instanceof errors.HTTPParserError)
    return "malformed_response";
  if (error instanceof LookupFailed) return error.isNotFound ? "dns_not_found" : "dns_failed";
  const isHandshake = error instanceof HandshakeFailed;
  const code = codeOf(isHandshake ? error.cause : error);
  return CAUSE_OF_CODE[code] ?? (isHandshake ? "tls_failed" : "connection_lost");
}

const CAUSE_OF_CODE: Readonly<Record<string, UnansweredCause>> = {
  ECONNREFUSED: "connect_refused",
  EHOSTUNREACH: "host_unreachable",
  ENETUNREACH: "host_unreachable",
  EADDRNOTAVAIL: "host_unreachable",
  ETIMEDOUT: "timeout",
  UND_ERR_CONNECT_TIMEOUT: "timeout",
  UND_ERR_HEADERS_TIMEOUT: "timeout",
  UND_ERR_BODY_TIMEOUT: "timeout",
  CERT_HAS_EXPIRED: "tls_expired",
  CERT_NOT_YET_VALID: "tls_expired",
  ERR_TLS_CERT_ALTNAME_INVALID: "tls_wrong_host",
  HOSTNAME_MISMATCH: "tls_wrong_host",
  DEPTH_ZERO_SELF_SIGNED_CERT: "tls_untrusted",
  SELF_SIGNED_CERT_IN_CHAIN: "tls_untrusted",
  UNABLE_TO_GET_ISSUER_CERT: "tls_untrusted",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "tls_untrusted",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "tls_untrusted",
  CERT_UNTRUSTED: "tls_untrusted",
  CERT_REVOKED: "tls_untrusted",
  CERT_SIGNATURE_FAILURE: "tls_untrusted",
  INVALID_CA: "tls_untrusted",
  UND_ERR_HEADERS_OVERFLOW: "headers_too_large",
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: "malformed_response",
  UND_ERR_INVALID_ARG: "invalid_request",
  ERR_INVALID_URL: "invalid_request",
};

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
}
