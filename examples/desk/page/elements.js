/**
 * An element with its properties and children. Text is always text: nothing that others wrote becomes HTML.
 * @param {string} name
 * @param {Record<string, string | number | boolean | undefined>} [properties] `data-` and `aria-` names and others with a hyphen are attributes
 * @param {(Node | string)[]} children
 */
export function make(name, properties = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (value === undefined || value === false) continue;
    if (key.includes("-") || key === "role" || key === "for" || key === "lang")
      element.setAttribute(key, String(value));
    else element[key] = value;
  }
  element.append(...children);
  return element;
}

/** Only what differs is written: screen readers and the selection of a reader stay undisturbed. */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** Brings the children into this order; those that stay keep their state and focus. */
export function arrange(parent, children) {
  for (const old of parent.querySelectorAll(":scope > *")) if (!children.includes(old)) old.remove();
  for (const [index, child] of children.entries())
    if (parent.children[index] !== child) parent.insertBefore(child, parent.children[index] ?? null);
}

/** Enter sends and Shift+Enter begins a line; the Enter that chooses a word of an input method does neither. */
export function sendOnEnter(field, send) {
  field.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing || event.keyCode === 229) return;
    event.preventDefault();
    send();
  });
}

const KEPT = "signalbox-language";

/** What the reader chose, or else what the browser prefers. */
export function chosenLanguage() {
  const asked = new URLSearchParams(location.search).get("lang");
  const chosen = asked ?? localStorage.getItem(KEPT) ?? navigator.language;
  return /^zh\b/i.test(chosen) ? "zh-CN" : "en";
}

/** Fills the page's fixed words, and the field by which another language is chosen. */
export function speak(language, words) {
  document.documentElement.lang = language;
  for (const element of document.querySelectorAll("[data-word]"))
    element.textContent = words[element.dataset.word];
  const field = document.querySelector("#language");
  field.value = language;
  field.addEventListener("change", () => {
    localStorage.setItem(KEPT, field.value);
    const address = new URL(location.href);
    address.searchParams.delete("lang");
    history.replaceState(null, "", address);
    location.reload();
  });
}

/** How long ago, in the reader's language. */
export function ago(language, at, now = Date.now()) {
  const seconds = Math.max(0, Math.round((now - at) / 1000));
  const format = new Intl.RelativeTimeFormat(language, { numeric: "auto", style: "short" });
  if (seconds < 60) return format.format(-seconds, "second");
  if (seconds < 3600) return format.format(-Math.floor(seconds / 60), "minute");
  if (seconds < 86_400) return format.format(-Math.floor(seconds / 3600), "hour");
  return format.format(-Math.floor(seconds / 86_400), "day");
}

export function clock(language, at) {
  const isToday = new Date(at).toDateString() === new Date().toDateString();
  const date = isToday ? {} : { dateStyle: "medium" };
  return new Intl.DateTimeFormat(language, { ...date, timeStyle: "medium" }).format(at);
}
