const LOCAL_CHARACTERS_MAX = 64;
/** Chinese is written up to the address without a blank. Half of a character is none. */
const LOCAL = /[^\s@<>()[\],;:"'\p{Script=Han}\u3000-\u303f\uff00-\uffef\p{Cs}]/u;
const DOMAIN = /(?:[a-z0-9-]{1,63}\.){1,8}[a-z]{2,63}/iy;

/** The first email address in a text. Read from each @ outwards: one expression for the whole took 170 ms for a hostile message. */
export function emailIn(text: string): string | undefined {
  for (let at = text.indexOf("@"); at !== -1; at = text.indexOf("@", at + 1)) {
    const start = localStart(text, at);
    DOMAIN.lastIndex = at + 1;
    if (start < at && DOMAIN.test(text)) return text.slice(start, DOMAIN.lastIndex);
  }
  return undefined;
}

function localStart(text: string, at: number): number {
  let start = at;
  while (start > 0 && at - start < LOCAL_CHARACTERS_MAX && LOCAL.test(text[start - 1] ?? "")) start -= 1;
  return start;
}
