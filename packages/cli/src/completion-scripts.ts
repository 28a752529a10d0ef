import type { Command, Option } from "./command.ts";
import { GLOBAL_OPTIONS } from "./reading.ts";

export const SHELLS = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof SHELLS)[number];

const optionsOf = ({ options = [] }: Command): readonly Option[] => [...options, ...GLOBAL_OPTIONS];

export function completionScript(shell: Shell, commands: readonly Command[]): string {
  switch (shell) {
    case "bash":
      return bash(commands);
    case "zsh":
      return `autoload -U +X bashcompinit && bashcompinit\n${bash(commands)}`;
    case "fish":
      return fish(commands);
  }
}

function bash(commands: readonly Command[]): string {
  const names = commands.map(({ name }) => name).join(" ");
  const cases = commands.map((command) => {
    const words = [
      ...(command.arguments ?? []).flatMap(({ choices = [] }) => choices),
      ...optionsOf(command).map(({ name }) => `--${name}`),
    ];
    return `    ${command.name}) words="${words.join(" ")}" ;;`;
  });
  const values = new Map(
    commands
      .flatMap(optionsOf)
      .flatMap(({ name, choices }) => (choices === undefined ? [] : [[name, choices]])),
  );
  const valueCases = [...values].map(([name, choices]) => `    --${name}) words="${choices.join(" ")}" ;;`);
  return `_signalbox() {
  local word="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" words="${names}"
  if [ "$COMP_CWORD" -gt 1 ]; then
    case "\${COMP_WORDS[1]}" in
${cases.map((line) => `  ${line}`).join("\n")}
    esac
    case "$before" in
${valueCases.map((line) => `  ${line}`).join("\n")}
    esac
  fi
  COMPREPLY=( $(compgen -W "$words" -- "$word") )
}
complete -o default -F _signalbox signalbox
`;
}

function fish(commands: readonly Command[]): string {
  const quote = (text: string) => `'${text.replaceAll("'", "\\'")}'`;
  const lines = commands.flatMap((command) => {
    const inside = `-n '__fish_seen_subcommand_from ${command.name}'`;
    return [
      `complete -c signalbox -f -n __fish_use_subcommand -a ${command.name} -d ${quote(command.summary)}`,
      ...(command.arguments ?? []).flatMap(({ choices = [] }) =>
        choices.length === 0 ? [] : [`complete -c signalbox ${inside} -a ${quote(choices.join(" "))}`],
      ),
      ...optionsOf(command).map(({ name, value, choices = [], summary }) => {
        const wants =
          value === undefined ? "" : choices.length === 0 ? " -r" : ` -x -a ${quote(choices.join(" "))}`;
        return `complete -c signalbox ${inside} -l ${name}${wants} -d ${quote(summary)}`;
      }),
    ];
  });
  return `${lines.join("\n")}\n`;
}
