import { type Command, oneOf } from "../command.ts";
import { EXIT_CODES } from "../exit-codes.ts";
import { NO_SERVER, runServerProgram } from "../server-program.ts";

const ACTIONS = ["plan", "apply", "verify"] as const;

export const migrateCommand: Command = {
  name: "migrate",
  summary: "Upgrade the database schema, or check it",
  about: [
    "Logs in as the owner of the database with MIGRATION_DATABASE_URL (or DATABASE_URL) and grants the service's roles to the login in DATABASE_URL. Migrations only go forward. A database that is up to date stays unchanged.",
    "apply runs pending migrations and repairs missing roles, grants and policies, for example after a restore. plan lists pending migrations and changes nothing. verify checks schema, roles, grants and policies, and exits with 1 if they differ from this version.",
  ],
  arguments: [{ name: "ACTION", summary: "Action to run; apply by default", choices: ACTIONS }],
  examples: [
    "MIGRATION_DATABASE_URL=postgres://signalbox@127.0.0.1/signalbox signalbox migrate plan",
    "MIGRATION_DATABASE_URL=postgres://signalbox@127.0.0.1/signalbox signalbox migrate apply",
    "MIGRATION_DATABASE_URL=postgres://signalbox@127.0.0.1/signalbox signalbox migrate verify",
  ],
  runsService: () => true,
  async run({ arguments: [given], output, environment }) {
    const action = oneOf(given, ACTIONS, "ACTION") ?? "apply";
    const ran = await runServerProgram(["migrate", action], environment);
    if (ran === undefined || "failure" in ran) {
      output.failure(ran?.failure ?? NO_SERVER);
      return EXIT_CODES.notWell.code;
    }
    const { lines } = ran;
    output.result({ lines }, () => {
      for (const line of lines) output.line(line);
    });
    return EXIT_CODES.ok.code;
  },
};
