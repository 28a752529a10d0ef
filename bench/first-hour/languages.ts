import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "@signalbox/tests/support/processes.ts";
import type { Home } from "./install.ts";
import { open, type Program } from "./program.ts";

const root = join(import.meta.dirname, "../..");
const PYTHON = join(root, "examples/receivers/python");
const SDK_PAGE = join(root, "docs/how-to/use-the-sdk.md");

/** What `signalbox dev` runs in, and what it says to export. */
export interface Running {
  home: Home;
  directory: string;
  settings: Record<string, string>;
  /** Ends with the trial. */
  opened: Program[];
}

const secondsSince = (beganAt: number) => Math.round((performance.now() - beganAt) / 10) / 100;

/** A server of the developer's own behind `signalbox listen`, until it receives. */
export async function openReceiver(
  { home, directory, settings, opened }: Running,
  argv: string[],
): Promise<Program> {
  const port = await freePort();
  const environment = { ...home.environment, ...settings };
  const forward = ["listen", "--forward-to", `http://127.0.0.1:${port}/hooks`];
  const listen = open([home.signalbox, ...forward], directory, environment);
  opened.push(listen);
  const [, secret = ""] = await listen.shows(/signed with (whsec_\S+)/);
  const server = open(argv, directory, {
    ...environment,
    PORT: String(port),
    SIGNALBOX_SIGNING_SECRET: secret,
  });
  opened.push(server);
  await server.shows(/receiving at/);
  return {
    ...server,
    async end() {
      await server.end();
      await listen.end();
    },
  };
}

/** From a copy of the three Python files to the first message that they verified and printed. */
export async function receiveInPython(
  running: Running,
  ask: (text: string) => Promise<void>,
): Promise<number> {
  const beganAt = performance.now();
  for (const file of ["signalbox.py", "desk.py", "standard_library.py"])
    copyFileSync(join(PYTHON, file), join(running.directory, file));
  const server = await openReceiver(running, ["python3", "-u", "standard_library.py"]);
  await ask("How can I pay?");
  await server.shows(/In cash, by card/);
  const seconds = secondsSince(beganAt);
  await server.end();
  return seconds;
}

/** From the lines of the page to a program that compiles in strict mode and prints the agent's answer. */
export async function askInTypeScript({ home, settings }: Running, project: string): Promise<number> {
  const beganAt = performance.now();
  const page = readFileSync(SDK_PAGE, "utf8");
  const [, question] = /\n## 3\. Ask a question\n([\s\S]*?)\n## /.exec(page) ?? [];
  const code = [...(question ?? "").matchAll(/```ts\n([\s\S]*?)```/g)].map(([, lines]) => lines).join("\n");
  writeFileSync(join(project, "ask.ts"), code);
  const flags = ["--strict", "--noEmit", "--module", "nodenext", "--target", "es2024", "--types", "node"];
  const compiler = open(
    [home.node, "node_modules/typescript/bin/tsc", ...flags, "ask.ts"],
    project,
    home.environment,
  );
  await compiler.done();
  const program = open([home.node, "ask.ts"], project, { ...home.environment, ...settings });
  await program.shows(/We open at nine/);
  await program.done();
  return secondsSince(beganAt);
}
