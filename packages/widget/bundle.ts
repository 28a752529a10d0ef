import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { build } from "esbuild";

/** The widget as one file that any page can load with `<script type="module">`. */
async function bundleWidget(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, "src/index.ts")],
    bundle: true,
    minify: true,
    format: "esm",
    target: "es2022",
    legalComments: "none",
    write: false,
  });
  return outputFiles[0]?.text ?? "";
}

const file = join(import.meta.dirname, "dist/signalbox-chat.js");
await mkdir(dirname(file), { recursive: true });
await writeFile(file, await bundleWidget());
process.stdout.write(`${file}\n`);
