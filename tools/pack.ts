import { execFileSync } from "node:child_process";
import { copyFileSync, cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

const root = dirname(import.meta.dirname);

/** In the order in which they need each other. */
const PUBLISHED = ["contract", "sdk", "server", "cli"] as const;
/** What is packed beside the code. */
const FILES: Partial<Record<(typeof PUBLISHED)[number], string>> = { server: "migrations" };
/** The service uses what only newer ones have. */
const NODE_VERSIONS = { contract: ">=22.12", sdk: ">=22.12", server: ">=24", cli: ">=22.12" };

type Manifest = Record<string, unknown> & {
  name: string;
  exports?: Record<string, string>;
  bin?: Record<string, string>;
};

/**
 * Builds what is published and packs it: inside the repository packages are TypeScript as it stands, which Node does not run
 * below node_modules. Gives the paths of the tarballs.
 */
export function packPackages(destination: string): string[] {
  const stages = join(destination, "stages");
  rmSync(stages, { recursive: true, force: true });
  mkdirSync(stages, { recursive: true });
  // The compiler looks for libraries beside what it built before.
  symlinkSync(join(root, "node_modules"), join(stages, "node_modules"));
  return PUBLISHED.map((folder) => {
    const stage = join(stages, folder);
    mkdirSync(stage, { recursive: true });
    build(folder, stage, stages);
    const files = FILES[folder];
    if (files !== undefined)
      cpSync(join(root, "packages", folder, files), join(stage, files), { recursive: true });
    const manifest = {
      ...publishedManifest(manifestOf(folder)),
      engines: { node: NODE_VERSIONS[folder] },
      files: ["dist", files ?? []].flat(),
    };
    writeFileSync(join(stage, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
    copyFileSync(join(root, "packages", folder, "README.md"), join(stage, "README.md"));
    copyFileSync(join(root, "LICENSE"), join(stage, "LICENSE"));
    const packed = execFileSync(
      "npm",
      ["pack", "--json", "--ignore-scripts", "--pack-destination", destination],
      {
        cwd: stage,
        encoding: "utf8",
        stdio: ["ignore", "pipe", "ignore"],
      },
    );
    const { filename } = firstOf(JSON.parse(packed));
    return join(destination, filename);
  });
}

/** One npm gives a list, another an object by package. */
function firstOf(packed: unknown): { filename: string } {
  const [first] = Object.values(packed as Record<string, { filename: string }>);
  if (first === undefined) throw new Error("npm pack named no tarball");
  return first;
}

function build(folder: string, stage: string, stages: string): void {
  const source = join(root, "packages", folder, "src");
  const before = PUBLISHED.slice(0, PUBLISHED.indexOf(folder as (typeof PUBLISHED)[number]));
  const config = {
    extends: join(root, "tsconfig.json"),
    compilerOptions: {
      target: "es2023",
      noEmit: false,
      allowImportingTsExtensions: false,
      rewriteRelativeImportExtensions: true,
      declaration: true,
      rootDir: source,
      outDir: join(stage, "dist"),
      typeRoots: [join(root, "node_modules/@types")],
      paths: Object.fromEntries(before.flatMap((name) => builtTypes(name, join(stages, name)))),
    },
    include: [`${source}/**/*.ts`],
    exclude: [`${source}/**/*.test.ts`],
  };
  const file = join(stage, "tsconfig.json");
  writeFileSync(file, JSON.stringify(config));
  execFileSync(join(root, "node_modules/.bin/tsc"), ["-p", file], { stdio: "inherit" });
}

function manifestOf(folder: string): Manifest {
  return JSON.parse(readFileSync(join(root, "packages", folder, "package.json"), "utf8")) as Manifest;
}

/** Where the types of each door of a package were built. */
function builtTypes(folder: string, stage: string): [specifier: string, paths: string[]][] {
  const { name, exports = {} } = manifestOf(folder);
  return Object.entries(exports).map(([door, path]) => [
    door === "." ? name : `${name}/${door.slice("./".length)}`,
    [join(stage, typesOf(path))],
  ]);
}

function publishedManifest(manifest: Manifest): object {
  const { private: _private, devDependencies: _devDependencies, exports = {}, bin, ...rest } = manifest;
  return {
    ...rest,
    sideEffects: false,
    exports: Object.fromEntries(
      Object.entries(exports).map(([name, path]) => [name, { types: typesOf(path), default: built(path) }]),
    ),
    ...(bin !== undefined && {
      bin: Object.fromEntries(Object.entries(bin).map(([name, path]) => [name, built(path)])),
    }),
  };
}

function typesOf(path: string): string {
  return built(path).replace(/\.js$/, ".d.ts");
}

function built(path: string): string {
  return path.replace("./src/", "./dist/").replace(/\.ts$/, ".js");
}

if (import.meta.main) {
  const destination = resolve(process.argv[2] ?? join(root, "dist"));
  mkdirSync(destination, { recursive: true });
  for (const tarball of packPackages(destination)) console.log(tarball);
}
