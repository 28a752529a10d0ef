import { element, icon } from "./dom.ts";
import type { Rating } from "./transport.ts";
import type { Words } from "./words.ts";

export type Rate = (rating: Rating, comment?: string) => void;

const COMMENT_MAX_CHARACTERS = 500;
const THUMB =
  "M7 10v10H4V10zM7 10l4-7c1.6 0 2.5 1.2 2.2 2.8L12.5 9H18a2 2 0 0 1 2 2.4l-1.4 7A2 2 0 0 1 16.6 20H7";

/** Thumbs up and down, then a word about it. A choice can be changed, and is told each time. */
export function ratingElement(
  label: string,
  words: Words,
  chosen: Rating | undefined,
  rate: Rate,
): HTMLElement {
  const thanks = element("span", { class: "thanks", role: "status", "aria-label": label });
  const buttons = (["good", "bad"] as const).map((rating) => {
    const button = element(
      "button",
      { type: "button", class: `thumb ${rating}`, "aria-label": words[rating], "aria-pressed": "false" },
      icon(THUMB),
    );
    button.addEventListener("click", () => {
      rate(rating);
      press(rating);
      askForWords(rating);
    });
    return { rating, button };
  });
  const press = (now: Rating | undefined) => {
    for (const { rating, button } of buttons) button.setAttribute("aria-pressed", String(rating === now));
  };
  const row = element("div", { class: "thumbs" }, ...buttons.map(({ button }) => button), thanks);
  const whole = element(
    "div",
    { class: "rating", role: "group", "aria-label": label, "aria-live": "off" },
    row,
  );

  function askForWords(rating: Rating): void {
    whole.querySelector("form")?.remove();
    thanks.textContent = "";
    const field = element("input", {
      type: "text",
      dir: "auto",
      autocomplete: "off",
      maxlength: String(COMMENT_MAX_CHARACTERS),
      "aria-label": words.comment,
      placeholder: words.comment,
    });
    const form = element("form", { class: "comment" }, field, element("button", {}, words.sendComment));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const comment = field.value.trim();
      if (comment !== "") rate(rating, comment);
      form.remove();
      thanks.textContent = words.thanks;
      buttons.find((one) => one.rating === rating)?.button.focus();
    });
    whole.append(form);
    form.scrollIntoView({ block: "nearest" });
  }

  press(chosen);
  return whole;
}
