import { element } from "./dom.ts";
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
    speechBubble(),
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

/** Made node by node, because pages may forbid HTML from strings. */
function speechBubble(): SVGElement {
  const namespace = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(namespace, "svg");
  const path = document.createElementNS(namespace, "path");
  path.setAttribute("d", "M4 5h16v11H9l-5 4z");
  for (const [name, value] of Object.entries({ viewBox: "0 0 24 24", width: "26", "aria-hidden": "true" }))
    svg.setAttribute(name, value);
  svg.append(path);
  return svg;
}
