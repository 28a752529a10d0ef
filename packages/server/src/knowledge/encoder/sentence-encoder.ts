import { openKernels } from "./kernels.ts";
import type { Weights } from "./weights.ts";

export interface SentenceEncoder {
  /**
   * Takes the pieces of a text, as the vocabulary numbers them, and gives a vector of length 1: the mean over the places named, or
   * over all as the original has it.
   */
  encode(pieces: readonly number[], places?: readonly number[]): Float32Array;
}

/** What is longer is read up to here: time grows with it, and a question is shorter. */
export const PIECES_MAX = 96;
/** The matrix product takes rows in twos. */
const ROWS_MAX = Math.ceil(PIECES_MAX / 2) * 2;
const EPSILON = 1e-12;
/** Activations as integers: with weights of seven bits, sums of 1,536 products stay below 2^31. */
const ACTIVATION_MAX = 4_095;
const PAGE_BYTES = 65_536;

/** BERT: post-norm transformer layers over word pieces, and the mean of what comes of them. Its sizes are those of the weights. */
export function createSentenceEncoder(weights: Weights): SentenceEncoder {
  const kernels = openKernels();
  const memory = planMemory();
  const dense = (name: string) => {
    const { rows: columns, columns: depth, values, scales } = weights.matrix(name);
    const bias = memory.place(weights.vector(`${name}.bias`));
    return { columns, depth, at: memory.place(values), scales: memory.place(scales), bias };
  };
  type Dense = ReturnType<typeof dense>;
  const norm = (name: string) => ({
    scales: memory.place(weights.vector(`${name}.scale`)),
    bias: memory.place(weights.vector(`${name}.bias`)),
  });
  const first = norm("first");
  const layers = Array.from({ length: weights.layers }, (_, layer) => ({
    qkv: dense(`layer${layer}.qkv`),
    out: dense(`layer${layer}.out`),
    between: norm(`layer${layer}.between`),
    inner: dense(`layer${layer}.inner`),
    outer: dense(`layer${layer}.outer`),
    after: norm(`layer${layer}.after`),
  }));
  const embeddings = weights.matrix("embeddings");
  const places = weights.vector("places");
  const width = embeddings.columns;
  const widest = Math.max(3 * width, ...layers.map(({ inner }) => inner.columns));
  const integersAt = memory.reserve(ROWS_MAX * widest * 2);
  const sumsAt = memory.reserve(ROWS_MAX * widest * 4);
  const [stateAt, mixedAt, normedAt] = [0, 1, 2].map(() => memory.reserve(ROWS_MAX * width * 4)) as [
    number,
    number,
    number,
  ];
  const wideAt = memory.reserve(ROWS_MAX * widest * 4);
  const sharesAt = memory.reserve(ROWS_MAX * 4);

  const floats = memory.fill(kernels.memory);
  const state = floats(stateAt, ROWS_MAX * width);
  const mixed = floats(mixedAt, ROWS_MAX * width);
  const normed = floats(normedAt, ROWS_MAX * width);
  const wide = floats(wideAt, ROWS_MAX * widest);
  const shares = floats(sharesAt, ROWS_MAX);
  const steps = new Float32Array(ROWS_MAX);

  function normalise(from: number, into: number, rows: number, { scales, bias }: ReturnType<typeof norm>) {
    for (let row = 0; row < rows; row += 1) {
      const at = row * width * 4;
      kernels.normalise(from + at, into + at, scales, bias, width, EPSILON);
    }
  }

  /** Activations become integers row by row, are multiplied as such, and come back with both scales and the bias. */
  function apply({ columns, depth, at, scales, bias }: Dense, from: number, into: number, rows: number) {
    for (let row = 0; row < rows; row += 1)
      steps[row] = kernels.quantise(
        from + row * depth * 4,
        integersAt + row * depth * 2,
        depth,
        ACTIVATION_MAX,
      );
    kernels.multiply(integersAt, at, sumsAt, rows, depth, columns);
    for (let row = 0; row < rows; row += 1) {
      const start = row * columns * 4;
      kernels.rescale(sumsAt + start, into + start, scales, bias, columns, steps[row]!, -Infinity);
    }
  }

  /** Scaled dot-product attention over what `qkv` made: queries, keys and values side by side in each row of `wide`. */
  function attend(rows: number) {
    const size = width / weights.heads;
    const line = 3 * width * 4;
    for (let head = 0; head < weights.heads; head += 1) {
      const queries = wideAt + head * size * 4;
      const keys = queries + width * 4;
      const values = keys + width * 4;
      for (let row = 0; row < rows; row += 1) {
        kernels.compare(queries + row * line, keys, sharesAt, rows, line, size, 1 / Math.sqrt(size));
        softmax(shares, rows);
        kernels.mix(sharesAt, values, normedAt + (row * width + head * size) * 4, rows, line, size);
      }
    }
  }

  function embed(pieces: readonly number[]) {
    for (const [row, id] of pieces.entries()) {
      const scale = embeddings.scales[id]!;
      const start = row * width;
      for (let at = 0; at < width; at += 1)
        mixed[start + at] = embeddings.values[id * width + at]! * scale + places[start + at]!;
    }
  }

  return {
    encode(pieces, places = []) {
      const rows = Math.min(pieces.length, PIECES_MAX);
      embed(pieces.slice(0, rows));
      normalise(mixedAt, stateAt, rows, first);
      for (const { qkv, out, between, inner, outer, after } of layers) {
        apply(qkv, stateAt, wideAt, rows);
        attend(rows);
        apply(out, normedAt, mixedAt, rows);
        addTo(mixed, state, rows * width);
        normalise(mixedAt, normedAt, rows, between);
        apply(inner, normedAt, wideAt, rows);
        activate(wide, rows * inner.columns);
        apply(outer, wideAt, mixedAt, rows);
        addTo(mixed, normed, rows * width);
        normalise(mixedAt, stateAt, rows, after);
      }
      const meant = places.filter((row) => row < rows);
      return meanDirection(state, meant.length > 0 ? meant : [...Array(rows).keys()], width);
    },
  };
}

