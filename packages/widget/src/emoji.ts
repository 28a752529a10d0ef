import { element, icon } from "./dom.ts";
import type { Words } from "./words.ts";

/** The few that people send to a shop; a phone's keyboard has the rest. */
const EMOJI =
  "😀 😂 😊 😍 😉 😎 🤔 😅 🙂 😕 😢 😡 👍 👎 👏 🙏 💪 👋 🎉 🔥 💯 ✅ ❌ ❓ ⭐ 💡 📦 🚚 💳 🕐 📞 📷 ❤️".split(
    " ",
  );
const COLUMNS = 6;

/** A button and a grid of pictures that it opens: arrow keys move, Enter chooses, Escape shuts. */
export function createEmojiPicker(
  words: Words,
  insert: (emoji: string) => void,
): { button: HTMLElement; grid: HTMLElement } {
  const button = element(
    "button",
    {
      type: "button",
      class: "tool",
      "aria-label": words.emoji,
      "aria-expanded": "false",
      "aria-controls": "emoji",
    },
    icon("M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18M9 10h.01M15 10h.01M8 14.5a5 5 0 0 0 8 0", 24),
  );
  const choices = EMOJI.map((emoji, at) => {
    const choice = element("button", { type: "button", tabindex: at === 0 ? "0" : "-1" }, emoji);
    choice.addEventListener("click", () => {
      show(false);
      insert(emoji);
    });
    return choice;
  });
  const grid = element(
    "div",
    { id: "emoji", class: "emoji", role: "group", "aria-label": words.emoji },
    ...choices,
  );
  grid.hidden = true;

  function show(isOpen: boolean): void {
    grid.hidden = !isOpen;
    button.setAttribute("aria-expanded", String(isOpen));
    if (isOpen) move(0);
  }

  function move(to: number): void {
    const next = choices[to];
    if (next === undefined) return;
    for (const choice of choices) choice.tabIndex = choice === next ? 0 : -1;
    next.focus();
  }

  button.addEventListener("click", () => show(Boolean(grid.hidden)));
  grid.addEventListener("keydown", (event) => {
    const at = choices.findIndex((choice) => choice.tabIndex === 0);
    const isMirrored = getComputedStyle(grid).direction === "rtl";
    const steps: Record<string, number> = {
      ArrowRight: isMirrored ? -1 : 1,
      ArrowLeft: isMirrored ? 1 : -1,
      ArrowDown: COLUMNS,
      ArrowUp: -COLUMNS,
    };
    const step = steps[event.key];
    if (step !== undefined) move(at + step);
    else if (event.key === "Escape") {
      show(false);
      button.focus();
    } else return;
    event.preventDefault();
    // The bubble stays open: this Escape was for the grid.
    event.stopPropagation();
  });
  return { button, grid };
}
