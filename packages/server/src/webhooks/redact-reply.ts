import type { Destination } from "./destination.ts";

const KEPT_BYTES = 4_096;
/** The longest way to write the longest credential: one that begins within the kept bytes must be seen whole. */
const LOOKED_AT_BYTES = KEPT_BYTES + 8_192;
const REDACTED = "[redacted]";

/** The first bytes of a reply, without our credentials: some receivers echo what they were sent, in whatever spelling. */
export function redactReply(
  body: Buffer,
  { username, secret }: Pick<Destination, "username" | "secret">,
): Buffer {
  const text = body.subarray(0, LOOKED_AT_BYTES).toString("latin1");
  const basic =
    username !== undefined && secret !== undefined
      ? Buffer.from(`${username}:${secret}`).toString("base64")
      : undefined;
  const credentials = [basic, secret, username].filter((credential) => credential !== undefined);
  const redacted = Buffer.from(redact(text, credentials), "latin1");
  return redacted.subarray(0, endOfCharacter(redacted, KEPT_BYTES));
}

/** A character of several bytes is kept whole or not at all. */
function endOfCharacter(bytes: Buffer, most: number): number {
  let end = Math.min(most, bytes.length);
  while (end > most - 4 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return end;
}

interface Spelled {
  /** One character for each that was spelled out. */
  plain: string;
  /** Where in the text each of them begins, and where the last ends. */
  starts: number[];
}

function redact(text: string, credentials: string[]): string {
  const { plain, starts } = readSpelling(text);
  const hidden = new Uint8Array(text.length);
  for (const credential of credentials) {
    const sought = readSpelling(credential).plain;
    if (sought === "") continue;
    for (let at = plain.indexOf(sought); at !== -1; at = plain.indexOf(sought, at + 1))
      hidden.fill(1, starts[at], starts[at + sought.length]);
  }
  let redacted = "";
  for (let at = 0; at < text.length; at += 1) {
    if (hidden[at] === 0) redacted += text[at];
    else if (hidden[at - 1] !== 1) redacted += REDACTED;
  }
  return redacted;
}

/** How JSON, HTML and URLs may write one character, also when one of them wraps another. Each match is read once. */
const SPELLINGS =
  /\\+(?:u00([0-9a-f]{2})|x([0-9a-f]{2}))?|%(?:25)*([0-9a-f]{2})|&(?:amp;)*#0*(\d{1,3});|&(?:amp;)*#x0*([0-9a-f]{1,2});|&(?:amp;)*(quot|amp|apos|lt|gt);|[^]/gi;
const HTML_NAMES: Readonly<Record<string, string>> = { quot: '"', amp: "&", apos: "'", lt: "<", gt: ">" };

/** Text as it reads, on both sides of the comparison: without backslashes, and with a blank for a plus. */
function readSpelling(text: string): Spelled {
  let plain = "";
  const starts: number[] = [];
  let end = 0;
  for (const { 0: spelled, 1: u, 2: x, 3: percent, 4: decimal, 5: hex, 6: name, index } of text.matchAll(
    SPELLINGS,
  )) {
    end = index + spelled.length;
    const code = decimal === undefined ? parseInt(u ?? x ?? percent ?? hex ?? "", 16) : Number(decimal);
    const character =
      name === undefined
        ? Number.isNaN(code)
          ? spelled
          : String.fromCharCode(code)
        : HTML_NAMES[name.toLowerCase()];
    if (character === undefined || character.startsWith("\\")) continue;
    plain += character === "+" ? " " : character;
    starts.push(index);
  }
  starts.push(end);
  return { plain, starts };
}
