import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build, type Plugin } from "esbuild";

const REPOSITORY = fileURLToPath(new URL("../../", import.meta.url));
const SOURCES = /packages[\\/](?:server|contract|cli)[\\/]src[\\/].*\.ts$/;
/** They look for files beside their own, or are optional and absent. */
const NOT_BUNDLED = ["pino", "@restatedev/*", "pg-native"];
const BANNER = `import { createRequire as requireFrom } from "node:module";
import { pathToFileURL as urlOfPath } from "node:url";
const require = requireFrom(import.meta.url);`;

export type BundledProgram = Disposable & { path: string };

/**
 * A program of ours in one file, of the same sources and dependencies. Most of what a start costs is finding and
 * linking hundreds of modules, and a run of all tests starts the service and the command line hundreds of times.
 */
export async function bundleProgram(program: string): Promise<BundledProgram> {
  const cache = join(REPOSITORY, "node_modules/.cache");
  mkdirSync(cache, { recursive: true });
  // Inside the repository, so that what is not bundled is found.
  const directory = mkdtempSync(join(cache, "signalbox-program-"));
  const path = join(directory, "main.js");
  await build({
    entryPoints: [program],
    outfile: path,
    bundle: true,
    platform: "node",
    format: "esm",
    keepNames: true,
    sourcemap: "inline",
    sourcesContent: false,
    external: NOT_BUNDLED,
    banner: { js: BANNER },
    plugins: [keepPlaces],
    logLevel: "error",
  });
  return { path, [Symbol.dispose]: () => rmSync(directory, { recursive: true, force: true }) };
}

/** Migrations, weights and threads are found from the file that names them, which stays where it is. */
const keepPlaces: Plugin = {
  name: "keep-places",
  setup(building) {
    building.onLoad({ filter: SOURCES }, async ({ path }) => {
      const place = JSON.stringify(pathToFileURL(path).href);
      const source = await readFile(path, "utf8");
      const contents = source
        .replaceAll(
          "import.meta.resolve(",
          `((name) => urlOfPath(requireFrom(${place}).resolve(name)).href)(`,
        )
        .replaceAll("import.meta.url", place);
      return { contents, loader: "ts" };
    });
  },
};
