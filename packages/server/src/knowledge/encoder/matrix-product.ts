/** `matrix-product.wat` beside this file, compiled with wat2wasm of wabt 1.0.39. */
const COMPILED =
  "AGFzbQEAAAABDwJgAXsBfWAGf39/f39/AAMDAgABBQMBAAEHFQIGbWVtb3J5AgAIbXVsdGlwbHkAAQrvBAIaACAA/RsAIAD9GwFqIAD9GwIgAP0bA2pqsgvRBAIMfwt7IARBAXQhCSAFQQJ0IQoDQEEAIQYDQCABIAcgBGxqIQsgCyAEaiEMIAAgBiAJbGohDSANIAlqIQ4gDiAJaiEPIA8gCWohEP0MAAAAAAAAAAAAAAAAAAAAACEV/QwAAAAAAAAAAAAAAAAAAAAAIRb9DAAAAAAAAAAAAAAAAAAAAAAhF/0MAAAAAAAAAAAAAAAAAAAAACEY/QwAAAAAAAAAAAAAAAAAAAAAIRn9DAAAAAAAAAAAAAAAAAAAAAAhGv0MAAAAAAAAAAAAAAAAAAAAACEb/QwAAAAAAAAAAAAAAAAAAAAAIRwgBCEIA0AgC/0BAwAhEyAM/QEDACEUIA39AAQAIRIgFSASIBP9ugH9rgEhFSAWIBIgFP26Af2uASEWIA79AAQAIRIgFyASIBP9ugH9rgEhFyAYIBIgFP26Af2uASEYIA/9AAQAIRIgGSASIBP9ugH9rgEhGSAaIBIgFP26Af2uASEaIBD9AAQAIRIgGyASIBP9ugH9rgEhGyAcIBIgFP26Af2uASEcIAtBCGohCyAMQQhqIQwgDUEQaiENIA5BEGohDiAPQRBqIQ8gEEEQaiEQIAhBCGsiCA0ACyACIAYgCmwgB0ECdGpqIREgESAVEAA4AgAgESAWEAA4AgQgESAKaiERIBEgFxAAOAIAIBEgGBAAOAIEIBEgCmohESARIBkQADgCACARIBoQADgCBCARIApqIREgESAbEAA4AgAgESAcEAA4AgQgBkEEaiEGIAYgA0kNAAsgB0ECaiEHIAcgBUkNAAsL";

export interface MatrixProduct {
  memory: { buffer: ArrayBuffer; grow(pages: number): void };
  /** Addresses in `memory`; rows come in fours, columns in twos, depth in eights. */
  multiply(
    activations: number,
    weights: number,
    sums: number,
    rows: number,
    depth: number,
    columns: number,
  ): void;
}

/** What Node has of WebAssembly; its types describe it for browsers alone. */
declare const WebAssembly: {
  Module: new (bytes: Buffer) => object;
  Instance: new (module: object) => { exports: unknown };
};

export function openMatrixProduct(): MatrixProduct {
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(Buffer.from(COMPILED, "base64")));
  // Safe because the compiled module exports exactly these.
  return exports as MatrixProduct;
}
