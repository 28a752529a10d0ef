import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, describe, it } from "node:test";
import { gzipSync } from "node:zlib";
import { type Bed, openBed } from "@signalbox/tests/support/bed.ts";
import { openChromium } from "@signalbox/tests/support/chromium.ts";
import { closedNow, type Desk, makeDesk } from "@signalbox/tests/support/desk.ts";
import type { Browser, BrowserContext, Page, Route } from "playwright-core";
import { ANSWER_ZH, CONNECTING, FALLBACK, testAppearance } from "./appearance.ts";
import { bundleWidget, type DeveloperSite, openDeveloperSite } from "./developer-site.ts";
import { focusedName } from "./judged-page.ts";
import { testTools } from "./tools.ts";

const SIZE_MAX_BYTES = 40_000;

const ANSWER = "At nine, every day but Sunday.";
const QA = [
  { question: "When do you open?", answer: ANSWER },
  { question: "你们几点开门？", answer: ANSWER_ZH },
  { question: "Do you deliver?", answer: "Yes, within two days." },
  {
    question: "How do I return a jacket?",
    answer:
      "**Three** steps:\n\n1. Print the *label*\n2. See [our help](https://example.com/help)\n\n`RMA-1` <img src=x onerror=alert(1)> [no](javascript:alert(1))",
  },
];

