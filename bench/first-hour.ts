import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { gzipSync } from "node:zlib";
import { EXAMPLES, judgeExample } from "@signalbox/tests/receivers/example-programs.ts";
import { CAUGHT, judge } from "@signalbox/tests/receivers/mistakes.ts";
import { openChromium } from "@signalbox/tests/support/chromium.ts";
import { eventually, freePort } from "@signalbox/tests/support/processes.ts";
import { SIZES, takePicture } from "./support/first-hour-picture.ts";

// What a developer meets first, with a stopwatch: from the command to a page, a webhook, a server of one's own and a handoff.

type Browser = Awaited<ReturnType<typeof openChromium>>;
type Page = Awaited<ReturnType<Browser["newPage"]>>;
type Figures = { page_s: number; first_webhook_s: number; own_server_s: number; handoff_s: number };

const { values } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    runs: { type: "string", default: "5" },
    // Writes the picture of the README into this file, and measures nothing.
    picture: { type: "string" },
  },
});
const root = join(import.meta.dirname, "..");
const RECEIVER = join(root, "examples/receivers/express/server.ts");
const STEP_MAX_MS = 120_000;
const SHARP = { deviceScaleFactor: 1.5, reducedMotion: "reduce" } as const;
const say = (line: string) => void process.stderr.write(`${line}\n`);

/** Packs what is published and installs it as a developer would, without install scripts. */
function install(directory: string): string {
  const tarballs = join(directory, "tarballs");
  mkdirSync(tarballs);
  execFileSync(process.execPath, [join(root, "tools/pack.ts"), tarballs], { stdio: "ignore" });
  const home = join(directory, "installed");
  mkdirSync(home);
  writeFileSync(join(home, "package.json"), '{ "private": true, "type": "module" }');
  const files = readdirSync(tarballs)
    .filter((name) => name.endsWith(".tgz"))
    .map((name) => join(tarballs, name));
  const words = ["install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefer-offline"];
  execFileSync("npm", [...words, ...files, "express@5"], { cwd: home, stdio: "ignore" });
  return join(home, "node_modules");
}

