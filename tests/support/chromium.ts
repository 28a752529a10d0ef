import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { type Browser, chromium } from "playwright-core";

export type { Page } from "playwright-core";

/** The shell is the same engine without the browser's own windows, which cost as much as our pages. */
const NAMES = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"];

/** The browser of this machine: nothing is downloaded for a test. */
export async function openChromium(): Promise<Browser> {
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  const found = NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).find((path) =>
    existsSync(path),
  );
  if (found === undefined) throw new Error("Chromium is needed: .ci/install-chromium installs it on Debian");
  // Its own sandbox needs rights that containers do not give; these pages are ours alone.
  return chromium.launch({ executablePath: found, args: ["--no-sandbox"] });
}
