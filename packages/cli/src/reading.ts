import { parseArgs } from "node:util";
import { type Command, type Option, type Options, UsageError } from "./command.ts";

/** Options every command takes. */
export const GLOBAL_OPTIONS: readonly Option[] = [
  {
    name: "url",
    value: "URL",
    summary:
      "Service URL; SIGNALBOX_URL by default, then the URL of signalbox login, or http://127.0.0.1:8080",
  },
  { name: "api-key", value: "KEY", summary: "API key of an agent; SIGNALBOX_API_KEY by default" },
  {
    name: "operator-token",
    value: "TOKEN",
    summary:
      "Operator token (signalbox tokens); SIGNALBOX_OPERATOR_TOKEN by default, then the token of signalbox login",
  },
  { name: "json", summary: "Print the result as JSON" },
  { name: "help", summary: "Show help for this command" },
];

export interface ReadLine {
  arguments: string[];
  options: Options;
}

/** Takes the words behind the command's name apart. */
export function readLine(command: Command, words: readonly string[]): ReadLine {
  const known = [...(command.options ?? []), ...GLOBAL_OPTIONS];
  const parsed = parse(known, words);
  const given = parsed.positionals;
  const wanted = command.arguments ?? [];
  if (!parsed.values["help"]) {
    const missing = wanted.find(({ required }, at) => required === true && given[at] === undefined);
    if (missing !== undefined) throw new UsageError(`Missing ${missing.name}`);
    if (given.length > wanted.length && wanted.at(-1)?.many !== true)
      throw new UsageError(`Unexpected argument ${given[wanted.length]}`);
  }
  const valueOf = (name: string) => parsed.values[name];
  return {
    arguments: given,
    options: {
      text: (name) => {
        const value = valueOf(name);
        return typeof value === "string" ? value : undefined;
      },
      texts: (name) => [valueOf(name) ?? []].flat().filter((value) => typeof value === "string"),
      isOn: (name) => valueOf(name) === true,
    },
  };
}

function parse(known: readonly Option[], words: readonly string[]) {
  const options = known.map(({ name, value, many }) => [
    name,
    { type: value === undefined ? ("boolean" as const) : ("string" as const), multiple: many === true },
  ]);
  try {
    return parseArgs({
      args: [...words],
      options: Object.fromEntries(options) as Record<
        string,
        { type: "boolean" | "string"; multiple: boolean }
      >,
      allowPositionals: true,
    });
  } catch (error) {
    // Its first sentence says what is wrong, the rest how one might have meant it.
    throw new UsageError(error instanceof Error ? (error.message.split(". ")[0] ?? "") : String(error));
  }
}
