import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const root = join(import.meta.dirname, "../..");

export const pageOf = (path: string) => readFile(join(root, path), "utf8");

/** The programs of a page, in its order, of those in one language. */
export function blocksOf(page: string, language: string): string[] {
  const fenced = new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, "gms");
  return [...page.matchAll(fenced)].map(([, text = ""]) => text);
}

/** A project of somebody else's, in which the programs of a page are typed. */
export async function openProject() {
  const directory = await mkdtemp(join(tmpdir(), "signalbox-documents-"));
  await symlink(join(root, "node_modules"), join(directory, "node_modules"));
  await writeFile(join(directory, "package.json"), '{ "type": "module" }');
  return {
    directory,
    write: async (name: string, program: string) => {
      await writeFile(join(directory, name), program);
      return join(directory, name);
    },
    /** Fails with what the compiler says. */
    async checkTypes(files: string[]): Promise<void> {
      const options = [
        "--noEmit",
        "--strict",
        "--skipLibCheck",
        "--module",
        "nodenext",
        "--target",
        "esnext",
      ];
      const typescript = ["--allowImportingTsExtensions", "--types", "node", ...files];
      await run(join(root, "node_modules/.bin/tsc"), [...options, ...typescript], { cwd: directory }).catch(
        ({ stdout }: { stdout: string }) => {
          throw new Error(stdout);
        },
      );
    },
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true }),
  };
}
