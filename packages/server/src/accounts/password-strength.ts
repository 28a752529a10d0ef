import { refuse, type Refusal } from "../platform/index.ts";

// Ours, from what people are known to choose; no list of breached passwords is shipped. With words of the account, it finds what
// is made of such pieces in any order.

/** In small letters; also found backwards, and with 0 for o, @ for a and the like. */
const WORDS = `
  password passwort passwd motdepasse contrasena senha parola mima secret access admin administrator root user guest login
  logon welcome letmein enter open sesame please trustno changeme default temp temporary test testing master manager system
  server service support console agent chat signalbox company office business customer internet computer laptop windows
  google facebook microsoft samsung apple iphone android linux oracle database network security private public
  hello goodbye whatever nothing something freedom forever family friend friends mother father brother sister baby babygirl
  love lover lovely iloveyou loveme loveyou sweet sweety honey angel heart happy lucky smile kisses beautiful princess prince
  queen king
  monkey dragon tiger lion eagle panda horse dolphin butterfly kitty puppy rabbit turtle shark wolf spider snoopy bear
  football baseball basketball soccer hockey tennis golf hunter killer ninja warrior soldier ranger jordan liverpool arsenal
  chelsea barcelona juventus realmadrid manchester united
  superman batman spiderman pokemon pikachu starwars matrix naruto mickey marvel harry potter gandalf
  sunshine summer winter spring autumn season shadow thunder phoenix mustang ferrari porsche yamaha harley corvette mercedes
  monday tuesday wednesday thursday friday saturday sunday january february march april may june july august september
  october november december
  michael jennifer jessica ashley amanda charlie thomas george daniel andrew joshua matthew anthony robert nicole michelle
  william richard samantha elizabeth david james john alexander patrick maggie bailey buster ginger pepper cookie chocolate
  cheese butter banana orange cherry apple purple yellow silver golden diamond flower rainbow blink
  london paris berlin america american canada china chinese india brazil mexico germany france england
  woaini aini zhang wang tang baobao qwer asdf zxcv
  密码 我爱你 管理员 客服
`
  .trim()
  .split(/\s+/);

/** Read forwards and backwards, any three of them or more in a row. */
const ROWS = [
  "abcdefghijklmnopqrstuvwxyz",
  "01234567890",
  "qwertyuiop[]",
  "asdfghjkl;'",
  "zxcvbnm,./",
  "qwertzuiop",
  "azertyuiop",
  "!@#$%^&*()_+",
  "1q2w3e4r5t6y7u8i9o0p",
  "1qaz2wsx3edc4rfv5tgb6yhn7ujm",
  "qazwsxedcrfvtgbyhnujm",
  "zaqxswcdevfrbgtnhymju",
  "q1w2e3r4t5y6u7i8o9p0",
  "5201314",
];
const RUN_MIN = 3;
const PERSONAL_MIN = 3;

const LOOKS_LIKE: Record<string, string> = {
  "0": "o",
  "1": "il",
  "3": "e",
  "4": "a",
  "5": "s",
  "7": "t",
  "8": "b",
  "@": "a",
  $: "s",
  "!": "i",
};

/** Characters that are left when each piece somebody would try first counts as one. */
const LEFT_MIN = 8;

export interface PasswordOwner {
  email: string;
  name: string;
}

/** Its length is checked by the contract. What else is asked is that nobody guesses it: no kinds of characters, no age. */
export function refuseWeakPassword(password: string, owner: PasswordOwner): Refusal | undefined {
  if (charactersLeft(password, owner) >= LEFT_MIN) return undefined;
  return refuse(
    "badParameter",
    "password is easy to guess: choose one that is not made of common words, names, years, rows of keys or repetitions, nor of your name or address",
  );
}

export function charactersLeft(password: string, { email, name }: PasswordOwner): number {
  const text = fold(password);
  const words = [...WORDS, ...personalWords(email), ...personalWords(name)];
  const pieces = [...words, ...words.map(backwards)];
  /** The fewest up to each place. */
  const fewest = [0];
  for (let at = 0; at < text.length; at += 1) {
    const sofar = fewest[at] ?? 0;
    const reach = (length: number, least = length) => {
      for (let end = at + least; end <= at + length; end += 1)
        fewest[end] = Math.min(fewest[end] ?? Infinity, sofar + 1);
    };
    reach(1);
    reach(runLength(text, at), RUN_MIN);
    reach(repeatedLength(text, at), RUN_MIN);
    if (/^(19|20)\d\d/.test(text.slice(at, at + 4))) reach(4);
    for (const piece of pieces) if (isAt(text, at, piece)) reach(piece.length);
  }
  return fewest[text.length] ?? 0;
}

function fold(text: string): string {
  return text.normalize("NFKC").toLowerCase();
}

function backwards(text: string): string {
  return [...text].toReversed().join("");
}

/** The whole and its parts: of an address the name and each label of its host. */
function personalWords(text: string): string[] {
  const parts = fold(text).split(/[^\p{L}\p{N}]+/u);
  return [fold(text), ...parts].filter(
    (part) => part.length >= PERSONAL_MIN || /[^\p{ASCII}]{2}/u.test(part),
  );
}

function isAt(text: string, at: number, word: string): boolean {
  if (at + word.length > text.length) return false;
  for (let index = 0; index < word.length; index += 1) {
    const [given = "", wanted = ""] = [text[at + index], word[index]];
    if (given !== wanted && LOOKS_LIKE[given]?.includes(wanted) !== true) return false;
  }
  return true;
}

/** The length of a run: one character again and again, or a row of keys, the alphabet or the digits. */
function runLength(text: string, at: number): number {
  let same = 1;
  while (at + same < text.length && text[at + same] === text[at]) same += 1;
  let longest = same;
  for (const row of ROWS)
    for (const keys of [row, backwards(row)]) {
      for (let start = 0; start < keys.length; start += 1) {
        let length = 0;
        while (
          at + length < text.length &&
          start + length < keys.length &&
          text[at + length] === keys[start + length]
        )
          length += 1;
        if (length >= RUN_MIN) longest = Math.max(longest, length);
      }
    }
  return longest;
}

/** How much from here on stood before: the longest. */
function repeatedLength(text: string, at: number): number {
  let longest = 0;
  for (let before = 0; before < at; before += 1) {
    let length = 0;
    while (before + length < at && at + length < text.length && text[before + length] === text[at + length])
      length += 1;
    longest = Math.max(longest, length);
  }
  return longest;
}
