import { text } from "node:stream/consumers";
import type { Command } from "../command.ts";
import { EXIT_CODES } from "../exit-codes.ts";
import { exitOf, NO_SERVER, startServerProgram } from "../server-program.ts";

export const migrateCommand: Command = {
  name: "migrate",
  summary: "Bring the database to the schema of this version",
  about: [
    "Runs the service's own migrate role, which needs DATABASE_URL or MIGRATION_DATABASE_URL. Migrations only go forward; a database that is up to date is left as it is.",
  ],
  examples: ["DATABASE_URL=postgres://owner@127.0.0.1/signalbox signalbox migrate"],
  async run({ output, environment }) {
    const child = startServerProgram(["migrate"], environment, "pipe");
    if (!child?.stdout || !child.stderr) {
      output.failure(NO_SERVER);
      return EXIT_CODES.notWell.code;
    }
    const [said, complained, code] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      exitOf(child),
    ]);
    if (code !== 0) {
      output.failure(`${said}${complained}`.trim());
      return EXIT_CODES.notWell.code;
    }
    const lines = said.split("\n").filter((line) => line !== "");
    output.result({ lines }, () => {
      for (const line of lines) output.line(line);
    });
    return EXIT_CODES.ok.code;
  },
};
