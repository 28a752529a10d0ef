import { makeAgent, operatorOf } from "@signalbox/tests/support/agents.ts";
import type { Bed } from "@signalbox/tests/support/bed.ts";
import { makeDesk } from "@signalbox/tests/support/desk.ts";
import { joinAs } from "@signalbox/tests/support/members.ts";
import { eventually } from "@signalbox/tests/support/processes.ts";
import type { Page, Route } from "playwright-core";
import type { ConsoleTab, Look } from "./console-tab.ts";
import type { AddTest } from "./stage.ts";

const QA = [
  { question: "When do you open?", answer: "At nine, every day but Sunday." },
  { question: "Do you deliver?", answer: "Yes, within two days, for free from 40 euros." },
  {
    question: "How do I return something?",
    answer: "Within 30 days. Print the label from your order page and bring the parcel to any post office.",
  },
  { question: "Which payment methods do you accept?", answer: "Cards, PayPal and bank transfer." },
];
/** `npm run e2e` looks at every screen in every state, language, theme and width; otherwise a few that differ in everything. */
export const IS_WHOLE = process.env["SIGNALBOX_E2E_TALLY"] !== undefined;
const THEMES = ["light", "dark"] as const;
const WIDTHS = [1440, 768, 360];
const WIDE: Look = { theme: "light", width: 1440 };
const NARROW: Look = { theme: "dark", width: 360 };
const LOOKS: readonly Look[] = THEMES.flatMap((theme) => WIDTHS.map((width) => ({ theme, width })));
const LANGUAGES = ["en", "zh-CN"] as const;
type Language = (typeof LANGUAGES)[number];
const API = /\/admin\/v1\//;
const WAIT = { timeoutMs: 30_000 };

/** Paths that need nothing but the agent. */
const SCREENS = [
  "/",
  "/deliveries",
  "/replays/new",
  "/conversations",
  "/inbox",
  "/knowledge",
  "/unanswered",
  "/saved-questions",
  "/endpoints",
  "/check",
  "/agent",
  "/keys",
  "/members",
  "/audit",
  "/numbers",
  "/health",
  "/account",
];
/** Of a list and of charts. */
const IN_SHORT = ["/deliveries", "/health"];
const OTHER_STATES = IS_WHOLE ? SCREENS : IN_SHORT;
const GALLERY = "/design";

const press = (name: RegExp) => (page: Page) => page.getByRole("button", { name }).first().click();
const openFirstRow = (page: Page) => page.locator("[data-row-link]").first().click();
const openTest = async (page: Page) => {
  await openFirstRow(page);
  await press(/^(Edit and send as test|编辑并测试发送)$/)(page);
};
/** What a click opens on a screen, by its name. */
const LAYERS: readonly [name: string, path: string, open: (page: Page) => Promise<void>][] = [
  ["knowledge-pair", "/knowledge", openFirstRow],
  ["knowledge-try", "/knowledge", press(/^(Try it|试一试)$/)],
  ["unanswered-answer", "/unanswered", openFirstRow],
  ["members-invite", "/members", press(/^(Invite|邀请)$/)],
  ["members-role", "/members", press(/^(Change role|更改角色)/)],
  ["keys-new", "/keys", press(/^(Create key|创建密钥)$/)],
  ["delivery-test", "/deliveries", openTest],
  ["endpoints-edit", "/endpoints", press(/^(Edit|编辑)$/)],
  ["palette", "/", (page) => page.keyboard.press("Control+k")],
];

const nameOf = (path: string) => (path === "/" ? "start" : path.slice(1).replaceAll("/", "-"));

interface Shown {
  full: string;
  empty: string;
  delivery: string;
  conversation: string;
  /** An agent whose users wait in the inbox, and the first of them. */
  inbox: { agent: string; talk: string };
  /** Of an owner's session. */
  cookie: string;
}

