import { execFileSync } from "node:child_process";
import { dirname } from "node:path";

const root = dirname(import.meta.dirname);

/** What git prints; undefined where it refuses, or where there is no repository. */
export function git(...words: string[]): string | undefined {
  try {
    const printed = execFileSync("git", words, {
      cwd: root,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
    return printed.trim();
  } catch {
    return undefined;
  }
}

/** Where this branch left main; undefined without a repository. */
export function branchPoint(base?: string): string | undefined {
  const names = base === undefined ? ["origin/main", "main"] : [base];
  const known = names.find((name) => git("rev-parse", "--verify", "--quiet", name) !== undefined);
  return known === undefined ? git("rev-parse", "HEAD") : git("merge-base", known, "HEAD");
}
