import { createHttpTransport } from "./http-transport.ts";
import { createMemory } from "./memory.ts";
import { createSession, type Session } from "./session.ts";
import { STYLE } from "./style.ts";
import type { ChatTransport } from "./transport.ts";
import { createView, element, type View } from "./view.ts";
import { languageOf, wordsIn } from "./words.ts";

/** Made node by node, because pages may forbid HTML from strings. */
function speechBubble(): SVGElement {
  const [svg, path] = ["svg", "path"].map((name) =>
    document.createElementNS("http://www.w3.org/2000/svg", name),
  );
  const drawn = { viewBox: "0 0 24 24", width: "26", height: "26", fill: "none", stroke: "currentColor" };
  for (const [name, value] of Object.entries({ ...drawn, "stroke-width": "2", "aria-hidden": "true" }))
    svg?.setAttribute(name, value);
  path?.setAttribute("d", "M4 5h16v11H9l-5 4z");
  svg?.append(path ?? "");
  return svg as SVGElement;
}

/**
 * `<signalbox-chat api-host token-url mode lang heading theme>`: a chat with an agent, and with the people behind it.
 * `mode` is `inline` (by default), `bubble` or `page`.
 */
export class SignalboxChat extends HTMLElement {
  /** In place of `token-url`: gives the user's token; `again` says that the last one was no longer taken. */
  getToken: ((again: boolean) => Promise<string>) | undefined;
  /** In place of the service's own live channel. */
  transport: ChatTransport | undefined;

  #session: Session | undefined;
  #token: Promise<string> | undefined;
  #unread = 0;
  #seen = 0;

  connectedCallback(): void {
    const language = languageOf([
      this.getAttribute("lang"),
      document.documentElement.lang,
      navigator.language,
    ]);
    const words = wordsIn(language);
    const memory = createMemory(this.#memoryName(), storageOf());
    const isBubble = this.getAttribute("mode") === "bubble";
    const root = this.shadowRoot ?? this.attachShadow({ mode: "open" });
    const session = createSession({
      transport: this.transport ?? this.#httpTransport(),
      memory,
      onChange: (state) => {
        view.render(state);
        const theirs = state.messages.filter(({ sender }) => sender !== "user").length;
        this.#count(theirs, state.isCaughtUp && Boolean(view.panel.hidden));
        renderLaunch();
      },
      newId: () => crypto.randomUUID(),
      now: () => Date.now(),
    });
    this.#session = session;
    const view: View = createView(words, this.getAttribute("heading"), isBubble, memory.read().draft, {
      send: session.send,
      retry: session.retry,
      askForPerson: session.askForPerson,
      endWithPerson: session.endWithPerson,
      draft: (draft) => memory.write({ draft }),
      shut: () => show(false),
    });

    const badge = element("span", { class: "badge", "aria-hidden": "true" });
    const launch = element(
      "button",
      { type: "button", class: "launch", "aria-controls": "panel" },
      speechBubble(),
      badge,
    );
    const renderLaunch = () => {
      const isOpen = !view.panel.hidden;
      const count = isOpen ? 0 : this.#unread;
      badge.hidden = count === 0;
      badge.textContent = String(count);
      const label = isOpen ? words.close : words.open;
      launch.setAttribute("aria-label", count === 0 ? label : `${label}, ${words.unread(count)}`);
      launch.setAttribute("aria-expanded", String(isOpen));
    };
    const show = (isOpen: boolean) => {
      view.panel.hidden = !isOpen;
      this.#unread = 0;
      renderLaunch();
      if (isOpen) view.focusComposer();
      else launch.focus();
    };

    view.panel.id = "panel";
    view.panel.lang = language;
    if (isBubble) {
      view.panel.hidden = true;
      view.panel.setAttribute("role", "dialog");
      view.panel.addEventListener("keydown", (event) => {
        if (event.key === "Escape" && !event.isComposing) show(false);
      });
      launch.addEventListener("click", () => show(Boolean(view.panel.hidden)));
    }
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(STYLE);
    root.adoptedStyleSheets = [sheet];
    root.replaceChildren(view.panel, ...(isBubble ? [launch] : []));
    view.render(session.state());
    renderLaunch();
    session.resume();
  }

  disconnectedCallback(): void {
    this.#session?.stop();
  }

  /** To be called when the user signs out: the next one at this browser begins anew. */
  forget(): void {
    this.#session?.stop();
    this.#token = undefined;
    createMemory(this.#memoryName(), storageOf()).write({ conversationId: undefined, unsent: [], draft: "" });
    this.#unread = 0;
    this.#seen = 0;
    if (this.isConnected) this.connectedCallback();
  }

  /** What came while the panel was shut; history is not news. */
  #count(theirs: number, isNews: boolean): void {
    if (isNews) this.#unread += Math.max(0, theirs - this.#seen);
    this.#seen = theirs;
  }

  #httpTransport(): ChatTransport {
    return createHttpTransport({
      apiHost: this.getAttribute("api-host") ?? location.origin,
      token: (again) => {
        if (again) this.#token = undefined;
        return (this.#token ??= this.#fetchToken(again).catch((error: unknown) => {
          this.#token = undefined;
          throw error;
        }));
      },
    });
  }

  async #fetchToken(again: boolean): Promise<string> {
    if (this.getToken !== undefined) return this.getToken(again);
    const url = this.getAttribute("token-url");
    if (url === null) throw new Error("signalbox-chat needs token-url or getToken");
    const response = await fetch(url, { method: "POST", credentials: "same-origin" });
    if (!response.ok) throw new Error(`token-url answered HTTP ${response.status}`);
    const { token } = (await response.json()) as { token: string };
    return token;
  }

  #memoryName(): string {
    return `signalbox-chat ${this.getAttribute("api-host") ?? ""} ${this.id}`.trim();
  }
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
