import process from "node:process";
import { type Command, oneOf } from "../command.ts";
import { EXIT_CODES, exitCodeFor } from "../exit-codes.ts";
import { exitOf, NO_SERVER, startServerProgram } from "../server-program.ts";

const ROLES = ["all", "api", "worker"] as const;

export const serveCommand: Command = {
  name: "serve",
  summary: "Run the service, with the settings of the environment",
  about: [
    "docs/configuration.md lists the settings; signalbox secrets generate makes those that must be secret. The database must have the schema of this version: signalbox migrate brings it there.",
    "It logs one JSON object a line, and ends on SIGTERM or Ctrl-C once what it began is done.",
  ],
  arguments: [{ name: "ROLE", summary: "What this process does; all by default", choices: ROLES }],
  examples: ["signalbox serve", "signalbox serve worker"],
  async run({ arguments: [given], output, environment }) {
    const role = oneOf(given ?? "all", ROLES, "ROLE") ?? "all";
    const child = startServerProgram([role], environment, "inherit");
    if (child === undefined) {
      output.failure(NO_SERVER);
      return EXIT_CODES.notWell.code;
    }
    // A terminal sends Ctrl-C to both; a supervisor signals this process alone. The service takes the second for nothing.
    const pass = (signal: NodeJS.Signals) => void child.kill(signal);
    process.on("SIGTERM", pass);
    process.on("SIGINT", pass);
    return exitCodeFor((await exitOf(child)) === 0);
  },
};
