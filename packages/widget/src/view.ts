import type { ConversationState } from "./conversation.ts";
import { element } from "./dom.ts";
import { createAttach, type Upload } from "./attach.ts";
import { createConversationList } from "./conversation-list.ts";
import { createEmojiPicker } from "./emoji.ts";
import { createMenu } from "./menu.ts";
import { createMessageList, questionsElement, type MessageActions } from "./message-list.ts";
import { ratingElement } from "./rating.ts";
import type { Attachment, ListedConversation, Rating } from "./transport.ts";
import type { Words } from "./words.ts";

export interface Actions extends MessageActions {
  askForPerson: () => void;
  endWithPerson: () => void;
  draft: (text: string) => void;
  type: () => void;
  shut: () => void;
  list: () => Promise<ListedConversation[]>;
  open: (conversationId: string) => void;
  startNew: () => void;
  setSound: (isOn: boolean) => void;
  attach: (attachment: Attachment) => void;
}

export interface ViewOptions {
  words: Words;
  /** How days and times are written. */
  locale: string;
  /** To begin with, as one click. */
  questions: readonly string[];
  /** A bubble can be shut. */
  hasShut: boolean;
  draft: string;
  /** What the user thought of answers before. */
  ratings: Readonly<Record<string, Rating>>;
  hasSound: boolean;
  upload: Upload | undefined;
}

export interface View {
  panel: HTMLElement;
  render: (state: ConversationState) => void;
  focusComposer: () => void;
  /** The messages are on the screen. */
  isShown: () => boolean;
}

const TEXT_MAX_CHARACTERS = 25_000;
const NEAR_END_PX = 80;

