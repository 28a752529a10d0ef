import { element, icon } from "./dom.ts";
import type { Words } from "./words.ts";

export interface MenuActions {
  showConversations: () => void;
  startNew: () => void;
  setSound: (isOn: boolean) => void;
}

/** What the header has no room for, behind one button. */
export function createMenu(
  words: Words,
  isSoundOn: boolean,
  actions: MenuActions,
): { button: HTMLElement; menu: HTMLElement } {
  const button = element(
    "button",
    {
      type: "button",
      class: "icon",
      "aria-label": words.menu,
      "aria-haspopup": "menu",
      "aria-expanded": "false",
    },
    icon("M5 12h.01M12 12h.01M19 12h.01"),
  );
  const item = (role: string, text: string, run: () => void) => {
    const made = element("button", { type: "button", role, tabindex: "-1" }, text);
    made.addEventListener("click", () => {
      show(false);
      button.focus();
      run();
    });
    return made;
  };
  const sound = item("menuitemcheckbox", words.sound, () => {
    const isOn = sound.getAttribute("aria-checked") !== "true";
    sound.setAttribute("aria-checked", String(isOn));
    actions.setSound(isOn);
  });
  sound.setAttribute("aria-checked", String(isSoundOn));
  const items = [
    item("menuitem", words.newChat, actions.startNew),
    item("menuitem", words.earlierChats, actions.showConversations),
    sound,
  ];
  const menu = element("div", { class: "menu", role: "menu", "aria-label": words.menu }, ...items);
  menu.hidden = true;

  function show(isOpen: boolean): void {
    menu.hidden = !isOpen;
    button.setAttribute("aria-expanded", String(isOpen));
    if (isOpen) items[0]?.focus();
  }

  button.addEventListener("click", () => show(Boolean(menu.hidden)));
  menu.addEventListener("keydown", (event) => {
    const at = items.findIndex((one) => one.matches(":focus"));
    const to: Record<string, number> = {
      ArrowDown: (at + 1) % items.length,
      ArrowUp: (at - 1 + items.length) % items.length,
      Home: 0,
      End: items.length - 1,
    };
    const next = to[event.key];
    if (next !== undefined) items[next]?.focus();
    else if (event.key === "Escape" || event.key === "Tab") {
      show(false);
      button.focus();
      if (event.key === "Tab") return;
    } else return;
    event.preventDefault();
    event.stopPropagation();
  });
  menu.addEventListener("focusout", (event) => {
    const next = event.relatedTarget;
    if (!(next instanceof Node) || (!menu.contains(next) && !button.contains(next))) show(false);
  });
  return { button, menu };
}
