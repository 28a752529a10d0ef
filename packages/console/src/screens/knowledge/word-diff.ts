/** A piece of a text that both versions have, or that one of them has alone. */
export interface DiffPart {
  kind: "same" | "added" | "removed";
  text: string;
}

/** A word with what follows it; in scripts without blanks, a character. */
const TOKEN =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|[\p{L}\p{N}\p{M}_]+|\s+|[^\p{L}\p{N}\s]/gu;
/** Comparing takes as many steps as the product of both lengths: beyond this, whole texts are shown. */
const STEPS_MAX = 4_000_000;

/** What became of a text, word by word: the longest common subsequence, with what lies beside it. */
export function diffWords(before: string, after: string): DiffPart[] {
  if (before === after) return parts([["same", after]]);
  const [old, now] = [before.match(TOKEN) ?? [], after.match(TOKEN) ?? []];
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start += 1;
  let end = 0;
  while (
    end < old.length - start &&
    end < now.length - start &&
    old[old.length - 1 - end] === now[now.length - 1 - end]
  )
    end += 1;
  const middleOld = old.slice(start, old.length - end);
  const middleNow = now.slice(start, now.length - end);
  const middle: [DiffPart["kind"], string][] =
    middleOld.length * middleNow.length > STEPS_MAX
      ? [
          ["removed", middleOld.join("")],
          ["added", middleNow.join("")],
        ]
      : steps(middleOld, middleNow);
  return parts([
    ["same", old.slice(0, start).join("")],
    ...middle,
    ["same", old.slice(old.length - end).join("")],
  ]);
}

function steps(old: readonly string[], now: readonly string[]): [DiffPart["kind"], string][] {
  const width = now.length + 1;
  const lengths = new Uint32Array((old.length + 1) * width);
  for (let row = old.length - 1; row >= 0; row -= 1)
    for (let column = now.length - 1; column >= 0; column -= 1)
      lengths[row * width + column] =
        old[row] === now[column]
          ? lengths[(row + 1) * width + column + 1]! + 1
          : Math.max(lengths[(row + 1) * width + column]!, lengths[row * width + column + 1]!);
  const made: [DiffPart["kind"], string][] = [];
  let [row, column] = [0, 0];
  while (row < old.length || column < now.length) {
    if (row < old.length && column < now.length && old[row] === now[column]) {
      made.push(["same", old[row]!]);
      row += 1;
      column += 1;
    } else if (
      column >= now.length ||
      (row < old.length && lengths[(row + 1) * width + column]! >= lengths[row * width + column + 1]!)
    ) {
      made.push(["removed", old[row]!]);
      row += 1;
    } else {
      made.push(["added", now[column]!]);
      column += 1;
    }
  }
  return made;
}

/** Neighbours of one kind are one part. */
function parts(pieces: [DiffPart["kind"], string][]): DiffPart[] {
  const joined: DiffPart[] = [];
  for (const [kind, text] of pieces) {
    if (text === "") continue;
    const last = joined.at(-1);
    if (last?.kind === kind) last.text += text;
    else joined.push({ kind, text });
  }
  return joined;
}
