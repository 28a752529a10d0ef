import { make } from "/desk/page/elements.js";

const PAGES = { chat: "/", desk: "/desk/", inspector: "/inspect/" };

/** The three pages, from each of those that are ours. */
export function linkPages(words, here) {
  const nav = document.querySelector("#pages");
  nav.setAttribute("aria-label", words.pages);
  nav.replaceChildren(
    ...Object.entries(PAGES).map(([name, href]) =>
      make("a", { href, textContent: words.pageNames[name], "aria-current": name === here && "page" }),
    ),
  );
}
