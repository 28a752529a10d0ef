import { element, icon } from "./dom.ts";
import type { Words } from "./words.ts";

/** The round button of a bubble, which opens and shuts its panel and counts what came meanwhile. */
export interface Launcher {
  button: HTMLElement;
  shut: () => void;
  /** How many messages of others there are; those of history are not news. */
  count: (theirs: number, isHistory: boolean) => void;
}

export function createLauncher(
  words: Words,
  panel: HTMLElement,
  isOpenAtFirst: boolean,
  focusComposer: () => void,
): Launcher {
  const badge = element("span", { class: "badge", "aria-hidden": "true" });
  const button = element(
    "button",
    { type: "button", class: "launch", "aria-controls": "panel" },
    icon("M4 5h16v11H9l-5 4z", 26),
    badge,
  );
  let unread = 0;
  let seen = 0;

  function render(): void {
    const isOpen = !panel.hidden;
    badge.hidden = unread === 0;
    badge.textContent = String(unread);
    const label = isOpen ? words.close : words.open;
    button.setAttribute("aria-label", unread === 0 ? label : `${label}, ${words.unread(unread)}`);
    button.setAttribute("aria-expanded", String(isOpen));
  }

  function show(isOpen: boolean): void {
    panel.hidden = !isOpen;
    unread = 0;
    render();
    if (isOpen) focusComposer();
    else button.focus();
  }

  panel.hidden = !isOpenAtFirst;
  panel.setAttribute("role", "dialog");
  panel.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !event.isComposing) show(false);
  });
  button.addEventListener("click", () => show(Boolean(panel.hidden)));
  render();

  return {
    button,
    shut: () => show(false),
    count(theirs, isHistory) {
      if (panel.hidden && !isHistory) unread += Math.max(0, theirs - seen);
      seen = theirs;
      render();
    },
  };
}
