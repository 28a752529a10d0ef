import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, describe, it } from "node:test";
import { conform } from "@signalbox/sdk/conform";
import { prepareCall, sampleBody, sendCall } from "@signalbox/sdk/testing";
import { type MadeAgent, makeAgent, operatorOf } from "@signalbox/tests/support/agents.ts";
import { type Bed, openBed } from "@signalbox/tests/support/bed.ts";
import { openChromium } from "@signalbox/tests/support/chromium.ts";
import { eventually } from "@signalbox/tests/support/processes.ts";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { bundleWidget, type DeveloperSite, openDeveloperSite } from "../widget/developer-site.ts";
import { seriousFindings } from "../widget/judged-page.ts";
import { prepareDesk, type RunningDesk } from "./running-desk.ts";

const QA = [
  { question: "When do you open?", answer: "At nine, every day but Sunday." },
  { question: "你们几点开门？", answer: "每天上午九点，周日休息。" },
];
const CREDENTIALS = { username: "signalbox", secret: "a secret of the desk" };
const PASSWORD = "long enough for a team";

const ENGLISH = {
  path: "/inline",
  locale: "en-GB",
  question: "When do you open?",
  answer: QA[0]?.answer ?? "",
  person: "Talk to a person",
  name: "Your name",
  password: "Team password",
  begin: "Sign in",
  write: "Write a reply",
  close: "Close",
  ended: "Ada closed the conversation",
};
const CHINESE = {
  path: "/inline-zh",
  locale: "zh-CN",
  question: "你们几点开门？",
  answer: QA[1]?.answer ?? "",
  person: "转人工",
  name: "您的姓名",
  password: "团队密码",
  begin: "登录",
  write: "输入回复",
  close: "结束会话",
  ended: "Ada 结束了会话",
};

