import type { ShownMessage } from "./conversation.ts";
import { element, icon } from "./dom.ts";
import { asTyped, formatted, linkTo } from "./message-text.ts";
import { CLIP } from "./attach.ts";
import { ratingElement } from "./rating.ts";
import type { Attachment, Rating, Sender } from "./transport.ts";
import type { Words } from "./words.ts";

export interface MessageActions {
  send: (text: string) => void;
  retry: (key: string) => void;
  rate: (rated: { rating: Rating; messageId?: string | undefined; comment?: string | undefined }) => void;
}

export interface MessageListOptions {
  words: Words;
  /** How days and times are written. */
  locale: string;
  /** What the user thought of answers before. */
  ratings: Readonly<Record<string, Rating>>;
}

export interface MessageList {
  log: HTMLElement;
  render: (messages: readonly ShownMessage[]) => void;
}

/** Messages of one speaker within this time stand under one name. */
const GROUP_MS = 5 * 60_000;

/** The messages, in order, with a line for each day. */
export function createMessageList(options: MessageListOptions, actions: MessageActions): MessageList {
  const { words, locale } = options;
  // Rule 4.1.3 of WCAG: the region is there before anything is said in it, and only what is added is announced.
  const log = element("div", { class: "log", role: "log", "aria-label": words.log, "aria-live": "off" });
  const clock = new Intl.DateTimeFormat(locale, { timeStyle: "short" });
  const shown = new Map<string, { message: ShownMessage; item: HTMLElement }>();
  let last: ShownMessage | undefined;

  /** At the end, under its day, and without a name where the same one goes on speaking. */
  function append(message: ShownMessage, item: HTMLElement): void {
    if (last === undefined || dayOf(last.at) !== dayOf(message.at))
      log.append(element("div", { class: "day" }, dayText(message.at, words, locale)));
    else if (last.sender === message.sender && last.name === message.name && message.at - last.at < GROUP_MS)
      item.classList.add("more");
    log.append(item);
    last = message;
  }

  return {
    log,
    render(messages) {
      // Another chat: nothing of what is shown belongs to it.
      if (messages.length === 0 && shown.size > 0) {
        log.replaceChildren();
        shown.clear();
        last = undefined;
      }
      for (const message of messages) {
        const before = shown.get(message.key);
        if (before?.message === message) continue;
        const item = before?.item ?? messageElement(message, options, clock, actions);
        const state = stateElement(message, words, actions);
        if (before === undefined) {
          item.append(state);
          append(message, item);
        } else item.lastElementChild?.replaceWith(state);
        shown.set(message.key, { message, item });
      }
      const end = messages.at(-1);
      const item = end === undefined ? undefined : shown.get(end.key)?.item;
      // A message the user sends again has moved to the end.
      if (end !== undefined && item !== undefined && log.lastElementChild !== item) append(end, item);
    },
  };
}

function dayOf(at: number): string {
  return new Date(at).toDateString();
}

const DAY_MS = 86_400_000;

function dayText(at: number, words: Words, locale: string): string {
  const now = Date.now();
  if (dayOf(at) === dayOf(now)) return words.today;
  if (dayOf(at) === dayOf(now - DAY_MS)) return words.yesterday;
  const isThisYear = new Date(at).getFullYear() === new Date(now).getFullYear();
  return new Intl.DateTimeFormat(locale, {
    weekday: "long",
    day: "numeric",
    month: "long",
    ...(!isThisYear && { year: "numeric" }),
  }).format(at);
}

function messageElement(
  message: ShownMessage,
  { words, ratings }: MessageListOptions,
  clock: Intl.DateTimeFormat,
  actions: MessageActions,
): HTMLElement {
  const { key, sender, at, text, attachments = [], suggestions = [], messageId } = message;
  const rates = sender === "ai" && suggestions.length === 0 && messageId !== undefined;
  const names: Record<Sender, string> = {
    user: words.you,
    ai: words.assistant,
    human: words.team,
    system: words.notice,
  };
  const name = message.name ?? names[sender];
  const isSeen = sender === "ai" || sender === "human";
  const time = element("time", { datetime: new Date(at).toISOString() }, clock.format(at));
  const who = element("span", { class: isSeen ? "name" : "unseen" }, name);
  const role = message.name === undefined ? [] : [element("span", { class: "role" }, names[sender]), " "];
  // A picture of the name beside it, not one more text.
  const avatar = element("span", { class: "avatar", "aria-hidden": "true", "data-initial": initialOf(name) });
  const said = sender === "user" ? asTyped(text) : formatted(shownText(message));
  return element(
    "div",
    { class: "message", "data-sender": sender, "data-key": key },
    ...(isSeen ? [avatar] : []),
    element("div", { class: sender === "system" ? "unseen" : "who" }, who, " ", ...role, time),
    ...(text === "" ? [] : [element("div", { class: "text", dir: "auto" }, ...said)]),
    ...attachments.map((attachment) => attachmentElement(attachment, sender)),
    ...(suggestions.length === 0 ? [] : [questionsElement(suggestions, actions.send)]),
    ...(rates
      ? [
          ratingElement(words.rateAnswer, words, ratings[messageId], (rating, comment) =>
            actions.rate({ messageId, rating, comment }),
          ),
        ]
      : []),
  );
}

/** A link with its name. A picture from the team is previewed, where the page's policy allows it. */
function attachmentElement({ type, url, name }: Attachment, sender: Sender): HTMLElement {
  const link = linkTo(url, name ?? url);
  const file = element("div", { class: "text file", dir: "auto" }, icon(CLIP, 18), " ", link);
  if (sender !== "human" || type !== "image" || typeof link === "string") return file;
  // Its name stands beside it.
  const preview = element("img", { alt: "", loading: "lazy", referrerpolicy: "no-referrer", src: url });
  preview.addEventListener("error", () => preview.remove());
  file.prepend(preview);
  return file;
}

function initialOf(name: string): string {
  return ([...name.trim()][0] ?? "").toUpperCase();
}

/** The questions stand on buttons, so that the text does not list them a second time. */
function shownText({ text, suggestions = [] }: ShownMessage): string {
  return suggestions.length === 0 ? text : (text.split("\n", 1)[0] ?? text);
}

/** Questions to choose from; one that is chosen is asked at once. */
export function questionsElement(questions: readonly string[], ask: (question: string) => void): HTMLElement {
  return element(
    "ul",
    { class: "questions" },
    ...questions.map((question) => {
      const choose = element("button", { type: "button", dir: "auto" }, question);
      choose.addEventListener("click", () => ask(question));
      return element("li", {}, choose);
    }),
  );
}

function stateElement(
  { state, isSeen = false, key }: ShownMessage,
  words: Words,
  actions: MessageActions,
): HTMLElement {
  const line = element("div", { class: "state", "data-state": state, hidden: state === "sent" && !isSeen });
  if (isSeen) line.append(words.seen);
  if (state === "sending") line.append(words.sending);
  if (state === "failed") {
    const retry = element("button", { type: "button" }, words.retry);
    retry.addEventListener("click", () => actions.retry(key));
    line.append(words.notSent, retry);
  }
  return line;
}