/** Addresses first, then the memory itself: it is grown once. */
function planMemory() {
  const placed: { at: number; values: Int8Array | Float32Array }[] = [];
  let end = 64;
  const reserve = (bytes: number) => {
    const at = end;
    end += Math.ceil(bytes / 64) * 64;
    return at;
  };
  return {
    reserve,
    place(values: Int8Array | Float32Array) {
      const at = reserve(values.byteLength);
      placed.push({ at, values });
      return at;
    },
    fill(memory: { buffer: ArrayBuffer; grow(pages: number): void }) {
      memory.grow(Math.ceil(end / PAGE_BYTES));
      const { buffer } = memory;
      for (const { at, values } of placed.splice(0))
        if (values instanceof Int8Array) new Int8Array(buffer, at).set(values);
        else new Float32Array(buffer, at).set(values);
      return (at: number, size: number) => new Float32Array(buffer, at, size);
    },
  };
}

function addTo(into: Float32Array, more: Float32Array, size: number) {
  for (let at = 0; at < size; at += 1) into[at]! += more[at]!;
}

/** Beyond this GELU is its argument, or nothing. */
const GELU_END = 6;
const GELU_STEPS = 1_024;
const GELU = Float32Array.from({ length: 2 * GELU_END * GELU_STEPS + 2 }, (_, at) =>
  gelu(at / GELU_STEPS - GELU_END),
);

/** GELU by a table, with a line between its steps. */
function activate(values: Float32Array, size: number) {
  for (let at = 0; at < size; at += 1) {
    const value = values[at]!;
    if (value >= GELU_END) continue;
    if (value <= -GELU_END) {
      values[at] = 0;
      continue;
    }
    const exact = (value + GELU_END) * GELU_STEPS;
    const low = exact | 0;
    values[at] = GELU[low]! + (exact - low) * (GELU[low + 1]! - GELU[low]!);
  }
}

/** By Abramowitz and Stegun's approximation of the error function (7.1.26), whose error is below 2e-7. */
function gelu(value: number): number {
  const t = 1 / (1 + (0.3275911 * Math.abs(value)) / Math.SQRT2);
  const powers = [0.254829592, -0.284496736, 1.421413741, -1.453152027, 1.061405429];
  const sum = powers.reduceRight((higher, factor) => (higher + factor) * t, 0);
  const erf = 1 - sum * Math.exp((-value * value) / 2);
  return 0.5 * value * (1 + Math.sign(value) * erf);
}

function softmax(values: Float32Array, count: number) {
  let most = -Infinity;
  for (let at = 0; at < count; at += 1) most = Math.max(most, values[at]!);
  let total = 0;
  for (let at = 0; at < count; at += 1) total += values[at] = Math.exp(values[at]! - most);
  for (let at = 0; at < count; at += 1) values[at]! /= total;
}

/** A mean and a sum of rows point the same way. */
function meanDirection(rows: Float32Array, meant: readonly number[], width: number): Float32Array {
  const vector = new Float32Array(width);
  for (const row of meant) for (let at = 0; at < width; at += 1) vector[at]! += rows[row * width + at]!;
  const length = Math.hypot(...vector);
  return vector.map((value) => value / length);
}
