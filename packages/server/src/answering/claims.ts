import { citedIn } from "./reply-text.ts";

/** One sentence of a reply, or one line of it, with what it cites. */
export interface Claim {
  /** As it stands in the reply, up to the next. */
  raw: string;
  cited: Set<number>;
  /** Whether another one follows: its citations are all here. */
  isOver: boolean;
}

const ENDS = /[.!?。！？]/;
const ENDS_ANYWHERE = /[。！？]/;
const BLANK = /\s/;
const CLOSES = /[”’"')）」]/;
const INTRODUCES = /[:：]$/;
const LIST_NUMBER = /^\s*\d{1,2}$/;

export function claimsIn(reply: string): Claim[] {
  const claims: Claim[] = [];
  for (let from = 0; from < reply.length;) {
    const claim = firstClaim(reply.slice(from));
    claims.push(claim);
    from += claim.raw.length;
  }
  return claims;
}

export function firstClaim(text: string): Claim {
  const end = afterCitations(text, endOfSentence(text));
  const raw = text.slice(0, end);
  return { raw, cited: citedIn(raw), isOver: end < text.length };
}

function endOfSentence(text: string): number {
  let lineFrom = 0;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at]!;
    if (character === "\n") {
      const line = text.slice(lineFrom, at).trim();
      lineFrom = at + 1;
      // What ends in a colon introduces the next line.
      if (line !== "" && !INTRODUCES.test(line)) return at;
    } else if (ENDS.test(character)) {
      const next = text[at + 1] ?? " ";
      const isStop = ENDS_ANYWHERE.test(character) || BLANK.test(next) || next === "[" || CLOSES.test(next);
      if (isStop && !LIST_NUMBER.test(text.slice(lineFrom, at))) return at + 1;
    }
  }
  return text.length;
}

/** Citations may stand behind the full stop. */
function afterCitations(text: string, from: number): number {
  let end = from;
  while (end < text.length) {
    const character = text[end]!;
    if (BLANK.test(character) || CLOSES.test(character) || character === ".") end += 1;
    else {
      const citation = /^\[\d{0,3}(?:\]|$)/.exec(text.slice(end, end + 5));
      if (citation === null) break;
      end += citation[0].length;
    }
  }
  return end;
}
