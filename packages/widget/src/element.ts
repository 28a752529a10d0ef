import { createHttpTransport } from "./http-transport.ts";
import { createLauncher } from "./launcher.ts";
import { createMemory, type Memory } from "./memory.ts";
import { createSession, type Session } from "./session.ts";
import { STYLE } from "./style.ts";
import type { ChatTransport } from "./transport.ts";
import { createView, type View } from "./view.ts";
import { languageOf, wordsIn } from "./words.ts";

/**
 * `<signalbox-chat api-host token-url mode lang heading theme>`: a chat with an agent, and with the people behind it.
 * `mode` is `inline` (by default), `bubble` or `page`.
 */
export class SignalboxChat extends HTMLElement {
  /**
   * In place of `token-url`: gives the user's token. `again` says that the last one was no longer taken; `anonymousId` is
   * the visitor's from an earlier page, where `token-url` told it.
   */
  getToken: ((again: boolean, anonymousId?: string) => Promise<string>) | undefined;
  /** In place of the service's own live channel. */
  transport: ChatTransport | undefined;

  #session: Session | undefined;
  #token: Promise<string> | undefined;

  connectedCallback(): void {
    const language = languageOf([
      this.getAttribute("lang"),
      document.documentElement.lang,
      navigator.language,
    ]);
    const words = wordsIn(language);
    const memory = createMemory(this.#memoryName(), storageOf());
    const isBubble = this.getAttribute("mode") === "bubble";
    const session = createSession({
      transport: this.transport ?? this.#httpTransport(memory),
      memory,
      onChange: (state) => {
        view.render(state);
        const theirs = state.messages.filter(({ sender }) => sender !== "user").length;
        launcher?.count(theirs, !state.isCaughtUp);
      },
      newId,
      now: () => Date.now(),
    });
    this.#session = session;
    const view: View = createView(words, this.getAttribute("heading"), isBubble, memory.read().draft, {
      send: session.send,
      retry: session.retry,
      askForPerson: session.askForPerson,
      endWithPerson: session.endWithPerson,
      draft: (draft) => memory.write({ draft }),
      shut: () => launcher?.shut(),
    });
    view.panel.id = "panel";
    view.panel.lang = language;
    const launcher = isBubble ? createLauncher(words, view.panel, view.focusComposer) : undefined;

    const root = this.shadowRoot ?? this.attachShadow({ mode: "open" });
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(STYLE);
    root.adoptedStyleSheets = [sheet];
    root.replaceChildren(view.panel, ...(launcher === undefined ? [] : [launcher.button]));
    view.render(session.state());
    session.resume();
  }

  disconnectedCallback(): void {
    this.#session?.stop();
  }

  /** To be called when the user signs out: the next one at this browser begins anew. */
  forget(): void {
    this.#session?.stop();
    this.#token = undefined;
    createMemory(this.#memoryName(), storageOf()).write({
      anonymousId: undefined,
      conversationId: undefined,
      unsent: [],
      draft: "",
    });
    if (this.isConnected) this.connectedCallback();
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
