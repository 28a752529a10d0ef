import { type Command, oneOf } from "../command.ts";
import { EXIT_CODES } from "../exit-codes.ts";
import { becomeServerProgram, NO_SERVER } from "../server-program.ts";

const ROLES = ["all", "api", "worker"] as const;

export const serveCommand: Command = {
  name: "serve",
  summary: "Run the service, with the settings of the environment",
  about: [
    "docs/reference/configuration.md lists the settings; signalbox secrets generate makes those that must be secret. The database must have the schema of this version: signalbox migrate brings it there.",
    "This process is the service itself. It logs one JSON object a line. On SIGTERM it answers 503 at /readyz, serves for SHUTDOWN_DRAIN_SECONDS more, finishes what it began and exits. Ctrl-C leaves out the wait.",
  ],
  arguments: [{ name: "ROLE", summary: "What this process does; all by default", choices: ROLES }],
  examples: ["signalbox serve", "signalbox serve worker"],
  async run({ arguments: [given], output }) {
    const role = oneOf(given ?? "all", ROLES, "ROLE") ?? "all";
    if (await becomeServerProgram([role])) return EXIT_CODES.ok.code;
    output.failure(NO_SERVER);
    return EXIT_CODES.notWell.code;
  },
};
