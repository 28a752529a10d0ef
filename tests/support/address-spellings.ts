import fc from "fast-check";

/** Prefix and length, as bytes: an address is drawn by keeping the prefix. */
type Range = { bytes: number[]; bits: number };

const FORBIDDEN_V4: Range[] = [
  { bytes: [0, 0, 0, 0], bits: 8 },
  { bytes: [10, 0, 0, 0], bits: 8 },
  { bytes: [100, 64, 0, 0], bits: 10 },
  { bytes: [127, 0, 0, 0], bits: 8 },
  { bytes: [169, 254, 0, 0], bits: 16 },
  { bytes: [172, 16, 0, 0], bits: 12 },
  { bytes: [192, 0, 0, 0], bits: 24 },
  { bytes: [192, 0, 2, 0], bits: 24 },
  { bytes: [192, 168, 0, 0], bits: 16 },
  { bytes: [198, 18, 0, 0], bits: 15 },
  { bytes: [198, 51, 100, 0], bits: 24 },
  { bytes: [203, 0, 113, 0], bits: 24 },
  { bytes: [224, 0, 0, 0], bits: 4 },
  { bytes: [240, 0, 0, 0], bits: 4 },
];
const FORBIDDEN_V6: Range[] = [
  { bytes: [0, 0x64, 0xff, 0x9b, 0, 1], bits: 48 },
  { bytes: [0x01], bits: 8 },
  { bytes: [0x20, 0x01, 0x00], bits: 23 },
  { bytes: [0x20, 0x01, 0x0d, 0xb8], bits: 32 },
  { bytes: [0x20, 0x02], bits: 16 },
  { bytes: [0x3f, 0xff, 0x00], bits: 20 },
  { bytes: [0x40], bits: 2 },
  { bytes: [0xfc], bits: 7 },
  { bytes: [0xfe, 0x80], bits: 10 },
  { bytes: [0xfe, 0xc0], bits: 10 },
  { bytes: [0xff], bits: 8 },
];
/** Where an IPv4 address hides in an IPv6 one: what stands before it, and how many zero bytes after. */
const CARRIERS: { before: number[]; after: number; inverted?: true }[] = [
  { before: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff], after: 0 },
  { before: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], after: 0 },
  { before: [0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0, 0], after: 0 },
  { before: [0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0], after: 0 },
  { before: [0, 0x64, 0xff, 0x9b, 0, 1, 0, 0, 0, 0, 0, 0], after: 0 },
  { before: [0x20, 0x02], after: 10 },
  { before: [0x20, 0x01, 0, 0, 8, 8, 8, 8, 0, 0, 0, 0], after: 0, inverted: true },
];

function addressIn({ bytes, bits }: Range, length: number): fc.Arbitrary<number[]> {
  return fc.uint8Array({ minLength: length, maxLength: length }).map((drawn) =>
    [...drawn].map((byte, index) => {
      const kept = Math.min(8, Math.max(0, bits - 8 * index));
      const mask = (0xff << (8 - kept)) & 0xff;
      return ((bytes[index] ?? 0) & mask) | (byte & ~mask & 0xff);
    }),
  );
}

const v4Bytes = fc.constantFrom(...FORBIDDEN_V4).chain((range) => addressIn(range, 4));
const v6Bytes = fc.oneof(
  fc.constantFrom(...FORBIDDEN_V6).chain((range) => addressIn(range, 16)),
  fc
    .tuple(v4Bytes, fc.constantFrom(...CARRIERS))
    .map(([v4, { before, after, inverted }]) => [
      ...before,
      ...v4.map((byte) => (inverted ? byte ^ 0xff : byte)),
      ...Array.from({ length: after }, () => 0),
    ]),
);

type Radix = { base: 8 | 10 | 16; zeros: number; isUpper: boolean };
const radix: fc.Arbitrary<Radix> = fc.record({
  base: fc.constantFrom(8, 10, 16),
  zeros: fc.nat({ max: 6 }),
  isUpper: fc.boolean(),
});

