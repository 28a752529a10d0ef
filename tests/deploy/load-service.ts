import { globSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";

/** Loads the code of a service and reads files with it: load-service.ts FOLDER all|readers FILE… Prints what was read. */
const [tree = "", what = "", ...files] = process.argv.slice(2);
const source = join(tree, "packages/server/src");
/** They run when they are loaded: the readers start the threads, and the running service the rest. */
const ENTRIES = /(?:^|\/)(?:main|extract-worker|qa-worker|encoder-thread)\.ts$/;
const require = createRequire(join(source, "main.ts"));

const libraries = new Set<string>();
for (const path of what === "all" ? globSync("**/*.ts", { cwd: source, exclude: ["**/*.test.ts"] }) : []) {
  const text = await readFile(join(source, path), "utf8");
  for (const [, library = ""] of text.matchAll(/\bimport\("([^."][^"]*)"\)/g)) libraries.add(library);
  if (!ENTRIES.test(path)) await load(join(source, path));
}
for (const library of libraries) await load(require.resolve(library));

type Reader = (file: object, options: object, limits: object) => Promise<unknown>;
const { extractFile } = (await load(join(source, "knowledge/intake/extract/extract-file.ts"))) as {
  extractFile: Reader;
};
const { readPreview } = (await load(join(source, "knowledge/uploads/read-preview.ts"))) as {
  readPreview: Reader;
};
const { INTAKE_LIMITS } = (await load(join(source, "knowledge/intake/limits.ts"))) as {
  INTAKE_LIMITS: object;
};
// What is missing is looked for here, and a busy machine is slow.
const times = Object.keys(INTAKE_LIMITS).filter((name) => name.endsWith("Ms"));
const limits = { ...INTAKE_LIMITS, ...Object.fromEntries(times.map((name) => [name, 600_000])) };
const read: Record<string, unknown> = {};
for (const path of files) {
  const { size: sizeBytes } = await stat(path);
  const file = { path, fileName: basename(path), sizeBytes, contentType: undefined };
  const options = { splitter: undefined, chunkToken: 600, limits };
  read[basename(path)] =
    path.endsWith(".csv") || path.endsWith(".xlsx")
      ? await readPreview(file, {}, limits)
      : await extractFile(file, options, limits);
}
console.log(JSON.stringify({ libraries: [...libraries], read }));
process.exit(0);

function load(path: string): Promise<unknown> {
  return import(pathToFileURL(path).href);
}
