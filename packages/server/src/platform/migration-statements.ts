/** What cannot run in a transaction, such as an index that is built beside traffic, says so in a line of its own. */
export function runsOutside(migration: string): boolean {
  return /^-- Outside a transaction$/m.test(migration);
}

/** The statements of a migration, without its comments. Semicolons in strings and function bodies separate nothing. */
export function statementsOf(migration: string): string[] {
  const statements: string[] = [];
  let statement = "";
  for (const part of partsOf(migration)) {
    if (part.startsWith("--") || part.startsWith("/*")) continue;
    if (part !== ";") {
      statement += part;
      continue;
    }
    statements.push(statement.trim());
    statement = "";
  }
  return [...statements, statement.trim()].filter((text) => text !== "");
}

/** The same statement on one line, without what stands in its strings and bodies. */
export function skeletonOf(statement: string): string {
  return partsOf(statement)
    .map((part) => (part.startsWith("'") ? "''" : /^\$\w*\$/.test(part) ? "$$" : part))
    .join("")
    .replaceAll(/\s+/g, " ")
    .trim()
    .toLowerCase();
}

/** Comments, strings, bodies between dollars, semicolons, and what stands between them. */
function partsOf(text: string): string[] {
  const parts: string[] = [];
  let plain = "";
  for (let at = 0; at < text.length;) {
    const end = endOfPart(text, at);
    if (end === undefined) {
      plain += text[at];
      at += 1;
      continue;
    }
    if (plain !== "") parts.push(plain);
    plain = "";
    parts.push(text.slice(at, end));
    at = end;
  }
  return plain === "" ? parts : [...parts, plain];
}

function endOfPart(text: string, at: number): number | undefined {
  const after = (mark: string, from: number) => {
    const found = text.indexOf(mark, from);
    return found === -1 ? text.length : found + mark.length;
  };
  if (text[at] === ";") return at + 1;
  if (text.startsWith("--", at)) return after("\n", at);
  if (text.startsWith("/*", at)) return after("*/", at);
  // Two quotes in a row, an escaped one, are two strings that touch.
  if (text[at] === "'") return after("'", at + 1);
  const [tag] = /^\$\w*\$/.exec(text.slice(at, at + 64)) ?? [];
  return tag === undefined ? undefined : after(tag, at + tag.length);
}
