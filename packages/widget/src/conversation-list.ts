import { element } from "./dom.ts";
import type { ListedConversation } from "./transport.ts";
import type { Words } from "./words.ts";

export interface ConversationList {
  pane: HTMLElement;
  /** Undefined while they are being read, null where that failed. */
  render: (conversations: readonly ListedConversation[] | undefined | null) => void;
}

/** The user's earlier chats; one that is chosen is gone on with. */
export function createConversationList(
  words: Words,
  locale: string,
  actions: { open: (conversationId: string) => void; back: () => void },
): ConversationList {
  const day = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short" });
  const back = element("button", { type: "button", class: "back" }, words.back);
  back.addEventListener("click", actions.back);
  const body = element("div", { role: "status", "aria-label": words.earlierChats });
  const list = element("ul", { class: "chats", "aria-label": words.earlierChats });
  const pane = element(
    "div",
    { class: "scroll", tabindex: "-1" },
    element("h3", {}, words.earlierChats),
    body,
    list,
    back,
  );
  pane.hidden = true;
  return {
    pane,
    render(conversations) {
      body.textContent =
        conversations === null ? words.failed : conversations?.length === 0 ? words.noChats : "";
      list.replaceChildren(
        ...(conversations ?? []).map(({ conversationId, at, text }) => {
          const open = element(
            "button",
            { type: "button" },
            element("span", { dir: "auto", class: "preview" }, text),
            element("time", { datetime: new Date(at).toISOString() }, day.format(at)),
          );
          open.addEventListener("click", () => actions.open(conversationId));
          return element("li", {}, open);
        }),
      );
    },
  };
}
