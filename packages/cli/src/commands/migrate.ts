import { type Command, oneOf } from "../command.ts";
import { EXIT_CODES } from "../exit-codes.ts";
import { NO_SERVER, runServerProgram } from "../server-program.ts";

const ACTIONS = ["plan", "apply", "verify"] as const;

export const migrateCommand: Command = {
  name: "migrate",
  summary: "Bring the database to the schema of this version, or say how far it is from it",
  about: [
    "Runs the service's own migrate role, which logs in as the owner of the database by MIGRATION_DATABASE_URL (or DATABASE_URL), and lets the login of DATABASE_URL take on the roles of the service. Migrations only go forward; a database that is up to date is left as it is.",
    "apply also makes the roles that are missing, and gives them exactly the rights and policies of the migrations: after a restore these may be lost. plan says which migrations apply would run, and changes nothing. verify says whether schema, roles, rights and policies are this version's, and exits with 1 when they are not.",
  ],
  arguments: [{ name: "ACTION", summary: "What to do; apply by default", choices: ACTIONS }],
  examples: [
    "MIGRATION_DATABASE_URL=postgres://signalbox@127.0.0.1/signalbox signalbox migrate plan",
    "MIGRATION_DATABASE_URL=postgres://signalbox@127.0.0.1/signalbox signalbox migrate apply",
    "MIGRATION_DATABASE_URL=postgres://signalbox@127.0.0.1/signalbox signalbox migrate verify",
  ],
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
