import type { ConversationState, ShownMessage } from "./conversation.ts";
import type { Sender } from "./transport.ts";
import type { Words } from "./words.ts";

export interface Actions {
  send: (text: string) => void;
  retry: (key: string) => void;
  askForPerson: () => void;
  endWithPerson: () => void;
  draft: (text: string) => void;
  shut: () => void;
}

export interface View {
  panel: HTMLElement;
  render: (state: ConversationState) => void;
  focusComposer: () => void;
}

const TEXT_MAX_CHARACTERS = 25_000;
const NEAR_END_PX = 80;

type Properties = Record<string, string | boolean | undefined>;

/** An element with attributes and children; text is only ever text. */
export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  properties: Properties = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  for (const [attribute, value] of Object.entries(properties))
    if (value !== undefined && value !== false) made.setAttribute(attribute, value === true ? "" : value);
  made.append(...children);
  return made;
}

export function createView(
  words: Words,
  heading: string | null,
  hasShut: boolean,
  draft: string,
  actions: Actions,
): View {
  const holder = element("p");
  const person = element("button", { type: "button", class: "person" });
  const end = element("button", { type: "button", class: "end" }, words.endWithPerson);
  const shut = element("button", { type: "button", class: "shut", "aria-label": words.close }, "✕");
  const title = element(
    "div",
    { class: "title" },
    element("h2", { id: "heading" }, heading ?? words.heading),
    holder,
  );
  // Rule 3.2.6 of WCAG: the way to a person has one place, whatever else is shown and however wide the page is.
  const head = element(
    "div",
    { class: "head" },
    element("div", { class: "top" }, title, ...(hasShut ? [shut] : [])),
    element("div", { class: "actions" }, person, end),
  );
  const greeting = element("p", { class: "greeting" }, words.greeting);
  // Rule 4.1.3 of WCAG: the region is there before anything is said in it, and only what is added is announced.
  const log = element("div", { class: "log", role: "log", "aria-label": words.log, "aria-live": "off" });
  const typing = element("div", { class: "typing", role: "status" });
  const scroll = element("div", { class: "scroll", tabindex: "0" }, greeting, log, typing);
  const status = element("div", { class: "status", role: "status" });
  const field = element("textarea", {
    rows: "1",
    "aria-label": words.write,
    placeholder: words.write,
    maxlength: String(TEXT_MAX_CHARACTERS),
  });
  field.value = draft;
  const form = element("form", {}, field, element("button", { class: "send" }, words.send));
  const panel = element(
    "section",
    { class: "panel", "aria-labelledby": "heading" },
    head,
    scroll,
    status,
    form,
  );

  const submit = () => {
    const text = field.value.trim();
    if (text === "") return field.focus();
    field.value = "";
    actions.draft("");
    actions.send(text);
    field.focus();
  };
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    submit();
  });
  field.addEventListener("input", () => actions.draft(field.value));
  field.addEventListener("keydown", (event) => {
    // While an input method composes, Enter chooses a word; some browsers say so only by the code 229.
    if (event.key !== "Enter" || event.shiftKey || event.isComposing || isComposing(event)) return;
    event.preventDefault();
    submit();
  });
  person.addEventListener("click", () => {
    if (person.getAttribute("aria-disabled") !== "true") actions.askForPerson();
  });
  end.addEventListener("click", actions.endWithPerson);
  shut.addEventListener("click", actions.shut);

  const shown = new Map<string, { message: ShownMessage; item: HTMLElement }>();
  let wasCaughtUp = false;

  function renderMessages(messages: readonly ShownMessage[]): void {
    for (const message of messages) {
      const before = shown.get(message.key);
      if (before?.message === message) continue;
      if (before === undefined) {
        const item = messageElement(message, words, actions);
        item.append(stateElement(message, words, actions));
        log.append(item);
        shown.set(message.key, { message, item });
      } else {
        before.item.lastElementChild?.replaceWith(stateElement(message, words, actions));
        shown.set(message.key, { message, item: before.item });
      }
    }
    const last = messages.at(-1);
    const end = last === undefined ? undefined : shown.get(last.key)?.item;
    // A message the user sends again has moved to the end.
    if (end !== undefined && log.lastElementChild !== end) log.append(end);
  }

  return {
    panel,
    focusComposer: () => field.focus(),
    render(state) {
      const isNearEnd = scroll.scrollHeight - scroll.scrollTop - scroll.clientHeight < NEAR_END_PX;
      greeting.hidden = state.messages.length > 0;
      renderMessages(state.messages);
      typing.textContent = state.isTyping ? words.typing : "";
      status.textContent =
        state.connection === "lost" ? words.reconnecting : state.hasFailed ? words.failed : "";
      renderHolder(state.holder);
      // History is not read out; the switch waits until the browser has taken note of it.
      if (state.isCaughtUp && !wasCaughtUp) setTimeout(() => log.setAttribute("aria-live", "polite"), 100);
      if (isNearEnd || (state.isCaughtUp && !wasCaughtUp)) scroll.scrollTop = scroll.scrollHeight;
      wasCaughtUp = state.isCaughtUp;
    },
  };

  function renderHolder(now: ConversationState["holder"]): void {
    holder.textContent = {
      agent: words.assistantAnswers,
      waiting: words.waiting,
      human: words.personAnswers,
    }[now];
    person.textContent = { agent: words.askForPerson, waiting: words.personAsked, human: words.withPerson }[
      now
    ];
    person.setAttribute("aria-disabled", String(now !== "agent"));
    end.hidden = now === "agent";
  }
}