/** An agent with a bit of everything, one of its deliveries failing; and an agent with nothing. */
async function fill(bed: Bed): Promise<Shown> {
  const desk = await makeDesk(bed, { agent: { name: "Corner shop", qaList: QA } });
  const { agent } = desk;
  const failing = await agent.converse({ user_id: "grace@example.com" });
  agent.respond(({ body }) =>
    (body as { conversation_id?: string }).conversation_id === failing
      ? { status: 503, body: { error: "maintenance until 10:00" } }
      : undefined,
  );
  await agent.ask(failing, "Do you deliver?");
  for (const user_id of ["mei@example.com", "tom@example.com", "ines@example.com"])
    await agent.ask(await agent.converse({ user_id }), "Do you deliver?");
  for (const question of ["Who painted the ceiling?", "Can my dog come along?", "Who painted the ceiling?"])
    await agent.ask(await agent.converse({ user_id: "lin@example.com" }), question);
  const conversation = await desk.converse();
  await agent.ask(conversation, "When do you open?");
  const handoff = await desk.connect(conversation);
  await desk.reply(handoff, "Ada here. How can I help?");
  const operator = operatorOf(bed);
  const agent_id = agent.agentId;
  const delivery = await eventually(
    "a delivery failed",
    async () => {
      const { list } = await operator.listDeliveries({ agent_id, conversation_id: failing });
      return list.find(({ cause }) => cause !== null)?.delivery_id;
    },
    WAIT,
  );
  await operator.addPair({
    agent_id,
    question: "Is there a discount for students?",
    answer: "Ten percent, with a valid student card.",
    alternates: ["Do students pay less?", "Student discount"],
  });
  const { cookie } = await joinAs(bed, { role: "owner", name: "Ada Okafor" });
  await joinAs(bed, { role: "developer", agentId: agent_id, name: "Mei Lin" });
  await joinAs(bed, { role: "support", agentId: agent_id, name: "Tom van den Berg-Hernández" });
  await operator.createInvitation({ role: "editor", agent_id, email: "ines@example.com" });
  await operator.createInvitation({ role: "viewer", agent_id });
  const { agentId: empty } = await makeAgent(bed, { name: "Empty", webhook: false });
  return { full: agent_id, empty, delivery, conversation, inbox: await fillInbox(bed), cookie };
}

/** Three users who wait for a person, one of them taken. */
async function fillInbox(bed: Bed): Promise<Shown["inbox"]> {
  const agent = await makeAgent(bed, { name: "Corner shop support", qaList: QA });
  const agent_id = agent.agentId;
  const operator = operatorOf(bed);
  await operator.setInbox({ agent_id });
  for (const [user_id, question] of [
    ["grace@example.com", "My parcel has not arrived, and I leave on Friday. Can you look where it is?"],
    ["mei@example.com", "Do you deliver?"],
    ["tom.van-den-berg-hernandez@example.com", "I would like to return two of the five lamps I ordered."],
  ] as const) {
    const conversation_id = await agent.converse({ user_id });
    await agent.ask(conversation_id, question);
    await agent.client.requestHandoff({ conversation_id });
  }
  const talks = await eventually(
    "three wait",
    async () => {
      const { list } = await operator.searchTalks({ agent_id, view: "waiting" });
      return list.length === 3 && list;
    },
    WAIT,
  );
  const talk_id = talks[0]?.talk_id ?? "";
  await operator.addTalkNote({ agent_id, talk_id, text: "Her last parcel was late as well." });
  await operator.replyInTalk({ agent_id, talk_id, text: "I am looking it up. One moment, please." });
  return { agent: agent_id, talk: talk_id };
}

/** The skeletons are gone. */
async function settled({ page }: ConsoleTab): Promise<void> {
  await page.locator("h1").first().waitFor();
  const isLoaded = async () => (await page.locator(".shimmer:visible").count()) === 0;
  await eventually("it is loaded", isLoaded, WAIT);
}

/** In every look, where a page needs no second load for it; with axe in those that differ most, or in all. */
async function judgeLooks(
  tab: ConsoleTab,
  name: string,
  { looks, axe }: { looks: readonly Look[]; axe: "all" | "some" },
): Promise<void> {
  for (const look of looks) {
    await tab.look(look);
    await tab.judge(name, { axe: axe === "all" || isExtreme(look) });
  }
  await tab.look(looks[0] ?? WIDE);
}

const isExtreme = ({ theme, width }: Look) =>
  [WIDE, NARROW].some((look) => look.theme === theme && look.width === width);

