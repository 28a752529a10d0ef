import assert from "node:assert/strict";
import { type ChildProcess, execFile, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { promisify } from "node:util";
import { type Client, createClient } from "@signalbox/sdk";
import { openBed } from "@signalbox/tests/support/bed.ts";
import { openChromium } from "@signalbox/tests/support/chromium.ts";
import { signIn } from "@signalbox/tests/support/members.ts";
import { eventually } from "@signalbox/tests/support/processes.ts";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { seriousFindings } from "../widget/judged-page.ts";

const root = join(import.meta.dirname, "../..");
const PROGRAM = join(root, "packages/cli/src/main.ts");
const BUNDLERS = [
  [join(root, "packages/widget/bundle.ts")],
  [join(root, "packages/console/bundle.ts"), "--if-changed"],
];

interface Started {
  url: string;
  directory: string;
  operator_token: string;
  pages: { console: string; chat: string; inbox: string; desk?: string };
  agents: { language: string; agent_id: string; api_key: string }[];
}

const ENGLISH = {
  language: "en",
  question: "When do you open?",
  answer: "We open at nine, every day but Sunday.",
  person: "Talk to a person",
  inbox: "Open the inbox",
  chats: /^Chats/,
  reply: "Reply to the user",
  close: "Close",
  delivered: "Delivered",
  start: "Start",
  shop: "Corner shop",
  switchAgent: "Switch agent",
  openChat: "Open the chat",
};
const CHINESE = {
  language: "zh-CN",
  question: "你们几点开门？",
  answer: "每天上午九点开门，周日休息。",
  person: "转人工",
  inbox: "打开收件箱",
  chats: /^对话/,
  reply: "回复用户",
  close: "关闭",
  delivered: "已送达",
  start: "开始",
  shop: "街角小店",
  switchAgent: "切换智能体",
  openChat: "打开对话页面",
};

describe("pages of signalbox dev", { timeout: 600_000 }, () => {
  let folder = "";
  let child: ChildProcess;
  let started: Started;
  let browser: Browser;
  let operator: Client;
  /** The state of the browser that followed the link. */
  let signedIn: Awaited<ReturnType<BrowserContext["storageState"]>>;

  before(async () => {
    for (const words of BUNDLERS) execFileSync(process.execPath, words);
    folder = await mkdtemp(join(tmpdir(), "signalbox-pages-"));
    child = spawn(process.execPath, [PROGRAM, "dev", "--directory", join(folder, "own"), "--json"], {
      cwd: folder,
      env: { PATH: process.env["PATH"] },
      stdio: ["ignore", "pipe", "inherit"],
    });
    let out = "";
    child.stdout?.setEncoding("utf8").on("data", (text: string) => (out += text));
    await eventually("everything runs", () => out.trimEnd().endsWith("}") || child.exitCode !== null, {
      timeoutMs: 120_000,
    });
    assert.equal(child.exitCode, null, out);
    started = JSON.parse(out) as Started;
    operator = createClient({ baseUrl: started.url, operatorToken: started.operator_token });
    browser = await openChromium();
    // A page of another name for this machine must not use the link up, so it is asked for before its owner comes.
    const { port } = new URL(started.pages.console);
    assert.equal(await statusOf(started.pages.console, { host: `rebound.example:${port}` }), "403");
    const tab = await openTab(started.pages.console);
    await tab.getByRole("button", { name: "Account and display: Developer" }).waitFor();
    signedIn = await tab.context().storageState();
    await tab.context().close();
  });
  after(async () => {
    await browser?.close();
    if (child.exitCode === null) {
      const ended = once(child, "exit");
      child.kill("SIGINT");
      await ended;
    }
    if (started !== undefined) await rm(started.directory, { recursive: true, force: true });
    await rm(folder, { recursive: true, force: true });
  });

  async function openTab(
    url: string,
    { language = "en", isSignedIn = false }: { language?: string; isSignedIn?: boolean } = {},
  ): Promise<Page> {
    const context = await browser.newContext({
      locale: language,
      ...(isSignedIn && { storageState: signedIn }),
    });
    const tab = await context.newPage();
    await tab.goto(url);
    return tab;
  }
  async function say(tab: Page, text: string): Promise<void> {
    await tab.getByRole("textbox").fill(text);
    await tab.getByRole("textbox").press("Enter");
  }
  const heard = (tab: Page, text: string | RegExp) => tab.getByRole("log").getByText(text);
  async function statusOf(url: string, headers: Record<string, string>, method = "GET"): Promise<string> {
    const { stdout } = await promisify(execFile)("curl", [
      ..."-s -o /dev/null -w %{http_code} -X".split(" "),
      method,
      ...Object.entries(headers).flatMap(([name, value]) => ["-H", `${name}: ${value}`]),
      url,
    ]);
    return stdout;
  }

  for (const words of [ENGLISH, CHINESE]) {
    const { language } = words;
    it(`the dev pages carry a question to the console and a handoff through the inbox: ${language}`, async () => {
      const console = await openTab(`${started.url}/console/`, { language, isSignedIn: true });
      await console.getByRole("heading", { name: words.start, level: 1 }).waitFor();
      await console.getByRole("button", { name: `${words.switchAgent}: ${words.shop}` }).waitFor();
      const opening = console.context().waitForEvent("page");
      await console.getByRole("link", { name: words.openChat }).click();
      const chat = await opening;
      assert.equal(chat.url(), `${started.pages.chat}?lang=${language}`);
      await chat.getByRole("button", { name: words.question }).click();
      await heard(chat, words.answer).waitFor();
      const agent_id = started.agents.find((agent) => agent.language === language)?.agent_id ?? "";
      const id = await eventually("a delivery", async () => {
        const { list } = await operator.deliveries.list({ agent_id });
        return list.find(({ state }) => state === "delivered")?.delivery_id;
      });
      const leaving = console.context().waitForEvent("page");
      await console.getByRole("link", { name: words.inbox }).click();
      const inbox = await leaving;
      await console.getByRole("listitem").locator(`a[href*="${id}"]`).click();
      await console.getByText(words.delivered, { exact: true }).first().waitFor();
      await console.getByText("HTTP 200").first().waitFor();

      await chat.getByRole("button", { name: words.person }).click();
      await inbox.getByRole("list", { name: words.chats }).getByRole("link", { name: "you" }).click();
      await inbox.getByText(words.question).first().waitFor();
      await inbox.getByLabel(words.reply).fill("Hello, Ada here. 您好！");
      await inbox.getByLabel(words.reply).press("Enter");
      await heard(chat, "Hello, Ada here. 您好！").waitFor();
      await inbox.getByRole("button", { name: words.close, exact: true }).click();
      await inbox.getByRole("alertdialog").getByRole("button", { name: words.close }).click();
      await chat.getByRole("button", { name: words.person, disabled: false }).waitFor();
      await say(chat, words.question);
      await eventually("the agent again", async () => (await heard(chat, words.answer).count()) === 2);
      await console.context().close();
    });
  }

  it("the link to the console signs in the first browser alone; the next one reads that it was used, and what to do", async () => {
    const wrong = started.pages.console.replace(/[^/]+$/, "x".repeat(43));
    for (const [url, said] of [
      [
        started.pages.console,
        /This sign-in link was already used\. .* run it again\. Or paste the operator token/,
      ],
      [wrong, /This sign-in link is from an earlier start of signalbox dev\. .* paste the operator token/],
    ] as const) {
      const tab = await openTab(url);
      await tab.getByRole("heading", { name: "Sign in to Signalbox" }).waitFor();
      await tab.getByText(said).waitFor();
      assert.deepEqual(await tab.context().cookies(), []);
      await tab.context().close();
    }
    const again = await openTab(started.pages.console, { isSignedIn: true });
    await again.getByRole("button", { name: "Account and display: Developer" }).waitFor();
    await again.context().close();
  });

  it("a service that signalbox dev did not start refuses its link, its session and its account", async () => {
    await using bed = await openBed({ apis: 1, workers: 0 });
    const link = new URL(started.pages.console);
    const replied = await fetch(new URL(link.pathname, bed.baseUrl));
    assert.deepEqual(replied.headers.getSetCookie(), []);
    const settings = JSON.parse(await readFile(join(started.directory, "settings.json"), "utf8")) as {
      consolePassword: string;
    };
    const account = { email: "developer@example.com", password: settings.consolePassword };
    assert.equal((await signIn(bed, account)).status, 401);
    // The cookie of the other service goes to every port of this host.
    const tab = await openTab(`${bed.baseUrl}/console/#dev=${link.port}`, { isSignedIn: true });
    await tab.getByRole("heading", { name: "Sign in to Signalbox" }).waitFor();
    await tab.context().close();
  });

  it("the dev pages refuse requests from another site, by any name of this machine", async () => {
    const { port } = new URL(started.pages.chat);
    const url = `http://127.0.0.1:${port}/token?language=en`;
    assert.equal(await statusOf(url, {}, "POST"), "200");
    assert.equal(await statusOf(url, { host: `rebound.example:${port}` }, "POST"), "403");
    assert.equal(await statusOf(url, { origin: "https://elsewhere.example" }, "POST"), "403");
  });

  for (const words of [ENGLISH, CHINESE]) {
    it(`the dev pages have no serious finding of axe and fit into 320 px, in both themes: ${words.language}`, async () => {
      const folder = process.env["SCREENSHOTS"];
      const tab = await openTab(started.pages.chat, { language: words.language, isSignedIn: true });
      for (const colorScheme of ["light", "dark"] as const)
        for (const width of [320, 1200]) {
          await tab.emulateMedia({ colorScheme });
          await tab.setViewportSize({ width, height: 700 });
          const look = async (name: string) => {
            assert.equal(
              await tab.evaluate("document.documentElement.scrollWidth"),
              width,
              `${name} at ${width} px`,
            );
            assert.deepEqual(await seriousFindings(tab), [], `${name} ${colorScheme} ${width}`);
            if (folder !== undefined)
              await tab.screenshot({
                path: `${folder}/${name}-${words.language}-${colorScheme}-${width}.png`,
              });
          };
          await tab.goto(started.pages.chat);
          await say(tab, words.question);
          await heard(tab, words.answer).first().waitFor();
          await look("chat");
          await tab.goto(`${started.url}/console/`);
          await tab.getByRole("link", { name: words.openChat }).waitFor();
          await eventually("it is loaded", async () => (await tab.locator(".shimmer:visible").count()) === 0);
          await look("console");
        }
      await tab.context().close();
    });
  }
});
