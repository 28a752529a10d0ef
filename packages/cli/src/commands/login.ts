import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { createClient } from "@signalbox/sdk";
import { type Command, required, UsageError } from "../command.ts";
import { EXIT_CODES } from "../exit-codes.ts";
import type { Output } from "../output.ts";
import { forgetLogin, loginFileOf, writeLogin } from "../stored-login.ts";

export const loginCommand: Command = {
  name: "login",
  summary: "Store the service's URL and an operator token for later commands",
  about: [
    "Checks the token and stores it in your configuration directory, readable by you alone. Later commands use it unless an option or environment variable says otherwise, and send it to this URL only.",
    "Without --operator-token or SIGNALBOX_OPERATOR_TOKEN, it asks for the token and reads it from standard input, so that it stays out of the shell's history.",
    "An owner creates tokens with signalbox tokens create.",
  ],
  options: [{ name: "forget", summary: "Delete the stored URL and token instead" }],
  examples: [
    "signalbox login --url https://signalbox.example.com",
    "signalbox login --url https://signalbox.example.com < token.txt",
    "signalbox login --forget",
  ],
  async run({ options, output, environment, settings }) {
    const file = loginFileOf(environment);
    if (file === undefined) throw new UsageError("Neither HOME nor XDG_CONFIG_HOME is set");
    if (options.isOn("forget")) {
      await forgetLogin(file);
      output.result({ file }, () => output.line(`Deleted ${file}. The token itself still works.`));
      return EXIT_CODES.ok.code;
    }
    const { url } = settings;
    const given = options.text("operator-token") ?? environment["SIGNALBOX_OPERATOR_TOKEN"];
    const operatorToken = required(given ?? (await askForToken(url, output)), "operator token");
    const { list } = await createClient({ baseUrl: url, operatorToken }).agents.list({ limit: 1 });
    await writeLogin(file, { url, operatorToken });
    output.result({ url, file }, () => {
      output.line(`Signed in to ${url}.`);
      output.note(`Stored in ${file}.`);
      if (list.length === 0) output.note("Next, create an agent: signalbox agents create --name NAME");
    });
    return EXIT_CODES.ok.code;
  },
};

/** One line of standard input; what is typed at a terminal is not shown. */
async function askForToken(url: string, output: Output): Promise<string> {
  const isTyped = process.stdin.isTTY;
  if (isTyped) output.note(`Operator token for ${url}:`);
  const silence = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output: silence, terminal: isTyped });
  try {
    for await (const line of lines) return line.trim();
    return "";
  } finally {
    lines.close();
  }
}
