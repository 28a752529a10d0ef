import { existsSync } from "node:fs";
import { fileURLToPath, pathToFileURL } from "node:url";

// `npm run bench -- NAME [options]` runs bench/NAME.ts.
const name = process.argv[2] ?? "";
const scenario = fileURLToPath(new URL(`${name}.ts`, import.meta.url));
if (!/^[a-z-]+$/.test(name) || name === "run" || !existsSync(scenario)) {
  console.error("usage: npm run bench -- NAME [options]; NAME is a file of bench/ without .ts");
  process.exit(1);
}
process.argv.splice(2, 1);
await import(pathToFileURL(scenario).href);
