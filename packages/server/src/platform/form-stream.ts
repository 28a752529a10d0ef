/** A part of a multipart/form-data body; its contents are read once, before the next part. */
export interface FormPart {
  name: string;
  /** Undefined for a field; a part with a file name is a file. */
  fileName: string | undefined;
  contents: AsyncIterable<Buffer>;
}

/** A form as it arrives. Nothing of it is kept. */
export type FormStream = AsyncIterable<FormPart>;
