import { clock, make, sendOnEnter, setText } from "./elements.js";
import { nameOf } from "./queue.js";

const ACTIONS = ["take", "release", "close"];

/** One conversation: who the user is, what was said, and what can be done. Made anew for each; then only changed. */
export function createTalk(section, words, language, { act, reply }) {
  const heading = make("h2", { tabIndex: -1 });
  const details = make("dl");
  const buttons = Object.fromEntries(
    ACTIONS.map((name) => [name, make("button", { type: "button", textContent: words[name], hidden: true })]),
  );
  const back = make("a", { href: "#", className: "back", textContent: words.back });
  const log = make("div", { className: "log", role: "log", "aria-label": words.log, "aria-live": "off" });
  const scroll = make(
    "div",
    { className: "scroll", tabIndex: 0, role: "region", "aria-label": words.log },
    log,
  );
  const problem = make("p", { className: "problem note", role: "alert" });
  const note = make("p", { className: "note muted", hidden: true });
  const field = make("textarea", {
    rows: 1,
    "aria-label": words.write,
    placeholder: words.write,
    maxLength: 25_000,
  });
  const form = make(
    "form",
    { className: "write", hidden: true },
    field,
    make("button", { className: "first", textContent: words.send }),
  );
  const head = make(
    "div",
    { className: "head" },
    back,
    heading,
    details,
    make("div", { className: "actions" }, ...Object.values(buttons)),
  );
  section.replaceChildren(head, scroll, problem, note, form);

  const shown = new Map();
  let current;

  async function tell(promise) {
    setText(problem, "");
    const failure = await promise;
    if (failure !== undefined) setText(problem, words.problems[failure] ?? words.failed);
    return failure === undefined;
  }
  for (const name of ACTIONS)
    buttons[name].addEventListener(
      "click",
      () => void tell(act(current.id, name, { from: current.taken_by })),
    );

  async function send() {
    const text = field.value;
    if (text.trim() === "") return;
    field.value = "";
    // A reply that could not be sent goes back into the field.
    if (!(await tell(reply(current.id, text))) && field.value === "") field.value = text;
    field.focus();
  }
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void send();
  });
  sendOnEnter(field, () => void send());

  function renderEntry(entry) {
    const known = shown.get(entry.id);
    const state =
      entry.kind !== "human" || entry.state === "done"
        ? ""
        : words[entry.state === "waiting" ? "sending" : "refused"];
    if (known !== undefined) return setText(known, state);
    const isEnd = entry.kind === "ended";
    const ended = words.endedBy[entry.text];
    const by = entry.kind === "human" ? entry.who : (words[entry.kind] ?? "");
    const stateLine = make("div", {
      className: entry.state === "refused" ? "state problem" : "state",
      textContent: state,
    });
    log.append(
      make(
        "div",
        { className: "entry", "data-kind": entry.kind },
        make("div", {
          className: "by",
          textContent: `${isEnd ? "" : `${by} · `}${clock(language, entry.at)}`,
        }),
        make("div", {
          className: "text",
          textContent: isEnd ? (typeof ended === "function" ? ended(entry.who) : ended) : entry.text,
        }),
        stateLine,
      ),
    );
    shown.set(entry.id, stateLine);
  }

  return {
    render({ conversation, entries }, me) {
      current = conversation;
      const { taken_by, ended_at, is_left } = conversation;
      const isMine = taken_by === me;
      setText(heading, nameOf(conversation, words));
      renderDetails(details, conversation, words, language);
      const isOpen = ended_at === null;
      buttons.take.hidden = !isOpen || isMine;
      setText(buttons.take, taken_by === null ? words.take : words.takeOver(taken_by));
      buttons.take.classList.toggle("first", taken_by === null);
      buttons.release.hidden = !isOpen || !isMine;
      buttons.close.hidden = !isOpen || (taken_by !== null && !isMine);
      const isTalking = isOpen && is_left === 0 && (taken_by === null || isMine);
      form.hidden = !isTalking;
      const isElsewhere = isOpen && taken_by !== null && !isMine;
      note.hidden = !(isElsewhere || (isOpen && is_left === 1));
      setText(note, isElsewhere ? words.othersTalk(taken_by) : words.leftNote);
      const isAtEnd = scroll.scrollHeight - scroll.scrollTop - scroll.clientHeight < 80;
      const before = shown.size;
      for (const entry of entries) renderEntry(entry);
      if (shown.size > before && (isAtEnd || before === 0)) scroll.scrollTop = scroll.scrollHeight;
      // Announcements begin after the history is shown: only new entries are read aloud.
      requestAnimationFrame(() => log.setAttribute("aria-live", "polite"));
    },
    focus: () => (form.hidden ? heading : field).focus(),
  };
}

function renderDetails(list, conversation, words, language) {
  const { email, phone, user_id, anonymous_id, opened_at } = conversation;
  const known = [
    [words.email, email],
    [words.phone, phone],
    [words.userId, user_id],
    [words.anonymousId, anonymous_id],
    [words.asked, clock(language, opened_at)],
  ].filter(([, value]) => value !== null);
  list.replaceChildren(
    ...known.map(([term, value]) =>
      make("div", {}, make("dt", { textContent: term }), make("dd", { textContent: value })),
    ),
  );
}
