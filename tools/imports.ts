import { globSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, posix, relative } from "node:path";
import { parseSync } from "oxc-parser";

const root = dirname(import.meta.dirname);
const SOURCES = ["packages/**/*.ts", "tests/**/*.ts", "tools/**/*.ts", "bench/**/*.ts", "examples/**/*.ts"];
const LEFT_OUT = ["**/node_modules", "**/dist"];

export interface Import {
  /** The imported file, relative to the repository. */
  file: string;
  line: number;
  /** Gone when the program runs. */
  isTypeOnly: boolean;
}

/** The imports of every file, by its path in the repository. */
export type ImportGraph = ReadonlyMap<string, readonly Import[]>;

export function readImportGraph(): ImportGraph {
  const paths = globSync(SOURCES, { cwd: root, exclude: LEFT_OUT }).toSorted();
  return new Map(paths.map((path) => [path, importsOf(path, readFileSync(join(root, path), "utf8"))]));
}

/** What a file imports from this repository; libraries are left out. */
export function importsOf(path: string, code: string): Import[] {
  const { module } = parseSync(path, code);
  const lineAt = (start: number) => code.slice(0, start).split("\n").length;
  const found = (specifier: string, start: number, isTypeOnly: boolean): Import[] => {
    const file = fileOf(path, specifier);
    return file === undefined ? [] : [{ file, line: lineAt(start), isTypeOnly }];
  };
  const literal = ({ start, end }: { start: number; end: number }) => {
    const [, text] = /^["'](.+)["']$/.exec(code.slice(start, end)) ?? [];
    return text ?? "";
  };
  return [
    ...module.staticImports.flatMap(({ moduleRequest, start, entries }) =>
      found(moduleRequest.value, start, entries.length > 0 && entries.every(({ isType }) => isType)),
    ),
    ...module.staticExports.flatMap(({ start, entries }) => {
      const from = entries.find(({ moduleRequest }) => moduleRequest !== null)?.moduleRequest;
      return from
        ? found(
            from.value,
            start,
            entries.every(({ isType }) => isType),
          )
        : [];
    }),
    ...module.dynamicImports.flatMap(({ moduleRequest, start }) =>
      found(literal(moduleRequest), start, false),
    ),
  ];
}

const fromRoot = createRequire(join(root, "package.json"));

function fileOf(path: string, specifier: string): string | undefined {
  if (specifier.startsWith(".")) return posix.join(posix.dirname(path), specifier);
  if (!specifier.startsWith("@signalbox/")) return undefined;
  try {
    return relative(root, fromRoot.resolve(specifier));
  } catch {
    return undefined;
  }
}

/** Every file that is loaded when `path` runs, itself included. */
export function reachedFrom(graph: ImportGraph, path: string): Set<string> {
  const reached = new Set([path]);
  for (const file of reached)
    for (const { file: next, isTypeOnly } of graph.get(file) ?? []) if (!isTypeOnly) reached.add(next);
  return reached;
}
