import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";

const root = join(import.meta.dirname, "../..");

/** Without what this checkout brought. */
const PATH_BEFORE = (process.env["PATH"] ?? "")
  .split(delimiter)
  .filter((folder) => !folder.endsWith("node_modules/.bin"))
  .join(delimiter);

/** The home of a developer who has just found the repository: nothing in it but what the README says to fetch. */
export interface Home {
  directory: string;
  clone: string;
  /** The Node that `npm ci` brought. */
  node: string;
  signalbox: string;
  /** No npm cache, and no settings of the person who measures. */
  environment: Record<string, string>;
  /** From `git clone` to an installed checkout. */
  installSeconds: number;
}

export function installHome(directory: string): Home {
  const beganAt = performance.now();
  const clone = join(directory, "signalbox");
  const bin = join(clone, "node_modules/.bin");
  const before = { HOME: directory, PATH: PATH_BEFORE };
  const run = (command: string, argv: string[], cwd: string) =>
    execFileSync(command, argv, { cwd, env: before, stdio: ["ignore", "ignore", "inherit"] });
  run("git", ["clone", "--quiet", root, clone], directory);
  run("npm", ["ci", "--no-audit", "--no-fund"], clone);
  return {
    directory,
    clone,
    node: join(bin, "node"),
    signalbox: join(bin, "signalbox"),
    environment: { HOME: directory, PATH: `${bin}:${PATH_BEFORE}` },
    installSeconds: (performance.now() - beganAt) / 1_000,
  };
}

/** A project of the developer's own, with the SDK as the documents say to install it. */
export function installProject({ directory, clone }: Home): string {
  const tarballs = join(directory, "tarballs");
  const project = join(directory, "project");
  mkdirSync(project);
  writeFileSync(join(project, "package.json"), '{ "private": true, "type": "module" }');
  const run = (argv: string[], cwd: string) =>
    execFileSync("npm", argv, {
      cwd,
      env: { HOME: directory, PATH: PATH_BEFORE },
      stdio: ["ignore", "ignore", "inherit"],
    });
  run(["run", "pack", "--", tarballs], clone);
  const sdk = readdirSync(tarballs)
    .filter((name) => /^signalbox-(contract|sdk)-.*\.tgz$/.test(name))
    .map((name) => join(tarballs, name));
  const others = ["express@5.2.1", "typescript@5.9.3", "@types/node@24"];
  run(["install", "--no-audit", "--no-fund", "--ignore-scripts", ...sdk, ...others], project);
  return project;
}
