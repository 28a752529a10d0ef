import { z } from "zod";

/** Why an attempt failed or a delivery was given up: the closed list of stable words, each with its page in the docs. */
export const CAUSES = {
  forbidden_address: "Signalbox is not allowed to call this address",
  dns_not_found: "The host name does not exist",
  dns_failed: "The host name could not be resolved",
  connect_refused: "Connection refused: nothing is listening at this address",
  host_unreachable: "No route to the host",
  connection_lost: "The connection closed before the response was complete",
  timeout: "The receiver did not respond in time",
  tls_expired: "The TLS certificate has expired or is not yet valid",
  tls_wrong_host: "The TLS certificate is for another host name",
  tls_untrusted: "The TLS certificate is not signed by a trusted authority",
  tls_failed: "The TLS handshake failed",
  headers_too_large: "The response headers are too large",
  malformed_response: "The response is not valid HTTP",
  invalid_request: "The webhook's settings do not make a valid request",
  http_status: "The receiver did not respond with HTTP 200",
  unacknowledged: "HTTP 200 without the acknowledgement this strict webhook requires",
  unreadable_secret: "The webhook's stored secret could not be decrypted",
  no_destination: "The webhook or its agent was deleted",
  destination_down: "The webhook was down and this event could not wait",
  expired: "Waited too long for a webhook that was down",
  erased: "The user's data was erased before delivery",
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
