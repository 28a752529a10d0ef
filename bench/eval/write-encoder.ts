import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { weightsFile, type Matrix } from "../../packages/server/src/knowledge/index.ts";
import { readSafetensors } from "./safetensors.ts";

// `npm run write-encoder -- DIR`: the built-in encoder's files from the weights as they were published. The README beside
// the files says where those are from. The same weights give the same files.
const ENCODER = join(import.meta.dirname, "../../packages/server/encoder");
const SHA256: Record<string, string> = {
  "model.fp16.safetensors": "6638f625a0a60bdaa1e34c5fee0a17c705f13b98b43a7973e9d366106a55273d",
  "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
};
const WIDTH = 384;
const INNER_WIDTH = 1_536;
const LAYERS = 6;
const HEADS = 12;
/** As many as the encoder reads pieces, and some to spare. */
const PLACES = 128;

const [directory] = process.argv.slice(2);
if (directory === undefined) throw new Error("name the folder of the weights");
for (const [name, expected] of Object.entries(SHA256)) {
  const found = createHash("sha256")
    .update(readFileSync(join(directory, name)))
    .digest("hex");
  if (found !== expected) throw new Error(`${name} is another one: its SHA-256 is ${found}`);
}
const original = readSafetensors(join(directory, "model.fp16.safetensors"));
const tokenizer = JSON.parse(readFileSync(join(directory, "tokenizer.json"), "utf8")) as {
  model: { vocab: Record<string, number> };
};

/** One scale a row, so that the largest of the row is 127. */
function quantised(values: Float32Array, columns: number): Matrix {
  const rows = values.length / columns;
  const matrix = { rows, columns, values: new Int8Array(values.length), scales: new Float32Array(rows) };
  for (let row = 0; row < rows; row += 1) {
    const start = row * columns;
    let most = 1e-12;
    for (let at = start; at < start + columns; at += 1) most = Math.max(most, Math.abs(values[at]!));
    matrix.scales[row] = most / 127;
    for (let at = start; at < start + columns; at += 1)
      matrix.values[at] = Math.round((values[at]! * 127) / most);
  }
  return matrix;
}

const tensors: Record<string, Matrix | Float32Array> = {};
function putDense(name: string, depth: number, ...parts: string[]) {
  const all = (kind: string) => Float32Array.from(parts.flatMap((part) => [...original(`${part}.${kind}`)]));
  tensors[name] = quantised(all("weight"), depth);
  tensors[`${name}.bias`] = all("bias");
}
function putNorm(name: string, part: string) {
  tensors[`${name}.scale`] = original(`${part}.weight`);
  tensors[`${name}.bias`] = original(`${part}.bias`);
}

tensors["embeddings"] = quantised(original("embeddings.word_embeddings.weight"), WIDTH);
// Every text is of the first type: what that adds goes into the places.
const types = original("embeddings.token_type_embeddings.weight");
tensors["places"] = original("embeddings.position_embeddings.weight")
  .slice(0, PLACES * WIDTH)
  .map((value, at) => value + types[at % WIDTH]!);
putNorm("first", "embeddings.LayerNorm");
for (let layer = 0; layer < LAYERS; layer += 1) {
  const of = `encoder.layer.${layer}`;
  const attention = ["query", "key", "value"].map((name) => `${of}.attention.self.${name}`);
  putDense(`layer${layer}.qkv`, WIDTH, ...attention);
  putDense(`layer${layer}.out`, WIDTH, `${of}.attention.output.dense`);
  putNorm(`layer${layer}.between`, `${of}.attention.output.LayerNorm`);
  putDense(`layer${layer}.inner`, WIDTH, `${of}.intermediate.dense`);
  putDense(`layer${layer}.outer`, INNER_WIDTH, `${of}.output.dense`);
  putNorm(`layer${layer}.after`, `${of}.output.LayerNorm`);
}

writeFileSync(
  join(ENCODER, "minilm-l6-en.int8"),
  weightsFile({
    version: "minilm-l6-en-1",
    origin: "sentence-transformers/all-MiniLM-L6-v2, quantised to int8 for Signalbox",
    licence: "Apache-2.0",
    layers: LAYERS,
    heads: HEADS,
    tensors,
  }),
);
const vocabulary: string[] = [];
for (const [piece, id] of Object.entries(tokenizer.model.vocab)) vocabulary[id] = piece;
writeFileSync(join(ENCODER, "minilm-l6-en.vocabulary"), `${vocabulary.join("\n")}\n`);
