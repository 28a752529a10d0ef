import { readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

const root = dirname(import.meta.dirname);

/** Writes a document of the contract, or says with `--check` that the one on disk is another. */
export async function writeDocument(path: string, document: object, command: string): Promise<void> {
  const file = join(root, path);
  const wanted = `${JSON.stringify(document, null, 2)}\n`;
  if (!process.argv.includes("--check")) return writeFile(file, wanted);
  const present = await readFile(file, "utf8").catch(() => "");
  if (present === wanted) return;
  console.error(`${path} does not match the contract; run: npm run ${command}`);
  process.exitCode = 1;
}
