import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, describe, it } from "node:test";
import { type Bed, openBed } from "@signalbox/tests/support/bed.ts";
import { openChromium } from "@signalbox/tests/support/chromium.ts";
import { makeInbox, type MadeInbox, type Person } from "@signalbox/tests/support/inbox.ts";
import { eventually } from "@signalbox/tests/support/processes.ts";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { bundleWidget, type DeveloperSite, openDeveloperSite } from "./developer-site.ts";
import { seriousFindings } from "./judged-page.ts";

const PICTURE = `<svg xmlns="http://www.w3.org/2000/svg" width="160" height="90"><rect width="160" height="90" fill="#7a9"/></svg>`;
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
    script = bundleWidget();
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
  const log = () => tab.locator("[role=log]");
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
      const { list } = await ann.client.talks.search({ agent_id, view: "waiting" });
      return list[0];
    });
    const chat = { agent_id, talk_id: talk.talk_id };
    await ann.client.talks.take(chat);
    return chat;
  }

  for (const [path, typing] of [
    ["/inline", "Ann Li is typing…"],
    ["/inline-zh", "Ann Li 正在输入…"],
  ] as const) {
    it(`the widget shows by name that a human types, until the message is there or nothing more is typed: ${path}`, async () => {
      const chat = await talkToAnn(path);
      const line = tab.getByRole("status").getByText(typing);
      // A signal may be lost; one that is under way must not come behind the message.
      const type = () =>
        eventually(
          "the line is shown",
          async () => {
            await ann.client.talks.type(chat);
            return line.waitFor({ timeout: 5_000 }).then(
              () => true,
              () => false,
            );
          },
          WAIT,
        );
      await type();
      await shoot(`typing${path.replace("/", "-")}`);
      assert.deepEqual(await seriousFindings(tab), []);
      // The first reply also changes who holds the chat, which ends the line by itself.
      for (const text of ["Ann here.", "How can I help?"]) {
        await type();
        await ann.client.talks.reply({ ...chat, text });
        await said(text).waitFor(LONG);
        assert.equal(await line.count(), 0, "gone with the message");
      }
      await type();
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

  for (const [path, seen] of [
    ["/bubble", "Seen"],
    ["/bubble-zh", "已读"],
  ] as const) {
    it(`the widget shows beneath the user's last message that the human has seen it: ${path}`, async () => {
      const chat = await talkToAnn(path);
      for (const text of ["My jacket is torn.", "The left sleeve."]) {
        await field().fill(text);
        await field().press("Enter");
      }
      await eventually(
        "both are there",
        async () => (await ann.client.talks.get(chat)).unread_count === 2,
        WAIT,
      );
      assert.equal(await said(seen).count(), 0);
      const { messages } = await ann.client.talks.get(chat);
      await ann.client.talks.markSeen({ ...chat, sequence: messages.at(-1)?.sequence ?? 0 });
      const mark = log().locator('[data-sender="user"]').getByText(seen, { exact: true });
      await mark.waitFor(LONG);
      assert.equal(await mark.count(), 1);
      await shoot(`seen${path.replace("/", "-")}`);
      assert.deepEqual(await seriousFindings(tab), []);
      await tab.reload();
      await tab.locator(".launch").click();
      await mark.waitFor(LONG);
      assert.match(await log().locator('[data-sender="user"]').last().innerText(), new RegExp(`${seen}$`));
      await field().fill("One more thing.");
      await field().press("Enter");
      await mark.waitFor({ state: "detached", ...LONG });
    });
  }

  it("the widget tells a human what the user has seen: not while the bubble is shut or the page is hidden", async () => {
    const chat = await talkToAnn("/bubble");
    const shown = async () => (await ann.client.talks.get(chat)).user_seen_sequence;
    const reply = async (text: string) => {
      await ann.client.talks.reply({ ...chat, text });
      await log()
        .getByText(text)
        .waitFor({ state: "attached", ...LONG });
      return (await ann.client.talks.get(chat)).messages.at(-1)?.sequence ?? 0;
    };
    const first = await reply("Ann here.");
    await eventually("it is seen", async () => (await shown()) === first, WAIT);
    const calls: string[] = [];
    tab.on("request", (request) => {
      if (request.url().endsWith("/seen")) calls.push(request.url());
    });
    await tab.locator(".shut").click();
    const second = await reply("Are you there?");
    assert.deepEqual(calls, [], "the bubble is shut");
    await tab.locator(".launch").click();
    await eventually("it is seen once the bubble is open", async () => (await shown()) === second, WAIT);
    const setHidden = (isHidden: boolean) =>
      tab.evaluate(`Object.defineProperty(document, "hidden", { value: ${isHidden}, configurable: true });
        document.dispatchEvent(new Event("visibilitychange"))`);
    await setHidden(true);
    const third = await reply("I will wait.");
    assert.equal(calls.length, 1, "the page is hidden");
    await setHidden(false);
    await eventually("it is seen once the page is", async () => (await shown()) === third, WAIT);
  });

  it("the widget shows a human's files by name, and pictures where the page's policy allows them", async () => {
    const chat = await talkToAnn("/bubble");
    const picture = { status: 200, contentType: "image/svg+xml", body: PICTURE };
    await tab.route("**/sleeve.svg", (route) => route.fulfill(picture));
    const elsewhere = "https://files.example/elsewhere/sleeve.svg";
    await ann.client.talks.reply({
      ...chat,
      text: "Like this?",
      attachments: [
        { type: "image", url: `${site.url}/sleeve.svg`, name: "Sleeve" },
        { type: "image", url: elsewhere, name: "Elsewhere" },
        { type: "document", url: "https://files.example/invoice.pdf", name: "Invoice" },
      ],
    });
    const files = log().locator(".file");
    await files.nth(2).waitFor(LONG);
    const image = files.nth(0).locator("img");
    await eventually(
      "the picture is drawn",
      () => image.evaluate((drawn) => (drawn as { naturalWidth?: number }).naturalWidth === 160),
      WAIT,
    );
    await files
      .nth(1)
      .locator("img")
      .waitFor({ state: "detached", ...LONG });
    const links = log().locator('[data-sender="human"]').getByRole("link");
    assert.deepEqual(await links.allInnerTexts(), ["Sleeve", "Elsewhere", "Invoice"]);
    assert.equal(await links.nth(1).getAttribute("href"), elsewhere);
    assert.equal(await files.nth(2).locator("img").count(), 0);
    assert.equal(await said("[image]").count(), 0);
    await shoot("files");
    for (const width of [375, 320]) {
      await tab.setViewportSize({ width, height: 640 });
      assert.ok(Number(await tab.evaluate("document.documentElement.scrollWidth")) <= width);
    }
    await shoot("files-320");
    assert.deepEqual(await seriousFindings(tab), []);
  });
});
