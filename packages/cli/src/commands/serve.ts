import { type Command, oneOf } from "../command.ts";
import { EXIT_CODES } from "../exit-codes.ts";
import { becomeServerProgram, NO_SERVER } from "../server-program.ts";

const ROLES = ["all", "api", "worker"] as const;

export const serveCommand: Command = {
  name: "serve",
  summary: "Run the service",
  about: [
    "Reads its settings from the environment; docs/reference/configuration.md lists them. Generate the secrets with signalbox secrets generate, and run signalbox migrate first.",
    "Logs one JSON object per line. On SIGTERM it shuts down gracefully: /readyz returns 503, requests are served for SHUTDOWN_DRAIN_SECONDS more, running work finishes, and the process exits. Ctrl-C skips the wait.",
  ],
  arguments: [{ name: "ROLE", summary: "Role of this process; all by default", choices: ROLES }],
  examples: ["signalbox serve", "signalbox serve worker"],
  runsService: () => true,
  async run({ arguments: [given], output }) {
    const role = oneOf(given ?? "all", ROLES, "ROLE") ?? "all";
    if (await becomeServerProgram([role])) return EXIT_CODES.ok.code;
    output.failure(NO_SERVER);
    return EXIT_CODES.notWell.code;
  },
};
