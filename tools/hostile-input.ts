import { RegExpParser, visitRegExpAST, type AST } from "@eslint-community/regexpp";

/** Some of every kind that classes tell apart: letters, digits, blanks, marks, other scripts. */
const CHARACTERS = Array.from(
  "a0 \n_-.,:;@/#*`~=+[](){}<>|\"'\\%&?!A\t中のア文é０٣…•？，\u0300\u00a0\u2028\u0001",
);
const REPEATED_TOGETHER = 64;

/**
 * Texts that make a regular expression go back as often as it can: whatever it may repeat, repeated for the whole length, alone
 * and behind what it wants to see first, and then something that fits nowhere.
 */
export function hostileInputs(source: string, flags: string, length: number): Set<string> {
  const inputs = new Set<string>();
  const parser = new RegExpParser();
  const pattern = parser.parsePattern(source, 0, source.length, {
    unicode: flags.includes("u"),
    unicodeSets: flags.includes("v"),
  });
  const whole = exampleOf(pattern.alternatives[0], flags);
  const add = (prefix: string, pump: string) => {
    if (pump === "") return;
    const text = (prefix + pump.repeat(Math.ceil(length / pump.length))).slice(0, length);
    for (const end of ["", "\u0000", "\u2028"]) inputs.add(text + end);
  };
  add("", whole);
  visitRegExpAST(pattern, {
    onQuantifierEnter(node) {
      const prefix = exampleBefore(node, flags);
      for (const pump of new Set([exampleOf(node.element, flags), ...samplesOf(node.element, flags)])) {
        add("", pump);
        add(prefix, pump);
        add("", prefix + pump.repeat(Math.min(node.max, REPEATED_TOGETHER)));
        add(whole, pump);
      }
    },
  });
  return inputs;
}

/** A text that matches, as nearly as can be told without looking around. */
function exampleOf(node: AST.Node | undefined, flags: string): string {
  switch (node?.type) {
    case "Alternative":
      return node.elements.map((element) => exampleOf(element, flags)).join("");
    case "Group":
    case "CapturingGroup":
      return exampleOf(node.alternatives[0], flags);
    case "Quantifier":
      return exampleOf(node.element, flags).repeat(Math.max(1, node.min));
    case "Character":
      return String.fromCodePoint(node.value);
    case "CharacterClass":
    case "CharacterSet":
      return samplesOf(node, flags)[0] ?? "";
    case "Backreference":
      return Array.isArray(node.resolved) ? "" : exampleOf(node.resolved, flags);
    default:
      return "";
  }
}

function samplesOf(node: AST.Node, flags: string): string[] {
  if (node.type !== "CharacterClass" && node.type !== "CharacterSet") return [];
  const one = new RegExp(`^${node.raw}$`, flags.replaceAll(/[gy]/g, ""));
  return CHARACTERS.filter((character) => one.test(character)).slice(0, 6);
}

/** An example of the text before a node, from the start of the whole. */
function exampleBefore(node: AST.Node, flags: string): string {
  const { parent } = node;
  if (parent === null) return "";
  const inside =
    parent.type === "Alternative"
      ? parent.elements
          .slice(0, parent.elements.indexOf(node as AST.Element))
          .map((element) => exampleOf(element, flags))
          .join("")
      : "";
  return exampleBefore(parent, flags) + inside;
}
