import { readFileSync } from "node:fs";

/** The file begins with this line, the length of its description (uint32, little endian) and the description as JSON. */
const MAGIC = "signalbox encoder 2\n";
const ALIGNMENT = 64;

/** A matrix as int8, one row for each output, with one scale a row. */
export interface Matrix {
  rows: number;
  columns: number;
  values: Int8Array;
  scales: Float32Array;
}

export interface Weights {
  /** Part of the name that vectors are stored under: other weights make other vectors. */
  version: string;
  layers: number;
  heads: number;
  matrix(name: string): Matrix;
  vector(name: string): Float32Array;
}

interface Description {
  version: string;
  origin: string;
  licence: string;
  layers: number;
  heads: number;
  tensors: Record<string, { rows: number; columns: number; at: number; scalesAt?: number }>;
}

export function readWeights(path: URL | string): Weights {
  const file = readFileSync(path);
  const start = MAGIC.length + 4;
  if (file.toString("latin1", 0, MAGIC.length) !== MAGIC) throw new Error(`${String(path)} holds no encoder`);
  const length = file.readUInt32LE(MAGIC.length);
  const described = JSON.parse(file.toString("utf8", start, start + length)) as Description;
  const base = aligned(start + length);
  const tensor = (name: string) => {
    const found = described.tensors[name];
    if (found === undefined) throw new Error(`the encoder's file lacks ${name}`);
    return found;
  };
  // Copied, because a view of floats must begin at a multiple of four of its own buffer.
  const bytes = (at: number, size: number) =>
    new Uint8Array(file.subarray(base + at, base + at + size)).buffer;
  return {
    version: described.version,
    layers: described.layers,
    heads: described.heads,
    matrix(name) {
      const { rows, columns, at, scalesAt } = tensor(name);
      if (scalesAt === undefined) throw new Error(`${name} is no matrix`);
      return {
        rows,
        columns,
        values: new Int8Array(bytes(at, rows * columns)),
        scales: new Float32Array(bytes(scalesAt, rows * 4)),
      };
    },
    vector(name) {
      const { rows, at } = tensor(name);
      return new Float32Array(bytes(at, rows * 4));
    },
  };
}

export type WeightsToWrite = Omit<Description, "tensors"> & {
  tensors: Record<string, Matrix | Float32Array>;
};

/** For the tool that makes the file. */
export function weightsFile({ tensors, ...about }: WeightsToWrite): Buffer {
  const parts: Buffer[] = [];
  let size = 0;
  const place = (values: Int8Array | Float32Array) => {
    const at = size;
    const bytes = Buffer.from(values.buffer, values.byteOffset, values.byteLength);
    parts.push(bytes, Buffer.alloc(aligned(bytes.length) - bytes.length));
    size += aligned(bytes.length);
    return at;
  };
  const described: Description["tensors"] = {};
  for (const [name, tensor] of Object.entries(tensors))
    described[name] =
      tensor instanceof Float32Array
        ? { rows: tensor.length, columns: 1, at: place(tensor) }
        : {
            rows: tensor.rows,
            columns: tensor.columns,
            at: place(tensor.values),
            scalesAt: place(tensor.scales),
          };
  const description = Buffer.from(JSON.stringify({ ...about, tensors: described } satisfies Description));
  const head = Buffer.alloc(aligned(MAGIC.length + 4 + description.length));
  head.write(MAGIC, "latin1");
  head.writeUInt32LE(description.length, MAGIC.length);
  description.copy(head, MAGIC.length + 4);
  return Buffer.concat([head, ...parts]);
}

function aligned(size: number): number {
  return Math.ceil(size / ALIGNMENT) * ALIGNMENT;
}
