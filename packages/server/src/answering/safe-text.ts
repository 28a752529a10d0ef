import type { ClaimCheck } from "./claim-check.ts";
import { firstClaim, type Claim } from "./claims.ts";
import { withoutOpenNumber } from "./numbers/read-numbers.ts";
import { withoutCitations, type Citations } from "./reply-text.ts";

const UNDECIDED_CHARACTERS_MAX = 64;
const BLANK = /\s/;
const DIGIT = /[\d０-９]/;
const CITATION_AT_END = /\[\d{0,3}\]$/;

/** Where the end begins that may still turn into something else: blanks, a citation, a number that is not over or counts a list. */
export function undecidedFrom(text: string): number {
  const least = Math.max(0, text.length - UNDECIDED_CHARACTERS_MAX);
  let from = text.length;
  while (from > least) {
    const last = text[from - 1] ?? "";
    const mayBelong =
      last === "[" ||
      BLANK.test(last) ||
      DIGIT.test(last) ||
      ((last === "." || last === ")") && DIGIT.test(text[from - 2] ?? ""));
    if (mayBelong) from -= 1;
    else {
      const citation = CITATION_AT_END.exec(text.slice(Math.max(0, from - 5), from));
      if (citation === null) break;
      from -= citation[0].length;
    }
  }
  return from;
}

/** No claim is longer: what would be is told at the end, when all of it was checked. */
const CLAIM_CHARACTERS_MAX = 600;
const LAST_WORD = /[^\s\p{Script=Han}\p{P}]{0,64}$/u;

/**
 * Lets the text of a model through as it comes, without citations, and only as far as it can be relied on yet. Words that
 * stand in a source are told at once; from the first that does not, a claim is told when it is over and borne out. Nothing
 * is told of a reply that may become the word for no answer, nor behind a claim that is not borne out. With `citations`,
 * each claim is followed by its marks.
 */
export function createSafeText(
  check: ClaimCheck,
  noAnswer: string,
  onText: (text: string) => void,
  citations?: Citations,
): (more: string) => void {
  /** The claim that is not over, from its beginning; and how much of it was told, counted without citations. */
  let held = "";
  let toldCharacters = 0;
  /** Blanks behind what was told: they are told with what follows them. */
  let blanks = "";
  let isStrange = false;
  let isBegun = false;
  let isMuted = false;

  function tellTo(text: string): void {
    const more = blanks + text.slice(toldCharacters);
    toldCharacters = text.length;
    const told = more.trimEnd();
    blanks = more.slice(told.length);
    if (told === "") return;
    onText(isBegun ? told : told.trimStart());
    isBegun = true;
  }

  /** A claim without a citation that nothing bears out is left out; one that is cited, or was told in part, ends it. */
  function finish(claim: Claim): void {
    const { raw, cited } = claim;
    const isRefused = check.refuse(raw, cited) !== undefined;
    if (!isRefused) {
      tellTo(withoutCitations(raw));
      const marks = citations?.marksOf(claim) ?? "";
      if (marks !== "") onText(marks);
    } else if (check.hasSource(cited) || toldCharacters > 0) isMuted = true;
    held = held.slice(raw.length);
    toldCharacters = 0;
    isStrange = false;
  }

  /** What came of a claim that is not over, but for an end that may turn into something else. */
  function tellAtHome(): void {
    const decided = held.slice(0, undecidedFrom(held));
    const whole = withoutCitations(withoutOpenNumber(decided.replace(LAST_WORD, "")));
    const more = whole.slice(toldCharacters);
    if (more.trim() === "") return;
    isStrange = !check.isAtHome(more, whole.slice(0, toldCharacters));
    if (!isStrange) tellTo(whole);
  }

  return (more) => {
    if (isMuted) return;
    held += more;
    if (held.includes(noAnswer)) isMuted = true;
    for (let claim = firstClaim(held); claim.isOver && !isMuted; claim = firstClaim(held)) finish(claim);
    if (held.length > CLAIM_CHARACTERS_MAX) isMuted = true;
    if (isMuted || isStrange || noAnswer.startsWith(held.trim())) return;
    tellAtHome();
  };
}

/** Hears a model out, or another from the beginning in its place, as long as nothing was told. */
export function hearSafely(
  check: ClaimCheck,
  noAnswer: string,
  onText: (text: string) => void,
  openCitations?: () => Citations,
): { onText: (more: string) => void; isTold: () => boolean; restart: () => void } {
  let isTold = false;
  const tell = (text: string) => {
    isTold = true;
    onText(text);
  };
  const open = () => createSafeText(check, noAnswer, tell, openCitations?.());
  let hear = open();
  return {
    onText: (more) => hear(more),
    isTold: () => isTold,
    restart: () => {
      hear = open();
    },
  };
}
