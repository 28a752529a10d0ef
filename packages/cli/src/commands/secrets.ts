import { open } from "node:fs/promises";
import { type Command, oneOf } from "../command.ts";
import { EXIT_CODES } from "../exit-codes.ts";
import { NO_SERVER, readEnvironmentLines, runServerProgram } from "../server-program.ts";

const OWNER_ONLY = 0o600;
const ACTIONS = ["generate"] as const;

export const secretsCommand: Command = {
  name: "secrets",
  summary: "Make the secrets of a new installation",
  about: [
    "Each is made here, of random bytes, and nothing has a default. --file writes them where only its owner reads, and never over a file that is there: whoever loses SEALING_KEYS loses every stored credential.",
  ],
  arguments: [{ name: "ACTION", summary: "What to do; generate by default", choices: ACTIONS }],
  options: [{ name: "file", value: "FILE", summary: "Write an environment file instead of printing" }],
  examples: ["signalbox secrets generate", "signalbox secrets generate --file deploy/.env"],
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
      output.failure(`${path} is there already and was left as it is. Choose another name, or move it away.`);
      return EXIT_CODES.notWell.code;
    }
    output.result({ file: path, names: Object.keys(secrets) }, () =>
      output.line(`${path} holds ${Object.keys(secrets).join(", ")}; only you can read it.`),
    );
    return EXIT_CODES.ok.code;
  },
};