export function createView(
  { words, locale, questions, hasShut, draft, ratings, hasSound, upload }: ViewOptions,
  actions: Actions,
): View {
  const holder = element("p", { role: "status", "aria-label": words.heading });
  // Rule 3.2.6 of WCAG: the way to a person, and back, has one place, whatever is shown and however wide the page is.
  const person = element("button", { type: "button", class: "person" });
  const shut = element("button", { type: "button", class: "shut", "aria-label": words.close }, "✕");
  const title = element("div", { class: "title" }, element("h2", { id: "heading" }, words.heading), holder);
  const startNew = () => {
    showList(false);
    actions.startNew();
    field.focus();
  };
  const menu = createMenu(words, hasSound, {
    startNew,
    showConversations: () => void showConversations(),
    setSound: actions.setSound,
  });
  const head = element(
    "div",
    { class: "head" },
    title,
    person,
    menu.button,
    menu.menu,
    ...(hasShut ? [shut] : []),
  );
  const greeting = element(
    "div",
    { class: "greeting" },
    element("p", {}, words.greeting),
    ...(questions.length === 0 ? [] : [questionsElement(questions, actions.send)]),
  );
  const list = createMessageList({ words, locale, ratings }, actions);
  const card = element("div", { class: "card" });
  const typing = element("div", { class: "typing", role: "status", "aria-label": words.log });
  const scroll = element("div", { class: "scroll", tabindex: "0" }, greeting, list.log, card, typing);
  const chats = createConversationList(words, locale, {
    open(conversationId) {
      showList(false);
      actions.open(conversationId);
      field.focus();
    },
    back() {
      showList(false);
      field.focus();
    },
  });
  const status = element("div", { class: "status", role: "status", "aria-label": words.notice });
  const field = element("textarea", {
    rows: "1",
    dir: "auto",
    "aria-label": words.write,
    placeholder: words.write,
    maxlength: String(TEXT_MAX_CHARACTERS),
  });
  field.value = draft;
  const emoji = createEmojiPicker(words, (picture) => {
    field.setRangeText(picture, field.selectionStart, field.selectionEnd, "end");
    actions.draft(field.value);
    field.focus();
  });
  const attach = upload === undefined ? undefined : createAttach(words, upload, actions.attach);
  const tools = attach === undefined ? [emoji.button] : [attach.button, attach.input, emoji.button];
  const form = element("form", {}, ...tools, field, element("button", { class: "send" }, words.send));
  const panel = element(
    "section",
    { class: "panel", "aria-labelledby": "heading" },
    head,
    scroll,
    chats.pane,
    status,
    ...(attach === undefined ? [] : [attach.status]),
    emoji.grid,
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
  field.addEventListener("input", () => {
    actions.draft(field.value);
    if (field.value.trim() !== "") actions.type();
  });
  field.addEventListener("keydown", (event) => {
    // While an input method composes, Enter chooses a word; some browsers say so only by the code 229.
    if (event.key !== "Enter" || event.shiftKey || event.isComposing || isComposing(event)) return;
    event.preventDefault();
    submit();
  });
  let isWithAgent = true;
  person.addEventListener("click", ({ detail: clicks }) => {
    // The second click of a double click would take back what the first one asked for.
    if (clicks > 1) return;
    if (isWithAgent) actions.askForPerson();
    else actions.endWithPerson();
  });
  shut.addEventListener("click", actions.shut);

  let wasCaughtUp = false;

  return {
    panel,
    focusComposer: () => field.focus(),
    isShown: () => scroll.getClientRects().length > 0,
    render(state) {
      const isNearEnd = scroll.scrollHeight - scroll.scrollTop - scroll.clientHeight < NEAR_END_PX;
      greeting.hidden = state.messages.length > 0 || !state.isCaughtUp;
      list.render(state.messages);
      renderTyping(state);
      status.textContent =
        state.connection === "lost" ? words.reconnecting : state.hasFailed ? words.failed : "";
      renderHolder(state.holder);
      renderCard(state.asksForRating);
      // History is not read out; the switch waits until the browser has taken note of it.
      if (!state.isCaughtUp) list.log.setAttribute("aria-live", "off");
      else if (!wasCaughtUp)
        setTimeout(() => wasCaughtUp && list.log.setAttribute("aria-live", "polite"), 100);
      if (isNearEnd || (state.isCaughtUp && !wasCaughtUp)) scroll.scrollTop = scroll.scrollHeight;
      wasCaughtUp = state.isCaughtUp;
    },
  };

  function showList(isOpen: boolean): void {
    chats.pane.hidden = !isOpen;
    for (const part of [scroll, form]) part.hidden = isOpen;
    if (isOpen) emoji.grid.hidden = true;
  }

  async function showConversations(): Promise<void> {
    chats.render(undefined);
    showList(true);
    chats.pane.focus();
    chats.render(await actions.list().catch(() => null));
  }

  function renderCard(isThere: boolean): void {
    if (isThere === card.hasChildNodes()) return;
    card.replaceChildren();
    if (!isThere) return;
    const rate = (rating: Rating, comment?: string) => actions.rate({ rating, comment });
    card.append(element("p", {}, words.rateChat), ratingElement(words.rateChat, words, undefined, rate));
  }

  function renderTyping({ isTyping, typist, holder: by }: ConversationState): void {
    const typed = by === "agent" ? words.typing : words.isTyping(typist ?? words.team);
    const text = isTyping ? typed : "";
    // Said again only when it changes.
    if (typing.textContent !== text) typing.textContent = text;
  }

  function renderHolder(now: ConversationState["holder"]): void {
    isWithAgent = now === "agent";
    const text = { agent: words.assistantAnswers, waiting: words.waiting, human: words.personAnswers }[now];
    // Said again only when it changes.
    if (holder.textContent !== text) holder.textContent = text;
    person.textContent = isWithAgent ? words.askForPerson : words.endWithPerson;
  }
}

// Deprecated, and the only sign that Safari gives when Enter ends a composition.
function isComposing(event: KeyboardEvent): boolean {
  return (event as { keyCode: number }).keyCode === 229;
}
