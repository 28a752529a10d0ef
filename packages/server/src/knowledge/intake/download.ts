import { createHash, randomUUID } from "node:crypto";
import { open, rm } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { StreamBroken, type Outbound, type Unanswered } from "../../platform/index.ts";
import { failed, type FileFailure } from "./outcome.ts";

/** A file that lies in a directory of ours for as long as it is read. */
export interface FileOnDisk {
  path: string;
  fileName: string;
  sizeBytes: number;
  /** What its server called it. */
  contentType: string | undefined;
}

export interface DownloadedFile extends FileOnDisk {
  sha256: string;
}

export interface WantedFile {
  url: string;
  fileName: string;
  /** Where the file is put; the caller removes it. */
  directory: string;
  sizeBytesMax: number;
  timeoutMs: number;
  /** A server that sends less than this over a window of ten seconds is not waited for. */
  bytesPerSecondMin: number;
  paceWindowMs?: number;
  signal?: AbortSignal;
}

const REDIRECTS_MAX = 3;
const IDLE_TIMEOUT_MS = 60_000;
const PACE_WINDOW_MS = 10_000;
const REDIRECTS = [301, 302, 303, 307, 308];

type Pieces = AsyncIterable<Buffer>;

/** Fetches a file to disk through the guarded connector. Each redirect is a new request, judged like the first. */
export async function downloadFile(
  outbound: Pick<Outbound, "stream">,
  wanted: WantedFile,
): Promise<{ kind: "stored"; file: DownloadedFile } | FileFailure> {
  const until = performance.now() + wanted.timeoutMs;
  const slow = new AbortController();
  const signal = AbortSignal.any([slow.signal, ...(wanted.signal === undefined ? [] : [wanted.signal])]);
  let url = URL.parse(wanted.url);
  for (let redirects = 0; redirects <= REDIRECTS_MAX; redirects += 1) {
    if (url === null || !/^https?:$/.test(url.protocol))
      return failed("bad_url", "the URL must start with http:// or https://");
    const answer = await outbound.stream({
      url: url.href,
      method: "GET",
      headers: { accept: "*/*", "user-agent": "Signalbox" },
      timeoutMs: Math.max(1, until - performance.now()),
      idleTimeoutMs: IDLE_TIMEOUT_MS,
      signal,
    });
    if (answer.kind === "unanswered") return describe(answer);
    const location = REDIRECTS.includes(answer.status) ? answer.headers["location"] : undefined;
    if (location === undefined) return receive(answer, wanted, slow);
    await answer.body.return(undefined);
    const next = URL.parse(location, url.href);
    if (url.protocol === "https:" && next?.protocol === "http:")
      return failed(
        "insecure_redirect",
        "the https:// URL redirects to http://; give the final https:// URL",
      );
    url = next;
  }
  return failed("too_many_redirects", `the URL redirects more than ${REDIRECTS_MAX} times`);
}

async function receive(
  {
    status,
    headers,
    body,
  }: { status: number; headers: Record<string, string>; body: AsyncGenerator<Buffer> },
  wanted: WantedFile,
  slow: AbortController,
): Promise<{ kind: "stored"; file: DownloadedFile } | FileFailure> {
  try {
    if (status !== 200) return failed("http_status", `the file's server answered HTTP ${status}`);
    if (Number(headers["content-length"] ?? 0) > wanted.sizeBytesMax) return tooLarge(wanted.sizeBytesMax);
    const unpack = unpackers[headers["content-encoding"]?.trim().toLowerCase() || "identity"];
    if (unpack === undefined)
      return failed(
        "packed",
        `the file's server compresses it as ${headers["content-encoding"]}, which is not supported`,
      );
    const outcome = await store(unpack, paced(body, wanted, slow), headers["content-type"], wanted);
    if (outcome.kind === "stored" || !slow.signal.aborted) return outcome;
    return failed(
      "too_slow",
      `the file's server sends fewer than ${wanted.bytesPerSecondMin} bytes per second`,
    );
  } finally {
    await body.return(undefined);
  }
}

/** A timeout alone lets a server hold a place for two minutes with a byte now and then. */
async function* paced(
  body: AsyncGenerator<Buffer>,
  { bytesPerSecondMin, paceWindowMs = PACE_WINDOW_MS }: WantedFile,
  slow: AbortController,
): AsyncGenerator<Buffer> {
  let windowBytes = 0;
  const timer = setInterval(() => {
    if (windowBytes < (bytesPerSecondMin * paceWindowMs) / 1000) slow.abort();
    windowBytes = 0;
  }, paceWindowMs);
  try {
    for await (const piece of body) {
      windowBytes += piece.length;
      yield piece;
    }
  } finally {
    clearInterval(timer);
  }
}

/** Servers pack although we ask them not to. What comes out is counted, so that little cannot become endless. */
const unpackers: Record<
  string,
  ((pieces: Pieces, take: (pieces: Pieces) => Promise<void>) => Promise<void>) | undefined
> = {
  identity: (pieces, take) => take(pieces),
  gzip: (pieces, take) => pipeline(pieces, createGunzip(), take),
  "x-gzip": (pieces, take) => pipeline(pieces, createGunzip(), take),
  deflate: (pieces, take) => pipeline(pieces, createInflate(), take),
  br: (pieces, take) => pipeline(pieces, createBrotliDecompress(), take),
};

class TooLarge extends Error {}

async function store(
  unpack: NonNullable<(typeof unpackers)[string]>,
  body: Pieces,
  contentType: string | undefined,
  { fileName, directory, sizeBytesMax }: WantedFile,
): Promise<{ kind: "stored"; file: DownloadedFile } | FileFailure> {
  const path = join(directory, randomUUID());
  const file = await open(path, "wx", 0o600);
  const digest = createHash("sha256");
  let sizeBytes = 0;
  let isStored = false;
  try {
    await unpack(body, async (pieces) => {
      for await (const piece of pieces) {
        sizeBytes += piece.length;
        if (sizeBytes > sizeBytesMax) throw new TooLarge();
        digest.update(piece);
        await file.writeFile(piece);
      }
    });
    isStored = true;
    return { kind: "stored", file: { path, fileName, sizeBytes, sha256: digest.digest("hex"), contentType } };
  } catch (error) {
    if (error instanceof TooLarge) return tooLarge(sizeBytesMax);
    if (error instanceof StreamBroken) return describe(error.failure);
    if (
      error instanceof Error &&
      "code" in error &&
      /^(Z_|ERR_BROTLI|ERR__ERROR|ERR_PADDING)/.test(String(error.code))
    )
      return failed("packed", "the compressed response cannot be decompressed");
    throw error;
  } finally {
    await file.close();
    if (!isStored) await rm(path, { force: true });
  }
}

function tooLarge(sizeBytesMax: number): FileFailure {
  return failed("too_large", `the file is larger than ${sizeBytesMax} bytes`);
}

/** An address that may not be called looks like one where nobody is: the difference would map a private network. */
function describe({ cause }: Unanswered): FileFailure {
  if (cause.startsWith("tls_")) return failed("tls_failed", "the TLS connection to the file's server failed");
  switch (cause) {
    case "timeout":
      return failed("timeout", "the download timed out");
    case "connection_lost":
      return failed("connection_lost", "the connection was lost before the file was complete");
    case "malformed_response":
    case "headers_too_large":
      return failed("malformed_response", "the file's server sent an invalid HTTP response");
    case "invalid_request":
      return failed("bad_url", "the URL is invalid");
    default:
      return failed("unreachable", "the file's server cannot be reached");
  }
}
