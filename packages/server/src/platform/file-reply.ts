/** A reply that is a file, written piece by piece while somebody reads it. */
export class FileReply {
  readonly contentType: string;
  /** Made of plain letters, digits, hyphens and dots. */
  readonly fileName: string;
  readonly chunks: () => AsyncIterable<string | Uint8Array>;

  constructor(file: Pick<FileReply, "contentType" | "fileName" | "chunks">) {
    this.contentType = file.contentType;
    this.fileName = file.fileName;
    this.chunks = file.chunks;
  }
}
