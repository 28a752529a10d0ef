/** Headings of variants that no field tells apart. */
export const VARIANTS: Readonly<Record<string, string>> = {
  MessageAccepted: "In webhook mode",
  BlockingReply: "In blocking mode",
  StreamFailure: "When it failed",
};

export const INDEX = {
  about: `Every call in both directions, one page each. Numbers are sections of [the specification](../specification.md);
[decisions](../spec-decisions.md) lists what it leaves open. Every instance serves the same to read and try at
\`/reference\`, and as OpenAPI 3.1 at \`/openapi.json\`, which is
[packages/contract/openapi.json](../../../packages/contract/openapi.json). Examples use \`SIGNALBOX_URL\` and
\`SIGNALBOX_API_KEY\`, which \`signalbox dev\` prints as one \`export\` line.`,
  operator:
    "Agents, keys, webhooks, deliveries. The [command line](../cli.md) covers most of it. Send the operator token as `Authorization: Bearer <operator token>`.",
  live: "Calls of a user's browser, with a chat token: [live channel](../live-channel.md).",
  everyCall: [
    "## Rules for every call you make",
    [
      "- `Authorization: Bearer <API key>`. The key names the agent. A missing, wrong, expired or revoked key is 40127.",
      "- A key has every scope unless it was made with fewer. A call outside its scopes is 40300.",
      "- Bodies are JSON, at most 1 MiB unless the page says more. Fields that are not listed are ignored. `null` means left out.",
      "- Lengths are counted in Unicode characters. Times are milliseconds since 1970; a value of ten digits is read as seconds.",
      '- An error is `{ "code", "message" }`. Its HTTP status is the first three digits of the code: [errors](../errors/README.md).',
      "- `Idempotency-Key` on a `POST` or `PUT` makes a repeat safe for 24 hours. Another request under the same key is 40900.",
      "- 42900 and 50300 come with `Retry-After`. Wait that long, then repeat the call.",
    ].join("\n"),
    "## Rules for every call you receive",
    [
      "- HTTP 200 means accepted. Redirects are not followed. Answer within ten seconds, establish (4.6) within three.",
      "- A call may come twice. Its `webhook-id` is the same each time.",
      "- Verify the [signature](../signatures.md) over the raw bytes. See [receive webhooks](../../how-to/receive-webhooks.md).",
      "- `istest` true is an availability test: answer 200 and do nothing else.",
    ].join("\n"),
  ],
};
