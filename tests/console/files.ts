import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";

type Manifest = Record<string, { file: string; imports?: string[] }>;

/** Gzipped, what a browser fetches before the first screen is chosen: the entry and all it imports. */
export function initialBytes(page: string): number {
  const directory = dirname(page);
  const manifest = JSON.parse(readFileSync(join(directory, "manifest.json"), "utf8")) as Manifest;
  const found = new Set<string>();
  const follow = (name: string) => {
    if (found.has(name)) return;
    found.add(name);
    manifest[name]?.imports?.forEach(follow);
  };
  follow("index.html");
  return [...found]
    .flatMap((name) => manifest[name]?.file ?? [])
    .reduce((sum, file) => sum + gzipSync(readFileSync(join(directory, file)), { level: 9 }).length, 0);
}

/** What the Content-Security-Policy would refuse of the page itself. */
export function inlineParts(page: string): string[] {
  return readFileSync(page, "utf8").match(/<style|style=|<script(?![^>]*\bsrc=)|https?:\/\//g) ?? [];
}