// Deprecated, and the only sign that Safari gives when Enter ends a composition.
function isComposing(event: KeyboardEvent): boolean {
  return (event as { keyCode: number }).keyCode === 229;
}

function messageElement(message: ShownMessage, words: Words, actions: Actions): HTMLElement {
  const { key, sender, suggestions = [] } = message;
  const names: Record<Sender, string> = {
    user: words.you,
    ai: words.assistant,
    human: words.team,
    system: words.notice,
  };
  const who = element("div", { class: sender === "system" ? "unseen" : "who" }, names[sender]);
  return element(
    "div",
    { class: "message", "data-sender": sender, "data-key": key },
    who,
    element("div", { class: "text" }, ...withLinks(shownText(message))),
    ...(suggestions.length === 0 ? [] : [suggestionsElement(suggestions, actions)]),
  );
}

/** The questions stand on buttons, so that the text does not list them a second time. */
function shownText({ text, suggestions = [] }: ShownMessage): string {
  return suggestions.length === 0 ? text : (text.split("\n", 1)[0] ?? text);
}

function suggestionsElement(suggestions: readonly string[], actions: Actions): HTMLElement {
  return element(
    "ol",
    { class: "suggestions" },
    ...suggestions.map((question) => {
      const choose = element("button", { type: "button" }, question);
      choose.addEventListener("click", () => actions.send(question));
      return element("li", {}, choose);
    }),
  );
}

function stateElement({ state, key }: ShownMessage, words: Words, actions: Actions): HTMLElement {
  const line = element("div", { class: "state", "data-state": state, hidden: state === "sent" });
  if (state === "sending") line.append(words.sending);
  if (state === "failed") {
    const retry = element("button", { type: "button" }, words.retry);
    retry.addEventListener("click", () => actions.retry(key));
    line.append(words.notSent, retry);
  }
  return line;
}

/** Addresses become links that tell the other side nothing about this page. */
function withLinks(text: string): (Node | string)[] {
  return text
    .split(/(https?:\/\/[^\s<>"'）】」]+[^\s<>"'.,;:!?()）】」。，；：！？])/g)
    .map((part, at) =>
      at % 2 === 0
        ? part
        : element("a", { href: part, target: "_blank", rel: "noopener noreferrer nofollow" }, part),
    );
}
