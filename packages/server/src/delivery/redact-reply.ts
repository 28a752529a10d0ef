import type { Destination } from "../webhooks/index.ts";

const KEPT_BYTES = 4_096;

/** The first bytes of a reply, without our credentials: some receivers echo what they were sent. */
export function redactReply(
  body: Buffer,
  { username, secret }: Pick<Destination, "username" | "secret">,
): Buffer {
  let text = body.subarray(0, KEPT_BYTES).toString("latin1");
  const basic =
    username !== undefined && secret !== undefined
      ? Buffer.from(`${username}:${secret}`).toString("base64")
      : undefined;
  for (const credential of [basic, secret, username]) {
    if (credential !== undefined) text = text.replaceAll(credential, "[redacted]");
  }
  return Buffer.from(text, "latin1");
}
