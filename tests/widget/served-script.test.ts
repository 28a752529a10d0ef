import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { openBed, type Bed } from "@signalbox/tests/support/bed.ts";
import { openChromium } from "@signalbox/tests/support/chromium.ts";
import type { Browser } from "playwright-core";
import { bundleWidget } from "./developer-site.ts";

const root = join(import.meta.dirname, "../..");
const BUNDLER = join(root, "packages/widget/bundle.ts");
const GUIDE = readFileSync(join(root, "docs/how-to/embed-the-widget.md"), "utf8");
const SERVICE = "https://signalbox.example.com";
const DEFINED = "customElements.get('signalbox-chat') !== undefined";

describe("the widget's script as the service serves it", { timeout: 300_000 }, () => {
  let bed: Bed;
  let browser: Browser;
  let script: string;
  let version: string;
  before(async () => {
    script = bundleWidget();
    ({ version } = JSON.parse(readFileSync(join(root, "packages/widget/package.json"), "utf8")) as {
      version: string;
    });
    [bed, browser] = await Promise.all([openBed({ apis: 1, workers: 0 }), openChromium()]);
  });
  after(async () => {
    await browser?.close();
    await bed?.[Symbol.asyncDispose]();
  });
  const get = (path: string, headers: Record<string, string> = {}) =>
    fetch(`${bed.baseUrl}${path}`, { headers });

  it("the script is served to every page: for minutes where it is current, for ever under its version", async () => {
    for (const [path, caching] of [
      ["/signalbox-chat.js", "public, max-age=300"],
      [`/widget/${version}/signalbox-chat.js`, "public, max-age=31536000, immutable"],
    ] as const) {
      const reply = await get(path);
      assert.equal(reply.status, 200, path);
      assert.equal(await reply.text(), script, path);
      const { headers } = reply;
      assert.deepEqual(
        {
          type: headers.get("content-type"),
          caching: headers.get("cache-control"),
          encoding: headers.get("content-encoding"),
          vary: headers.get("vary"),
          origins: headers.get("access-control-allow-origin"),
          resource: headers.get("cross-origin-resource-policy"),
          sniffing: headers.get("x-content-type-options"),
        },
        {
          type: "text/javascript; charset=utf-8",
          caching,
          encoding: "gzip",
          vary: "accept-encoding",
          origins: "*",
          resource: "cross-origin",
          sniffing: "nosniff",
        },
        path,
      );
      const again = await get(path, { "if-none-match": headers.get("etag") ?? "" });
      assert.equal(again.status, 304, path);
    }
  });

  it("another version of the script than the service's is refused, and the answer names the one it has", async () => {
    const reply = await get("/widget/0.0.1/signalbox-chat.js");
    assert.equal(reply.status, 404);
    assert.match(
      await reply.text(),
      new RegExp(`/widget/${version.replaceAll(".", "\\.")}/signalbox-chat\\.js`),
    );
  });

  it("both script tags of the guide load the widget on a page of another origin, also on one that embeds nothing else", async () => {
    const tags = [...GUIDE.matchAll(/<script\s[^>]*signalbox-chat\.js[^>]*><\/script>/g)].map(([tag]) =>
      tag.replace(SERVICE, bed.baseUrl),
    );
    assert.equal(tags.length, 2);
    for (const tag of tags) assert.equal(await isDefinedBy(tag), true, tag);
    const pinned = tags.find((tag) => tag.includes("integrity")) ?? "";
    const other = createHash("sha384").update(`${script} `).digest("base64");
    const spoiled = pinned.replace(/integrity="[^"]*"/, `integrity="sha384-${other}"`);
    assert.equal(await isDefinedBy(spoiled), false, "a browser refuses a file that does not match the hash");
  });

  it("the widget is built to the same bytes from every folder", () => {
    const build = (cwd: string) =>
      readFileSync(execFileSync(process.execPath, [BUNDLER], { cwd, encoding: "utf8" }).trim(), "utf8");
    assert.equal(build(tmpdir()), build(root));
  });

  /** Whether a page of another origin has the element once it has loaded this tag. */
  async function isDefinedBy(tag: string): Promise<boolean> {
    await using site = await openSite(`<!doctype html><title>Shop</title>${tag}`);
    const page = await browser.newPage();
    await page.goto(site.url, { waitUntil: "load" });
    const isDefined = Boolean(await page.evaluate(DEFINED));
    await page.close();
    return isDefined;
  }
});

/** Asks of everything it loads that it may be embedded. */
async function openSite(html: string): Promise<AsyncDisposable & { url: string }> {
  const server = createServer((_request, response) =>
    response
      .writeHead(200, {
        "content-type": "text/html; charset=utf-8",
        "cross-origin-embedder-policy": "require-corp",
      })
      .end(html),
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
