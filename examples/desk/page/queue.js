import { ago, arrange, make, setText } from "./elements.js";

/** Who it is, by the best that is known. */
export function nameOf({ email, user_id, phone, anonymous_id }, words) {
  return (
    email ??
    user_id ??
    phone ??
    (anonymous_id === null ? words.visitor : `${words.visitor} ${anonymous_id.slice(-4)}`)
  );
}

/** The list at the side: who waits, who is talked to, what ended lately. */
export function createQueue(nav, words, language) {
  nav.setAttribute("aria-label", words.queue);
  const sections = Object.fromEntries(
    ["waiting", "taken", "ended"].map((name) => {
      const heading = make("h2");
      const list = make("ul");
      const nobody = make("p", {
        className: "muted",
        textContent: name === "waiting" ? words.nobodyWaits : "",
      });
      nav.append(heading, nobody, list);
      return [name, { heading, list, nobody }];
    }),
  );
  const items = new Map();

  function itemOf(id) {
    const known = items.get(id);
    if (known !== undefined) return known;
    const parts = Object.fromEntries(
      ["who", "when", "last", "tag"].map((name) => [name, make("span", { className: name })]),
    );
    const link = make("a", { href: `#${id}` }, parts.who, parts.when, parts.last, parts.tag);
    const made = { ...parts, link, row: make("li", {}, link) };
    items.set(id, made);
    return made;
  }

  function tagOf({ taken_by, is_left, ended_at }, me) {
    if (is_left === 1) return words.leftWord;
    if (taken_by === null || ended_at !== null) return "";
    return taken_by === me ? words.withMe : words.takenBy(taken_by);
  }

  return {
    render(list, openId, me, now) {
      const groups = {
        waiting: list.filter(({ ended_at, taken_by }) => ended_at === null && taken_by === null),
        taken: list.filter(({ ended_at, taken_by }) => ended_at === null && taken_by !== null),
        ended: list.filter(({ ended_at }) => ended_at !== null),
      };
      for (const [name, { heading, list: rows, nobody }] of Object.entries(sections)) {
        const group = groups[name];
        setText(heading, name === "ended" ? words.ended : words[name](group.length));
        heading.hidden = name !== "waiting" && group.length === 0;
        nobody.hidden = name !== "waiting" || group.length > 0;
        const shown = group.map((conversation) => {
          const { id, opened_at, ended_at, last_at, last_kind, last_text } = conversation;
          const item = itemOf(id);
          setText(item.who, nameOf(conversation, words));
          setText(
            item.when,
            ago(language, ended_at ?? (last_kind === "user" ? (last_at ?? opened_at) : opened_at), now),
          );
          setText(item.last, last_text ?? "");
          setText(item.tag, tagOf(conversation, me));
          item.link.toggleAttribute("data-waits", ended_at === null && last_kind !== "human");
          if (id === openId) item.link.setAttribute("aria-current", "true");
          else item.link.removeAttribute("aria-current");
          return item.row;
        });
        arrange(rows, shown);
      }
      return groups.waiting.length;
    },
    focus: (id) => items.get(id)?.link.focus(),
  };
}
