import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, afterEach, before, beforeEach, describe, it } from "node:test";
import { gzipSync } from "node:zlib";
import { openChromium } from "@signalbox/tests/support/chromium.ts";
import axe from "axe-core";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { type ChatService, startChatService } from "./chat-service.ts";

const SIZE_MAX_BYTES = 40_000;
const BUNDLER = join(import.meta.dirname, "../../packages/widget/bundle.ts");

// The strictest policy a page may have: no styles and no HTML from strings, nothing from elsewhere.
const POLICY = "default-src 'self'; style-src 'self'; require-trusted-types-for 'script'";

const page = (
  attributes: string,
  lang = "en",
) => `<!doctype html><html lang="${lang}"><head><title>Shop</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${POLICY}"></head><body><main><h1>Shop</h1>
<a href="#top">A link before</a>
<signalbox-chat token-url="/token" ${attributes}></signalbox-chat></main>
<script type="module" src="/signalbox-chat.js"></script></body></html>`;

describe("the widget in Chromium", { timeout: 120_000 }, () => {
  let browser: Browser;
  let script = "";
  let service: ChatService;
  let context: BrowserContext;
  let tab: Page;

  before(async () => {
    browser = await openChromium();
    const file = execFileSync(process.execPath, [BUNDLER], { encoding: "utf8" }).trim();
    script = readFileSync(file, "utf8");
  });
  after(() => browser.close());
  beforeEach(async () => {
    service = await startChatService();
    service.script = script;
    for (const mode of ["inline", "bubble", "page"]) {
      service.pages.set(`/${mode}`, page(`mode="${mode}"`));
      service.pages.set(`/${mode}-zh`, page(`mode="${mode}"`, "zh-CN"));
    }
    context = await browser.newContext({ locale: "en-GB" });
    tab = await context.newPage();
  });
  afterEach(async () => {
    await context.close();
    await service[Symbol.asyncDispose]();
  });

  const open = (path: string) => tab.goto(service.url + path);
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

  it("is at most 40 kB, gzipped", () => {
    const size = gzipSync(script, { level: 9 }).length;
    assert.ok(size <= SIZE_MAX_BYTES, `${size} bytes`);
    console.log(`# widget: ${(size / 1000).toFixed(1)} kB gzipped`);
  });

  for (const [path, words] of [
    ["/inline", { person: "Talk to a person", asked: "A person was asked", back: "Back to the assistant" }],
    ["/inline-zh", { person: "转人工", asked: "已请求人工客服", back: "返回智能助手" }],
  ] as const) {
    it(`carries a whole conversation, from the agent to a person and back: ${path}`, async () => {
      await open(path);
      const held = Promise.withResolvers<void>();
      service.hold = held.promise;
      await ask("When do you open?");
      const partial = tab.locator(".partial");
      await partial.getByText("You asked").waitFor();
      held.resolve();
      await said(/every day but Sunday/).waitFor();
      assert.equal(await partial.isVisible(), false);
      const person = tab.getByRole("button", { name: words.person });
      const place = await person.boundingBox();
      await person.click();
      const asked = tab.getByRole("button", { name: words.asked });
      await said("A person will be with you soon.").waitFor();
      const placeNow = await asked.boundingBox();
      assert.equal(placeNow?.y, place?.y);
      service.control("human");
      service.say("human", "Hello, Ada here. See https://example.com/help.");
      const link = log().getByRole("link");
      await link.waitFor();
      assert.equal(await link.getAttribute("href"), "https://example.com/help");
      await ask("Thank you!");
      await said("Thank you!").waitFor();
      await tab.getByRole("button", { name: words.back }).click();
      await tab.getByRole("button", { name: words.person }).waitFor();
      await ask("And on Sunday?");
      await said(/You asked: And on Sunday/).waitFor();
    });
  }

  it("shows each message's state, and sends again what failed, once", async () => {
    await open("/inline");
    await ask("first");
    await said(/You asked: first/).waitFor();
    service.failing = 503;
    await ask("second");
    await said("Not sent").waitFor();
    service.failing = undefined;
    await tab.getByRole("button", { name: "Try again" }).click();
    await said(/You asked: second/).waitFor();
    assert.equal(await said("Not sent").count(), 0);
    const mine = [...service.conversations.values()]
      .flatMap(({ log: all }) => all)
      .filter(({ data }) => "client_id" in data);
    assert.equal(mine.length, 2);
  });

  it("goes on after a reload: what was said, what was not sent, what was being written", async () => {
    await open("/inline");
    await ask("When do you open?");
    await said(/every day but Sunday/).waitFor();
    service.failing = 503;
    await ask("lost?");
    await said("Not sent").waitFor();
    await field().fill("half a thou");
    service.failing = undefined;
    await tab.reload();
    await said(/every day but Sunday/).waitFor();
    assert.equal(await field().inputValue(), "half a thou");
    await tab.getByRole("button", { name: "Try again" }).click();
    await said(/You asked: lost\?/).waitFor();
    assert.equal(service.conversations.size, 1);
    assert.equal(await said(/^When do you open\?$/).count(), 1);
  });

  it("says when a person could not be asked for, and lets the user try again", async () => {
    await open("/inline");
    service.failing = 503;
    const person = tab.getByRole("button", { name: "Talk to a person" });
    await person.click();
    await tab.getByText("That did not work. Please try again.").waitFor();
    service.failing = undefined;
    await person.click();
    await said("A person will be with you soon.").waitFor();
    assert.equal(await tab.getByText("That did not work").count(), 0);
  });

  it("forgets everything of a user who signs out", async () => {
    await open("/inline");
    await ask("mine alone");
    await said(/You asked: mine alone/).waitFor();
    await field().fill("my draft");
    await tab.evaluate('document.querySelector("signalbox-chat").forget()');
    await tab.getByText("How can we help?").waitFor();
    await tab.reload();
    await tab.getByText("How can we help?").waitFor();
    assert.equal(await field().inputValue(), "");
    await ask("another user");
    await said(/You asked: another user/).waitFor();
    assert.equal(service.conversations.size, 2);
  });

  it("comes back by itself after the line broke, without losing or doubling a message", async () => {
    await open("/inline");
    await ask("one");
    await said(/You asked: one/).waitFor();
    service.failing = 503;
    service.cut();
    await tab.getByText("The connection was lost").waitFor();
    service.say("ai", "said while you were away");
    service.failing = undefined;
    await said("said while you were away").waitFor({ timeout: 20_000 });
    await soon(
      "the end of the notice",
      async () => !(await tab.getByText("The connection was lost").isVisible()),
    );
    assert.equal(await said(/You asked: one/).count(), 1);
  });

  it("asks for a new token when the old one is no longer taken", async () => {
    await open("/inline");
    await ask("one");
    await said(/You asked: one/).waitFor();
    service.token = "token-2";
    await ask("two");
    await said(/You asked: two/).waitFor();
    assert.equal(service.tokensGiven, 2);
  });

  it("does not send what an input method is still composing", async () => {
    await open("/inline-zh");
    await field().focus();
    const devtools = await context.newCDPSession(tab);
    await devtools.send("Input.imeSetComposition", { text: "ni hao", selectionStart: 6, selectionEnd: 6 });
    await devtools.send("Input.dispatchKeyEvent", {
      type: "rawKeyDown",
      key: "Enter",
      code: "Enter",
      windowsVirtualKeyCode: 229,
    });
    await devtools.send("Input.insertText", { text: "你好" });
    await tab.waitForTimeout(200);
    assert.equal(service.conversations.size, 0);
    assert.equal(await field().inputValue(), "你好");
    await field().press("Enter");
    await said(/You asked: 你好/).waitFor();
  });

  it("announces only new text, once it is whole", async () => {
    await open("/inline");
    await ask("When do you open?");
    await said(/every day but Sunday/).waitFor();
    await tab.reload();
    await said(/every day but Sunday/).waitFor();
    await soon("the live region", async () => (await log().getAttribute("aria-live")) === "polite");
    await tab.evaluate(`(() => {
      globalThis.announced = [];
      const log = document.querySelector("signalbox-chat").shadowRoot.querySelector("[role=log]");
      new MutationObserver((records) => {
        for (const { addedNodes, target } of records)
          for (const node of addedNodes) if (target === log) announced.push(node.innerText);
      }).observe(log, { childList: true, subtree: true });
    })()`);
    await ask("And Sunday?");
    await said(/You asked: And Sunday/).waitFor();
    const announced = (await tab.evaluate("announced")) as string[];
    assert.equal(announced.length, 2);
    assert.match(announced[0] ?? "", /^You\nAnd Sunday\?/);
    assert.equal(announced[1], "Assistant\nYou asked: And Sunday?. We open at nine, every day but Sunday.");
    assert.equal(await tab.locator(".partial").getAttribute("aria-hidden"), "true");
  });

  it("works with the keyboard alone, and a bubble gives the focus back", async () => {
    await open("/bubble");
    await tab.keyboard.press("Tab");
    await tab.keyboard.press("Tab");
    await tab.keyboard.press("Enter");
    await field().waitFor();
    await tab.keyboard.type("hello");
    await tab.keyboard.press("Shift+Enter");
    await tab.keyboard.type("there");
    await tab.keyboard.press("Enter");
    await said(/You asked: hello\nthere/).waitFor();
    await tab.keyboard.press("Shift+Tab");
    await tab.keyboard.press("Shift+Tab");
    assert.equal(await focusedName(tab), "Talk to a person");
    await tab.keyboard.press("Enter");
    await said("A person will be with you soon.").waitFor();
    await tab.keyboard.press("Escape");
    assert.equal(await field().isVisible(), false);
    service.control("human");
    service.say("human", "Hello!");
    await tab.getByRole("button", { name: "Open chat, 1 new message" }).waitFor();
    assert.equal(await focusedName(tab), "Open chat, 1 new message");
    await tab.keyboard.press("Enter");
    await said("Hello!").waitFor();
    await tab.keyboard.press("Escape");
    await tab.keyboard.press("Shift+Tab");
    assert.equal(await focusedName(tab), "A link before");
  });

  for (const mode of ["inline", "bubble", "page"]) {
    it(`has no serious finding of axe and fits into 320 px: ${mode}, both themes and languages`, async () => {
      for (const path of [`/${mode}`, `/${mode}-zh`]) {
        for (const colorScheme of ["light", "dark"] as const) {
          await tab.emulateMedia({ colorScheme });
          await tab.setViewportSize({ width: 320, height: 560 });
          await open(path);
          await tab.evaluate("localStorage.clear()");
          await tab.reload();
          if (mode === "bubble") await tab.locator(".launch").click();
          await ask("aVeryLongWordThatHasNoPlaceToBreak".repeat(4));
          await said(/every day but Sunday/).waitFor();
          await tab.locator(".person").click();
          await said("A person will be with you soon.").waitFor();
          service.failing = 503;
          await ask("fails");
          await tab.locator('[data-state="failed"]').waitFor();
          service.failing = undefined;
          const [scrollWidth, logHeight, smallest] = (await tab.evaluate(`[
            document.documentElement.scrollWidth,
            document.querySelector("signalbox-chat").shadowRoot.querySelector(".scroll").clientHeight,
            Math.min(...[...document.querySelector("signalbox-chat").shadowRoot.querySelectorAll("button:not([hidden])")]
              .filter((button) => button.checkVisibility()).map((button) => Math.min(button.offsetHeight, button.offsetWidth))),
          ]`)) as [number, number, number];
          assert.ok(scrollWidth <= 320, `${path}: ${scrollWidth} px wide`);
          assert.ok(logHeight >= 150, `${path}: ${logHeight} px for what was said`);
          assert.ok(smallest >= 44, `${path}: a button of ${smallest} px`);
          await tab.evaluate(axe.source);
          const found = (await tab.evaluate(
            `axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] })
              .then(({ violations }) => violations.filter(({ impact }) => impact === "serious" || impact === "critical")
                .map(({ id, nodes }) => id + ": " + nodes.map(({ html, failureSummary }) => html + " " + failureSummary).join(" | ")))`,
          )) as string[];
          assert.deepEqual(found, [], `${path} ${colorScheme}`);
          const folder = process.env["WIDGET_SCREENSHOTS"];
          if (folder !== undefined) await tab.screenshot({ path: `${folder}${path}-${colorScheme}-320.png` });
        }
      }
    });
  }
});

function focusedName(tab: Page): Promise<unknown> {
  return tab.evaluate(`(() => {
    const host = document.activeElement;
    const inside = host.shadowRoot?.activeElement ?? host;
    return inside.getAttribute("aria-label") ?? inside.textContent;
  })()`);
}
