import type { Upload } from "./attach.ts";
import { createHttpTransport } from "./http-transport.ts";
import { createLauncher } from "./launcher.ts";
import { createMemory, type Memory } from "./memory.ts";
import { followTheme } from "./page-theme.ts";
import { createChime } from "./sound.ts";
import { createSession, type Session } from "./session.ts";
import { DARK_STYLE, STYLE } from "./style.ts";
import type { ChatTransport } from "./transport.ts";
import { createView, type View } from "./view.ts";
import { languageOf, wordsIn, type Words } from "./words.ts";

/**
 * `<signalbox-chat api-host token-url mode lang dir theme heading greeting questions>`: a chat with an agent, and with the
 * people behind it. `mode` is `inline` (by default), `bubble` or `page`.
 */
export class SignalboxChat extends HTMLElement {
  static readonly observedAttributes = ["mode", "lang", "heading", "greeting", "questions"];

  /**
   * In place of `token-url`: gives the user's token. `again` says that the last one was no longer taken; `anonymousId` is
   * the visitor's from an earlier page, where `token-url` told it.
   */
  declare getToken: ((again: boolean, anonymousId?: string) => Promise<string>) | undefined;
  /** In place of the service's own live channel. */
  declare transport: ChatTransport | undefined;

  #words: Partial<Words> = {};
  #upload: Upload | undefined;
  #session: Session | undefined;
  #token: Promise<string> | undefined;
  #stopTheme = () => {};

  /** In place of words of the widget, in any language. */
  get words(): Partial<Words> {
    return this.#words;
  }
  set words(words: Partial<Words>) {
    this.#words = words;
    this.#restart();
  }

  /** Lets the user send files: takes one, puts it on your own server, and gives its address. */
  get upload(): Upload | undefined {
    return this.#upload;
  }
  set upload(upload: Upload | undefined) {
    this.#upload = upload;
    this.#restart();
  }

  connectedCallback(): void {
    // A page may have set them before the element was defined; they would hide the accessors.
    if (Object.hasOwn(this, "words")) {
      const { words } = this;
      Reflect.deleteProperty(this, "words");
      this.#words = words;
    }
    if (Object.hasOwn(this, "upload")) {
      const { upload } = this;
      Reflect.deleteProperty(this, "upload");
      this.#upload = upload;
    }
    const tag = this.getAttribute("lang") || document.documentElement.lang || navigator.language;
    const words = this.#wordsFor(tag);
    const memory = createMemory(this.#memoryName(), storageOf());
    const chime = createChime();
    let heard = 0;
    let wasCaughtUp = false;
    const isBubble = this.getAttribute("mode") === "bubble";
    const session = createSession({
      transport: this.transport ?? this.#httpTransport(memory),
      memory,
      onChange: (state) => {
        view.render(state);
        const theirs = state.messages.filter(({ sender }) => sender !== "user").length;
        launcher?.count(theirs, !state.isCaughtUp);
        const isNews = wasCaughtUp && state.isCaughtUp && theirs > heard;
        if (isNews && memory.read().hasSound) chime();
        heard = theirs;
        wasCaughtUp = state.isCaughtUp;
      },
      isShown: () => !document.hidden && view.isShown(),
      newId,
      now: () => Date.now(),
    });
    this.#session = session;
    const options = {
      words,
      locale: localeOf(tag),
      questions: listOf(this.getAttribute("questions")),
      hasShut: isBubble,
      draft: memory.read().draft,
      ratings: memory.read().ratings,
      hasSound: memory.read().hasSound,
      upload: this.#upload,
    };
    const view: View = createView(options, {
      send: session.send,
      type: session.type,
      retry: session.retry,
      askForPerson: session.askForPerson,
      endWithPerson: session.endWithPerson,
      rate: session.rate,
      list: session.list,
      open: session.open,
      startNew: session.startNew,
      attach: (attachment) => session.send("", [attachment]),
      setSound: (hasSound) => {
        memory.write({ hasSound });
        if (hasSound) chime();
      },
      draft: (draft) => memory.write({ draft }),
      shut: () => launcher?.shut(),
    });
    view.panel.id = "panel";
    view.panel.lang = Object.keys(this.#words).length === 0 ? languageOf(tag) : tag;
    const root = this.shadowRoot ?? this.attachShadow({ mode: "open" });
    // One that is shown anew stays as it was.
    const isOpen = root.querySelector<HTMLElement>("#panel")?.hidden === false;
    const onOpen = () => {
      view.focusComposer();
      session.look();
    };
    const launcher = isBubble ? createLauncher(words, view.panel, isOpen, onOpen) : undefined;

    this.#stopTheme = followTheme(this, (isDark) => {
      root.adoptedStyleSheets = isDark ? [sheetOf(STYLE), sheetOf(DARK_STYLE)] : [sheetOf(STYLE)];
    });
    root.replaceChildren(view.panel, ...(launcher === undefined ? [] : [launcher.button]));
    view.render(session.state());
    document.addEventListener("visibilitychange", session.look);
    session.resume();
  }

