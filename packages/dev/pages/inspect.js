import { ago, arrange, chosenLanguage, make, setText, speak } from "/desk/page/elements.js";
import { ask } from "./asking.js";
import { showDelivery } from "./delivery.js";
import { linkPages } from "./navigation.js";
import { showCheck, showTest } from "./trial.js";
import { wordsIn } from "./words.js";

const LOOK_EVERY_MS = 1_000;

const at = (selector) => document.querySelector(selector);
const language = chosenLanguage();
const words = wordsIn(language);
speak(language, words);
document.title = words.inspector;
linkPages(words, "inspector");

const list = at("#list");
const rows = make("ul");
const nothing = make("p", { className: "muted", hidden: true });
list.setAttribute("aria-label", words.deliveries);
list.append(nothing, rows);
const items = new Map();
/** The newest page is read again and again; older ones are added behind it by hand. */
let newest = [];
let older = [];
let cursor = null;
/** What causes mean and agents are called. */
let names;
/** Undefined: nothing was shown yet. */
let shownKey;

for (const [id, names] of Object.entries({ state: words.states, event: words.events })) {
  const field = at(`#${id}`);
  field.append(make("option", { value: "", textContent: words.all }));
  for (const [value, textContent] of Object.entries(names))
    field.append(make("option", { value, textContent }));
  // Kept in the address, so that it outlives a reload and can be handed on.
  field.value = new URLSearchParams(location.search).get(id) ?? "";
  field.addEventListener("change", () => {
    const address = new URL(location.href);
    if (field.value === "") address.searchParams.delete(id);
    else address.searchParams.set(id, field.value);
    history.replaceState(null, "", address);
    older = [];
    cursor = null;
    void look();
  });
}

function filter() {
  const wanted = { state: at("#state").value, event: at("#event").value };
  return new URLSearchParams(Object.entries(wanted).filter(([, value]) => value !== ""));
}

function itemOf(delivery) {
  const known = items.get(delivery.delivery_id);
  if (known !== undefined) return known;
  const parts = Object.fromEntries(
    ["state", "what", "when", "more"].map((name) => [name, make("span", { className: name })]),
  );
  const link = make(
    "a",
    { href: `#${delivery.delivery_id}` },
    parts.state,
    parts.what,
    parts.when,
    parts.more,
  );
  const made = { ...parts, link, row: make("li", {}, link) };
  items.set(delivery.delivery_id, made);
  return made;
}

function renderList() {
  const known = new Set(newest.map(({ delivery_id }) => delivery_id));
  const all = [...newest, ...older.filter(({ delivery_id }) => !known.has(delivery_id))];
  const open = location.hash.slice(1);
  for (const id of items.keys()) if (!all.some(({ delivery_id }) => delivery_id === id)) items.delete(id);
  arrange(
    rows,
    all.map((delivery) => {
      const item = itemOf(delivery);
      setText(item.state, words.states[delivery.state]);
      item.state.dataset.state = delivery.state;
      setText(item.what, words.events[delivery.event]);
      setText(item.when, ago(language, delivery.create_time));
      const reason = delivery.cause === null ? "" : ` · ${delivery.cause}`;
      const agent = names.agents[delivery.agent_id] ?? "";
      setText(item.more, `${agent} · ${words.attempts(delivery.attempt_count)}${reason}`);
      if (delivery.delivery_id === open) item.link.setAttribute("aria-current", "true");
      else item.link.removeAttribute("aria-current");
      return item.row;
    }),
  );
  nothing.hidden = all.length > 0;
  setText(nothing, filter().size === 0 ? words.nothing : words.nothingFits);
  at("#more").hidden = cursor === null;
}

/** What the open delivery looks like now; it is read again only when this changes. */
function keyOf(id) {
  const found = [...newest, ...older].find(({ delivery_id }) => delivery_id === id);
  return `${id} ${found?.state} ${found?.attempt_count}`;
}

let turn = 0;
async function look() {
  const mine = (turn += 1);
  try {
    names ??= await ask("names").then(({ causes, agents }) => ({
      causes: { ...causes, ...words.causes },
      agents,
    }));
    const page = await ask(`deliveries?${filter()}`);
    if (mine !== turn) return;
    announce(page.list);
    newest = page.list;
    if (older.length === 0) cursor = page.next_cursor;
    setText(at("#lost"), "");
    renderList();
    await showDetail();
  } catch {
    setText(at("#lost"), words.lost);
  }
}

let seen;
function announce(found) {
  const before = seen;
  seen = new Set(found.filter(({ state }) => state !== "pending").map(({ delivery_id }) => delivery_id));
  if (before === undefined) return;
  const [fresh] = found.filter(({ delivery_id }) => seen.has(delivery_id) && !before.has(delivery_id));
  if (fresh !== undefined)
    setText(at("#announced"), words.arrived(words.events[fresh.event], words.states[fresh.state]));
}

async function showDetail() {
  const wanted = location.hash.slice(1);
  const section = at("#detail");
  at("main").toggleAttribute("data-open", wanted !== "");
  const key = keyOf(wanted);
  if (key === shownKey) return;
  const before = shownKey?.split(" ")[0];
  const hadFocus = section.contains(document.activeElement);
  shownKey = key;
  try {
    if (before !== wanted || !isTool(wanted)) await fillDetail(section, wanted);
  } catch (error) {
    // The next look tries again.
    if (shownKey === key) shownKey = before;
    throw error;
  }
  // A reader who came by the address alone has chosen no place yet.
  if (before === undefined) return;
  if (wanted === "") items.get(before)?.link.focus();
  else if (before !== wanted || hadFocus) section.querySelector("h2")?.focus();
}

const isTool = (wanted) => wanted === "" || wanted === "check" || wanted.startsWith("test");

async function fillDetail(section, wanted) {
  const [name, from] = wanted.split("/");
  if (wanted === "")
    return section.replaceChildren(make("p", { className: "muted", textContent: words.choose }));
  if (name === "check") return showCheck(section, words);
  if (name === "test") return showTest(section, from, words);
  const found = await ask(`deliveries/${wanted}`);
  if (wanted !== location.hash.slice(1)) return;
  if (found.delivery === undefined) section.replaceChildren(make("p", { textContent: words.unknown }));
  else showDelivery(section, found, words, language, names);
}

at("#more").addEventListener("click", async () => {
  const query = filter();
  query.set("cursor", cursor);
  const page = await ask(`deliveries?${query}`).catch(() => undefined);
  if (page?.list === undefined) return;
  older = [...older, ...page.list];
  if (older.length === page.list.length) older = [...newest, ...older];
  cursor = page.next_cursor;
  renderList();
});
addEventListener("hashchange", () => {
  renderList();
  void look();
});
setInterval(() => {
  if (document.visibilityState === "visible") void look();
}, LOOK_EVERY_MS);
await look();
