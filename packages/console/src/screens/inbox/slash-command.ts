/** A canned reply that is being looked for: `/` at the beginning or behind a space, and what was typed since. */
export interface SlashCommand {
  query: string;
  /** Where the slash stands, and where the caret is. */
  start: number;
  end: number;
}

const SPACES = new Set([" ", "\n", "\t", "\u3000"]);

export function slashCommandAt(text: string, caret: number): SlashCommand | undefined {
  for (let at = caret - 1; at >= 0; at -= 1) {
    const character = text[at] ?? "";
    if (SPACES.has(character)) return undefined;
    if (character !== "/") continue;
    const before = text[at - 1];
    if (before !== undefined && !SPACES.has(before)) return undefined;
    return { query: text.slice(at + 1, caret), start: at, end: caret };
  }
  return undefined;
}

/** The text with the command replaced, and where the caret goes. */
export function replaceCommand(
  text: string,
  { start, end }: SlashCommand,
  words: string,
): { text: string; caret: number } {
  return { text: `${text.slice(0, start)}${words}${text.slice(end)}`, caret: start + words.length };
}
