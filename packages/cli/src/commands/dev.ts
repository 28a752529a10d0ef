import process from "node:process";
import type { Command, CommandContext } from "../command.ts";
import { openHome } from "../dev/home.ts";
import { pageAddresses, servePages } from "../dev/pages.ts";
import { endForgotten, PartFailed } from "../dev/part.ts";
import { seedAgents } from "../dev/seed.ts";
import { openDoor } from "../dev/serving.ts";
import { type DevSettings, openSettings } from "../dev/settings.ts";
import { startStack } from "../dev/stack.ts";
import { EXIT_CODES, type ExitCode } from "../exit-codes.ts";

export const devCommand: Command = {
  name: "dev",
  summary: "Run everything on this machine, to try it and to build against it",
  about: [
    "PostgreSQL and Restate come with this command, run on free ports of this machine and keep their files in one directory. Two agents are made, one in English and one in Chinese; what they answer is shown here. A chat page, a desk for the people behind it and an inspector of every delivery are served on one port. The next start goes on where this one ended.",
    "It is for one developer: nothing is backed up, and no port can be reached from another machine. Ctrl-C ends it.",
  ],
  options: [{ name: "directory", value: "PATH", summary: "Where the files lie; .signalbox by default" }],
  examples: ["signalbox dev"],
  async run(context) {
    try {
      return await runUntilTold(context);
    } catch (error) {
      if (!(error instanceof PartFailed)) throw error;
      context.output.failure(error.message);
      return EXIT_CODES.notWell.code;
    }
  },
};

async function runUntilTold({ options, output, environment }: CommandContext): Promise<ExitCode> {
  const told = Promise.withResolvers<void>();
  process.once("SIGINT", () => told.resolve());
  process.once("SIGTERM", () => told.resolve());
  const home = await openHome(options.text("directory") ?? ".signalbox", environment);
  await endForgotten(home);
  const opened = await openSettings(home);
  let { settings } = opened;
  const { releasePorts } = opened;
  await releasePorts("pages");
  using door = await openDoor(settings.ports.pages);
  const stack = await startStack(home, settings, releasePorts, (part) => output.note(`Starting ${part} …`));
  try {
    settings = await seedAgents(home, settings);
    const pages = await servePages(door, home, settings, (agent, text) =>
      output.progress(`${new Date().toLocaleTimeString()}  ${agent}: ${text}`),
    );
    output.result(resultOf(home.path, settings), () => {
      for (const line of linesOf(home.path, settings)) output.line(line);
    });
    const ended = Promise.race(stack.parts.map(({ name, ended }) => ended.then(() => name)));
    const name = await Promise.race([told.promise, ended]);
    await pages.close();
    if (name === undefined) return EXIT_CODES.ok.code;
    throw new PartFailed(`${name} ended by itself; the logs are in ${home.path}`);
  } finally {
    output.note("Ending …");
    await stack.stop();
  }
}

function resultOf(directory: string, settings: DevSettings) {
  const { operatorToken, ports, agents } = settings;
  return {
    pages: pageAddresses(settings),
    url: `http://127.0.0.1:${ports.http}`,
    operator_token: operatorToken,
    directory,
    agents: Object.entries(agents).map(([language, { name, agentId, apiKey, signingSecret }]) => ({
      name,
      language,
      agent_id: agentId,
      api_key: apiKey,
      signing_secret: signingSecret,
    })),
  };
}

function linesOf(directory: string, settings: DevSettings): string[] {
  const { pages, url, operator_token, agents } = resultOf(directory, settings);
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
