import { open } from "node:fs/promises";
import { type Command, oneOf } from "../command.ts";
import { EXIT_CODES } from "../exit-codes.ts";
import { NO_SERVER, readEnvironmentLines, runServerProgram } from "../server-program.ts";

const OWNER_ONLY = 0o600;
const ACTIONS = ["generate"] as const;

export const secretsCommand: Command = {
  name: "secrets",
  summary: "Generate the secrets of a new installation",
  about: [
    "Generates random secrets on this machine. --file writes them to a new file that only you can read; it never overwrites one. Keep SEALING_KEYS safe: without them, every stored credential is lost.",
  ],
  arguments: [{ name: "ACTION", summary: "Action to run; generate by default", choices: ACTIONS }],
  options: [
    {
      name: "file",
      value: "FILE",
      summary: "Write an environment file instead of printing the secrets",
    },
  ],
  examples: ["signalbox secrets generate", "signalbox secrets generate --file deploy/.env"],
  runsService: () => true,
  async run({ arguments: [action], options, output, environment }) {
    oneOf(action, ACTIONS, "ACTION");
    const made = await runServerProgram(["secrets"], environment);
    if (made === undefined || "failure" in made) {
      output.failure(made?.failure ?? NO_SERVER);
      return EXIT_CODES.notWell.code;
    }
    const secrets = readEnvironmentLines(made.lines);
    const path = options.text("file");
    if (path === undefined) {
      output.result(secrets, () => {
        for (const line of made.lines) output.line(line);
      });
      return EXIT_CODES.ok.code;
    }
    try {
      await using file = await open(path, "wx", OWNER_ONLY);
      await file.writeFile(`${made.lines.join("\n")}\n`);
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
      output.failure(`${path} already exists and was not changed. Choose another name, or move the file.`);
      return EXIT_CODES.notWell.code;
    }
    output.result({ file: path, names: Object.keys(secrets) }, () =>
      output.line(`Wrote ${Object.keys(secrets).join(", ")} to ${path}. Only you can read it.`),
    );
    return EXIT_CODES.ok.code;
  },
};
