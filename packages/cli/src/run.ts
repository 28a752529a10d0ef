import { type Client, createClient } from "@signalbox/sdk";
import { type Command, type Settings, UsageError } from "./command.ts";
import { COMMANDS } from "./commands.ts";
import { VERSION } from "./companions.ts";
import { EXIT_CODES, type ExitCode } from "./exit-codes.ts";
import { describeFailure } from "./failures.ts";
import { helpFor, overviewOf, usageOf } from "./help.ts";
import { refuseOldNode } from "./node-version.ts";
import { createOutput, type Output, type Streams } from "./output.ts";
import { type ReadLine, readLine } from "./reading.ts";
import { readLogin } from "./stored-login.ts";

const DEFAULT_URL = "http://127.0.0.1:8080";

/** One run of the command line, from its words to the exit code. */
export async function runCommandLine(
  words: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
  streams: Streams,
): Promise<ExitCode> {
  const [name, ...rest] = words;
  const output = createOutput(streams, words.includes("--json"));
  if (name === undefined || name === "--help" || name === "help") {
    output.line(overviewOf(COMMANDS));
    return name === undefined ? EXIT_CODES.usage.code : EXIT_CODES.ok.code;
  }
  if (name === "--version") {
    output.result({ version: VERSION }, () => output.line(VERSION));
    return EXIT_CODES.ok.code;
  }
  const command = COMMANDS.find((candidate) => candidate.name === name);
  if (command === undefined) {
    output.failure(`Unknown command ${name}. List all commands with signalbox --help.`);
    return EXIT_CODES.usage.code;
  }
  try {
    const line = readLine(command, rest);
    if (line.options.isOn("help")) {
      output.line(helpFor(command));
      return EXIT_CODES.ok.code;
    }
    const tooOld = command.runsService?.(line.options) === true ? refuseOldNode(name) : undefined;
    if (tooOld !== undefined) {
      output.failure(tooOld);
      return EXIT_CODES.notWell.code;
    }
    return await runCommand(command, line, environment, output);
  } catch (error) {
    return tell(error, command, output);
  }
}

async function runCommand(
  command: Command,
  { arguments: given, options }: ReadLine,
  environment: Readonly<Record<string, string | undefined>>,
  output: Output,
): Promise<ExitCode> {
  const login = await readLogin(environment);
  const named = options.text("url") ?? environment["SIGNALBOX_URL"] ?? login?.url ?? DEFAULT_URL;
  const url = named.replace(/(?<!\/)\/+$/, "");
  const settings: Settings = {
    url,
    apiKey: options.text("api-key") ?? environment["SIGNALBOX_API_KEY"],
    operatorToken:
      options.text("operator-token") ??
      environment["SIGNALBOX_OPERATOR_TOKEN"] ??
      // The token is for the service it was stored for, and for no other.
      (login?.url === url ? login.operatorToken : undefined),
  };
  let client: Client | undefined;
  return command.run({
    arguments: given,
    options,
    output,
    settings,
    environment,
    client: () =>
      (client ??= createClient({
        baseUrl: settings.url,
        ...(settings.apiKey !== undefined && { apiKey: settings.apiKey }),
        ...(settings.operatorToken !== undefined && { operatorToken: settings.operatorToken }),
      })),
  });
}

function tell(error: unknown, command: Command, output: Output): ExitCode {
  if (error instanceof UsageError) {
    output.failure(
      `${error.message}\n\n  ${usageOf(command)}\n\nFor details, run signalbox ${command.name} --help.`,
    );
    return EXIT_CODES.usage.code;
  }
  const failure = describeFailure(error);
  if (failure === undefined) throw error;
  output.failure(failure.text, failure.fields);
  return failure.exitCode;
}
