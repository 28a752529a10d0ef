import { execFileSync } from "node:child_process";
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const root = dirname(import.meta.dirname);
/** All of them have one version, because each names the others by it. */
const MANIFESTS = [
  "packages/*/package.json",
  "examples/**/package.json",
  "tests/package.json",
  "bench/package.json",
];
/** Files that name the version in the image's tag. */
const DEPLOYED = ["deploy/compose.yaml", "deploy/Dockerfile"];
/** What the SDK and the API description say of themselves. */
const STATED = "packages/contract/src/version.ts";
const PARTS = ["major", "minor", "patch"] as const;

/** The version after this one: `major`, `minor`, `patch`, or itself in full. */
export function nextVersion(version: string, wanted: string): string {
  if (/^\d+\.\d+\.\d+$/.test(wanted)) return wanted;
  const at = PARTS.findIndex((part) => part === wanted);
  if (at === -1) throw new Error(`${wanted} is no version: give major, minor, patch or one such as 1.2.3`);
  const numbers = version.split(".").map(Number);
  return numbers.map((number, index) => (index < at ? number : index === at ? number + 1 : 0)).join(".");
}

/** The lines under Unreleased become the version's, and Unreleased is empty again. */
export function releaseChangelog(changelog: string, version: string, day: string): string {
  const [, unreleased = ""] = changelog.split("\n## Unreleased\n");
  if (/^\n*(?:## |$)/.test(unreleased)) throw new Error("there is nothing under Unreleased");
  return changelog.replace(/^## Unreleased\n/m, `## Unreleased\n\n## ${version} (${day})\n`);
}

export function bumpManifest(text: string, from: string, to: string): string {
  return text
    .replace(`"version": "${from}"`, `"version": "${to}"`)
    .replaceAll(/("@signalbox\/[a-z-]+": )"([\d.]+)"/g, (pair, name: string, version: string) =>
      version === from ? `${name}"${to}"` : pair,
    );
}

if (import.meta.main) {
  const { version: from } = JSON.parse(readFileSync(join(root, "packages/server/package.json"), "utf8")) as {
    version: string;
  };
  const to = nextVersion(from, process.argv[2] ?? "");
  const change = (path: string, by: (text: string) => string) =>
    writeFileSync(join(root, path), by(readFileSync(join(root, path), "utf8")));
  change("CHANGELOG.md", (text) => releaseChangelog(text, to, new Date().toISOString().slice(0, 10)));
  for (const path of globSync(MANIFESTS, { cwd: root, exclude: ["**/node_modules"] }))
    change(path, (text) => bumpManifest(text, from, to));
  for (const path of DEPLOYED)
    change(path, (text) => text.replaceAll(`signalbox:${from}`, `signalbox:${to}`));
  change(STATED, (text) => text.replace(`"${from}"`, `"${to}"`));
  for (const tool of ["write-openapi", "write-asyncapi", "write-sdk", "write-widget-tag"])
    execFileSync(process.execPath, [join(root, `tools/${tool}.ts`)], { stdio: "inherit" });
  execFileSync("npm", ["install", "--package-lock-only", "--no-audit", "--no-fund"], {
    cwd: root,
    stdio: "inherit",
  });
  console.log(`${from} -> ${to}. Read the diff, commit it as "release: ${to}", then tag it v${to}.`);
}