describe("widget in Chromium", { timeout: 300_000 }, () => {
  let browser: Browser;
  let bed: Bed;
  let script = "";
  let desk: Desk;
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
    desk = await makeDesk(bed, { agent: { qaList: QA, fallback_text: FALLBACK } });
    site = await openDeveloperSite(desk.agent, script);
    context = await browser.newContext({ locale: "en-GB" });
    tab = await context.newPage();
  });
  afterEach(async () => {
    await context.close();
    await site[Symbol.asyncDispose]();
  });

  const open = (path: string) => tab.goto(site.url + path);
  const field = () => tab.getByRole("textbox");
  const log = () => tab.getByRole("log");
  const said = (text: string | RegExp) => log().getByText(text);
  async function ask(text: string): Promise<void> {
    await field().fill(text);
    await field().press("Enter");
  }
  async function soon(what: string, isThere: () => Promise<boolean>): Promise<void> {
    for (let tries = 0; tries < 100; tries += 1) {
      if (await isThere()) return;
      await tab.waitForTimeout(50);
    }
    assert.fail(`${what} did not come`);
  }

  /** A human of the developer's takes over and speaks. */
  async function speakAsHuman(text: string): Promise<void> {
    await desk.arrived("establish");
    await desk.reply(desk.calls()[0]?.handoffId ?? "", text);
  }
  const conversationsBegun = async () =>
    (await bed.database.query("select id from conversation where agent_id = $1", [desk.agent.agentId]))
      .length;
  /** What the service has of the user, in order. */
  const storedOfUser = async () =>
    (
      await bed.database.query<{ text: string }>(
        "select text from message where agent_id = $1 and sender = 'user' order by id",
        [desk.agent.agentId],
      )
    ).map(({ text }) => text);

  it("the widget is at most 40 kB, gzipped", () => {
    const size = gzipSync(script, { level: 9 }).length;
    assert.ok(size <= SIZE_MAX_BYTES, `${size} bytes`);
    console.log(`# widget: ${(size / 1000).toFixed(1)} kB gzipped`);
  });

  for (const [path, question, answer, person, asked, back] of [
    ["/inline", "When do you open?", ANSWER, "Talk to a person", "Connecting you…", "Back to the assistant"],
    ["/inline-zh", "你们几点开门？", ANSWER_ZH, "转人工", "正在转接…", "返回智能助手"],
  ] as const) {
    it(`the widget carries a whole conversation, from the agent to a human and back: ${path}`, async () => {
      await open(path);
      await ask(question);
      await said(answer).waitFor();
      const askForPerson = tab.getByRole("button", { name: person });
      const place = await askForPerson.boundingBox();
      await askForPerson.click();
      await said(CONNECTING).waitFor();
      await tab.getByRole("status").getByText(asked).waitFor();
      const placeNow = await tab.getByRole("button", { name: back }).boundingBox();
      assert.equal(placeNow?.y, place?.y);
      await speakAsHuman("Hello, Ada here. See https://example.com/help.");
      const link = log().getByRole("link");
      await link.waitFor();
      assert.equal(await link.getAttribute("href"), "https://example.com/help");
      await ask("Thank you!");
      await said("Thank you!").waitFor();
      await desk.arrived("chat");
      await tab.getByRole("button", { name: back }).click();
      await askForPerson.waitFor();
      await desk.arrived("close");
      assert.deepEqual(desk.story(), ["establish", "chat Thank you!", "close USER_CLOSED"]);
      await ask("Do you deliver?");
      await said("Yes, within two days.").waitFor();
    });
  }

  it("the widget talks to a service of another origin", async () => {
    await open("/elsewhere");
    // Nothing goes through the developer's site.
    site.failing = 503;
    await ask("When do you open?");
    await said(ANSWER).waitFor();
    await tab.reload();
    await said(ANSWER).waitFor();
  });

  it("the widget shows that the agent is typing until the answer is there", async () => {
    await open("/inline");
    await ask("When do you open?");
    await said(ANSWER).waitFor();
    await bed.worker().stop();
    await ask("Do you deliver?");
    const writing = tab.getByText("Typing…");
    await writing.waitFor();
    await bed.worker().start();
    await said("Yes, within two days.").waitFor();
    assert.equal(await writing.count(), 0);
  });

  it("the widget shows each message's state and sends a failed one again, once", async () => {
    await open("/inline");
    await ask("When do you open?");
    await said(ANSWER).waitFor();
    site.failing = 503;
    await ask("Do you deliver?");
    await said("Not sent").waitFor();
    site.failing = undefined;
    await tab.getByRole("button", { name: "Try again" }).click();
    await said("Yes, within two days.").waitFor();
    assert.equal(await said("Not sent").count(), 0);
    assert.deepEqual(await storedOfUser(), ["When do you open?", "Do you deliver?"]);
  });

  it("the widget sends a message once although its answer was lost", async () => {
    await open("/inline");
    await ask("When do you open?");
    await said(ANSWER).waitFor();
    const loseAnswer = async (route: Route) => {
      await route.fetch();
      await said("Yes, within two days.").waitFor();
      await route.abort();
    };
    await tab.route("**/messages", loseAnswer, { times: 1 });
    await ask("Do you deliver?");
    await said("Yes, within two days.").waitFor();
    await ask("When do you open?");
    await soon("the second answer", async () => (await said(ANSWER).count()) === 2);
    assert.equal(await said("Not sent").count(), 0);
    assert.equal((await storedOfUser()).length, 3);
  });

  it("the widget restores messages, unsent messages and the draft after a reload", async () => {
    await open("/inline");
    await ask("When do you open?");
    await said(ANSWER).waitFor();
    site.failing = 503;
    await ask("Do you deliver?");
    await said("Not sent").waitFor();
    await field().fill("half a thou");
    site.failing = undefined;
    await tab.reload();
    await said(ANSWER).waitFor();
    assert.equal(await field().inputValue(), "half a thou");
    await tab.getByRole("button", { name: "Try again" }).click();
    await said("Yes, within two days.").waitFor();
    assert.equal(await conversationsBegun(), 1);
    assert.equal(await said("When do you open?").count(), 1);
  });

  it("the widget continues a visitor's chat on the next page", async () => {
    site.userId = undefined;
    await open("/inline");
    await ask("When do you open?");
    await said(ANSWER).waitFor();
    await open("/page");
    await said(ANSWER).waitFor();
    assert.equal(await conversationsBegun(), 1);
  });

  it("the widget says when a request for a human failed, and lets the user try again", async () => {
    await open("/inline");
    site.failing = 503;
    const person = tab.getByRole("button", { name: "Talk to a person" });
    await person.click();
    await tab.getByText("Something went wrong. Please try again.").waitFor();
    site.failing = undefined;
    await person.click();
    await said(CONNECTING).waitFor();
    assert.equal(await tab.getByText("Something went wrong").count(), 0);
  });

  it("the widget stays with the agent when nobody is available, and says so", async () => {
    desk = await makeDesk(bed, { agent: { qaList: QA }, component: { business_hours: closedNow() } });
    await using closed = await openDeveloperSite(desk.agent, script);
    await tab.goto(`${closed.url}/inline`);
    await ask("When do you open?");
    await said(ANSWER).waitFor();
    await tab.getByRole("button", { name: "Talk to a person" }).click();
    await said(/^Our team is offline right now/).waitFor();
    await tab.getByRole("button", { name: "Talk to a person", disabled: false }).waitFor();
    await ask("Do you deliver?");
    await said("Yes, within two days.").waitFor();
  });

  it("the widget forgets everything of a user who signs out", async () => {
    await open("/inline");
    await ask("mine alone");
    await said(FALLBACK).waitFor();
    await field().fill("my draft");
    site.userId = "user-2";
    await tab.evaluate('document.querySelector("signalbox-chat").forget()');
    await tab.getByText("How can we help?").waitFor();
    await tab.reload();
    await tab.getByText("How can we help?").waitFor();
    assert.equal(await field().inputValue(), "");
    await ask("When do you open?");
    await said(ANSWER).waitFor();
    assert.equal(await said("mine alone").count(), 0);
    assert.equal(await conversationsBegun(), 2);
  });

  it("the widget starts anew for another user of this browser", async () => {
    await open("/inline");
    await ask("mine alone");
    await said(FALLBACK).waitFor();
    site.userId = "user-2";
    await tab.reload();
    const stored = async () => String(await tab.evaluate("JSON.stringify(localStorage)"));
    await soon("the refusal", async () => !(await stored()).includes("conversationId"));
    await ask("When do you open?");
    await said(ANSWER).waitFor();
    assert.equal(await said("mine alone").count(), 0);
    assert.equal(await conversationsBegun(), 2);
  });

  it("the widget reconnects after the connection broke, without losing or doubling a message", async () => {
    await open("/inline");
    await ask("When do you open?");
    await said(ANSWER).waitFor();
    await tab.getByRole("button", { name: "Talk to a person" }).click();
    await said(CONNECTING).waitFor();
    site.failing = 503;
    site.cut();
    await tab.getByText("Connection lost").waitFor();
    await speakAsHuman("said while you were away");
    site.failing = undefined;
    await said("said while you were away").waitFor({ timeout: 20_000 });
    await soon("the end of the notice", async () => !(await tab.getByText("Connection lost").isVisible()));
    assert.equal(await said(ANSWER).count(), 1);
  });

  it("the widget gets a new token when the old one is refused", async () => {
    await open("/inline");
    await ask("When do you open?");
    await said(ANSWER).waitFor();
    site.expireTokens();
    await ask("Do you deliver?");
    await said("Yes, within two days.").waitFor();
    assert.equal(site.tokensGiven(), 2);
  });

  it("the widget does not send text that an input method is still composing", async () => {
    await open("/inline-zh");
    await field().focus();
    const devtools = await context.newCDPSession(tab);
    await devtools.send("Input.imeSetComposition", { text: "ni men", selectionStart: 6, selectionEnd: 6 });
    await devtools.send("Input.dispatchKeyEvent", {
      type: "rawKeyDown",
      key: "Enter",
      code: "Enter",
      windowsVirtualKeyCode: 229,
    });
    await devtools.send("Input.insertText", { text: "你们几点开门？" });
    await tab.waitForTimeout(200);
    assert.equal(await conversationsBegun(), 0);
    assert.equal(await field().inputValue(), "你们几点开门？");
    await field().press("Enter");
    await said(ANSWER_ZH).waitFor();
  });

  it("the widget announces new text and no history", async () => {
    await open("/inline");
    await ask("When do you open?");
    await said(ANSWER).waitFor();
    await tab.reload();
    await said(ANSWER).waitFor();
    await soon("the live region", async () => (await log().getAttribute("aria-live")) === "polite");
    await tab.evaluate(`(() => {
      globalThis.announced = [];
      const log = document.querySelector("signalbox-chat").shadowRoot.querySelector("[role=log]");
      new MutationObserver((records) => {
        for (const { addedNodes, target } of records)
          for (const node of addedNodes) if (target === log) announced.push(node.innerText);
      }).observe(log, { childList: true, subtree: true });
    })()`);
    await ask("Do you deliver?");
    await said("Yes, within two days.").waitFor();
    const announced = (await tab.evaluate("announced")) as string[];
    assert.equal(announced.length, 2);
    assert.match(announced[0] ?? "", /^You\s+\d\S*\s+Do you deliver\?/);
    assert.match(announced[1] ?? "", /^Assistant\s+\d\S*\s+Yes, within two days\.$/);
  });

  it("the widget works with the keyboard alone, and the bubble returns the focus", async () => {
    await open("/bubble");
    await tab.keyboard.press("Tab");
    await tab.keyboard.press("Tab");
    await tab.keyboard.press("Enter");
    await field().waitFor();
    await tab.keyboard.type("When do you");
    await tab.keyboard.press("Shift+Enter");
    await tab.keyboard.type("open?");
    await tab.keyboard.press("Enter");
    await said(ANSWER).waitFor();
    assert.deepEqual(await storedOfUser(), ["When do you\nopen?"]);
    for (const name of ["Emoji", "Bad", "Good", "", "Close chat", "More", "Talk to a person"]) {
      await tab.keyboard.press("Shift+Tab");
      if (name !== "") assert.equal(await focusedName(tab), name);
    }
    await tab.keyboard.press("Enter");
    await said(CONNECTING).waitFor();
    await tab.keyboard.press("Escape");
    assert.equal(await field().isVisible(), false);
    await speakAsHuman("Hello!");
    await tab.getByRole("button", { name: "Open chat, 1 new message" }).waitFor();
    assert.equal(await focusedName(tab), "Open chat, 1 new message");
    await tab.keyboard.press("Enter");
    await said("Hello!").waitFor();
    await tab.keyboard.press("Escape");
    await tab.keyboard.press("Shift+Tab");
    assert.equal(await focusedName(tab), "A link before");
  });

  testAppearance({
    test: (title, run) => void it(title, run),
    tab: () => tab,
    site: () => site,
    open,
    ask,
    said,
    log,
    soon,
    storedOfUser,
  });

  testTools({
    test: (title, run) => void it(title, run),
    tab: () => tab,
    site: () => site,
    desk: () => desk,
    open,
    ask,
    said,
    log,
    soon,
    speakAsHuman,
    ratings: async () =>
      (
        await bed.database.query<{ what: string }>(
          `select case when message_id is not null then 'answer' when handoff_id is not null then 'handoff' else 'chat' end
             || ' ' || rating || ' ' || coalesce(comment, 'null') as what
           from conversation_rating where agent_id = $1 order by id`,
          [desk.agent.agentId],
        )
      ).map(({ what }) => what),
  });
});
