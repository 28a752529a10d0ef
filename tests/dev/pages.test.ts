import assert from "node:assert/strict";
import { type ChildProcess, execFile, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { promisify } from "node:util";
import { type Client, createClient } from "@signalbox/sdk";
import { openChromium } from "@signalbox/tests/support/chromium.ts";
import { eventually, freePort } from "@signalbox/tests/support/processes.ts";
import type { Browser, Page } from "playwright-core";
import { seriousFindings } from "../widget/judged-page.ts";

const root = join(import.meta.dirname, "../..");
const PROGRAM = join(root, "packages/cli/src/main.ts");
const BUNDLER = join(root, "packages/widget/bundle.ts");

interface Started {
  url: string;
  directory: string;
  operator_token: string;
  pages: { chat: string; desk: string; inspector: string };
  agents: { language: string; agent_id: string; api_key: string }[];
}

const ENGLISH = {
  language: "en",
  question: "When do you open?",
  answer: "We open at nine, every day but Sunday.",
  person: "Talk to a person",
  name: "Your name",
  begin: "Sign in",
  close: "Close",
  delivered: "delivered",
  shop: "Corner shop",
  check: "Check webhooks",
  reachable: "✔ reachable",
  test: "Send a test",
};
const CHINESE = {
  language: "zh-CN",
  question: "你们几点开门？",
  answer: "每天上午九点开门，周日休息。",
  person: "转人工",
  name: "您的姓名",
  begin: "登录",
  close: "结束会话",
  delivered: "已送达",
  shop: "街角小店",
  check: "检测 Webhook",
  reachable: "✔ 可达",
  test: "发送测试",
};

describe("pages of signalbox dev", { timeout: 600_000 }, () => {
  let folder = "";
  let child: ChildProcess;
  let started: Started;
  let browser: Browser;
  let operator: Client;

  before(async () => {
    execFileSync(process.execPath, [BUNDLER]);
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

  async function openTab(url: string, language = "en"): Promise<Page> {
    const context = await browser.newContext({
      locale: language,
      permissions: ["clipboard-read", "clipboard-write"],
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
  const rows = (tab: Page) => tab.locator("#list a");
  /** Of the one delivery there is in a conversation, once there is one. */
  async function rowOf(tab: Page, agent_id: string, conversation_id: string) {
    const id = await eventually("a delivery", async () => {
      const { list } = await operator.listDeliveries({ agent_id, conversation_id });
      return list[0]?.delivery_id;
    });
    return tab.locator(`#list a[href="#${id}"]`);
  }

  for (const words of [ENGLISH, CHINESE]) {
    it(`the dev pages carry a question to the inspector and a handoff through the desk: ${words.language}`, async () => {
      const inspector = await openTab(started.pages.inspector, words.language);
      const chat = await openTab(started.pages.chat, words.language);
      await say(chat, words.question);
      await heard(chat, words.answer).waitFor();
      const newest = rows(inspector).filter({ hasText: words.shop }).first();
      await newest.getByText(words.delivered, { exact: true }).waitFor();
      await newest.click();
      await inspector.locator("pre", { hasText: words.answer }).waitFor();
      await inspector.getByRole("cell", { name: "HTTP 200" }).waitFor();

      const desk = await openTab(started.pages.desk, words.language);
      await desk.getByLabel(words.name).fill("Ada");
      await desk.getByRole("button", { name: words.begin }).click();
      await chat.getByRole("button", { name: words.person }).click();
      await desk.locator("#queue [data-waits]").getByText("you@example.com").click();
      await heard(desk, words.question).waitFor();
      await say(desk, "Hello, Ada here. 您好！");
      await heard(chat, "Hello, Ada here. 您好！").waitFor();
      await desk.getByRole("button", { name: words.close }).click();
      await chat.getByRole("button", { name: words.person, disabled: false }).waitFor();
      await say(chat, words.question);
      await eventually("the agent again", async () => (await heard(chat, words.answer).count()) === 2);
      for (const tab of [inspector, chat, desk]) await tab.context().close();
    });
  }

  it("the inspector replays a delivery, gives it as a working curl command and sends a changed one as a test", async () => {
    const inspector = await openTab(started.pages.inspector);
    const { agent_id = "", api_key = "" } = started.agents.find(({ language }) => language === "en") ?? {};
    const client = createClient({ baseUrl: started.url, apiKey: api_key });
    const { conversation_id } = await client.createConversation({ user_id: "inspected" });
    const messages = [{ role: "user" as const, content: "Do you deliver?" }];
    await client.sendMessage({ conversation_id, response_mode: "webhook", messages });
    await rowOf(inspector, agent_id, conversation_id).then((row) => row.click());
    await inspector.locator("pre", { hasText: conversation_id }).waitFor();

    await inspector.getByRole("button", { name: "Copy as curl" }).click();
    await inspector.getByText("Copied.").waitFor();
    const curl = String(await inspector.evaluate("navigator.clipboard.readText()"));
    const { stdout } = await promisify(execFile)("sh", ["-c", curl]);
    assert.match(stdout, /^HTTP\/1\.1 200[\s\S]*"msg":"success"/);

    const count = async () => (await operator.listDeliveries({ agent_id, conversation_id })).list.length;
    assert.equal(await count(), 1);
    await inspector.getByRole("button", { name: "Replay" }).click();
    await inspector.getByText("Replayed.").waitFor();
    await eventually("the replay", async () => (await count()) === 2);

    await inspector.getByRole("button", { name: "Edit and send as a test" }).click();
    const body = inspector.getByRole("textbox", { name: "Body" });
    await body.fill((await body.inputValue()).replace("Yes", "No"));
    await inspector.getByRole("button", { name: "Send test" }).click();
    await inspector.getByText(/^HTTP 200 in \d+ ms$/).waitFor();
    await body.fill("no JSON");
    await inspector.getByRole("button", { name: "Send test" }).click();
    await inspector.getByText("The body must be a JSON object.").waitFor();
    await inspector.context().close();
  });

  it("the inspector shows why a delivery fails, every attempt, and which webhook is unreachable", async () => {
    const agent = started.agents.find(({ language }) => language === "zh-CN");
    const { agent_id = "", api_key = "" } = agent ?? {};
    const { url } = await operator.getMessageWebhook({ agent_id });
    await operator.setMessageWebhook({ agent_id, url: `http://127.0.0.1:${await freePort()}/hooks` });
    const client = createClient({ baseUrl: started.url, apiKey: api_key });
    const { conversation_id } = await client.createConversation({ user_id: "unheard" });
    const messages = [{ role: "user" as const, content: CHINESE.question }];
    await client.sendMessage({ conversation_id, response_mode: "webhook", messages });

    const inspector = await openTab(`${started.pages.inspector}?state=pending`);
    const row = await rowOf(inspector, agent_id, conversation_id);
    await row.getByText("connect_refused").waitFor();
    await row.click();
    await inspector
      .getByText("connect_refused: Connection refused: nothing is listening at this address (docs/")
      .waitFor();
    // It is tried again meanwhile, and the page follows by itself.
    await eventually("another attempt", async () => (await inspector.locator("tbody tr").count()) >= 2);
    await inspector.getByRole("link", { name: "Check webhooks" }).click();
    await inspector.getByText("✖ unreachable").waitFor();
    assert.equal(await inspector.getByText("✔ reachable").count(), 3);
    await operator.setMessageWebhook({ agent_id, url, mirror_live_channel: true });
    await inspector.goto(started.pages.inspector);
    await eventually(
      "it arrives after all",
      async () =>
        (await operator.listDeliveries({ agent_id, conversation_id })).list[0]?.state === "delivered",
      { timeoutMs: 30_000 },
    );
    await inspector.context().close();
  });

  it("the dev pages refuse requests from another site, by any name of this machine", async () => {
    const { port } = new URL(started.pages.chat);
    const asks = async (headers: Record<string, string>) => {
      const answered = await promisify(execFile)("curl", [
        ..."-s -o /dev/null -w %{http_code} -X POST".split(" "),
        ...Object.entries(headers).flatMap(([name, value]) => ["-H", `${name}: ${value}`]),
        `http://127.0.0.1:${port}/token?language=en`,
      ]);
      return answered.stdout;
    };
    assert.equal(await asks({}), "200");
    assert.equal(await asks({ host: `rebound.example:${port}` }), "403");
    assert.equal(await asks({ origin: "https://elsewhere.example" }), "403");
  });

  it("the inspector works with the keyboard alone", async () => {
    const inspector = await openTab(started.pages.inspector);
    await rows(inspector).first().waitFor();
    await inspector.locator("#event").focus();
    await inspector.keyboard.press("Tab");
    await inspector.keyboard.press("Enter");
    await inspector.getByRole("heading", { name: "Attempts" }).waitFor();
    // The heading of what was opened has the focus, so the next thing is its first button.
    await inspector.keyboard.press("Tab");
    const focused = await inspector.evaluate("document.activeElement.textContent");
    assert.equal(focused, "Replay");
    await inspector.context().close();
  });

  for (const words of [ENGLISH, CHINESE]) {
    it(`the dev pages have no serious finding of axe and fit into 320 px, in both themes: ${words.language}`, async () => {
      const folder = process.env["SCREENSHOTS"];
      const tab = await openTab(started.pages.chat, words.language);
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
          await tab.goto(started.pages.inspector);
          await rows(tab).first().waitFor();
          await look("inspector");
          await rows(tab).first().click();
          await tab.locator("#detail > pre").waitFor();
          await look("delivery");
          await tab.goto(`${started.pages.inspector}#check`);
          await tab.reload();
          await tab.getByText(words.reachable).first().waitFor();
          await look("check");
          await tab.goto(`${started.pages.inspector}#test`);
          await tab.reload();
          await tab.getByRole("heading", { name: words.test }).waitFor();
          await look("test");
        }
      await tab.context().close();
    });
  }
});
