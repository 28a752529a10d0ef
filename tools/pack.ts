import { execFileSync } from "node:child_process";
import { copyFileSync, cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { parseArgs } from "node:util";

const root = dirname(import.meta.dirname);

/** In the order in which they need each other. */
export const PUBLISHED = ["contract", "sdk", "console", "widget", "server", "desk", "dev", "cli"] as const;
type Published = (typeof PUBLISHED)[number];
/** Files packed beside the code. */
const FILES: Partial<Record<Published, string[]>> = {
  server: ["migrations", "encoder", "glosses-zh"],
  desk: ["page"],
  dev: ["pages"],
};
/** The service and the desk use what only newer ones have. */
const NODE_VERSIONS: Record<Published, string> = {
  contract: ">=22.12",
  sdk: ">=22.12",
  console: ">=22.12",
  server: ">=24",
  widget: ">=22.12",
  desk: ">=24",
  dev: ">=24",
  cli: ">=22.12",
};
/** What runs in a browser knows nothing of Node. */
const COMPILED_FOR: Partial<Record<Published, object>> = {
  widget: { lib: ["esnext", "dom", "dom.iterable", "dom.asynciterable"], types: [] },
};

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
  return PUBLISHED.map((name) => {
    const stage = join(stages, name);
    mkdirSync(stage, { recursive: true });
    if (name === "console") bundleConsole(stage);
    else build(name, stage, stages);
    if (name === "widget") bundleWidget(stage);
    const files = FILES[name] ?? [];
    for (const folder of files)
      cpSync(join(folderOf(name), folder), join(stage, folder), { recursive: true });
    const manifest = {
      ...publishedManifest(manifestOf(name)),
      ...addressesOf(name),
      // To load the widget is to define its element.
      sideEffects: name === "widget",
      engines: { node: NODE_VERSIONS[name] },
      files: ["dist", ...files],
    };
    writeFileSync(join(stage, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
    copyFileSync(join(folderOf(name), "README.md"), join(stage, "README.md"));
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

/** Where the source is, said once: `repository` in the package.json at the root is the owner's to set. */
function addressesOf(name: Published): object {
  const { repository } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    repository: { type: string; url: string };
  };
  const page = repository.url.replace(/^git\+/, "").replace(/\.git$/, "");
  return {
    repository: { ...repository, directory: relative(root, folderOf(name)) },
    homepage: `${page}#readme`,
    bugs: `${page}/issues`,
  };
}

/** One npm gives a list, another an object by package. */
function firstOf(packed: unknown): { filename: string } {
  const [first] = Object.values(packed as Record<string, { filename: string }>);
  if (first === undefined) throw new Error("npm pack named no tarball");
  return first;
}

function folderOf(name: Published): string {
  return join(root, name === "desk" ? "examples" : "packages", name);
}

/** For pages that load it as it is, without a bundler of their own. */
function bundleWidget(stage: string): void {
  const bundler = join(folderOf("widget"), "bundle.ts");
  const file = execFileSync(process.execPath, [bundler], { encoding: "utf8" }).trim();
  copyFileSync(file, join(stage, "dist", basename(file)));
}

/** Static files alone: nobody imports it. */
function bundleConsole(stage: string): void {
  const bundler = join(folderOf("console"), "bundle.ts");
  execFileSync(process.execPath, [bundler, "--out", join(stage, "dist")]);
}

function build(name: Published, stage: string, stages: string): void {
  const source = join(folderOf(name), "src");
  const before = PUBLISHED.slice(0, PUBLISHED.indexOf(name));
  const config = {
    extends: join(root, "tsconfig.json"),
    compilerOptions: {
      target: "es2023",
      noEmit: false,
      incremental: false,
      // Without the setting above this one is an error.
      tsBuildInfoFile: null,
      allowImportingTsExtensions: false,
      rewriteRelativeImportExtensions: true,
      declaration: true,
      rootDir: source,
      outDir: join(stage, "dist"),
      typeRoots: [join(root, "node_modules/@types")],
      paths: Object.fromEntries(before.flatMap((earlier) => builtTypes(earlier, join(stages, earlier)))),
      ...COMPILED_FOR[name],
    },
    include: [`${source}/**/*.ts`],
    exclude: [`${source}/**/*.test.ts`],
  };
  const file = join(stage, "tsconfig.json");
  writeFileSync(file, JSON.stringify(config));
  execFileSync(join(root, "node_modules/.bin/tsc"), ["-p", file], { stdio: "inherit" });
}

function manifestOf(name: Published): Manifest {
  return JSON.parse(readFileSync(join(folderOf(name), "package.json"), "utf8")) as Manifest;
}

/** Where the types of each door of a package were built. */
function builtTypes(published: Published, stage: string): [specifier: string, paths: string[]][] {
  const { name, exports = {} } = manifestOf(published);
  return Object.entries(exports).map(([door, path]) => [
    door === "." ? name : `${name}/${door.slice("./".length)}`,
    [join(stage, typesOf(path))],
  ]);
}

function publishedManifest(manifest: Manifest): object {
  const { private: _private, devDependencies: _devDependencies, exports = {}, bin, ...rest } = manifest;
  return {
    ...rest,
    exports: Object.fromEntries(
      Object.entries(exports).map(([name, path]) => [
        name,
        // Any other file is packed as it was built.
        path.startsWith("./src/") ? { types: typesOf(path), default: built(path) } : path,
      ]),
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

const HELP = `npm run pack -- [FOLDER]

Builds the published packages and packs each as npm would. Prints the paths of the tarballs.
FOLDER is made if it is not there; without one, it is dist in the checkout.`;

if (import.meta.main) {
  const { values, positionals } = readWords();
  if (values.help) console.log(HELP);
  else {
    const destination = resolve(positionals[0] ?? join(root, "dist"));
    mkdirSync(destination, { recursive: true });
    for (const tarball of packPackages(destination)) console.log(tarball);
  }
}

/** An option it does not know is no folder. */
function readWords() {
  try {
    return parseArgs({ options: { help: { type: "boolean", short: "h" } }, allowPositionals: true });
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${HELP}`);
    return process.exit(2);
  }
}
