import type { Client } from "@signalbox/sdk";
import type { ExitCode } from "./exit-codes.ts";
import type { Output } from "./output.ts";

export interface Option {
  name: string;
  summary: string;
  /** The placeholder of the value in help; an option without one is a switch. */
  value?: string;
  /** May be given more than once. */
  many?: true;
  /** The only values there are; the shell completes them. */
  choices?: readonly string[];
}

export interface Argument {
  name: string;
  summary: string;
  required?: true;
  many?: true;
  choices?: readonly string[];
}

export interface Command {
  name: string;
  summary: string;
  /** What one should know before using it, a paragraph each. */
  about: readonly string[];
  arguments?: readonly Argument[];
  options?: readonly Option[];
  examples: readonly string[];
  /** Whether it loads the service, which needs a newer Node than the other commands. */
  runsService?: (options: Options) => boolean;
  run(context: CommandContext): Promise<ExitCode>;
}

export interface CommandContext {
  arguments: readonly string[];
  options: Options;
  output: Output;
  /** Made when it is first needed, so that commands without a service need no address. */
  client: () => Client;
  /** The service's address and what is known of the caller. */
  settings: Settings;
  /** For programs of ours that are started from here. */
  environment: Readonly<Record<string, string | undefined>>;
}

export interface Settings {
  url: string;
  apiKey: string | undefined;
  operatorToken: string | undefined;
}

/** The options given, by name. */
export interface Options {
  text(name: string): string | undefined;
  texts(name: string): string[];
  isOn(name: string): boolean;
}

/** The command was not written as it must be: help is shown, and nothing was done. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

export function required(value: string | undefined, what: string): string {
  if (value === undefined || value === "") throw new UsageError(`Missing ${what}`);
  return value;
}

export function oneOf<Choice extends string>(
  value: string | undefined,
  choices: readonly Choice[],
  what: string,
): Choice | undefined {
  const found = choices.find((choice) => choice === value);
  if (value !== undefined && found === undefined)
    throw new UsageError(`${what} must be one of ${choices.join(", ")}`);
  return found;
}

export function wholeNumber(value: string | undefined, what: string): number | undefined {
  if (value === undefined) return undefined;
  if (!/^\d{1,9}$/.test(value)) throw new UsageError(`${what} must be a whole number`);
  return Number(value);
}
