import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Command } from "../command.ts";
import { EXIT_CODES } from "../exit-codes.ts";

export const migrateCommand: Command = {
  name: "migrate",
  summary: "Bring the database to the schema of this version",
  about: [
    "Runs the service's own migrate role, which needs DATABASE_URL or MIGRATION_DATABASE_URL. Migrations only go forward; a database that is up to date is left as it is.",
  ],
  examples: ["DATABASE_URL=postgres://owner@127.0.0.1/signalbox signalbox migrate"],
  async run({ output, environment }) {
    const program = serverProgram();
    if (program === undefined) {
      output.failure("@signalbox/server is not installed beside this command: migrations come with it.");
      return EXIT_CODES.notWell.code;
    }
    const child = spawn(process.execPath, [program, "migrate"], {
      env: environment,
      stdio: ["ignore", "pipe", "pipe"],
    });
    const lines: string[] = [];
    const collect = (text: string) => lines.push(...text.split("\n").filter((line) => line !== ""));
    child.stdout.setEncoding("utf8").on("data", collect);
    child.stderr.setEncoding("utf8").on("data", collect);
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once("error", reject);
      child.once("close", resolve);
    });
    if (code !== 0) {
      output.failure(lines.join("\n"));
      return EXIT_CODES.notWell.code;
    }
    output.result({ lines }, () => {
      for (const line of lines) output.line(line);
    });
    return EXIT_CODES.ok.code;
  },
};

function serverProgram(): string | undefined {
  try {
    return fileURLToPath(import.meta.resolve("@signalbox/server/src/main.ts"));
  } catch {
    return undefined;
  }
}