/** Each screen as it looks with data, empty, loading and in error. */
export function screens(it: AddTest): void {
  let filled: Promise<Shown> | undefined;
  const shownOn = (bed: Bed) => (filled ??= fill(bed));
  const looksOf = (language: Language) => (IS_WHOLE ? LOOKS : [language === "en" ? WIDE : NARROW]);

  for (const language of LANGUAGES) {
    const looks = looksOf(language);
    const judged = { looks, axe: language === "en" ? "all" : "some" } as const;
    const inLanguage = IS_WHOLE ? `: ${language}` : `: ${language}, ${looks[0]?.width} px`;

    it(`every screen has no serious finding of axe and fits${inLanguage}`, async ({ bed, tabOf }) => {
      const { full, delivery, conversation, inbox, cookie } = await shownOn(bed);
      await using tab = await tabOf({ operatorToken: undefined, cookie, language, still: true });
      await tab.look(looks[0] ?? WIDE);
      for (const [name, path] of [
        ...(IS_WHOLE || language === "en" ? SCREENS : IN_SHORT).map((one) => [nameOf(one), one] as const),
        ["delivery", `/deliveries/${delivery}`] as const,
        ["conversation", `/conversations/${full}/${conversation}`] as const,
        ["inbox-chat", `/inbox?talk=${inbox.talk}`] as const,
      ]) {
        const agent = path.startsWith("/inbox") ? inbox.agent : full;
        await tab.open(`${path}${path.includes("?") ? "&" : "?"}agent=${agent}`);
        await settled(tab);
        await judgeLooks(tab, name, judged);
      }
      // The page of components shows skeletons that stay.
      await tab.open(GALLERY);
      await tab.page.locator("h1").first().waitFor();
      await judgeLooks(tab, nameOf(GALLERY), judged);
      tab.assertQuiet();
    });

    if (IS_WHOLE)
      it(`drawers and dialogs fit${inLanguage}`, async ({ bed, tabOf }) => {
        const { full, cookie } = await shownOn(bed);
        await using tab = await tabOf({ operatorToken: undefined, cookie, language, still: true });
        for (const [name, path, open] of LAYERS) {
          await tab.open(`${path}?agent=${full}`);
          await settled(tab);
          await open(tab.page);
          await tab.page.getByRole("dialog").first().waitFor();
          await settled(tab);
          await judgeLooks(tab, name, { looks, axe: "some" });
        }
        tab.assertQuiet();
      });

    if (!IS_WHOLE && language !== "en") continue;
    for (const [state, answer] of [
      ["loading", () => undefined],
      [
        "error",
        (route: Route) =>
          route.fulfill({ status: 500, json: { code: 50_000, message: "Internal system error" } }),
      ],
    ] as const)
      it(`every screen shows what it is doing while a call is ${state}${inLanguage}`, async ({ tabOf }) => {
        await using tab = await tabOf({ language, still: true });
        await tab.page.route(API, answer);
        for (const path of OTHER_STATES.filter((one) => one !== "/account")) {
          await tab.open(path);
          await tab.page.locator("h1").first().waitFor();
          const sign = state === "loading" ? ".shimmer, [disabled]" : "[role=alert], [data-disabled]";
          await tab.page.locator(sign).first().waitFor();
          await judgeLooks(tab, `${nameOf(path)}-${state}`, { looks, axe: "some" });
        }
        tab.assertQuiet();
      });

    it(`every screen says what to do next where there is nothing yet${inLanguage}`, async ({
      bed,
      tabOf,
    }) => {
      const { empty } = await shownOn(bed);
      await using tab = await tabOf({ language, still: true });
      for (const path of OTHER_STATES) {
        await tab.open(`${path}?agent=${empty}`);
        await settled(tab);
        await judgeLooks(tab, `${nameOf(path)}-empty`, { looks, axe: "some" });
      }
      tab.assertQuiet();
    });
  }

  it("the sign-in page is shown without a session", async ({ tabOf }) => {
    for (const language of LANGUAGES) {
      await using tab = await tabOf({ operatorToken: undefined, language, still: true });
      await tab.open("/");
      await tab.page.locator("h1").waitFor();
      await judgeLooks(tab, "sign-in", { looks: IS_WHOLE ? LOOKS : [NARROW], axe: "some" });
      tab.assertQuiet();
    }
  });
}
