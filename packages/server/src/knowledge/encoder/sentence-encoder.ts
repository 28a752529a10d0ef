import { openKernels } from "./kernels.ts";
import type { Weights } from "./weights.ts";
import { createWordPieces } from "./word-pieces.ts";

export interface SentenceEncoder {
  encode(text: string): EncodedSentence;
}

export interface EncodedSentence {
  /** Of length 1. */
  vector: Float32Array;
  /** Characters a word piece has on average: text of a language the encoder does not know falls into crumbs. */
  charactersPerPiece: number;
}

/** What is longer is read up to here: time grows with it, and a question is shorter. */
const PIECES_MAX = 96;
/** The matrix product takes rows in twos. */
const ROWS_MAX = Math.ceil(PIECES_MAX / 2) * 2;
const WIDTH = 512;
const INNER_WIDTH = 1_536;
const HEADS = 4;
const EPSILON = 1e-6;
/** Activations as integers: with weights of seven bits, sums of 1,536 products stay below 2^31. */
const ACTIVATION_MAX = 4_095;
const RELU_LEAST = 0;
const PAGE_BYTES = 65_536;

/** Universal Sentence Encoder lite: two pre-norm transformer layers over word pieces, their mean, and a dense layer. */
export function createSentenceEncoder(weights: Weights): SentenceEncoder {
  const pieces = createWordPieces(weights.pieces);
  const kernels = openKernels();
  const placed: { at: number; values: Int8Array | Float32Array }[] = [];
  let end = 64;
  const reserve = (bytes: number) => {
    const at = end;
    end += Math.ceil(bytes / 64) * 64;
    return at;
  };
  const place = (values: Int8Array | Float32Array) => {
    const at = reserve(values.byteLength);
    placed.push({ at, values });
    return at;
  };
  const dense = (name: string) => {
    const { rows: columns, columns: depth, values, scales } = weights.matrix(name);
    const bias = place(weights.vector(`${name}.bias`));
    return { columns, depth, at: place(values), scales: place(scales), bias };
  };
  type Dense = ReturnType<typeof dense>;
  const norm = (name: string) => ({
    scales: place(weights.vector(`${name}.scale`)),
    bias: place(weights.vector(`${name}.bias`)),
  });
  const layers = [0, 1].map((layer) => ({
    width: layer === 0 ? 256 : WIDTH,
    before: norm(`layer${layer}.before`),
    qkv: dense(`layer${layer}.qkv`),
    out: dense(`layer${layer}.out`),
    // The first layer widens what it was given before it is added again.
    widen: layer === 0 ? dense("layer0.widen") : undefined,
    between: norm(`layer${layer}.between`),
    inner: dense(`layer${layer}.inner`),
    outer: dense(`layer${layer}.outer`),
  }));
  const last = dense("last");
  const integersAt = reserve(ROWS_MAX * INNER_WIDTH * 2);
  const sumsAt = reserve(ROWS_MAX * INNER_WIDTH * 4);
  const stateAt = reserve(ROWS_MAX * WIDTH * 4);
  const normedAt = reserve(ROWS_MAX * WIDTH * 4);
  const mixedAt = reserve(ROWS_MAX * WIDTH * 4);
  const wideAt = reserve(ROWS_MAX * INNER_WIDTH * 4);
  const sharesAt = reserve(ROWS_MAX * 4);

  kernels.memory.grow(Math.ceil(end / PAGE_BYTES));
  const { buffer } = kernels.memory;
  for (const { at, values } of placed)
    if (values instanceof Int8Array) new Int8Array(buffer, at).set(values);
    else new Float32Array(buffer, at).set(values);
  const state = new Float32Array(buffer, stateAt, ROWS_MAX * WIDTH);
  const normed = new Float32Array(buffer, normedAt, ROWS_MAX * WIDTH);
  const mixed = new Float32Array(buffer, mixedAt, ROWS_MAX * WIDTH);
  const wide = new Float32Array(buffer, wideAt, ROWS_MAX * INNER_WIDTH);
  const steps = new Float32Array(ROWS_MAX);
  const shares = new Float32Array(buffer, sharesAt, ROWS_MAX);

  const embeddings = weights.matrix("embeddings");
  const frequencies = weights.vector("frequencies");

  function normalise(
    from: Float32Array,
    rows: number,
    width: number,
    { scales, bias }: ReturnType<typeof norm>,
  ) {
    for (let row = 0; row < rows; row += 1) {
      const at = row * width * 4;
      kernels.normalise(from.byteOffset + at, normedAt + at, scales, bias, width, EPSILON);
    }
  }

  /** Activations become integers row by row, are multiplied as such, and come back with both scales and the bias. */
  function apply(
    { columns, depth, at, scales, bias }: Dense,
    from: Float32Array,
    into: Float32Array,
    rows: number,
    least = -Infinity,
  ) {
    for (let row = 0; row < rows; row += 1)
      steps[row] = kernels.quantise(
        from.byteOffset + row * depth * 4,
        integersAt + row * depth * 2,
        depth,
        ACTIVATION_MAX,
      );
    kernels.multiply(integersAt, at, sumsAt, rows, depth, columns);
    for (let row = 0; row < rows; row += 1) {
      const start = row * columns * 4;
      kernels.rescale(sumsAt + start, into.byteOffset + start, scales, bias, columns, steps[row]!, least);
    }
  }

  /** Scaled dot-product attention over what `qkv` made: queries, keys and values side by side in each row of `wide`. */
  function attend(rows: number, width: number) {
    const size = width / HEADS;
    const line = 3 * width * 4;
    for (let head = 0; head < HEADS; head += 1) {
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

  function addTo(into: Float32Array, more: Float32Array, size: number) {
    for (let at = 0; at < size; at += 1) into[at]! += more[at]!;
  }

  /** Of all rows, in the first. */
  function average(values: Float32Array, rows: number, width: number) {
    for (let row = 1; row < rows; row += 1)
      for (let at = 0; at < width; at += 1) values[at]! += values[row * width + at]!;
    for (let at = 0; at < width; at += 1) values[at]! /= rows;
  }

  function embed(ids: number[]) {
    const width = embeddings.columns;
    for (const [row, id] of ids.entries()) {
      const scale = 2 * embeddings.scales[id]!;
      for (let at = 0; at < width; at += 1)
        state[row * width + at] = embeddings.values[id * width + at]! * scale;
      // Where a word stands.
      for (let at = 0; at < frequencies.length; at += 1) {
        const angle = row * frequencies[at]!;
        state[row * width + at]! += Math.sin(angle);
        state[row * width + frequencies.length + at]! += Math.cos(angle);
      }
    }
  }

  return {
    encode(text) {
      const ids = pieces.cut(text, PIECES_MAX);
      const rows = Math.max(1, ids.length);
      state.fill(0);
      embed(ids);
      for (const [layer, { width, before, qkv, out, widen, between, inner, outer }] of layers.entries()) {
        normalise(state, rows, width, before);
        apply(qkv, normed, wide, rows);
        attend(rows, width);
        apply(out, normed, mixed, rows);
        if (widen === undefined) addTo(mixed, state, rows * WIDTH);
        else {
          apply(widen, state, wide, rows);
          addTo(mixed, wide, rows * WIDTH);
        }
        normalise(mixed, rows, WIDTH, between);
        apply(inner, normed, wide, rows, RELU_LEAST);
        // Of the last layer only the mean is asked for: what is linear is done once, with the mean.
        const left = layer === layers.length - 1 ? 1 : rows;
        if (left < rows) {
          average(wide, rows, INNER_WIDTH);
          average(mixed, rows, WIDTH);
        }
        apply(outer, wide, state, left);
        addTo(state, mixed, left * WIDTH);
      }
      apply(last, state, mixed, 1);
      const vector = mixed.slice(0, WIDTH).map(Math.tanh);
      const length = Math.hypot(...vector);
      return {
        vector: vector.map((value) => value / length),
        charactersPerPiece: [...text].length / rows,
      };
    },
  };
}

function softmax(values: Float32Array, count: number) {
  let most = -Infinity;
  for (let at = 0; at < count; at += 1) most = Math.max(most, values[at]!);
  let total = 0;
  for (let at = 0; at < count; at += 1) total += values[at] = Math.exp(values[at]! - most);
  for (let at = 0; at < count; at += 1) values[at]! /= total;
}