/** A program of the developer's terminal, with what it printed so far. */
function open(argv: string[], cwd: string, env: Record<string, string> = {}) {
  const child: ChildProcess = spawn(process.execPath, argv, {
    cwd,
    env: { PATH: process.env["PATH"], ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let printed = "";
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding("utf8").on("data", (text: string) => (printed += text));
  return {
    shows: (what: RegExp) =>
      eventually(
        `${argv.join(" ")} prints ${what}`,
        () => {
          if (child.exitCode !== null) throw new Error(`it ended:\n${printed}`);
          return what.exec(printed) ?? undefined;
        },
        { timeoutMs: STEP_MAX_MS, everyMs: 20 },
      ),
    async end(): Promise<void> {
      if (child.exitCode !== null) return;
      const ended = once(child, "exit");
      child.kill("SIGINT");
      await ended;
    },
  };
}

async function run(modules: string, browser: Browser): Promise<Figures> {
  const directory = mkdtempSync(join(tmpdir(), "signalbox-first-hour-"));
  symlinkSync(modules, join(directory, "node_modules"));
  const signalbox = join(modules, "signalbox/dist/main.js");
  const context = await browser.newContext({ locale: "en", ...(values.picture !== undefined && SHARP) });
  context.setDefaultTimeout(STEP_MAX_MS);
  const beganAt = performance.now();
  const since = () => Math.round((performance.now() - beganAt) / 10) / 100;
  const openPage = async (name: keyof typeof SIZES) => {
    const page = await context.newPage();
    if (values.picture !== undefined) await page.setViewportSize(SIZES[name]);
    return page;
  };
  const dev = open([signalbox, "dev"], directory);
  const opened = [dev];
  let files = directory;
  try {
    const address = async (name: string) => (await dev.shows(new RegExp(`${name} +(http://\\S+)`)))[1] ?? "";
    const chat = await openPage("chat");
    await chat.goto(await address("Chat"));
    await chat.getByRole("textbox").waitFor();
    const page_s = since();
    // Under root they are elsewhere.
    [, files = directory] = await dev.shows(/Files and logs are in (\S+)/);

    const watched = await openPage("console");
    await watched.goto(await address("Console"));
    await ask(chat, "When do you open?");
    await watched.getByRole("listitem").getByText("Delivered", { exact: true }).first().waitFor();
    const first_webhook_s = since();

    // The file of the documents, on a port of its own, with the secret that `listen` prints.
    copyFileSync(RECEIVER, join(directory, "server.ts"));
    const port = await freePort();
    const [, settings = ""] = await dev.shows(/export (SIGNALBOX_URL=\S+ .*)/);
    const environment = Object.fromEntries(
      settings.split(" ").map((pair) => {
        const at = pair.indexOf("=");
        return [pair.slice(0, at), pair.slice(at + 1)];
      }),
    );
    const listen = open(
      [signalbox, "listen", "--forward-to", `http://127.0.0.1:${port}/hooks`],
      directory,
      environment,
    );
    opened.push(listen);
    const [, secret = ""] = await listen.shows(/signed with (whsec_\S+)/);
    const server = open(["server.ts"], directory, {
      PORT: String(port),
      SIGNALBOX_SIGNING_SECRET: secret,
    });
    opened.push(server);
    await server.shows(/receiving at/);
    await ask(chat, "Do you deliver?");
    await server.shows(/ai says in .*: Yes: within the town/);
    const own_server_s = since();

    const inbox = await openPage("inbox");
    await inbox.goto(await address("Inbox"));
    const person = chat.getByRole("button", { name: "Talk to a person" });
    await person.click();
    await inbox
      .getByRole("list", { name: /^Chats/ })
      .getByRole("link")
      .first()
      .click();
    const reply = inbox.getByLabel("Reply to the user");
    await reply.fill("Hello, Ada here.");
    await reply.press("Enter");
    await chat.getByRole("log").getByText("Hello, Ada here.").waitFor();
    if (values.picture !== undefined) {
      await watched.getByRole("button", { name: "Switch agent" }).click();
      await watched.getByRole("menuitem", { name: "Corner shop" }).click();
      await watched.getByText("What is set up for Corner shop").waitFor();
      await inbox.getByRole("button", { name: /^Mine/ }).click();
      await inbox
        .getByRole("list", { name: /^Chats/ })
        .getByRole("link")
        .waitFor();
      await takePicture({ chat, inbox, console: watched }, values.picture);
    }
    await inbox.getByRole("button", { name: "Close", exact: true }).click();
    await inbox.getByRole("alertdialog").getByRole("button", { name: "Close" }).click();
    await chat.getByRole("button", { name: "Talk to a person", disabled: false }).waitFor();
    await ask(chat, "How can I pay?");
    await chat.getByRole("log").getByText("In cash, by card").waitFor();
    return { page_s, first_webhook_s, own_server_s, handoff_s: since() };
  } finally {
    await context.close();
    for (const program of opened.toReversed()) await program.end();
    for (const left of [files, directory]) rmSync(left, { recursive: true, force: true });
  }
}

async function ask(page: Page, text: string): Promise<void> {
  await page.getByRole("textbox").fill(text);
  await page.getByRole("textbox").press("Enter");
}

function widgetKilobytes(modules: string): number {
  const file = readFileSync(join(modules, "@signalbox/widget/dist/signalbox-chat.js"));
  return Math.round(gzipSync(file).length / 100) / 10;
}

/** How many good receivers keep every rule, and how many with one mistake are found out by the rule that names it. */
async function conformFigures(): Promise<{ conform_good_passed: number; conform_bad_caught: number }> {
  let conform_good_passed = 0;
  let conform_bad_caught = 0;
  const good = [
    () => judge(),
    ...Object.values(EXAMPLES).map(
      ({ command }) =>
        () =>
          judgeExample(command),
    ),
  ];
  for (const look of good) {
    const { results } = await look();
    if (results.every(({ state }) => state === "passed")) conform_good_passed += 1;
  }
  for (const [mistake, [rule, found]] of Object.entries(CAUGHT)) {
    // Each call of a slow receiver is slow.
    const { results } = await judge(mistake as keyof typeof CAUGHT, {
      rules: mistake === "slow" ? ["in-time"] : undefined,
    });
    const named = results.find(({ id }) => id === rule);
    if (named?.state === "failed" && found.test(named.found ?? "")) conform_bad_caught += 1;
  }
  return { conform_good_passed, conform_bad_caught };
}

async function measure(modules: string, runs: number): Promise<void> {
  const all: Figures[] = [];
  for (let number = 1; number <= runs; number += 1) {
    all.push(await run(modules, browser));
    say(`run ${number}: ${JSON.stringify(all.at(-1))}`);
  }
  say("holding receivers against the rules …");
  const slowest = (name: keyof Figures) => Math.max(...all.map((figures) => figures[name]));
  const result = {
    page_s: slowest("page_s"),
    first_webhook_s: slowest("first_webhook_s"),
    own_server_s: slowest("own_server_s"),
    handoff_s: slowest("handoff_s"),
    widget_kb_gzip: widgetKilobytes(modules),
    ...(await conformFigures()),
  };
  if (values.json) console.log(JSON.stringify(result));
  else console.table([...all, result]);
}

const directory = mkdtempSync(join(tmpdir(), "signalbox-installed-"));
const browser = await openChromium();
try {
  say("packing and installing …");
  const modules = install(directory);
  if (values.picture === undefined) await measure(modules, Number(values.runs));
  else await run(modules, browser);
} finally {
  await browser.close();
  rmSync(directory, { recursive: true, force: true });
}
