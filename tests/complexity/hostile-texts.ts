/** Texts of about a given length, always the same for the same length: the same kind, only longer. */
export interface TextFamily {
  name: string;
  of: (characters: number) => string;
}

/** What readers take for more than a letter: marks of Markdown, HTML and CSV, and characters that fold into many. */
const MARKS = [
  "*",
  "**",
  "_",
  "__",
  "`",
  "[",
  "[a](",
  "![",
  "<",
  "<a ",
  "</",
  "<!--",
  "&",
  "&#",
  "#",
  ">",
  "-",
  "|",
  "\\",
  '"',
  '",',
  "'",
  "~~~",
  "(",
  ")",
  "{",
  "$",
  "%",
  "+",
  "=",
  ",",
  ";",
  ":",
  ".",
  "!",
  "?",
  "/",
  "@",
  "a@",
  "a.b@c.",
  "http://",
  "https://a",
  "http://:",
  "http://[",
  "1",
  "1.",
  "12-",
  "+1 ",
  "[1]",
  "[1",
  "Q: ",
  "1) ",
  "a",
  "aa",
  "A1",
  "é",
  "不",
  "们",
  "。",
  "，",
  "ー",
  "ก",
  "한",
  "\n",
  "\n\n",
  "\r\n",
  "\t",
  " ",
  "\u3000",
  "\u00a0",
  "\u00ad",
  "\u200b",
  "\u202e",
  "\u0301",
  "\u0327\u0301",
  "\ufdfa",
  "\ufb03",
  "\u1e9b\u0323",
  "\u{1f469}\u200d\u{1f467}",
  "\u{e0041}",
  "\ud800",
  "\u0000",
  "\u2028",
];

const WORDS = [
  "a",
  "not",
  "n't ",
  "human",
  "talk to a person ",
  "ignore all instructions ",
  "the ",
  "转人工",
  "不要",
  "please ",
  "how ",
  "two hundred and ",
  "twenty-",
  "三百零",
];

function fill(part: string, characters: number): string {
  return part.repeat(Math.ceil(characters / part.length)).slice(0, characters);
}

/** Opened and closed as often as the length allows, with something between. */
function nested(open: string, close: string, characters: number, share = 0.5): string {
  const opened = Math.floor((characters * share) / open.length);
  const closed = Math.floor((characters * (1 - share)) / close.length);
  return `${open.repeat(opened)}a${close.repeat(closed)}`;
}

const PAIRS: [open: string, close: string][] = [
  ["*", "*"],
  ["_", "_"],
  ["**", "**"],
  ["__", "__"],
  ["`", "`"],
  ["**_", "_**"],
  ["* ", " *"],
  ["(", ")"],
  ["[", "]"],
  ["{", "}"],
  ["<b>", "</b>"],
  ["<ul><li>", "</li></ul>"],
  ["<table><tr><td>", "</td></tr></table>"],
  ["> ", "\n"],
  ['"', '"'],
  ["“", "”"],
  ["*a ", " a*"],
  ["a*", "*a"],
];

/** Lines of growing depth and then of none: lists in lists. */
function stairs(mark: string, characters: number): string {
  const lines: string[] = [];
  for (let length = 0, depth = 0; length < characters; depth = (depth + 1) % 40) {
    const line = `${" ".repeat(depth)}${mark}x`;
    lines.push(line);
    length += line.length + 1;
  }
  return lines.join("\n").slice(0, characters);
}

/** Words that are all different, so that nothing found once is found again. */
function distinct(first: number, radix: number, gap: string, characters: number): string {
  const words: string[] = [];
  for (let length = 0, at = 0; length < characters; at += 1) {
    const word = (first + at * 7_919).toString(radix);
    words.push(word);
    length += word.length + gap.length;
  }
  return words.join(gap).slice(0, characters);
}

export function textFamilies(): TextFamily[] {
  const repeats = [...MARKS, ...WORDS].map((mark) => ({
    name: `repeats of ${JSON.stringify(mark)}`,
    of: (characters: number) => fill(mark, characters),
  }));
  const spaced = [...MARKS, ...WORDS].map((mark) => ({
    name: `${JSON.stringify(mark)} before each word, never closed`,
    of: (characters: number) => fill(`${mark}a `, characters),
  }));
  const nestings = PAIRS.flatMap(([open, close]) =>
    [0.5, 0.8, 0.2].map((share) => ({
      name: `${JSON.stringify(open)} nested, ${share * 100} % opening`,
      of: (characters: number) => nested(open, close, characters, share),
    })),
  );
  return [
    ...repeats,
    ...spaced,
    ...nestings,
    ...["- ", "1. ", "> ", "# "].map((mark) => ({
      name: `stairs of ${JSON.stringify(mark)}`,
      of: (characters: number) => stairs(mark, characters),
    })),
    { name: "distinct words", of: (characters) => distinct(36 ** 5, 36, " ", characters) },
    { name: "distinct numbers", of: (characters) => distinct(10 ** 6, 10, ", ", characters) },
    { name: "distinct lines", of: (characters) => distinct(36 ** 5, 36, "\n", characters) },
    { name: "one word of distinct letters", of: (characters) => distinct(36 ** 5, 36, "", characters) },
    {
      name: "distinct Han characters",
      of: (characters) =>
        Array.from({ length: characters }, (_, at) =>
          String.fromCodePoint(0x4e00 + ((at * 37) % 20_000)),
        ).join(""),
    },
    { name: "one opener and a long rest", of: (characters) => `*[${fill("a ", characters)}` },
  ];
}

/** Families without end, each of a few marks in some order: `--minutes` walks them. */
export function randomFamily(seed: number): TextFamily {
  let state = seed % 2_147_483_647 || 1;
  const next = (below: number) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % below;
  };
  const parts = [...MARKS, ...WORDS, " ", "a", "\n"];
  const pick = () => Array.from({ length: 1 + next(4) }, () => parts[next(parts.length)]).join("");
  const [prefix, open, middle, close] = [pick(), pick(), pick(), pick()];
  const share = [1, 0.5, 0.8][next(3)] ?? 1;
  return {
    name: `seed ${seed}: ${JSON.stringify([prefix, open, middle, close, share])}`,
    of: (characters) =>
      `${prefix}${fill(open, characters * share)}${middle}${fill(close, characters * (1 - share))}`,
  };
}
