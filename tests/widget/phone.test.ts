import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { type Bed, openBed } from "@signalbox/tests/support/bed.ts";
import { openChromium } from "@signalbox/tests/support/chromium.ts";
import { makeDesk } from "@signalbox/tests/support/desk.ts";
import { eventually } from "@signalbox/tests/support/processes.ts";
import type { Browser } from "playwright-core";
import { bundleWidget, openDeveloperSite } from "./developer-site.ts";
import { measured, namelessLiveRegions, seriousFindings } from "./judged-page.ts";

const PHONE = { viewport: { width: 375, height: 667 }, isMobile: true, hasTouch: true, deviceScaleFactor: 2 };
const LONG = { timeout: 30_000 };
const LANGUAGES = {
  en: {
    suffix: "",
    question: "When do you open?",
    answer: "At nine, every day but Sunday.",
    log: "Conversation",
    connecting: "Connecting you…",
    live: "Live with our team",
    back: "Assistant",
    thanks: "Thank you!",
    human: "Hello, Ada here.",
  },
  "zh-CN": {
    suffix: "-zh",
    question: "你们几点开门？",
    answer: "每天上午九点，周日休息。",
    log: "聊天记录",
    connecting: "正在转接…",
    live: "人工客服在线",
    back: "智能助手",
    thanks: "谢谢！",
    human: "您好，我是小李。",
  },
};

describe("widget on a phone", { timeout: 300_000 }, () => {
  let browser: Browser;
  let bed: Bed;
  let script = "";
  before(async () => {
    script = bundleWidget();
    [browser, bed] = await Promise.all([openChromium(), openBed({ apis: 1, workers: 1 })]);
  });
  after(async () => {
    await browser?.close();
    await bed?.[Symbol.asyncDispose]();
  });

  for (const [language, words] of Object.entries(LANGUAGES))
    for (const who of ["visitor", "signed-in user"] as const)
      it(`a ${who} on a phone goes on after a reload and on another page, with the agent and with a human: ${language}`, async () => {
        const { suffix, question, answer, connecting, live, back, thanks, human } = words;
        const desk = await makeDesk(bed, { agent: { qaList: [{ question, answer }] } });
        await using site = await openDeveloperSite(desk.agent, script);
        site.userId = who === "visitor" ? undefined : "user-1";
        const context = await browser.newContext({ ...PHONE, locale: language });
        await using closing = new AsyncDisposableStack();
        closing.defer(() => context.close());
        const tab = await context.newPage();
        const log = tab.getByRole("log", { name: words.log });
        const state = tab.getByRole("status");
        const field = tab.getByRole("textbox");
        const said = (text: string) => log.getByText(text, { exact: true });
        const openChat = async () => {
          const launch = tab.locator(".launch");
          await launch.or(field).first().waitFor(LONG);
          if (await launch.isVisible()) await launch.tap();
          await field.waitFor(LONG);
        };
        const ask = async (text: string) => {
          await field.fill(text);
          await tab.locator(".send").tap();
        };
        /** Each message once, whatever was loaded again. */
        const shows = async (...texts: string[]) => {
          for (const text of texts) {
            await said(text).first().waitFor(LONG);
            assert.equal(await said(text).count(), 1, text);
          }
        };

        await tab.goto(`${site.url}/bubble${suffix}`);
        await openChat();
        assert.deepEqual(await tab.locator(".panel").boundingBox(), { x: 0, y: 0, width: 375, height: 667 });
        await ask(question);
        await shows(question, answer);
        await tab.reload();
        await openChat();
        await shows(question, answer);

        await tab.goto(`${site.url}/page${suffix}`);
        await shows(question, answer);
        await tab.locator(".person").tap();
        await state.getByText(connecting).waitFor(LONG);
        await desk.arrived("establish");
        const handoffId = desk.calls()[0]?.handoffId ?? "";
        await desk.reply(handoffId, human);
        await shows(human);
        await tab.reload();
        await shows(question, answer, human);
        await state.getByText(live).waitFor(LONG);

        await tab.goto(`${site.url}/bubble${suffix}`);
        await openChat();
        await shows(question, answer, human);
        await ask(thanks);
        await shows(thanks);
        await desk.arrived("chat");
        assert.deepEqual(desk.story(), ["establish", `chat ${thanks}`]);
        assert.deepEqual(await seriousFindings(tab), []);
        assert.deepEqual(await namelessLiveRegions(tab), []);
        const { scrollWidth, smallest } = await measured(tab);
        assert.ok(scrollWidth <= PHONE.viewport.width && smallest >= 44, `${scrollWidth} ${smallest}`);
        await desk.close(handoffId);
        await state.getByText(back, { exact: true }).waitFor(LONG);
        await eventually("one conversation, of the same user", async () => {
          const rows = await bed.database.query<{ user_id: string | null }>(
            "select user_id from conversation where agent_id = $1",
            [desk.agent.agentId],
          );
          return rows.length === 1 && (rows[0]?.user_id === null) === (who === "visitor");
        });
      });
});
