import { make } from "/desk/page/elements.js";

/** From the chat page to what shows the other side of it. */
export function linkPages(words, serviceUrl, language) {
  const pages = { chat: "/", inbox: `/inbox/${language}`, console: `${serviceUrl}/console/` };
  const nav = document.querySelector("#pages");
  nav.setAttribute("aria-label", words.pages);
  nav.replaceChildren(
    ...Object.entries(pages).map(([name, href]) =>
      make("a", { href, textContent: words.pageNames[name], "aria-current": name === "chat" && "page" }),
    ),
  );
}
