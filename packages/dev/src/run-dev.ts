import { createConsoleLink, seedAccount } from "./console-sign-in.ts";
import { holdHome } from "./holder.ts";
import { openHome } from "./home.ts";
import { pageAddresses, servePages } from "./pages.ts";
import { endForgotten, PartFailed } from "./part.ts";
import type { RunningStack } from "./running-stack.ts";
import { seedAgents } from "./seed.ts";
import { openDoor } from "./serving.ts";
import { type DevSettings, openSettings } from "./settings.ts";
import { startStack } from "./stack.ts";

export interface DevOptions {
  directory: string;
  /** Restart the service whenever one of its files changes. */
  reload: boolean;
  /** Run the sample desk too, and send users there who ask for a person. */
  desk: boolean;
  /** The environment of the command: under sudo it says whose files these are. */
  environment: Readonly<Record<string, string | undefined>>;
  /** Ends it. */
  signal: AbortSignal;
}

/** For the command, which shows what happens. */
export interface DevEvents {
  starting: (part: string) => void;
  running: (stack: RunningStack) => void;
  /** Another process runs it in this directory: nothing was started. */
  alreadyRunning: (stack: RunningStack) => void;
  said: (agent: string, text: string) => void;
  ending: () => void;
}

/** Runs everything until it is told to end; fails with PartFailed when a part does not start or ends by itself. */
export async function runDev(options: DevOptions, events: DevEvents): Promise<void> {
  const { directory, reload, desk, environment, signal } = options;
  const told = Promise.withResolvers<void>();
  signal.addEventListener("abort", () => told.resolve());
  const home = await openHome(directory, environment);
  const holding = await holdHome(home);
  if ("pages" in holding) return events.alreadyRunning(holding);
  await using held = holding;
  await endForgotten(home);
  const opened = await openSettings(home);
  let { settings } = opened;
  const { releasePorts } = opened;
  await releasePorts("pages");
  using door = await openDoor(settings.ports.pages);
  const stack = await startStack(home, settings, { releasePorts, reload, say: events.starting });
  try {
    settings = await seedAgents(home, settings, { desk });
    await seedAccount(settings);
    const consoleLink = createConsoleLink(settings);
    const pages = await servePages(door, { home, settings, desk, consoleLink, show: events.said });
    const running = describe(home.path, settings, consoleLink.url, desk);
    // The link signs in once, and may have been used.
    await held.tell({ ...running, pages: { ...running.pages, console: `${running.url}/console/` } });
    events.running(running);
    const ended = Promise.race(stack.parts.map(({ name, ended }) => ended.then(() => name)));
    const name = await Promise.race([told.promise, ended]);
    await pages.close();
    if (name !== undefined) throw new PartFailed(`${name} ended by itself; the logs are in ${home.path}`);
  } finally {
    events.ending();
    await stack.stop();
  }
}

function describe(
  directory: string,
  settings: DevSettings,
  consoleLink: string,
  hasDesk: boolean,
): RunningStack {
  const { operatorToken, ports, agents } = settings;
  const { desk, ...pages } = pageAddresses(settings);
  return {
    pages: { console: consoleLink, ...pages, ...(hasDesk && { desk }) },
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
