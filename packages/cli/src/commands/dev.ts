import process from "node:process";
import type { RunningStack } from "@signalbox/dev";
import type { Command } from "../command.ts";
import { EXIT_CODES } from "../exit-codes.ts";
import { DevNotFetched, loadDev } from "../fetch-dev.ts";

export const devCommand: Command = {
  name: "dev",
  summary: "Run everything on this machine, to try it and to build against it",
  about: [
    "PostgreSQL, Restate and the service run on free ports of this machine and keep their files in one directory. Two agents are made, one in English and one in Chinese; what they answer is shown here. A chat page, a desk for the people behind it and an inspector of every delivery are served on one port. The next start goes on where this one ended.",
    "The first start fetches all of it as @signalbox/dev with npm, and says how large it is; installed beside signalbox it is taken from there. It is kept in ~/.cache/signalbox, where it may be removed.",
    "It is for one developer: nothing is backed up, and no port can be reached from another machine. Ctrl-C ends it.",
  ],
  options: [
    { name: "directory", value: "PATH", summary: "Where the files lie; .signalbox by default" },
    {
      name: "reload",
      summary: "Restart the service when one of its files changes: to work on Signalbox itself",
    },
  ],
  examples: ["signalbox dev"],
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
          environment,
          signal: ending.signal,
        },
        {
          starting: (part) => output.note(`Starting ${part} …`),
          running: (stack) =>
            output.result(stack, () => {
              for (const line of linesOf(stack)) output.line(line);
            }),
          said: (agent, text) => output.progress(`${new Date().toLocaleTimeString()}  ${agent}: ${text}`),
          ending: () => output.note("Ending …"),
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

function linesOf({ pages, url, operator_token, agents, directory }: RunningStack): string[] {
  const [first] = agents;
  return [
    "",
    `Signalbox runs at ${url}; its files and logs are in ${directory}`,
    "",
    `  Chat       ${pages.chat}`,
    `  Desk       ${pages.desk}`,
    `  Inspector  ${pages.inspector}`,
    "",
    ...agents.map(({ name, api_key }) => `  ${name}: ${api_key}`),
    "",
    "In another terminal:",
    "",
    `  export SIGNALBOX_URL=${url} SIGNALBOX_OPERATOR_TOKEN=${operator_token} SIGNALBOX_API_KEY=${first?.api_key ?? ""}`,
    '  signalbox ask "When do you open?"',
    "  signalbox listen --forward-to http://127.0.0.1:3000/hooks",
    "",
    "Ctrl-C ends it. This is for development, not for production.",
    "",
  ];
}