  disconnectedCallback(): void {
    if (this.#session !== undefined) document.removeEventListener("visibilitychange", this.#session.look);
    this.#session?.stop();
    this.#session = undefined;
    this.#stopTheme();
  }

  attributeChangedCallback(_name: string, before: string | null, now: string | null): void {
    if (before !== now) this.#restart();
  }

  /** Shows itself anew and goes on with the conversation; before it is shown there is nothing to do. */
  #restart(): void {
    if (this.#session === undefined) return;
    this.disconnectedCallback();
    this.connectedCallback();
  }

  /** To be called when the user signs out: the next one at this browser begins anew. */
  forget(): void {
    this.#token = undefined;
    this.#session?.stop();
    createMemory(this.#memoryName(), storageOf()).write({
      anonymousId: undefined,
      conversationId: undefined,
      unsent: [],
      draft: "",
      ratings: {},
      hasSound: false,
    });
    this.#restart();
  }

  #wordsFor(tag: string): Words {
    const words = { ...wordsIn(languageOf(tag)), ...this.#words };
    return {
      ...words,
      heading: this.getAttribute("heading") ?? words.heading,
      greeting: this.getAttribute("greeting") ?? words.greeting,
    };
  }

  #httpTransport(memory: Memory): ChatTransport {
    return createHttpTransport({
      apiHost: this.getAttribute("api-host") ?? location.origin,
      token: (again) => {
        if (again) this.#token = undefined;
        return (this.#token ??= this.#fetchToken(again, memory).catch((error: unknown) => {
          this.#token = undefined;
          throw error;
        }));
      },
    });
  }

  async #fetchToken(again: boolean, memory: Memory): Promise<string> {
    const { anonymousId } = memory.read();
    if (this.getToken !== undefined) return this.getToken(again, anonymousId);
    const url = this.getAttribute("token-url");
    if (url === null) throw new Error("signalbox-chat needs token-url or getToken");
    const response = await fetch(url, {
      method: "POST",
      credentials: "same-origin",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ anonymous_id: anonymousId ?? null }),
    });
    if (!response.ok) throw new Error(`token-url answered HTTP ${response.status}`);
    const reply = (await response.json()) as { token: string; anonymous_id?: string | null };
    if (reply.anonymous_id) memory.write({ anonymousId: reply.anonymous_id });
    return reply.token;
  }

  #memoryName(): string {
    return `signalbox-chat ${this.getAttribute("api-host") ?? ""} ${this.id}`.trim();
  }
}

function sheetOf(style: string): CSSStyleSheet {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(style);
  return sheet;
}

/** Questions that stand in one attribute. */
function listOf(attribute: string | null): string[] {
  return (attribute ?? "")
    .split("|")
    .map((one) => one.trim())
    .filter((one) => one !== "");
}

/** The reader's own way to write days and times, where it is of the chat's language. */
function localeOf(tag: string): string {
  const own = navigator.languages.find((one) => one.split("-")[0] === tag.split("-")[0]) ?? tag;
  try {
    return Intl.DateTimeFormat.supportedLocalesOf(own)[0] ?? "en";
  } catch {
    // Pages write "en_US" too, which is no tag of a language.
    return "en";
  }
}

/** Pages that are not served securely have no randomUUID. */
function newId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Reading the property alone throws where a browser forbids storage. */
function storageOf(): Storage | undefined {
  try {
    return globalThis.localStorage;
  } catch {
    return undefined;
  }
}

if (customElements.get("signalbox-chat") === undefined)
  customElements.define("signalbox-chat", SignalboxChat);
