import axe from "axe-core";
import type { Page } from "playwright-core";

const WIDGET = 'document.querySelector("signalbox-chat").shadowRoot';
const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

/** What axe finds serious or worse, with the element and the reason. */
export async function seriousFindings(tab: Page): Promise<string[]> {
  if (await tab.evaluate(`typeof axe === "undefined"`)) await tab.evaluate(axe.source);
  return tab.evaluate(
    `axe.run(document, { runOnly: ${JSON.stringify(RULES)} })
      .then(({ violations }) => violations.filter(({ impact }) => impact === "serious" || impact === "critical")
        .map(({ id, nodes }) => id + ": " + nodes.map(({ html, failureSummary }) => html + " " + failureSummary).join(" | ")))`,
  );
}

/** In pixels: how wide the page is, how high what was said, and the smallest side of a button. */
export function measured(tab: Page): Promise<{ scrollWidth: number; logHeight: number; smallest: number }> {
  return tab.evaluate(`({
    scrollWidth: document.documentElement.scrollWidth,
    logHeight: ${WIDGET}.querySelector(".scroll").clientHeight,
    smallest: Math.min(...[...${WIDGET}.querySelectorAll("button:not([hidden])")]
      .filter((button) => button.checkVisibility()).map((button) => Math.min(button.offsetHeight, button.offsetWidth))),
  })`);
}

export function focusedName(tab: Page): Promise<unknown> {
  return tab.evaluate(`(() => {
    const host = document.activeElement;
    const inside = host.shadowRoot?.activeElement ?? host;
    return inside.getAttribute("aria-label") ?? inside.textContent;
  })()`);
}
