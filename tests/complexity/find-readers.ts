import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "../..");
/** Where text from outside is read: by the service, and in the visitor's browser. */
const LOOKED_AT = ["packages/{server,widget,contract}/src/**/*.ts", "packages/console/src/**/*.{ts,tsx}"];
const LEFT_OUT = ["**/*.test.ts", "**/node_modules"];

/** A function that is given such a text first reads it. A text that comes from ourselves has another name. */
const READER =
  /^export (?:async )?function (\w+)(?:<[^>]*>)?\(\s*(?:text|whole|said|reply|html|xml|markdown|source|question|asked|claim|cell|title|word|term|value)s?: string\b/gm;

/** `path#name` of every exported function that reads text from outside. */
export function findReaders(): string[] {
  return globSync(LOOKED_AT, { cwd: root, exclude: LEFT_OUT })
    .toSorted()
    .flatMap((path) => readersIn(path, readFileSync(join(root, path), "utf8")));
}

export function readersIn(path: string, code: string): string[] {
  return [...code.matchAll(READER)].map(([, name]) => `${path}#${name}`);
}
