import type { Block, PairBlock, TextBlock } from "./block.ts";
import { isContentsTitle, withoutNumber } from "./question.ts";

/** A title with the text under it, up to the next title. */
export interface Section {
  /** The titles above and its own, without their numbers; empty before the first title. */
  path: string[];
  /** 0 before the first title. */
  level: number;
  blocks: (TextBlock | PairBlock)[];
  page?: number;
  line?: number;
}

const PATH_MAX = 8;

/** Nobody writes such a title; and every chunk under it would carry it along. */
const TITLE_CHARACTERS_MAX = 500;

/** A title with nothing under it is no section: it is a line of the section above. */
export function sectionsOf(blocks: Block[]): Section[] {
  const sections: Section[] = [{ path: [], level: 0, blocks: [] }];
  const above: { level: number; title: string }[] = [];
  for (const block of blocks) {
    if (block.kind !== "heading" || block.text.length > TITLE_CHARACTERS_MAX) {
      const current = sections.at(-1)!;
      current.blocks.push(block.kind === "heading" ? { ...block, kind: "paragraph" } : block);
      continue;
    }
    while ((above.at(-1)?.level ?? 0) >= block.level) above.pop();
    above.push({ level: block.level, title: withoutNumber(block.text) || block.text });
    sections.push({
      path: above.slice(-PATH_MAX).map(({ title }) => title),
      level: block.level,
      blocks: [],
      ...(block.page === undefined ? {} : { page: block.page }),
      ...(block.line === undefined ? {} : { line: block.line }),
    });
  }
  return withoutEmpty(sections.filter((section) => !isContents(section)));
}

/** A list of titles with their pages says nothing of its own. */
function isContents({ path, blocks }: Section): boolean {
  if (!isContentsTitle(path.at(-1) ?? "")) return false;
  const listed = blocks.filter((block) => block.kind !== "pair" && /^\d|\d$/.test(block.text));
  return listed.length * 2 > blocks.length;
}

function withoutEmpty(sections: Section[]): Section[] {
  const kept: Section[] = [];
  for (const [index, section] of sections.entries()) {
    const next = sections[index + 1];
    const isParent = next !== undefined && next.level > section.level;
    if (section.blocks.length > 0 || isParent) kept.push(section);
    else if (section.level > 0) keepTitle(section, kept);
  }
  return kept;
}

function keepTitle({ path, page, line }: Section, kept: Section[]): void {
  const text = path.at(-1) ?? "";
  const block: TextBlock = {
    kind: "list",
    text,
    ...(page === undefined ? {} : { page }),
    ...(line === undefined ? {} : { line }),
  };
  const last = kept.at(-1);
  if (last === undefined) kept.push({ path: [], level: 0, blocks: [block] });
  else last.blocks.push(block);
}

/** Lines of one list stand under each other, everything else apart. */
export function textOf(blocks: (TextBlock | PairBlock)[]): string {
  let text = "";
  let last: Block["kind"] | undefined;
  for (const block of blocks) {
    const written = block.kind === "pair" ? `${block.question}\n${block.answer}` : block.text;
    if (text !== "") text += block.kind === "list" && last === "list" ? "\n" : "\n\n";
    text += written;
    last = block.kind;
  }
  return text.trim();
}
