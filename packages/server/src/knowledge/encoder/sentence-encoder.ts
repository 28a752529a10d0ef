import { openMatrixProduct } from "./matrix-product.ts";
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
/** The matrix product takes rows in fours. */
const ROWS_MAX = Math.ceil(PIECES_MAX / 4) * 4;
const WIDTH = 512;
const INNER_WIDTH = 1_536;
const HEADS = 4;
const EPSILON = 1e-6;
/** Activations as integers: with weights of seven bits, sums of 1,536 products stay below 2^31. */
const ACTIVATION_MAX = 4_095;
const PAGE_BYTES = 65_536;

/** Universal Sentence Encoder lite: two pre-norm transformer layers over word pieces, their mean, and a dense layer. */
export function createSentenceEncoder(weights: Weights): SentenceEncoder {
  const pieces = createWordPieces(weights.pieces);
  const product = openMatrixProduct();
  let end = 64;
  const reserve = (bytes: number) => {
    const at = end;
    end += Math.ceil(bytes / 64) * 64;
    return at;
  };
  const dense = (name: string) => {
    const matrix = weights.matrix(name);
    return { ...matrix, at: reserve(matrix.values.length), bias: weights.vector(`${name}.bias`) };
  };
  type Dense = ReturnType<typeof dense>;
  const layers = [0, 1].map((layer) => ({
    width: layer === 0 ? 256 : WIDTH,
    before: normOf(`layer${layer}.before`),
    qkv: dense(`layer${layer}.qkv`),
    out: dense(`layer${layer}.out`),
    // The first layer widens what it was given before it is added again.
    widen: layer === 0 ? dense("layer0.widen") : undefined,
    between: normOf(`layer${layer}.between`),
    inner: dense(`layer${layer}.inner`),
    outer: dense(`layer${layer}.outer`),
  }));
  const last = dense("last");
  const integersAt = reserve(ROWS_MAX * INNER_WIDTH * 2);
  const sumsAt = reserve(ROWS_MAX * INNER_WIDTH * 4);
  product.memory.grow(Math.ceil(end / PAGE_BYTES));
  const bytes = new Int8Array(product.memory.buffer);
  for (const { qkv, out, widen, inner, outer } of layers)
    for (const one of [qkv, out, widen, inner, outer]) if (one !== undefined) bytes.set(one.values, one.at);
  bytes.set(last.values, last.at);
  const integers = new Int16Array(product.memory.buffer, integersAt, ROWS_MAX * INNER_WIDTH);
  const sums = new Float32Array(product.memory.buffer, sumsAt, ROWS_MAX * INNER_WIDTH);

  const embeddings = weights.matrix("embeddings");
  const frequencies = weights.vector("frequencies");
  const state = new Float32Array(ROWS_MAX * WIDTH);
  const normed = new Float32Array(ROWS_MAX * WIDTH);
  const mixed = new Float32Array(ROWS_MAX * WIDTH);
  const wide = new Float32Array(ROWS_MAX * INNER_WIDTH);
  const steps = new Float32Array(ROWS_MAX);
  const attention = new Float32Array(ROWS_MAX);

  function normOf(name: string) {
    return { scale: weights.vector(`${name}.scale`), bias: weights.vector(`${name}.bias`) };
  }

  function normalise(
    from: Float32Array,
    into: Float32Array,
    rows: number,
    width: number,
    { scale, bias }: ReturnType<typeof normOf>,
  ) {
    for (let start = 0; start < rows * width; start += width) {
      let mean = 0;
      for (let at = 0; at < width; at += 1) mean += from[start + at]!;
      mean /= width;
      let variance = 0;
      for (let at = 0; at < width; at += 1) variance += (from[start + at]! - mean) ** 2;
      const factor = 1 / Math.sqrt(variance / width + EPSILON);
      for (let at = 0; at < width; at += 1)
        into[start + at] = (from[start + at]! - mean) * factor * scale[at]! + bias[at]!;
    }
  }

  /** Activations become integers row by row, are multiplied as such, and come back with both scales and the bias. */
  function apply(
    { rows: columns, columns: depth, at, scales, bias }: Dense,
    from: Float32Array,
    into: Float32Array,
    rows: number,
  ) {
    for (let row = 0; row < rows; row += 1) {
      const start = row * depth;
      let most = 1e-9;
      for (let index = 0; index < depth; index += 1) most = Math.max(most, Math.abs(from[start + index]!));
      const factor = ACTIVATION_MAX / most;
      for (let index = 0; index < depth; index += 1)
        integers[start + index] = Math.round(from[start + index]! * factor);
      steps[row] = 1 / factor;
    }
    product.multiply(integersAt, at, sumsAt, rows, depth, columns);
    for (let row = 0; row < rows; row += 1) {
      const step = steps[row]!;
      const start = row * columns;
      for (let column = 0; column < columns; column += 1)
        into[start + column] = sums[start + column]! * step * scales[column]! + bias[column]!;
    }
  }

  /** Scaled dot-product attention over what `qkv` made: queries, keys and values side by side in each row of `wide`. */
  function attend(into: Float32Array, rows: number, width: number) {
    const size = width / HEADS;
    const line = 3 * width;
    const scale = 1 / Math.sqrt(size);
    for (let head = 0; head < HEADS; head += 1) {
      for (let row = 0; row < rows; row += 1) {
        const query = row * line + head * size;
        let most = -Infinity;
        for (let other = 0; other < rows; other += 1) {
          const key = other * line + width + head * size;
          let sum = 0;
          for (let at = 0; at < size; at += 1) sum += wide[query + at]! * wide[key + at]!;
          attention[other] = sum * scale;
          most = Math.max(most, attention[other]!);
        }
        let total = 0;
        for (let other = 0; other < rows; other += 1)
          total += attention[other] = Math.exp(attention[other]! - most);
        const start = row * width + head * size;
        into.fill(0, start, start + size);
        for (let other = 0; other < rows; other += 1) {
          const share = attention[other]! / total;
          const value = other * line + 2 * width + head * size;
          for (let at = 0; at < size; at += 1) into[start + at]! += share * wide[value + at]!;
        }
      }
    }
  }

  function addTo(into: Float32Array, more: Float32Array, size: number) {
    for (let at = 0; at < size; at += 1) into[at]! += more[at]!;
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
      for (const { width, before, qkv, out, widen, between, inner, outer } of layers) {
        normalise(state, normed, rows, width, before);
        apply(qkv, normed, wide, rows);
        attend(normed, rows, width);
        apply(out, normed, mixed, rows);
        if (widen === undefined) addTo(mixed, state, rows * WIDTH);
        else {
          apply(widen, state, wide, rows);
          addTo(mixed, wide, rows * WIDTH);
        }
        normalise(mixed, normed, rows, WIDTH, between);
        apply(inner, normed, wide, rows);
        for (let at = 0; at < rows * INNER_WIDTH; at += 1) wide[at] = Math.max(0, wide[at]!);
        apply(outer, wide, state, rows);
        addTo(state, mixed, rows * WIDTH);
      }
      normed.fill(0, 0, WIDTH);
      for (let row = 0; row < rows; row += 1)
        for (let at = 0; at < WIDTH; at += 1) normed[at]! += state[row * WIDTH + at]! / rows;
      apply(last, normed, mixed, 1);
      const vector = mixed.slice(0, WIDTH).map(Math.tanh);
      const length = Math.hypot(...vector);
      return {
        vector: vector.map((value) => value / length),
        charactersPerPiece: [...text].length / rows,
      };
    },
  };
}
