import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { rootCertificates, setDefaultCACertificates } from "node:tls";
import { after, before, beforeEach, describe, it } from "node:test";
import { gzipSync } from "node:zlib";
import { createAuthority } from "@signalbox/tests/support/certificates.ts";
import { openOutbound, type Outbound } from "../../platform/index.ts";
import { downloadFile, type WantedFile } from "./download.ts";
import { atMost } from "@signalbox/tests/support/machine.ts";

let directory: string;
let server: Server;
let origin: string;
let outbound: Outbound;
let answer: (request: IncomingMessage, response: ServerResponse) => void;

before(async () => {
  directory = await mkdtemp(join(tmpdir(), "download-"));
  server = createServer((request, response) => answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  outbound = openOutbound({
    allowedHosts: [],
    allowedRanges: [{ range: "127.0.0.1", port: "*" }],
    connectionLifeMs: 60_000,
  });
});
after(async () => {
  server.closeAllConnections();
  await Promise.all([new Promise((resolve) => server.close(resolve)), outbound.close()]);
  await rm(directory, { recursive: true });
});
beforeEach(() => void (answer = (_, response) => response.end("question,answer\n")));

function download(path = "/faq.csv", wanted: Partial<WantedFile> = {}) {
  return downloadFile(outbound, {
    url: origin + path,
    fileName: "faq.csv",
    directory,
    sizeBytesMax: 1_000_000,
    timeoutMs: 5_000,
    bytesPerSecondMin: 1_000,
    ...wanted,
  });
}

async function causeOf(downloading: ReturnType<typeof download>): Promise<string> {
  const outcome = await downloading;
  assert.equal((await readdir(directory)).length, 0, "a file that failed leaves nothing behind");
  return outcome.kind === "failed" ? outcome.cause : outcome.kind;
}

describe("downloading a file", () => {
  it("a download is stored byte for byte, with its size, hash and type", async () => {
    const bytes = Buffer.alloc(300_000, "Où?,Là.\n");
    answer = (_, response) => response.writeHead(200, { "content-type": "text/csv; charset=x" }).end(bytes);
    const outcome = await download();
    assert.ok(outcome.kind === "stored");
    const { file } = outcome;
    assert.deepEqual(await readFile(file.path), bytes);
    assert.deepEqual(
      [file.sizeBytes, file.sha256, file.contentType, file.fileName],
      [bytes.length, createHash("sha256").update(bytes).digest("hex"), "text/csv; charset=x", "faq.csv"],
    );
    await rm(file.path);
  });

  it("a download below the minimum rate is given up long before the timeout, compressed or not", async () => {
    for (const headers of [{}, { "content-encoding": "gzip" }]) {
      answer = (_, response) => {
        response.writeHead(200, headers);
        const packed = gzipSync(Buffer.alloc(1_000, "a,b\n"));
        let at = 0;
        const timer = setInterval(() => response.write(packed.subarray(at, (at += 1))), 20);
        response.once("close", () => clearInterval(timer));
      };
      const began = performance.now();
      assert.equal(await causeOf(download("/", { timeoutMs: 60_000, paceWindowMs: 300 })), "too_slow");
      atMost(performance.now() - began, 20_000, "giving up");
    }
  });

  it("a slow download above the minimum rate is completed", async () => {
    answer = (_, response) => {
      let sent = 0;
      const timer = setInterval(() => {
        sent += 1;
        if (sent < 8) return void response.write("a,b\n".repeat(500));
        clearInterval(timer);
        response.end();
      }, 100);
    };
    const outcome = await download("/", { paceWindowMs: 400 });
    assert.equal(outcome.kind, "stored");
    if (outcome.kind === "stored") await rm(outcome.file.path);
  });

  it("a download follows three redirects, relative ones included, and no fourth", async () => {
    answer = ({ url }, response) => {
      const left = Number(url?.slice(1));
      if (left === 0) response.end("a,b\n");
      else response.writeHead(302, { location: `/${left - 1}` }).end("elsewhere");
    };
    const outcome = await download("/3");
    assert.equal(outcome.kind, "stored");
    if (outcome.kind === "stored") await rm(outcome.file.path);
    assert.equal(await causeOf(download("/4")), "too_many_redirects");
  });

  it("a download checks the address of each redirect and reveals nothing of a refused one", async () => {
    for (const target of ["http://[::1]:1/", "http://169.254.169.254/latest", "http://localhost.invalid/"]) {
      answer = (_, response) => response.writeHead(307, { location: target }).end();
      const outcome = await download();
      assert.deepEqual(outcome, {
        kind: "failed",
        cause: "unreachable",
        detail: "the file's server cannot be reached",
      });
    }
    answer = (_, response) => response.writeHead(302, { location: "file:///etc/passwd" }).end();
    assert.equal(await causeOf(download()), "bad_url");
  });

  it("a download that begins with https follows no redirect to http, and says so", async () => {
    const authority = createAuthority();
    setDefaultCACertificates([...rootCertificates, authority.certificate]);
    let visits = 0;
    answer = (_, response) => {
      visits += 1;
      response.end("a,b\n");
    };
    const secure = createSecureServer(authority.issue({ hosts: ["127.0.0.1"] }), (_, response) =>
      response.writeHead(302, { location: `${origin}/faq.csv` }).end(),
    );
    await new Promise<void>((resolve) => secure.listen(0, "127.0.0.1", resolve));
    const url = `https://127.0.0.1:${(secure.address() as AddressInfo).port}/faq.csv`;
    const outcome = await download("/", { url });
    secure.closeAllConnections();
    await new Promise((resolve) => secure.close(resolve));
    assert.deepEqual([outcome.kind === "failed" && outcome.cause, visits], ["insecure_redirect", 0]);
  });

  it("a download fails at any status but 200", async () => {
    for (const status of [204, 206, 304, 404, 500]) {
      answer = (_, response) => response.writeHead(status).end();
      assert.equal(await causeOf(download()), "http_status", String(status));
    }
  });

  it("a download fails when the connection breaks midway", async () => {
    answer = (_, response) => {
      response.writeHead(200, { "content-length": "1000" });
      response.write("question,answer\n", () => response.destroy());
    };
    assert.equal(await causeOf(download()), "connection_lost");
  });

  it("a download over the size limit is refused when announced and stopped when not", async () => {
    answer = (_, response) => {
      response.writeHead(200, { "content-length": String(3 * 2 ** 30) });
      response.write("x");
    };
    assert.equal(await causeOf(download()), "too_large");

    let sent = 0;
    answer = (_, response) => {
      const piece = Buffer.alloc(65_536, "x");
      const send = () => {
        while (!response.destroyed && response.write(piece)) sent += piece.length;
      };
      response.on("drain", send);
      send();
    };
    assert.equal(await causeOf(download()), "too_large");
    assert.ok(sent < 20_000_000, `${sent} bytes were sent`);
  });

  it("a download is decompressed, and stopped at a decompression bomb", async () => {
    // Made first: packing holds up this process, and with it the server, longer than an idle connection lives.
    const bomb = gzipSync(Buffer.alloc(200_000_000));
    assert.ok(bomb.length < 1_000_000);
    answer = (_, response) => response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync("a,b\n"));
    const outcome = await download();
    assert.ok(outcome.kind === "stored");
    assert.equal(await readFile(outcome.file.path, "utf8"), "a,b\n");
    await rm(outcome.file.path);

    answer = (_, response) => response.writeHead(200, { "content-encoding": "gzip" }).end(bomb);
    assert.equal(await causeOf(download()), "too_large");

    answer = (_, response) => response.writeHead(200, { "content-encoding": "gzip" }).end("not packed");
    assert.equal(await causeOf(download()), "packed");
    answer = (_, response) => response.writeHead(200, { "content-encoding": "aes" }).end("x");
    assert.equal(await causeOf(download()), "packed");
  });

  it("a download ends at its deadline, also while bytes keep trickling", async () => {
    answer = (_, response) => {
      const timer = setInterval(() => response.write("x"), 20);
      response.on("close", () => clearInterval(timer));
    };
    assert.equal(await causeOf(download("/", { timeoutMs: 300 })), "timeout");
  });

  it("a download stops when it is cancelled", async () => {
    answer = () => {};
    const controller = new AbortController();
    const downloading = download("/", { signal: controller.signal });
    setTimeout(() => controller.abort(), 50);
    assert.equal(await causeOf(downloading), "connection_lost");
  });

  it("a download fails as unreachable when nothing is listening", async () => {
    assert.equal(await causeOf(download("/", { url: "http://127.0.0.1:1/faq.csv" })), "unreachable");
  });
});
