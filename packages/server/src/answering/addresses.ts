import { normalized } from "@signalbox/contract";

/** Characters that may surround an address in running text; a Chinese sentence puts no blank there. */
const AROUND = /[\s<>"'`()[\]{}|*，。；：、！？（）【】「」“”‘’]+/u;
const SCHEME = /^(?:https?|ftp|wss?|file|data|javascript|mailto|tel|sms):|^\/\//;
const DOMAIN = /^(?:[\p{L}\p{N}-]+\.)+\p{Ll}{2,}(?:[/?#:]|$)/u;
const MAILBOX = /^[^@]+@[^@]+\.\p{L}{2,}$/u;
/** Shown as nothing, and enough to hide an address from a reader of text. */
const INVISIBLE = /[\u00ad\u200b-\u200f\u2060\ufeff]/g;

/** Links, mailboxes and bare domains of a text, each in one spelling. */
export function addressesIn(text: string): Set<string> {
  const found = new Set<string>();
  for (const piece of normalized(text).replaceAll(INVISIBLE, "").split(AROUND)) {
    const token = withoutStops(piece);
    const lower = token.toLowerCase();
    if (SCHEME.test(lower) || DOMAIN.test(token) || MAILBOX.test(lower)) found.add(canonical(lower));
  }
  return found;
}

const STOPS = ".,;:!?…";

/** A sentence may end behind an address. */
function withoutStops(piece: string): string {
  let end = piece.length;
  while (end > 0 && STOPS.includes(piece[end - 1]!)) end -= 1;
  return piece.slice(0, end);
}

function canonical(address: string): string {
  return address
    .replace(/^(?:(?:https?:)?\/\/|mailto:)/, "")
    .replace(/^www\./, "")
    .replace(/\/$/, "");
}
