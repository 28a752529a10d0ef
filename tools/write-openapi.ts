import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { buildOpenApi } from "../packages/contract/src/index.ts";

const file = join(import.meta.dirname, "../packages/contract/openapi.json");
const wanted = `${JSON.stringify(buildOpenApi(), null, 2)}\n`;

if (process.argv.includes("--check")) {
  const present = await readFile(file, "utf8").catch(() => "");
  if (present !== wanted) {
    console.error(
      "packages/contract/openapi.json does not match the contract; run: node tools/write-openapi.ts",
    );
    process.exitCode = 1;
  }
} else {
  await writeFile(file, wanted);
}
