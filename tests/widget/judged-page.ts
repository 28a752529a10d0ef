import axe from "axe-core";
import type { Page } from "playwright-core";

const WIDGET = 'document.querySelector("signalbox-chat").shadowRoot';
const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

/** Colours that still fade into each other are nobody's colours; what goes round for ever is left alone. */
const FADED = `Promise.allSettled(document.getAnimations()
  .filter(({ effect }) => Number.isFinite(effect.getComputedTiming().endTime)).map(({ finished }) => finished))`;

/** What axe finds serious or worse, with the element and the reason. */
export async function seriousFindings(tab: Page): Promise<string[]> {
  await tab.evaluate(`${FADED}.then(() => undefined)`);
  if (await tab.evaluate(`typeof axe === "undefined"`)) await tab.evaluate(axe.source);
  return tab.evaluate(
    `axe.run(document, { runOnly: ${JSON.stringify(RULES)}, resultTypes: ["violations"] })
      .then(({ violations }) => violations.filter(({ impact }) => impact === "serious" || impact === "critical")
        .map(({ id, nodes }) => id + ": " + nodes.map(({ html, failureSummary }) => html + " " + failureSummary).join(" | ")))`,
  );
}

/** Live regions without a name that a screen reader could say, on the page and in the widget. */
export function namelessLiveRegions(tab: Page): Promise<string[]> {
  return tab.evaluate(`(() => {
    const roots = [document, ...[...document.querySelectorAll("*")].flatMap(({ shadowRoot }) => shadowRoot ?? [])];
    const nameOf = (region, root) => region.getAttribute("aria-label") ??
      (region.getAttribute("aria-labelledby") ?? "").split(" ").map((id) => root.getElementById(id)?.textContent ?? "").join(" ");
    return roots.flatMap((root) =>
      [...root.querySelectorAll('[role="log"], [role="status"], [role="alert"], [aria-live="polite"], [aria-live="assertive"]')]
        .filter((region) => nameOf(region, root).trim() === "").map(({ outerHTML }) => outerHTML.slice(0, 200)));
  })()`);
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
