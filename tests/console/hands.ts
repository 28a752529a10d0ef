import assert from "node:assert/strict";
import { eventually } from "@signalbox/tests/support/processes.ts";
import type { Locator, Page } from "playwright-core";

/** How somebody uses a page. A journey that is written with hands is done with the mouse or with the keyboard alone. */
export interface Hands {
  press(control: Locator): Promise<void>;
  type(field: Locator, text: string): Promise<void>;
  choose(select: Locator, option: string | RegExp): Promise<void>;
  /** An item of the menu that a button opens. */
  pick(button: Locator, item: string): Promise<void>;
}

export type HandsOf = (page: Page) => Hands;

const LONG = { timeout: 60_000 };
/** Further than any control of a screen is from another. */
const STEPS_MAX = 200;

export function mouseOf(page: Page): Hands {
  return {
    press: (control) => control.click(LONG),
    type: (field, text) => field.fill(text, LONG),
    async choose(select, option) {
      await select.click(LONG);
      await optionOf(page, option).click(LONG);
    },
    async pick(button, item) {
      await button.click(LONG);
      await itemOf(page, item).click(LONG);
    },
  };
}

/** Every control is reached with Tab or Shift+Tab, whichever leads to it, as by somebody without a mouse. */
export function keyboardOf(page: Page): Hands {
  const { keyboard } = page;

  async function reach(control: Locator): Promise<void> {
    await control.waitFor(LONG);
    for (let step = 0; step < STEPS_MAX; step += 1) {
      const way = await control.evaluate((element) => {
        if (element.matches(":focus")) return "there";
        const focused = element.ownerDocument.activeElement ?? element.ownerDocument.body;
        const isBefore = element.compareDocumentPosition(focused) & element.DOCUMENT_POSITION_FOLLOWING;
        return isBefore === 0 ? "on" : "back";
      });
      if (way === "there") return assertSeen(control);
      await keyboard.press(way === "back" ? "Shift+Tab" : "Tab");
    }
    assert.fail(`not reached with Tab: ${control.toString()}`);
  }

  return {
    async press(control) {
      await reach(control);
      // A person who sees that a button is busy waits before the key, as a click does by itself.
      await eventually("the control is ready", () => control.isEnabled(), { timeoutMs: LONG.timeout });
      const role = await control.getAttribute("role");
      await keyboard.press(role === "switch" || role === "checkbox" ? "Space" : "Enter");
    },
    async type(field, text) {
      await reach(field);
      await keyboard.press("Control+A");
      await keyboard.insertText(text);
    },
    async choose(select, option) {
      await reach(select);
      await keyboard.press("Enter");
      const wanted = optionOf(page, option);
      await wanted.waitFor(LONG);
      await keyboard.press("Home");
      for (let step = 0; step < STEPS_MAX; step += 1) {
        if (await wanted.evaluate((element) => "highlighted" in element.dataset)) break;
        await keyboard.press("ArrowDown");
      }
      await keyboard.press("Enter");
      await wanted.waitFor({ state: "detached", ...LONG });
    },
    async pick(button, item) {
      await reach(button);
      await keyboard.press("Enter");
      const wanted = itemOf(page, item);
      await wanted.waitFor(LONG);
      await page.locator("[role=menuitem]:focus").waitFor(LONG);
      for (let step = 0; step < STEPS_MAX; step += 1) {
        if (await wanted.evaluate((element) => element.matches(":focus"))) break;
        await keyboard.press("ArrowDown");
      }
      await keyboard.press("Enter");
      await wanted.waitFor({ state: "detached", ...LONG });
    },
  };
}

/** After a dialog closes or a page is left, a person without a mouse goes on from here. */
export async function focusIsOn(control: Locator): Promise<void> {
  const isThere = () => control.evaluate((element) => element.matches(":focus"));
  await eventually(`the focus is on ${control.toString()}`, isThere, { timeoutMs: LONG.timeout });
}

/** Somebody sees where the focus is: inside the window, with a line around the control, its row or its field. */
async function assertSeen(control: Locator): Promise<void> {
  const isSeen = await control.evaluate((element) => {
    const view = element.ownerDocument.defaultView!;
    const { top, bottom } = element.getBoundingClientRect();
    const styles = [
      view.getComputedStyle(element),
      view.getComputedStyle(element, "::after"),
      view.getComputedStyle(element.parentElement),
    ];
    const isMarked = styles.some(
      ({ outlineStyle, outlineWidth }) => outlineStyle !== "none" && Number.parseFloat(outlineWidth) >= 2,
    );
    return isMarked && bottom > 0 && top < view.innerHeight;
  });
  assert.ok(isSeen, `the focus is not seen on ${control.toString()}`);
}

function optionOf(page: Page, name: string | RegExp): Locator {
  return page.getByRole("option", typeof name === "string" ? { name, exact: true } : { name });
}

function itemOf(page: Page, name: string): Locator {
  return page.getByRole("menuitem", { name, exact: true });
}
