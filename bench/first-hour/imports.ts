import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { VENDOR_FILES } from "@signalbox/tests/support/vendor-files.ts";
import type { Home } from "./install.ts";

interface DryRun {
  columns: { question: number | null; answer: number | null };
  certain: boolean;
}

/** Files in the shape of what other products export, through the command of the README, without a service. */
export function importFigures({ directory, signalbox, environment }: Home): {
  import_files: number;
  import_silently_wrong: number;
} {
  const folder = join(directory, "exports");
  mkdirSync(folder);
  const wrong = VENDOR_FILES.filter(({ fileName, bytes, columns }) => {
    const path = join(folder, fileName);
    writeFileSync(path, bytes);
    const { certain, columns: read } = dryRun([signalbox, "documents", "import", path], environment);
    return certain && (read.question !== columns?.[0] || read.answer !== columns[1]);
  });
  for (const { name } of wrong) process.stderr.write(`silently wrong: ${name}\n`);
  return { import_files: VENDOR_FILES.length, import_silently_wrong: wrong.length };
}

/** Its exit code says whether somebody has to choose; both print the object. */
function dryRun([command = "", ...argv]: string[], env: Record<string, string>): DryRun {
  try {
    return JSON.parse(
      execFileSync(command, [...argv, "--dry-run", "--json"], { env, encoding: "utf8" }),
    ) as DryRun;
  } catch (error) {
    return JSON.parse((error as { stdout: string }).stdout) as DryRun;
  }
}
