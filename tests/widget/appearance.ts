import assert from "node:assert/strict";
import type { Locator, Page } from "playwright-core";
import type { DeveloperSite } from "./developer-site.ts";
import { focusedName, measured, seriousFindings } from "./judged-page.ts";

export const ANSWER_ZH = "每天上午九点，周日休息。";
export const FALLBACK = "I do not know that.";
export const CONNECTING = "I'm connecting you with someone from our team. One moment, please.";

/** What the tests of the widget share: one service, one browser, and for each test a site and a tab. */
interface Shown {
  /** Calls `it` in the test file: a result is counted for the file that calls it. */
  test: (title: string, run: () => Promise<void>) => void;
  tab: () => Page;
  site: () => DeveloperSite;
  open: (path: string) => Promise<unknown>;
  ask: (text: string) => Promise<void>;
  said: (text: string | RegExp) => Locator;
  log: () => Locator;
  soon: (what: string, isThere: () => Promise<boolean>) => Promise<void>;
  storedOfUser: () => Promise<string[]>;
}

/** How the widget looks and what its page may change about it. */
export function testAppearance(shown: Shown): void {
  const { test, open, ask, said, log, soon, storedOfUser } = shown;

  test("the widget renders Markdown and nothing of it as HTML", async () => {
    await open("/inline");
    await ask("How do I return a **jacket**?");
    const answer = log().locator('[data-sender="ai"] .text');
    await answer.getByText("Three", { exact: true }).waitFor();
    const own = log().locator('[data-sender="user"] .text');
    assert.equal(await own.innerText(), "How do I return a **jacket**?", "as it was typed");
    const counted = async (selector: string) => answer.locator(selector).count();
    const selectors = ["strong", "em", "code", "ol > li", "a", "img"];
    assert.deepEqual(await Promise.all(selectors.map(counted)), [1, 1, 1, 2, 1, 0]);
    const link = answer.getByRole("link", { name: "our help" });
    assert.equal(await link.getAttribute("href"), "https://example.com/help");
    assert.match((await link.getAttribute("rel")) ?? "", /noopener/);
    assert.match(await answer.innerText(), /<img src=x onerror=alert\(1\)> \[no\]\(javascript:alert\(1\)\)$/);
  });

  test("the widget shows when each message came, and on what day", async () => {
    const tab = shown.tab();
    await open("/inline-zh");
    await ask("你们几点开门？");
    await said(ANSWER_ZH).waitFor();
    await said("今天").waitFor();
    assert.equal(await log().locator(".day").count(), 1);
    const [asked, answered] = await log().locator("time").all();
    for (const time of [asked, answered]) assert.match((await time?.innerText()) ?? "", /\d{1,2}:\d\d/);
    const yesterday = `(() => {
      const now = Date.now;
      Date.now = () => now() + 86_400_000;
      document.querySelector("signalbox-chat").setAttribute("lang", "en");
    })()`;
    await tab.evaluate(yesterday);
    await said("Yesterday").waitFor();
  });

  test("the widget greets and suggests in the page's words, in any direction, and answers a clicked question", async () => {
    const tab = shown.tab();
    await open("/adapted");
    await tab.getByText("Welcome to the shop.").waitFor();
    const widget = 'document.querySelector("signalbox-chat")';
    await tab.evaluate(`${widget}.words = { send: "إرسال", write: "اكتب رسالة" }`);
    await tab.getByRole("button", { name: "إرسال" }).waitFor();
    const [field, send] = [
      await tab.getByRole("textbox", { name: "اكتب رسالة" }).boundingBox(),
      await tab.locator(".send").boundingBox(),
    ];
    assert.ok((send?.x ?? 0) < (field?.x ?? 0), "from right to left");
    assert.deepEqual(await tab.locator(".greeting button").allInnerTexts(), [
      "When do you open?",
      "Do you deliver?",
    ]);
    await tab.getByRole("button", { name: "Do you deliver?" }).click();
    await said("Yes, within two days.").waitFor();
    assert.deepEqual(await storedOfUser(), ["Do you deliver?"]);
    assert.equal(await tab.locator(".greeting").isVisible(), false);
  });

  test("the widget follows the theme of the page around it, not the system's", async () => {
    const tab = shown.tab();
    await tab.emulateMedia({ colorScheme: "dark" });
    await open("/inline");
    const colour = () =>
      tab.evaluate(
        'getComputedStyle(document.querySelector("signalbox-chat").shadowRoot.querySelector(".panel")).backgroundColor',
      );
    assert.equal(await colour(), "rgb(255, 255, 255)");
    await tab.evaluate('document.body.style.backgroundColor = "#101418"');
    await soon("the dark theme", async () => (await colour()) === "rgb(20, 24, 29)");
    await tab.evaluate('document.querySelector("signalbox-chat").setAttribute("theme", "light")');
    assert.equal(await colour(), "rgb(255, 255, 255)");
  });

  test("the widget fills a phone's screen as a bubble, and gives it back", async () => {
    const tab = shown.tab();
    await tab.setViewportSize({ width: 375, height: 667 });
    await open("/bubble");
    await tab.locator(".launch").click();
    assert.deepEqual(await tab.locator(".panel").boundingBox(), { x: 0, y: 0, width: 375, height: 667 });
    assert.equal(await tab.locator(".launch").isVisible(), false);
    await tab.evaluate('document.querySelector("signalbox-chat").setAttribute("lang", "zh-CN")');
    await tab.getByRole("button", { name: "关闭聊天窗口" }).click();
    assert.equal(await focusedName(tab), "打开聊天窗口");
  });

  test("the widget's heading is whole in the bubble of a wide window, also while a person is asked for", async () => {
    const tab = shown.tab();
    await tab.setViewportSize({ width: 1280, height: 800 });
    for (const path of ["/bubble", "/bubble-zh"]) {
      await open(path);
      await tab.evaluate("localStorage.clear()");
      await tab.reload();
      await tab.evaluate('document.querySelector("signalbox-chat").setAttribute("heading", "Acme support")');
      await tab.locator(".launch").click();
      const isWhole = () =>
        tab
          .locator(".title")
          .evaluate((title) =>
            [...title.children].every(({ scrollWidth, clientWidth }) => scrollWidth <= clientWidth),
          );
      assert.ok(await isWhole(), path);
      await ask("aVeryLongWordThatHasNoPlaceToBreak".repeat(4));
      await said(FALLBACK).waitFor();
      await tab.locator(".person").click();
      await said(CONNECTING).waitFor();
      assert.ok(await isWhole(), `${path} while a person is asked for`);
      const folder = process.env["WIDGET_SCREENSHOTS"];
      if (folder !== undefined) await tab.screenshot({ path: `${folder}${path}-1280.png` });
    }
  });

  for (const mode of ["inline", "bubble", "page"]) {
    test(`the widget has no serious finding of axe and fits into 320 px: ${mode}, both themes and languages`, async () => {
      const [tab, site] = [shown.tab(), shown.site()];
      for (const path of [`/${mode}`, `/${mode}-zh`]) {
        for (const colorScheme of ["light", "dark"] as const) {
          await tab.setViewportSize({ width: 320, height: 560 });
          await open(path);
          await tab.evaluate("localStorage.clear()");
          await tab.reload();
          const style = { colorScheme, backgroundColor: colorScheme === "dark" ? "#101418" : "#fff" };
          await tab.evaluate(
            `Object.assign(document.documentElement.style, ${JSON.stringify(style)}); document.body.style.backgroundColor = "inherit"`,
          );
          if (mode === "bubble") await tab.locator(".launch").click();
          await ask("aVeryLongWordThatHasNoPlaceToBreak".repeat(4));
          await said(FALLBACK).waitFor();
          await tab.locator(".person").click();
          await said(CONNECTING).waitFor();
          site.failing = 503;
          await ask("fails");
          await tab.locator('[data-state="failed"]').waitFor();
          site.failing = undefined;
          const { scrollWidth, logHeight, smallest } = await measured(tab);
          assert.ok(scrollWidth <= 320, `${path}: ${scrollWidth} px wide`);
          assert.ok(logHeight >= 150, `${path}: ${logHeight} px for what was said`);
          assert.ok(smallest >= 44, `${path}: a button of ${smallest} px`);
          assert.deepEqual(await seriousFindings(tab), [], `${path} ${colorScheme}`);
          const folder = process.env["WIDGET_SCREENSHOTS"];
          if (folder !== undefined) await tab.screenshot({ path: `${folder}${path}-${colorScheme}-320.png` });
        }
      }
    });
  }
}
