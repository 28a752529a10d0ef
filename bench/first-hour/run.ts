import { copyFileSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { gzipSync } from "node:zlib";
import { EXAMPLES, judgeExample } from "@signalbox/tests/receivers/example-programs.ts";
import { CAUGHT, judge } from "@signalbox/tests/receivers/mistakes.ts";
import { openChromium } from "@signalbox/tests/support/chromium.ts";
import { importFigures } from "./imports.ts";
import { installHome, installProject, type Home } from "./install.ts";
import { askInTypeScript, openReceiver, receiveInPython } from "./languages.ts";
import { SIZES, takePicture } from "./picture.ts";
import { open, STEP_MAX_MS } from "./program.ts";

// What a developer meets first, with a stopwatch: from `git clone` in an empty home to a page, a webhook, a server of one's
// own, a handoff, a receiver in Python and a program in TypeScript.

type Browser = Awaited<ReturnType<typeof openChromium>>;
type Page = Awaited<ReturnType<Browser["newPage"]>>;
type Step = "page_s" | "first_webhook_s" | "own_server_s" | "handoff_s" | "python_receiver_s" | "ts_client_s";
type Figures = Record<Step, number>;

const { values } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    runs: { type: "string", default: "5" },
    // Writes the picture of the README into this file, and measures nothing.
    picture: { type: "string" },
  },
});
const root = join(import.meta.dirname, "../..");
const RECEIVER = join(root, "examples/receivers/express/server.ts");
const SHARP = { deviceScaleFactor: 1.5, reducedMotion: "reduce" } as const;
const say = (line: string) => void process.stderr.write(`${line}\n`);

async function run(home: Home, project: string, browser: Browser): Promise<Figures> {
  const directory = mkdtempSync(join(tmpdir(), "signalbox-first-hour-"));
  symlinkSync(join(project, "node_modules"), join(directory, "node_modules"));
  const context = await browser.newContext({ locale: "en", ...(values.picture !== undefined && SHARP) });
  context.setDefaultTimeout(STEP_MAX_MS);
  const beganAt = performance.now();
  const since = () => Math.round((performance.now() - beganAt) / 10) / 100;
  const openPage = async (name: keyof typeof SIZES) => {
    const page = await context.newPage();
    if (values.picture !== undefined) await page.setViewportSize(SIZES[name]);
    return page;
  };
  const dev = open([home.signalbox, "dev"], directory, home.environment);
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

    // The file of the documents, on a port of its own.
    copyFileSync(RECEIVER, join(directory, "server.ts"));
    const [, exported = ""] = await dev.shows(/export (SIGNALBOX_URL=\S+ .*)/);
    const settings = Object.fromEntries(
      exported.split(" ").map((pair) => {
        const at = pair.indexOf("=");
        return [pair.slice(0, at), pair.slice(at + 1)];
      }),
    );
    const running = { home, directory, settings, opened };
    const server = await openReceiver(running, [home.node, "server.ts"]);
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
    const handoff_s = since();
    await server.end();
    const python_receiver_s = await receiveInPython(running, (text) => ask(chat, text));
    const ts_client_s = await askInTypeScript(running, project);
    return { page_s, first_webhook_s, own_server_s, handoff_s, python_receiver_s, ts_client_s };
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

function widgetKilobytes({ clone }: Home): number {
  const file = readFileSync(join(clone, "packages/widget/dist/signalbox-chat.js"));
  return Math.round(gzipSync(file).length / 100) / 10;
}

/** How many good receivers keep every rule, and how many with one mistake are found out by the rule that names it. */
async function conformFigures(): Promise<{ conform_good_passed: number; conform_bad_caught: number }> {
  let conform_good_passed = 0;
  let conform_bad_caught = 0;
  const good = [
    () => judge(),
    ...Object.values(EXAMPLES)
      .filter(({ missing }) => missing === undefined)
      .map((example) => () => judgeExample(example)),
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

async function measure(home: Home, project: string, runs: number): Promise<void> {
  const all: Figures[] = [];
  for (let number = 1; number <= runs; number += 1) {
    all.push(await run(home, project, browser));
    say(`run ${number}: ${JSON.stringify(all.at(-1))}`);
  }
  say("importing what other products export …");
  const imports = importFigures(home);
  say("holding receivers against the rules …");
  const slowest = (name: keyof Figures) => Math.max(...all.map((figures) => figures[name]));
  const result = {
    install_s: Math.round(home.installSeconds * 10) / 10,
    page_s: slowest("page_s"),
    first_webhook_s: slowest("first_webhook_s"),
    own_server_s: slowest("own_server_s"),
    handoff_s: slowest("handoff_s"),
    python_receiver_s: slowest("python_receiver_s"),
    ts_client_s: slowest("ts_client_s"),
    ...imports,
    widget_kb_gzip: widgetKilobytes(home),
    ...(await conformFigures()),
  };
  if (values.json) console.log(JSON.stringify(result));
  else console.table([...all, result]);
}

const directory = mkdtempSync(join(tmpdir(), "signalbox-home-"));
const browser = await openChromium();
try {
  say("cloning and installing …");
  const home = installHome(directory);
  const project = installProject(home);
  if (values.picture === undefined) await measure(home, project, Number(values.runs));
  else await run(home, project, browser);
} finally {
  await browser.close();
  rmSync(directory, { recursive: true, force: true });
}
