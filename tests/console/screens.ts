import assert from "node:assert/strict";
import { eventually } from "@signalbox/tests/support/processes.ts";
import type { Page, Route } from "playwright-core";
import type { ConsoleTab, Look } from "./console-tab.ts";
import { IS_WHOLE, shownOn } from "./screen-data.ts";
import type { AddTest } from "./stage.ts";

const THEMES = ["light", "dark"] as const;
const WIDTHS = [1440, 768, 360];
const LIST_WIDTHS = [640, 768, 1024, 1280, 1440, 1920];
/** The lists whose rows are wider than they are, or take two lines; what a page of a browser runs has no types here. */
const CUT_LISTS = `[...document.querySelectorAll("[role=region]:has(> [role=table])")]
  .filter((list) => {
    const headers = [...list.querySelectorAll("[role=columnheader]")].filter((one) => one.checkVisibility());
    const lines = new Set(headers.map(({ offsetTop }) => offsetTop));
    return list.scrollWidth > list.clientWidth || lines.size > 1;
  })
  .map((list) => list.getAttribute("aria-label"))`;
const WIDE: Look = { theme: "light", width: 1440 };
export const NARROW: Look = { theme: "dark", width: 360 };
export const LOOKS: readonly Look[] = THEMES.flatMap((theme) => WIDTHS.map((width) => ({ theme, width })));
export const LANGUAGES = ["en", "zh-CN"] as const;
export type Language = (typeof LANGUAGES)[number];
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
/** A page of a list and a page of charts. */
const IN_SHORT = ["/deliveries", "/health"];
const OTHER_STATES = IS_WHOLE ? SCREENS : IN_SHORT;
const GALLERY = "/design";

const press = (name: RegExp) => (page: Page) => page.getByRole("button", { name }).first().click();
const openFirstRow = (page: Page) => page.locator("[data-row-link]").first().click();
const openTest = async (page: Page) => {
  await openFirstRow(page);
  await press(/^(Edit and send as test|编辑并测试发送)$/)(page);
};
/** A question in other words, so that the answer shows why it was found. */
export const tryQuestion = async (page: Page) => {
  await press(/^(Try it|试一试)$/)(page);
  const drawer = page.getByRole("dialog");
  await drawer.getByRole("textbox").fill("Do students pay less?");
  await page.keyboard.press("Enter");
  await drawer.getByText("Ten percent, with a valid student card.").first().waitFor();
};
const tickRow = (page: Page) => page.locator("[role=row] [role=checkbox]").last().click();
/** What a click opens on a screen, by its name, and the sign that it is open where that is no layer. */
const LAYERS: readonly [name: string, path: string, open: (page: Page) => Promise<void>, sign?: string][] = [
  ["knowledge-pair", "/knowledge", openFirstRow],
  ["knowledge-selected", "/knowledge", tickRow],
  ["knowledge-try", "/knowledge", tryQuestion],
  ["unanswered-answer", "/unanswered", openFirstRow],
  ["members-invite", "/members", press(/^(Invite|邀请)$/)],
  ["members-role", "/members", press(/^(Change roles|更改角色)/)],
  ["keys-new", "/keys", press(/^(Create key|创建密钥)$/)],
  ["delivery-test", "/deliveries", openTest],
  ["endpoints-edit", "/endpoints", press(/^(Edit|编辑)$/)],
  ["check-results", "/check", press(/^(Run check|开始检测)$/), "table"],
  ["replays-new-counted", "/replays/new", press(/^(Count matches|统计匹配数)$/), "[aria-live] strong"],
  ["palette", "/", (page) => page.keyboard.press("Control+k")],
  ["inbox-canned-replies", "/inbox", press(/^(Manage canned replies|管理快捷回复)$/)],
  ["account-two-steps", "/account", press(/^(Turn on|启用)$/)],
  ["keys-revoke", "/keys", press(/^(Revoke|吊销)/)],
];

const LAYER = "[role=dialog], [role=alertdialog], [role=group] > [role=status]";

const nameOf = (path: string) => (path === "/" ? "start" : path.slice(1).replaceAll("/", "-"));

/** The skeletons are gone. */
export async function settled({ page }: ConsoleTab): Promise<void> {
  await page.locator("h1").first().waitFor();
  const isLoaded = async () => (await page.locator(".shimmer:visible").count()) === 0;
  await eventually("it is loaded", isLoaded, WAIT);
}

/** In every look, where a page needs no second load for it; with axe in those that differ most, or in all. */
export async function judgeLooks(
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
  const looksOf = (language: Language) => (IS_WHOLE ? LOOKS : [language === "en" ? WIDE : NARROW]);

  for (const language of LANGUAGES) {
    const looks = looksOf(language);
    const judged = { looks, axe: language === "en" ? "all" : "some" } as const;
    const inLanguage = IS_WHOLE ? `: ${language}` : `: ${language}, ${looks[0]?.width} px`;

    it(`every screen has no serious finding of axe and fits${inLanguage}`, async ({ bed, tabOf }) => {
      const { full, delivery, conversation, replay, inbox, cookie } = await shownOn(bed);
      await using tab = await tabOf({ operatorToken: undefined, cookie, language, still: true });
      await tab.look(looks[0] ?? WIDE);
      for (const [name, path] of [
        ...(IS_WHOLE || language === "en" ? SCREENS : IN_SHORT).map((one) => [nameOf(one), one] as const),
        ["delivery", `/deliveries/${delivery}`] as const,
        ["conversation", `/conversations/${full}/${conversation}`] as const,
        ["replay", `/replays/${replay}`] as const,
        ["inbox-chat", `/inbox?talk=${inbox.talk}`] as const,
        ...(IS_WHOLE ? [["knowledge-tag", "/knowledge?tag=delivery"] as const] : []),
        ["inbox-mine", "/inbox?view=mine"] as const,
        ["inbox-closed", "/inbox?view=closed"] as const,
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

    if (language === "en")
      it("every list shows its last column without scrolling sideways, at each width that has columns", async ({
        bed,
        tabOf,
      }) => {
        const { full, cookie } = await shownOn(bed);
        await using tab = await tabOf({ operatorToken: undefined, cookie, still: true });
        for (const path of SCREENS)
          for (const agent of ["", `?agent=${full}`]) {
            await tab.open(`${path}${agent}`);
            await settled(tab);
            for (const width of LIST_WIDTHS) {
              await tab.look({ theme: "light", width });
              assert.deepEqual(await tab.page.evaluate(CUT_LISTS), [], `${path}${agent} at ${width} px`);
            }
          }
        tab.assertQuiet();
      });

    if (IS_WHOLE)
      it(`drawers and dialogs fit${inLanguage}`, async ({ bed, tabOf }) => {
        const { full, inbox, cookie } = await shownOn(bed);
        await using tab = await tabOf({ operatorToken: undefined, cookie, language, still: true });
        for (const [name, path, open, sign = LAYER] of LAYERS) {
          await tab.open(`${path}?agent=${path === "/inbox" ? inbox.agent : full}`);
          await settled(tab);
          await open(tab.page);
          await tab.page.locator(sign).first().waitFor();
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
          const refused = path === "/replays/new" ? "[data-disabled]" : "[role=alert]";
          const sign = state === "loading" ? ".shimmer, [disabled]" : refused;
          await tab.page.locator(sign).first().waitFor();
          assert.equal(await tab.page.getByText("Internal system error").count(), 0, "it says what to do");
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
}
