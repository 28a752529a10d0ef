import assert from "node:assert/strict";
import { after, before, beforeEach, afterEach, describe, it } from "node:test";
import { type Bed, openBed } from "@signalbox/tests/support/bed.ts";
import { openChromium } from "@signalbox/tests/support/chromium.ts";
import { makeDesk } from "@signalbox/tests/support/desk.ts";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { bundleWidget, type DeveloperSite, openDeveloperSite } from "./developer-site.ts";

const ANSWER = "At nine, every day but Sunday.";
const MARKS = `*_${"_".repeat(8_000)}${"*".repeat(4_498)}a${"_".repeat(8_000)}${"*".repeat(4_499)}`;
const QA = [
  { question: "When do you open?", answer: ANSWER },
  { question: "Which quote do you like?", answer: "> To be" },
  { question: "Which marks do you like?", answer: MARKS },
];

describe("widget given hostile messages", { timeout: 300_000 }, () => {
  let browser: Browser;
  let bed: Bed;
  let script = "";
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
    const desk = await makeDesk(bed, { agent: { qaList: QA } });
    site = await openDeveloperSite(desk.agent, script);
    context = await browser.newContext({ locale: "en-GB" });
    tab = await context.newPage();
  });
  afterEach(async () => {
    await context.close();
    await site[Symbol.asyncDispose]();
  });

  const said = (text: string | RegExp) => tab.getByRole("log").getByText(text);
  async function ask(text: string): Promise<void> {
    await tab.getByRole("textbox").fill(text);
    await tab.getByRole("textbox").press("Enter");
  }

  it("the widget shows a message it cannot format as it was written, and the chat goes on, also after a reload", async () => {
    await tab.addInitScript({
      content: `
        const make = document.createElement.bind(document);
        document.createElement = (name) => {
          if (name === "blockquote") throw new RangeError("no quotes on this page");
          return make(name);
        };`,
    });
    await tab.goto(`${site.url}/inline`);
    await ask("Which quote do you like?");
    await said("> To be").waitFor();
    await ask("When do you open?");
    await said(ANSWER).waitFor();
    await tab.reload();
    await said("> To be").waitFor();
    await ask("When do you open?");
    await said(ANSWER).nth(1).waitFor();
  });

  it("the widget shows a message of 25,000 marks in a moment, and the chat goes on", async () => {
    assert.equal(MARKS.length, 25_000);
    await tab.goto(`${site.url}/inline`);
    await ask("Which marks do you like?");
    await said(/^\*_/).waitFor();
    await ask("When do you open?");
    await said(ANSWER).waitFor({ timeout: 5_000 });
  });
});