describe("desk in Chromium against the running service", { timeout: 300_000 }, () => {
  let browser: Browser;
  let bed: Bed;
  let script = "";
  let agent: MadeAgent;
  let site: DeveloperSite;
  let desk: RunningDesk;
  let environment: Record<string, string>;
  const contexts: BrowserContext[] = [];

  before(async () => {
    script = bundleWidget();
    [browser, bed] = await Promise.all([openChromium(), openBed({ apis: 1, workers: 1 })]);
  });
  after(async () => {
    await browser?.close();
    await bed?.[Symbol.asyncDispose]();
  });
  beforeEach(async () => {
    agent = await makeAgent(bed, { qaList: QA });
    desk = await prepareDesk();
    const { signing_secret = "" } = await operatorOf(bed).desks.create({
      agent_id: agent.agentId,
      name: "Desk",
      url: desk.hooksUrl,
      ...CREDENTIALS,
    });
    environment = {
      DESK_PASSWORD: PASSWORD,
      SIGNALBOX_URL: bed.baseUrl,
      SIGNALBOX_API_KEY: agent.apiKey,
      SIGNALBOX_WEBHOOK_USERNAME: CREDENTIALS.username,
      SIGNALBOX_WEBHOOK_SECRET: CREDENTIALS.secret,
      SIGNALBOX_SIGNING_SECRET: signing_secret,
    };
    await desk.start(environment);
    site = await openDeveloperSite(agent, script);
  });
  afterEach(async () => {
    for (const context of contexts.splice(0)) await context.close();
    await site[Symbol.asyncDispose]();
    await desk[Symbol.asyncDispose]();
  });

  async function openTab(locale: string): Promise<Page> {
    const context = await browser.newContext({ locale });
    contexts.push(context);
    return context.newPage();
  }
  async function signIn(name: string, words = ENGLISH): Promise<Page> {
    const tab = await openTab(words.locale);
    await tab.goto(desk.url);
    await tab.getByLabel(words.name).fill(name);
    await tab.getByLabel(words.password).fill(PASSWORD);
    await tab.getByRole("button", { name: words.begin }).click();
    await tab.getByRole("navigation").waitFor();
    return tab;
  }
  async function askForPerson(words = ENGLISH): Promise<Page> {
    const tab = await openTab(words.locale);
    await tab.goto(site.url + words.path);
    await say(tab, words.question);
    await heard(tab, words.answer).waitFor();
    await tab.getByRole("button", { name: words.person }).click();
    return tab;
  }
  async function say(tab: Page, text: string): Promise<void> {
    await tab.getByRole("textbox").fill(text);
    await tab.getByRole("textbox").press("Enter");
  }
  const heard = (tab: Page, text: string | RegExp) => tab.getByRole("log").getByText(text);
  const waiting = (tab: Page) => tab.getByRole("navigation").getByRole("link").first();

  for (const words of [ENGLISH, CHINESE]) {
    it(`the desk carries a handoff from the widget to a human and back to the agent: ${words.locale}`, async () => {
      const human = await signIn("Ada", words);
      const user = await askForPerson(words);
      await waiting(human).click();
      await heard(human, words.question).waitFor();
      await heard(human, words.answer).waitFor();
      await say(human, "Hello, Ada here. 您好！");
      await heard(user, "Hello, Ada here. 您好！").waitFor();
      await say(user, "谢谢 — thank you");
      await heard(human, "谢谢 — thank you").waitFor();
      await human.getByRole("button", { name: words.close }).click();
      await heard(human, words.ended).waitFor();
      await user.getByRole("button", { name: words.person, disabled: false }).waitFor();
      await say(user, words.question);
      await eventually(
        "the agent answers again",
        async () => (await heard(user, words.answer).count()) === 2,
      );
    });
  }

  it("the desk announces who asks for a human and counts them in the title", async () => {
    const human = await signIn("Ada");
    await human.getByText("No one is waiting.").waitFor();
    await askForPerson();
    await human.getByRole("status").getByText("user-1 would like to talk to a person").waitFor();
    await eventually("the title counts", async () => (await human.title()) === "(1) Desk");
  });

  it("the desk shows several humans the same queue and lets one of them talk", async () => {
    const [ada, ben] = [await signIn("Ada"), await signIn("Ben")];
    const user = await askForPerson();
    await waiting(ada).click();
    await waiting(ben).click();
    await ada.getByRole("button", { name: "Take" }).click();
    await ben.getByText("Ada is talking to this user.").waitFor();
    assert.equal(await ben.getByRole("textbox", { name: "Write a reply" }).count(), 0);
    assert.equal(await ben.getByRole("button", { name: "Close" }).count(), 0);
    await ben.getByRole("button", { name: "Take over from Ada" }).click();
    await ada.getByText("Ben is talking to this user.").waitFor();
    await say(ben, "Ben here now.");
    await heard(user, "Ben here now.").waitFor();
    await heard(ada, "Ben here now.").waitFor();
  });

  it("the desk says when the user has left and takes no more replies", async () => {
    const human = await signIn("Ada");
    const user = await askForPerson();
    await waiting(human).click();
    await say(human, "Hello!");
    await heard(user, "Hello!").waitFor();
    await user.getByRole("button", { name: "Back to the assistant" }).click();
    await heard(human, "The user closed the conversation").waitFor();
    assert.equal(await human.getByRole("textbox").count(), 0);
  });

  it("the desk loses no message while it is down or when it is killed", async () => {
    const human = await signIn("Ada");
    const user = await askForPerson();
    await waiting(human).click();
    await heard(human, ENGLISH.question).waitFor();
    await say(human, "before");
    await heard(user, "before").waitFor();
    await desk.kill9();
    await human.getByText("Connection lost").waitFor();
    await say(user, "said while the desk was down");
    await desk.start(environment);
    // The browsers come back by themselves, and are still signed in.
    await heard(human, "said while the desk was down").waitFor({ timeout: 30_000 });
    assert.equal(await heard(human, "before").count(), 1);
    await say(human, "after");
    await heard(user, "after").waitFor();
  });

  it("the desk sends replies written while the service was down, once and in order, also after a restart", async () => {
    const human = await signIn("Ada");
    const user = await askForPerson();
    await waiting(human).click();
    await heard(human, ENGLISH.question).waitFor();
    await desk.stop();
    await desk.start({ ...environment, SIGNALBOX_URL: "http://127.0.0.1:9" });
    await human.getByText("Connection lost").waitFor({ state: "hidden" });
    await say(human, "first");
    await say(human, "second");
    await eventually("both wait", async () => (await heard(human, "Sending…").count()) === 2);
    await desk.stop();
    await desk.start(environment);
    await heard(user, "second").waitFor({ timeout: 30_000 });
    const said = await heard(user, /^(first|second)$/).allInnerTexts();
    assert.deepEqual(said, ["first", "second"]);
  });

  it("the desk works with the keyboard alone", async () => {
    const human = await signIn("Ada");
    const user = await askForPerson();
    await waiting(human).waitFor();
    await human.locator("#sign-out").focus();
    await human.keyboard.press("Tab");
    await human.keyboard.press("Enter");
    await heard(human, ENGLISH.question).waitFor();
    // The field has the focus once a conversation is open.
    await human.keyboard.type("Hello");
    await human.keyboard.press("Shift+Enter");
    await human.keyboard.type("from the keyboard");
    await human.keyboard.press("Enter");
    await heard(user, /^Hello\nfrom the keyboard$/).waitFor();
  });

  it("the desk requires the team's password and refuses requests from other sites", async () => {
    const tab = await openTab("en-GB");
    await tab.goto(desk.url);
    await tab.getByLabel(ENGLISH.name).fill("Eve");
    await tab.getByLabel(ENGLISH.password).fill("guessed");
    await tab.getByRole("button", { name: ENGLISH.begin }).click();
    await tab.getByText("Wrong password.").waitFor();
    assert.equal((await fetch(`${desk.url}/api/conversations`)).status, 401);
    const foreign = await fetch(`${desk.url}/api/session`, {
      method: "POST",
      headers: { origin: "https://elsewhere.example" },
      body: JSON.stringify({ name: "Eve", password: PASSWORD }),
    });
    assert.equal(foreign.status, 403);
    assert.equal((await fetch(`${desk.url}//`)).status, 401);
    await desk.stop();
    await desk.start({ ...environment, DESK_PASSWORD: "another one for the team" });
    const ada = await openTab("en-GB");
    await ada.goto(desk.url);
    await ada.getByLabel(ENGLISH.name).waitFor();
  });

  it("the desk keeps a message left outside hours until a human has handled it", async () => {
    const human = await signIn("Ada");
    const call = {
      url: desk.hooksUrl,
      ...CREDENTIALS,
      signingSecrets: environment["SIGNALBOX_SIGNING_SECRET"],
    };
    await sendCall(await prepareCall({ ...call, kind: "message_left", body: sampleBody("message_left") }));
    await sendCall(
      await prepareCall({ ...call, kind: "handoff_closed", body: sampleBody("handoff_closed") }),
    );
    await waiting(human).getByText("left a message").waitFor();
    await waiting(human).click();
    await human.getByText("ada@example.com").first().waitFor();
    await human.getByText("Reply by email or phone").waitFor();
    await human.getByRole("button", { name: "Close" }).click();
    await human.getByText("No one is waiting.").waitFor();
  });

  it("the desk keeps every rule of a human service", async () => {
    const report = await conform({
      url: desk.hooksUrl,
      as: "human-service",
      ...CREDENTIALS,
      signingSecret: environment["SIGNALBOX_SIGNING_SECRET"],
      effects: () => Promise.resolve(desk.stored()),
    });
    assert.deepEqual(
      report.results.filter(({ state }) => state !== "passed"),
      [],
    );
  });

  for (const words of [ENGLISH, CHINESE]) {
    it(`the desk has no serious finding of axe and fits into 320 px, in both themes: ${words.locale}`, async () => {
      const folder = process.env["SCREENSHOTS"];
      const human = await signIn("Ada", words);
      const user = await askForPerson(words);
      await waiting(human).waitFor();
      for (const colorScheme of ["light", "dark"] as const)
        for (const width of [320, 1200]) {
          const look = async (name: string) => {
            const wide = await human.evaluate("document.documentElement.scrollWidth");
            assert.equal(wide, width, `${name} at ${width} px`);
            assert.deepEqual(await seriousFindings(human), [], `${name} ${colorScheme} ${width}`);
            if (folder !== undefined)
              await human.screenshot({
                path: `${folder}/desk-${words.locale}-${name}-${colorScheme}-${width}.png`,
              });
          };
          await human.emulateMedia({ colorScheme });
          await human.setViewportSize({ width, height: 640 });
          await human.evaluate("location.hash = ''");
          await waiting(human).waitFor();
          await look("queue");
          await waiting(human).click();
          await say(human, `Hello ${"aVeryLongWordThatHasNoPlaceToBreak".repeat(3)} ${colorScheme} ${width}`);
          await heard(user, new RegExp(`${colorScheme} ${width}$`)).waitFor();
          await eventually(
            "it is sent",
            async () => (await human.locator(".state:not(:empty)").count()) === 0,
          );
          await look("talk");
        }
      await human.getByRole("button", { name: words.close }).click();
      await heard(human, words.ended).waitFor();
      assert.deepEqual(await seriousFindings(human), []);
      const other = await openTab(words.locale);
      await other.goto(desk.url);
      await other.getByLabel(words.name).waitFor();
      assert.deepEqual(await seriousFindings(other), []);
    });
  }
});
