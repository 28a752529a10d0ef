/** `kernels.wat` beside this file, compiled with wat2wasm of wabt 1.0.39. */
const COMPILED =
  "AGFzbQEAAAABPAdgBH9/f30BfWAHf39/f399fQBgBn9/f39/fQBgB39/f39/f30AYAZ/f39/f38AYAF7AX1gBHt7e3sBewMJCAABAgMEBQQGBQMBAAEHRgcGbWVtb3J5AgAIcXVhbnRpc2UAAAdyZXNjYWxlAAEJbm9ybWFsaXNlAAIHY29tcGFyZQADA21peAAECG11bHRpcGx5AAYK+wwIqwEDAn8BfQJ7Q19wiTD9EyEIIAAhBCAAIAJBAnRqIQUDQCAIIAT9AAQA/eAB/esBIQggBEEQaiEEIAQgBUkNAAsgAyAI/R8AIAj9HwGXIAj9HwIgCP0fA5eXlSEGIAb9EyEHA0AgASAA/QAEACAH/eYB/Wr9+AEgAP0ABBAgB/3mAf1q/fgB/YUB/QsEACABQRBqIQEgAEEgaiEAIAAgBUkNAAtDAACAPyAGlQtqAgF/AnsgBf0TIQggBv0TIQkgACAEQQJ0aiEHA0AgASAJIAD9AAQAIAj95gEgAv0ABAD95gEgA/0ABAD95AH96wH9CwQAIABBEGohACABQRBqIQEgAkEQaiECIANBEGohAyAAIAdJDQALC+sBAwJ/AX0EeyAEsyEIIAAgBEECdGohByAAIQYDQCAJIAb9AAQA/eQBIQkgBkEQaiEGIAYgB0kNAAsgCRAFIAiV/RMhCv0MAAAAAAAAAAAAAAAAAAAAACEJIAAhBgNAIAb9AAQAIAr95QEhDCAJIAwgDP3mAf3kASEJIAZBEGohBiAGIAdJDQALQwAAgD8gCRAFIAiVIAWSkZX9EyELA0AgASAA/QAEACAK/eUBIAv95gEgAv0ABAD95gEgA/0ABAD95AH9CwQAIABBEGohACABQRBqIQEgAkEQaiECIANBEGohAyAAIAdJDQALC4ABAgN/AXsgBUECdCEIIAIgA0ECdGohCQNA/QwAAAAAAAAAAAAAAAAAAAAAIQpBACEHA0AgCiAAIAdq/QAEACABIAdq/QAEAP3mAf3kASEKIAdBEGohByAHIAhJDQALIAIgChAFIAaUOAIAIAEgBGohASACQQRqIQIgAiAJSQ0ACwuEAQIEfwF7IAIgBUECdGohBiAAIANBAnRqIQgDQP0MAAAAAAAAAAAAAAAAAAAAACEKIAAhByABIQkDQCAKIAf9CQIAIAn9AAQA/eYB/eQBIQogCSAEaiEJIAdBBGohByAHIAhJDQALIAIgCv0LBAAgAUEQaiEBIAJBEGohAiACIAZJDQALCxkAIAD9HwAgAP0fAZIgAP0fAiAA/R8DkpILtwUCDH8LeyAEQQF0IQkgBUECdCEKA0BBACEGA0AgASAHIARsaiELIAsgBGohDCAMIARqIQ0gDSAEaiEOIAAgBiAJbGohDyAPIAlqIRD9DAAAAAAAAAAAAAAAAAAAAAAhFf0MAAAAAAAAAAAAAAAAAAAAACEW/QwAAAAAAAAAAAAAAAAAAAAAIRf9DAAAAAAAAAAAAAAAAAAAAAAhGP0MAAAAAAAAAAAAAAAAAAAAACEZ/QwAAAAAAAAAAAAAAAAAAAAAIRr9DAAAAAAAAAAAAAAAAAAAAAAhG/0MAAAAAAAAAAAAAAAAAAAAACEcIAQhCANAIA/9AAQAIRIgEP0ABAAhEyAL/QEDACEUIBUgEiAU/boB/a4BIRUgGSATIBT9ugH9rgEhGSAM/QEDACEUIBYgEiAU/boB/a4BIRYgGiATIBT9ugH9rgEhGiAN/QEDACEUIBcgEiAU/boB/a4BIRcgGyATIBT9ugH9rgEhGyAO/QEDACEUIBggEiAU/boB/a4BIRggHCATIBT9ugH9rgEhHCAP/QAEECESIBD9AAQQIRMgC/0BAwghFCAVIBIgFP26Af2uASEVIBkgEyAU/boB/a4BIRkgDP0BAwghFCAWIBIgFP26Af2uASEWIBogEyAU/boB/a4BIRogDf0BAwghFCAXIBIgFP26Af2uASEXIBsgEyAU/boB/a4BIRsgDv0BAwghFCAYIBIgFP26Af2uASEYIBwgEyAU/boB/a4BIRwgC0EQaiELIAxBEGohDCANQRBqIQ0gDkEQaiEOIA9BIGohDyAQQSBqIRAgCEEQayIIDQALIAIgBiAKbCAHQQJ0amohESARIBUgFiAXIBgQB/0LBAAgESAKaiAZIBogGyAcEAf9CwQAIAZBAmohBiAGIANJDQALIAdBBGohByAHIAVJDQALC5gBAQJ7IAAgAf0NAAECAxAREhMEBQYHFBUWFyAAIAH9DQgJCgsYGRobDA0ODxwdHh/9rgEhBCACIAP9DQABAgMQERITBAUGBxQVFhcgAiAD/Q0ICQoLGBkaGwwNDg8cHR4f/a4BIQUgBCAF/Q0AAQIDBAUGBxAREhMUFRYXIAQgBf0NCAkKCwwNDg8YGRobHB0eH/2uAf36AQs=";

/** Addresses in `memory` are in bytes, lengths in numbers, multiples of eight. */
export interface Kernels {
  memory: { buffer: ArrayBuffer; grow(pages: number): void };
  /** Rounds one row to integers of at most `most`, and says what one step is worth. */
  quantise(from: number, into: number, length: number, most: number): number;
  /** Rows come in twos, columns in fours, `depth` in sixteens. */
  multiply(
    activations: number,
    weights: number,
    sums: number,
    rows: number,
    depth: number,
    columns: number,
  ): void;
  rescale(
    from: number,
    into: number,
    scales: number,
    bias: number,
    length: number,
    step: number,
    least: number,
  ): void;
  /** The dot products of a query with the keys of all rows, which are `line` bytes apart. */
  compare(
    query: number,
    keys: number,
    into: number,
    rows: number,
    line: number,
    length: number,
    scale: number,
  ): void;
  /** The sum of the values of all rows, each by its share. */
  mix(shares: number, values: number, into: number, rows: number, line: number, length: number): void;
  normalise(from: number, into: number, scales: number, bias: number, length: number, epsilon: number): void;
}

/** What Node has of WebAssembly; its types describe it for browsers alone. */
declare const WebAssembly: {
  Module: new (bytes: Buffer) => object;
  Instance: new (module: object) => { exports: unknown };
};

export function openKernels(): Kernels {
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(Buffer.from(COMPILED, "base64")));
  // Safe because the compiled module exports exactly these.
  return exports as Kernels;
}
