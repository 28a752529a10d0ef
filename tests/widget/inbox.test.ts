import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, afterEach, before, beforeEach, describe, it } from "node:test";
import { type Bed, openBed } from "@signalbox/tests/support/bed.ts";
import { openChromium } from "@signalbox/tests/support/chromium.ts";
import { makeInbox, type MadeInbox, type Person } from "@signalbox/tests/support/inbox.ts";
import { eventually } from "@signalbox/tests/support/processes.ts";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { type DeveloperSite, openDeveloperSite } from "./developer-site.ts";
import { seriousFindings } from "./judged-page.ts";

const BUNDLER = join(import.meta.dirname, "../../packages/widget/bundle.ts");
const LONG = { timeout: 30_000 };
const WAIT = { timeoutMs: 30_000 };

describe("widget in Chromium, with the inbox", { timeout: 300_000 }, () => {
  let browser: Browser;
  let bed: Bed;
  let script = "";
  let inbox: MadeInbox;
  let ann: Person;
  let site: DeveloperSite;
  let context: BrowserContext;
  let tab: Page;

  before(async () => {
    const file = execFileSync(process.execPath, [BUNDLER], { encoding: "utf8" }).trim();
    script = readFileSync(file, "utf8");
    [browser, bed] = await Promise.all([openChromium(), openBed({ apis: 1, workers: 1 })]);
  });
  after(async () => {
    await browser?.close();
    await bed?.[Symbol.asyncDispose]();
  });
  beforeEach(async () => {
    inbox = await makeInbox(bed);
    ann = await inbox.join("Ann Li");
    site = await openDeveloperSite(inbox.agent, script);
    context = await browser.newContext({ locale: "en-GB" });
    tab = await context.newPage();
  });
  afterEach(async () => {
    await context.close();
    await site[Symbol.asyncDispose]();
  });

  const field = () => tab.getByRole("textbox");
  const log = () => tab.getByRole("log");
  const said = (text: string | RegExp) => log().getByText(text);

  async function shoot(name: string): Promise<void> {
    const folder = process.env["WIDGET_SCREENSHOTS"];
    if (folder !== undefined) await tab.screenshot({ path: `${folder}/${name}.png` });
  }

  /** The user asks for a person, and Ann takes the chat. */
  async function talkToAnn(path = "/inline") {
    await tab.goto(site.url + path);
    if (path.startsWith("/bubble")) await tab.locator(".launch").click();
    await tab.locator(".person").click();
    const { agent_id } = inbox;
    const talk = await eventually("the chat waits in the inbox", async () => {
      const { list } = await ann.client.searchTalks({ agent_id, view: "waiting" });
      return list[0];
    });
    const chat = { agent_id, talk_id: talk.talk_id };
    await ann.client.takeTalk(chat);
    return chat;
  }

  for (const [path, typing] of [
    ["/inline", "Ann Li is typing…"],
    ["/inline-zh", "Ann Li 正在输入…"],
  ] as const) {
    it(`the widget shows by name that a human types, until the message is there or nothing more is typed: ${path}`, async () => {
      const chat = await talkToAnn(path);
      const line = tab.getByRole("status").getByText(typing);
      await eventually(
        "the line is shown",
        async () => {
          await ann.client.typeInTalk(chat);
          return line.isVisible();
        },
        WAIT,
      );
      await shoot(`typing${path.replace("/", "-")}`);
      assert.deepEqual(await seriousFindings(tab), []);
      await ann.client.replyInTalk({ ...chat, text: "Ann here." });
      await said("Ann here.").waitFor(LONG);
      assert.equal(await line.count(), 0, "gone with the message");
      await ann.client.typeInTalk(chat);
      await line.waitFor(LONG);
      await line.waitFor({ state: "detached", ...LONG });
    });
  }

  it("the widget tells a human that the user types, at most every three seconds, and tells the agent nothing", async () => {
    const told: number[] = [];
    tab.on("request", (request) => {
      if (request.url().endsWith("/typing")) told.push(performance.now());
    });
    await tab.goto(`${site.url}/inline`);
    await field().fill("When do you open?");
    await field().press("Enter");
    await log().locator('[data-sender="ai"]').first().waitFor(LONG);
    await field().pressSequentially("And on Sundays");
    assert.deepEqual(told, [], "the agent does not wait for it");
    await field().fill("");
    await talkToAnn();
    await tab.getByRole("button", { name: "Back to the assistant" }).waitFor(LONG);
    await eventually(
      "it is told twice",
      async () => {
        await field().pressSequentially("more ");
        return told.length >= 2;
      },
      { ...WAIT, everyMs: 50 },
    );
    const [first = 0, second = 0] = told;
    assert.ok(second - first > 2_500, `${second - first} ms apart`);
  });
});
