export interface DownloadedFile {
  path: string;
  fileName: string;
  sizeBytes: number;
  sha256: string;
  contentType: string | undefined;
}
