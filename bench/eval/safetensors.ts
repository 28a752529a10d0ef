import { readFileSync } from "node:fs";

/** The tensors of a safetensors file in half precision, in single precision. */
export function readSafetensors(path: string): (name: string) => Float32Array {
  const file = readFileSync(path);
  const headLength = Number(file.readBigUInt64LE(0));
  const start = 8 + headLength;
  const tensors = JSON.parse(file.toString("utf8", 8, start)) as Record<
    string,
    { dtype: string; data_offsets: [from: number, to: number] }
  >;
  return (name) => {
    const found = tensors[name];
    if (found?.dtype !== "F16") throw new Error(`${path} has no ${name} in half precision`);
    const [from, to] = found.data_offsets;
    const view = new DataView(file.buffer, file.byteOffset + start + from, to - from);
    return Float32Array.from({ length: (to - from) / 2 }, (_, at) => view.getFloat16(2 * at, true));
  };
}
