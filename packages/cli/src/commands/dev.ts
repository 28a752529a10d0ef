import process from "node:process";
import type { RunningStack } from "@signalbox/dev";
import type { Command } from "../command.ts";
import { EXIT_CODES } from "../exit-codes.ts";
import { DevNotFetched, loadDev } from "../fetch-dev.ts";

export const devCommand: Command = {
  name: "dev",
  summary: "Run Signalbox locally for development",
  about: [
    "Starts PostgreSQL, Restate and the service on free local ports, with all files in one directory. It creates two agents, one in English and one in Chinese, and prints what they answer. Open the console in your browser: its link signs you in, once, in the browser that opens it first. Then chat as a user on the chat page, and answer as a human in the inbox. The next start continues where this one ended.",
    "The first start downloads @signalbox/dev with npm, unless it is already installed, and prints the size. The download stays in ~/.cache/signalbox; you can delete it at any time.",
    "For development only: nothing is backed up, and no port is reachable from other machines. Stop it with Ctrl-C.",
  ],
  options: [
    { name: "directory", value: "PATH", summary: "Directory for all files; .signalbox by default" },
    { name: "desk", summary: "Run the sample desk too, and send users there who ask for a person" },
    {
      name: "reload",
      summary: "Restart the service when its source changes, for work on Signalbox itself",
    },
  ],
  examples: ["signalbox dev"],
  runsService: () => true,
  async run({ options, output, environment }) {
    const ending = new AbortController();
    process.once("SIGINT", () => ending.abort());
    process.once("SIGTERM", () => ending.abort());
    let PartFailed: typeof import("@signalbox/dev").PartFailed | undefined;
    try {
      const dev = await loadDev(environment, output.note);
      ({ PartFailed } = dev);
      await dev.runDev(
        {
          directory: options.text("directory") ?? ".signalbox",
          reload: options.isOn("reload"),
          desk: options.isOn("desk"),
          environment,
          signal: ending.signal,
        },
        {
          starting: (part) => output.note(`Starting ${part}…`),
          running: (stack) =>
            output.result(stack, () => {
              for (const line of linesOf(stack)) output.line(line);
            }),
          alreadyRunning: (stack) =>
            output.result(stack, () => {
              output.line(
                `Signalbox is already running at ${stack.url}. Files and logs are in ${stack.directory}`,
              );
              output.line();
              output.line(exportLine(stack));
            }),
          said: (agent, text) => output.progress(`${new Date().toLocaleTimeString()}  ${agent}: ${text}`),
          ending: () => output.note("Stopping…"),
        },
      );
      return EXIT_CODES.ok.code;
    } catch (error) {
      const isTold =
        error instanceof DevNotFetched || (PartFailed !== undefined && error instanceof PartFailed);
      if (!isTold) throw error;
      output.failure(error.message);
      return EXIT_CODES.notWell.code;
    }
  },
};

/** What the other commands read. */
function exportLine({ url, operator_token, agents: [first] }: RunningStack): string {
  return `  export SIGNALBOX_URL=${url} SIGNALBOX_OPERATOR_TOKEN=${operator_token} SIGNALBOX_API_KEY=${first?.api_key ?? ""}`;
}

function linesOf(stack: RunningStack): string[] {
  const { pages, url, agents, directory } = stack;
  return [
    "",
    `Signalbox is running at ${url}. Files and logs are in ${directory}`,
    "",
    `  Console  ${pages.console}`,
    `  Chat     ${pages.chat}`,
    `  Inbox    ${pages.inbox}`,
    ...(pages.desk === undefined ? [] : [`  Desk     ${pages.desk}`]),
    "",
    `Open the console first: its link signs you in, once. After that, use ${url}/console/`,
    "",
    ...agents.map(({ name, api_key }) => `  ${name}: ${api_key}`),
    "",
    "In another terminal:",
    "",
    exportLine(stack),
    '  signalbox ask "When do you open?"',
    "  signalbox listen --forward-to http://127.0.0.1:3000/hooks",
    "",
    "Press Ctrl-C to stop. For development only, not for production.",
    "",
  ];
}
