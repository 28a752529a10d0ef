import { type Command, oneOf, required } from "../command.ts";
import { completionScript, SHELLS } from "../completion-scripts.ts";
import { EXIT_CODES } from "../exit-codes.ts";

/** Needs all commands, its own included, so they are handed to it. */
export function completionCommand(commands: () => readonly Command[]): Command {
  return {
    name: "completion",
    summary: "Print a shell completion script",
    about: ["Source it from your shell's startup file."],
    arguments: [
      { name: "SHELL", summary: "Shell to generate the script for", required: true, choices: SHELLS },
    ],
    examples: ["source <(signalbox completion bash)", "signalbox completion fish | source"],
    run({ arguments: [shell], output }) {
      const wanted = oneOf(required(shell, "SHELL"), SHELLS, "SHELL") ?? "bash";
      const script = completionScript(wanted, commands());
      output.result({ shell: wanted, script }, () => output.line(script.trimEnd()));
      return Promise.resolve(EXIT_CODES.ok.code);
    },
  };
}
