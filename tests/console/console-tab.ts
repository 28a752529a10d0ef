import assert from "node:assert/strict";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { namelessLiveRegions, seriousFindings } from "../widget/judged-page.ts";
import { tally } from "./tally.ts";

export interface TabOptions extends Partial<Look> {
  baseUrl: string;
  /** Undefined: nobody is signed in, unless by the cookie of an account. */
  operatorToken: string | undefined;
  /** As a browser sends it. */
  cookie?: string;
  language?: "en" | "zh-CN";
  /** Nothing fades or slides: a picture may be taken at once. */
  still?: boolean;
}

export interface Look {
  theme: "light" | "dark";
  width: number;
}

/** One browser window with the console in it, and everything it complained of. */
export interface ConsoleTab extends AsyncDisposable {
  page: Page;
  open(path: string): Promise<void>;
  /** Nothing was refused by the Content-Security-Policy and nothing was thrown. */
  assertQuiet(): void;
  /** How the page looks from now on. */
  look(look: Look): Promise<void>;
  /** The screen as it is: nothing is wider than the window and axe, where asked, finds nothing serious; a picture of it. */
  judge(name: string, options?: { axe: boolean }): Promise<void>;
}

const HEIGHT = 900;

export async function openTab(browser: Browser, options: TabOptions): Promise<ConsoleTab> {
  const { baseUrl, operatorToken, cookie, language = "en", still = false } = options;
  let { theme = "light", width = 1440 } = options;
  const context: BrowserContext = await browser.newContext({
    viewport: { width, height: HEIGHT },
    colorScheme: theme,
    locale: language,
    reducedMotion: still ? "reduce" : "no-preference",
    permissions: ["clipboard-read", "clipboard-write"],
  });
  const reports: string[] = [];
  const thrown: string[] = [];
  await context.addInitScript((token) => {
    // Once in a tab: a person who signs out stays signed out.
    if (token !== "" && sessionStorage.getItem("e2e") === null)
      sessionStorage.setItem("signalbox.operator-token", token);
    sessionStorage.setItem("e2e", "begun");
  }, operatorToken ?? "");
  if (cookie !== undefined) {
    const [name = "", value = ""] = cookie.split("=");
    await context.addCookies([{ name, value, url: baseUrl, httpOnly: true, sameSite: "Strict" }]);
    await context.addInitScript(`localStorage.setItem("signalbox.account", "signed in")`);
  }
  const page = await context.newPage();
  await page.exposeFunction("reportViolation", (report: string) => reports.push(report));
  await page.addInitScript(
    `addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI, sourceFile, sample }) => reportViolation([violatedDirective, blockedURI, sourceFile, sample].join(" ")))`,
  );
  page.on("pageerror", (error) => thrown.push(error.message));
  return {
    page,
    open: async (path) => {
      await page.goto(`${baseUrl}/console${path}`);
    },
    assertQuiet() {
      tally({ csp: reports });
      assert.deepEqual(reports, []);
      assert.deepEqual(thrown, []);
    },
    async look(look) {
      ({ theme, width } = look);
      await page.emulateMedia({ colorScheme: theme });
      await page.setViewportSize({ width, height: HEIGHT });
    },
    async judge(name, { axe } = { axe: true }) {
      const label = `${name}-${language}-${theme}-${width}`;
      tally({ screen: label });
      const folder = process.env["SCREENSHOTS"];
      if (folder !== undefined)
        await page.screenshot({ path: `${folder}/${label}.png`, animations: "disabled" });
      const wide = Number(await page.evaluate("document.documentElement.scrollWidth"));
      assert.ok(wide <= width, `${label} is ${wide} px wide`);
      if (name.startsWith("inbox")) assert.deepEqual(await namelessLiveRegions(page), [], label);
      if (!axe) return;
      const findings = await seriousFindings(page);
      tally({ axe: findings });
      assert.deepEqual(findings, [], label);
    },
    [Symbol.asyncDispose]: () => context.close(),
  };
}