function spellNumber(value: number, { base, zeros, isUpper }: Radix): string {
  if (base === 10) return String(value);
  const digits = "0".repeat(zeros) + value.toString(base);
  const text = base === 8 ? `0${digits}` : `0x${digits}`;
  return isUpper ? text.toUpperCase() : text;
}

/** Up to four numbers, of which the last fills what the others leave. */
const spelledV4 = fc
  .tuple(v4Bytes, fc.integer({ min: 1, max: 4 }), fc.array(radix, { minLength: 4, maxLength: 4 }))
  .map(([bytes, count, radixes]) => {
    const rest = bytes.slice(count - 1).reduce((sum, byte) => sum * 256 + byte, 0);
    const numbers = [...bytes.slice(0, count - 1), rest];
    return numbers.map((value, index) =>
      spellNumber(value, radixes[index] ?? { base: 10, zeros: 0, isUpper: false }),
    );
  });

const DOTS = [".", ".", ".", "\u3002", "\uff0e", "\uff61"];

/** Characters that a URL parser maps to the plain one. */
function disguises(character: string): string[] {
  const full = String.fromCodePoint((character.codePointAt(0) ?? 0) + 0xfee0);
  if (!/[0-9]/.test(character)) return [character, full];
  const digit = Number(character);
  const circled = digit === 0 ? "\u24ea" : String.fromCodePoint(0x245f + digit);
  const bold = String.fromCodePoint(0x1d7ce + digit);
  const hex = (character.codePointAt(0) ?? 0).toString(16);
  return [character, full, circled, bold, `%${hex}`, `${character}\u00ad`];
}

const disguisedV4 = fc
  .tuple(spelledV4, fc.infiniteStream(fc.nat({ max: 11 })), fc.boolean(), fc.boolean())
  .map(([numbers, choices, isPlain, endsWithDot]) => {
    const next = () => (choices.next().value ?? 0) as number;
    const pick = (from: string[]) => from[next() % from.length] ?? "";
    const spell = (text: string) =>
      isPlain ? text : [...text].map((character) => pick(disguises(character))).join("");
    const text = numbers.map(spell).reduce((all, number) => all + (isPlain ? "." : pick(DOTS)) + number);
    return endsWithDot ? `${text}.` : text;
  });

const spelledV6 = fc
  .tuple(
    v6Bytes,
    fc.array(fc.nat({ max: 4 }), { minLength: 8, maxLength: 8 }),
    fc.nat(),
    fc.boolean(),
    fc.boolean(),
  )
  .map(([bytes, widths, cut, isDotted, isUpper]) => {
    const values = Array.from(
      { length: 8 },
      (_, at) => (bytes[2 * at] ?? 0) * 256 + (bytes[2 * at + 1] ?? 0),
    );
    const groups = values.map((value, at) => value.toString(16).padStart(Math.max(1, widths[at] ?? 1), "0"));
    const all = isDotted ? [...groups.slice(0, 6), bytes.slice(12).join(".")] : groups;
    const text = isUpper ? all.join(":").toUpperCase() : all.join(":");
    const runs = zeroRuns(values.slice(0, isDotted ? 6 : 8));
    const run = runs[cut % (runs.length + 1)];
    if (run === undefined) return `[${text}]`;
    const parts = text.split(":");
    return `[${parts.slice(0, run[0]).join(":")}::${parts.slice(run[1]).join(":")}]`;
  });

function zeroRuns(values: number[]): [from: number, to: number][] {
  const runs: [number, number][] = [];
  for (const [at, value] of values.entries()) {
    if (value !== 0) continue;
    const last = runs.at(-1);
    if (last?.[1] === at) last[1] = at + 1;
    else runs.push([at, at + 1]);
  }
  return runs;
}

/** The host of a URL that leads to a forbidden address, in one of its countless spellings. */
export const forbiddenHost: fc.Arbitrary<string> = fc.oneof(disguisedV4, spelledV6);
