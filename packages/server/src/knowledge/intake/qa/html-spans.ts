/** The text of a paragraph with its bold, italic and linked parts. Marks stand close to their words, and never alone. */
export function createSpans(isPlain: boolean) {
  let pieces: string[] = [];
  /** Elements that are open, by mark: an element within one of its kind changes nothing. */
  const depths = new Map<string, number>();
  const opened: { mark: string; at: number }[] = [];
  let link: { href: string; at: number } | undefined;
  let linkDepth = 0;

  return {
    text: (text: string) => void pieces.push(text),

    open(mark: string): void {
      const depth = (depths.get(mark) ?? 0) + 1;
      depths.set(mark, depth);
      if (isPlain || depth > 1) return;
      opened.push({ mark, at: pieces.push("") - 1 });
    },

    close(mark: string): void {
      const depth = depths.get(mark) ?? 0;
      if (depth === 0) return;
      depths.set(mark, depth - 1);
      const index = opened.findLastIndex((one) => one.mark === mark);
      if (depth > 1 || index === -1) return;
      const [{ at } = { at: 0 }] = opened.splice(index, 1);
      enclose(pieces, at, mark, mark);
    },

    openLink(href: string): void {
      linkDepth += 1;
      if (isPlain || linkDepth > 1 || href === "") return;
      link = { href, at: pieces.push("") - 1 };
    },

    closeLink(): void {
      linkDepth = Math.max(0, linkDepth - 1);
      if (linkDepth > 0 || link === undefined) return;
      const { href, at } = link;
      link = undefined;
      encloseLink(pieces, at, href);
    },

    /** Marks do not reach over the end of a line. */
    breakLine(): void {
      const again = interrupt();
      pieces.push("\n");
      again();
    },

    /** What there is so far; open marks go on in the next paragraph. */
    take(): string {
      const again = interrupt();
      const text = pieces.join("");
      pieces = [];
      again();
      return text;
    },
  };

  function interrupt(): () => void {
    const marks = opened.splice(0);
    for (const { mark, at } of marks.toReversed()) enclose(pieces, at, mark, mark);
    const broken = link;
    if (broken !== undefined) encloseLink(pieces, broken.at, broken.href);
    return () => {
      for (const { mark } of marks) opened.push({ mark, at: pieces.push("") - 1 });
      if (broken !== undefined) link = { href: broken.href, at: pieces.push("") - 1 };
    };
  }
}

function encloseLink(pieces: string[], at: number, href: string): void {
  const text = pieces
    .slice(at + 1)
    .join("")
    .trim();
  if (text === href || `mailto:${text}` === href || `tel:${text}` === href) return;
  // Brackets of its own would end the link's text.
  for (let index = at + 1; index < pieces.length; index += 1)
    pieces[index] = pieces[index]!.replaceAll("[", "(").replaceAll("]", ")");
  enclose(pieces, at, "[", `](${href})`);
}

/** Blanks at either end are moved out of the marks. Nothing between them: no marks. */
function enclose(pieces: string[], at: number, begin: string, end: string): void {
  let first = at + 1;
  while (first < pieces.length && pieces[first]!.trim() === "") first += 1;
  if (first === pieces.length) return;
  const blanks = pieces.slice(at + 1, first).join("");
  pieces.fill("", at + 1, first);
  const start = pieces[first]!;
  const text = start.trimStart();
  pieces[at] = `${blanks}${start.slice(0, start.length - text.length)}${begin}`;
  pieces[first] = text;
  let last = pieces.length - 1;
  while (pieces[last]!.trim() === "") last -= 1;
  const behind = pieces.slice(last + 1).join("");
  pieces.fill("", last + 1);
  const kept = pieces[last]!.trimEnd();
  const blank = pieces[last]!.slice(kept.length);
  pieces[last] = kept;
  pieces.push(`${end}${blank}${behind}`);
}
