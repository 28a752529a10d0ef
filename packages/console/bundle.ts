import { existsSync, globSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { build } from "vite";

/** What the files are made of: a change of these asks for new ones. */
const SOURCES = ["*.{ts,html,json}", "{src,public}/**/*", "../{contract,sdk}/src/**/*.ts"];

const { values } = parseArgs({
  options: { "if-changed": { type: "boolean", default: false }, out: { type: "string" } },
});
const directory = values.out === undefined ? join(import.meta.dirname, "dist") : resolve(values.out);
const page = join(directory, "index.html");

function isCurrent(): boolean {
  if (!existsSync(page)) return false;
  const builtAt = statSync(page).mtimeMs;
  return globSync(SOURCES, { cwd: import.meta.dirname }).every(
    (file) => statSync(join(import.meta.dirname, file)).mtimeMs < builtAt,
  );
}

// The console as static files that the service serves at /console.
if (!values["if-changed"] || !isCurrent())
  await build({
    configFile: join(import.meta.dirname, "vite.config.ts"),
    build: { outDir: directory, emptyOutDir: true },
  });
process.stdout.write(`${page}\n`);
