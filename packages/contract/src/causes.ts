import { z } from "zod";

/** Why an attempt failed or a delivery was given up: the closed list of stable words, each with its page in the docs. */
export const CAUSES = {
  forbidden_address: "The address may not be called",
  dns_not_found: "The host name does not exist",
  dns_failed: "The host name could not be resolved",
  connect_refused: "Nothing listens at the address",
  host_unreachable: "No route leads to the address",
  connection_lost: "The connection ended before the answer did",
  timeout: "No complete answer within the deadline",
  tls_expired: "The certificate has expired or is not yet valid",
  tls_wrong_host: "The certificate is for another host name",
  tls_untrusted: "The certificate is signed by nobody we trust",
  tls_failed: "The TLS handshake failed",
  headers_too_large: "The answer's headers are too large",
  malformed_response: "The answer is not HTTP as we understand it",
  invalid_request: "The request cannot be made as it is configured",
  http_status: "The answer was not HTTP 200",
  unacknowledged: "HTTP 200 without the acknowledgement a strict webhook asks for",
  unreadable_secret: "The webhook's stored secrets do not open",
  no_destination: "The webhook or its agent was deleted",
  destination_down: "The webhook was known to be down, and this could not wait",
  expired: "It waited too long for a webhook that was down",
  erased: "The user's data was erased before it was delivered",
} as const;

export type Cause = keyof typeof CAUSES;

export const CAUSE_NAMES = Object.keys(CAUSES) as Cause[];

export const CauseName = z.enum(CAUSE_NAMES).meta({
  id: "Cause",
  description: "Why an attempt failed; each has its page in docs/reference/errors/causes",
});

/** Where a cause is explained, as a path in the project. */
export function causePage(cause: Cause): string {
  return `docs/reference/errors/causes/${cause}.md`;
}
