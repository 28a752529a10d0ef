import type { Cause } from "@signalbox/contract";

interface CauseWords {
  title: string;
  /** What to do about it. */
  fix: string;
}

/** In step with docs/errors/causes. */
export const causes: Record<Cause, CauseWords> = {
  forbidden_address: {
    title: "Address not allowed",
    fix: "The URL leads to a private, local or reserved network. If the receiver is yours, ask the operator to allow it with WEBHOOK_ALLOWED_HOSTS or WEBHOOK_ALLOWED_IPS, including its port.",
  },
  dns_not_found: {
    title: "Host name not found",
    fix: "Check the URL for a misspelt host name, and that the domain's DNS record is published.",
  },
  dns_failed: {
    title: "DNS lookup failed",
    fix: "This usually passes. If it stays, check the domain's name servers and the resolver of the machine Signalbox runs on.",
  },
  connect_refused: {
    title: "Connection refused",
    fix: "Nothing is listening at this address. Start the receiver, or correct the port in the URL. Behind a load balancer: it has no healthy backend.",
  },
  host_unreachable: {
    title: "Host unreachable",
    fix: "Check routes and firewalls on both sides. If the name has only IPv6 addresses, Signalbox needs IPv6 too.",
  },
  connection_lost: {
    title: "Connection lost",
    fix: "The receiver or a proxy cut the connection; the message may have arrived. Look for a crash or restart, a proxy timeout or a request size limit. Deduplicate by webhook-id.",
  },
  timeout: {
    title: "Timed out",
    fix: "Answer 200 first and do slow work afterwards. The message may have arrived, so deduplicate by webhook-id.",
  },
  tls_expired: {
    title: "Certificate expired",
    fix: "Renew the receiver's certificate, and check the clock of both machines.",
  },
  tls_wrong_host: {
    title: "Certificate for another host",
    fix: "Use the host name the certificate was issued for, or issue one that includes this name.",
  },
  tls_untrusted: {
    title: "Certificate not trusted",
    fix: "Serve the full chain including intermediates. For a private authority, ask the operator to add it to the trusted certificates.",
  },
  tls_failed: {
    title: "TLS handshake failed",
    fix: "The receiver may speak plain HTTP at this port, or only TLS versions older than 1.2.",
  },
  headers_too_large: {
    title: "Response headers too large",
    fix: "Send fewer headers. Large cookies are the usual reason; a webhook needs none.",
  },
  malformed_response: {
    title: "Malformed response",
    fix: "The answer is not valid HTTP/1.1. Look for a proxy that speaks another protocol at this port.",
  },
  invalid_request: {
    title: "Request can't be built",
    fix: "The URL or the credentials cannot be written into a request. Configure the webhook again, then replay.",
  },
  http_status: {
    title: "Answer was not HTTP 200",
    fix: "Look in the receiver's log for the webhook-id. 401 or 403: compare the credentials. 404: check the path of the URL. Redirects are not followed.",
  },
  unacknowledged: {
    title: "Not acknowledged",
    fix: 'Answer with {"code":200,"msg":"success"}, or turn strict acknowledgement off: then every HTTP 200 counts.',
  },
  unreadable_secret: {
    title: "Stored secrets can't be opened",
    fix: "The sealing key changed. Ask the operator to restore the earlier key in SEALING_KEYS, or set the credentials again.",
  },
  no_destination: {
    title: "Webhook was deleted",
    fix: "There is nowhere left to send it. A webhook configured anew is another one.",
  },
  destination_down: {
    title: "Desk was down",
    fix: "The desk was failing when the user asked for a person. Its other deliveries say why.",
  },
  expired: {
    title: "Waited too long",
    fix: "The webhook was down for longer than messages wait. Once it answers again, replay what it missed.",
  },
  erased: {
    title: "Erased",
    fix: "The user's data was erased before delivery. Nothing is left to send.",
  },
};
