import type { Argument, Command, Option } from "./command.ts";
import { tableLines } from "./output.ts";
import { GLOBAL_OPTIONS } from "./reading.ts";

export function usageOf({ name, arguments: wanted = [], options = [] }: Command): string {
  const parts = wanted.map((argument) => argumentText(argument));
  return ["signalbox", name, ...parts, ...(options.length > 0 ? ["[options]"] : [])].join(" ");
}

export function optionText({ name, value }: Option): string {
  return value === undefined ? `--${name}` : `--${name} ${value}`;
}

function argumentText({ name, required, many }: Argument): string {
  const text = many === true ? `${name}...` : name;
  return required === true ? text : `[${text}]`;
}

export function summaryOf({ summary, choices, many }: Option | Argument): string {
  const values = choices === undefined ? "" : ` (${choices.join(", ")})`;
  return `${summary}${values}${many === true ? "; can be repeated" : ""}`;
}

export function helpFor(command: Command): string {
  const { about, arguments: wanted = [], options = [], examples } = command;
  const rows = (pairs: [string, string][]) =>
    tableLines(["", ""], pairs)
      .slice(1)
      .map((line) => `  ${line}`);
  return [
    `${command.summary}.`,
    "",
    `  ${usageOf(command)}`,
    "",
    ...about.flatMap((paragraph) => [paragraph, ""]),
    ...rows(wanted.map((argument) => [argument.name, summaryOf(argument)])),
    ...rows(options.map((option) => [optionText(option), summaryOf(option)])),
    ...(wanted.length + options.length > 0 ? [""] : []),
    "Global options:",
    ...rows(GLOBAL_OPTIONS.map((option) => [optionText(option), option.summary])),
    "",
    ...examples.map((example) => `  ${example}`),
  ].join("\n");
}

export function overviewOf(commands: readonly Command[]): string {
  const rows = commands.map(({ name, summary }) => [`  ${name}`, summary]);
  return [
    "Signalbox command line",
    "",
    ...tableLines(["", ""], rows).slice(1),
    "",
    "Run signalbox COMMAND --help for details, or signalbox --version for the version.",
  ].join("\n");
}
