import { chosenLanguage, make, setText, speak } from "./elements.js";
import { createQueue, nameOf } from "./queue.js";
import { createTalk } from "./talk.js";
import { wordsIn } from "./words.js";

const at = (selector) => document.querySelector(selector);
const language = chosenLanguage();
const words = wordsIn(language);
speak(language, words);
const title = document.title;

const queue = createQueue(at("#queue"), words, language);
let me;
let list = [];
let talk;
let talkId = "";
/** What was there before, so that only what is new is announced; undefined: nothing was read yet. */
let seen;

async function call(path, method = "GET", body) {
  const response = await fetch(`api/${path}`, {
    method,
    ...(body !== undefined && {
      body: JSON.stringify(body),
      headers: { "content-type": "application/json" },
    }),
  });
  const reply = await response.json();
  if (response.status === 401) showSignIn();
  return response.ok ? reply : { problem: reply.problem };
}

/** Gives the problem, or undefined when it was done. */
async function act(id, name, body) {
  try {
    const { problem } = await call(`conversations/${id}/${name}`, "POST", body);
    await refresh();
    return problem;
  } catch {
    return "failed";
  }
}

async function reply(id, text) {
  const client_id = Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16)).join(
    "",
  );
  const problem = await act(id, "reply", { text, client_id });
  // An answer that was lost: the same words again are the same words.
  return problem === "failed" ? act(id, "reply", { text, client_id }) : problem;
}

let refreshing;
/** Whatever comes while one is under way is read by one more. */
function refresh() {
  refreshing = (refreshing ?? Promise.resolve()).then(read, read);
  return refreshing;
}

async function read() {
  if (me === undefined) return;
  const found = await call("conversations");
  if (found.list === undefined) return;
  announce(found.list);
  list = found.list;
  showQueue(found.now);
  await showTalk();
}

function showQueue(now = Date.now()) {
  const waiting = queue.render(list, talkId, me, now);
  document.title = waiting > 0 ? `(${waiting}) ${title}` : title;
}

function announce(found) {
  const before = seen;
  seen = new Map(found.map(({ id, last_at }) => [id, last_at]));
  if (before === undefined) return;
  for (const conversation of found) {
    const { id, last_at, last_kind, last_text, ended_at } = conversation;
    if (ended_at !== null) continue;
    const who = nameOf(conversation, words);
    if (!before.has(id)) setText(at("#announced"), words.announced(who));
    else if (before.get(id) !== last_at && last_kind === "user" && id !== talkId)
      setText(at("#announced"), words.announcedMessage(who, last_text));
  }
}

async function showTalk() {
  const wanted = location.hash.slice(1);
  at("#desk").toggleAttribute("data-open", wanted !== "");
  if (wanted === "") return showNothing(words.choose);
  const found = await call(`conversations/${wanted}`);
  if (wanted !== location.hash.slice(1)) return;
  if (found.conversation === undefined) return showNothing(words.unknown);
  const isOther = talkId !== wanted;
  if (isOther) talk = createTalk(at("#talk"), words, language, { act, reply });
  talkId = wanted;
  talk.render(found, me);
  showQueue();
  if (isOther) talk.focus();
}

function showNothing(text) {
  const left = talkId;
  talkId = "";
  at("#talk").replaceChildren(make("p", { className: "nothing", textContent: text }));
  showQueue();
  if (left !== "") queue.focus(left);
}

let events;
function follow() {
  events?.close();
  events = new EventSource("api/events");
  events.addEventListener("open", () => {
    setText(at("#lost"), "");
    void refresh();
  });
  events.addEventListener("message", () => void refresh());
  events.addEventListener("error", () => {
    if (me === undefined) return;
    setText(at("#lost"), words.lost);
    // A browser gives up where it is refused, as after the session has ended.
    if (events.readyState === EventSource.CLOSED) setTimeout(begin, 2_000);
  });
}

function showSignIn() {
  me = undefined;
  events?.close();
  at("#sign-in").hidden = false;
  at("#desk").hidden = true;
  at("#sign-out").hidden = true;
  setText(at("#me"), "");
  at("#sign-in input").focus();
}

async function begin() {
  try {
    const { name, needs_password } = await call("session");
    at("#password").hidden = !needs_password;
    if (name === null) return showSignIn();
    me = name;
  } catch {
    setText(at("#lost"), words.lost);
    return void setTimeout(begin, 2_000);
  }
  at("#sign-in").hidden = true;
  at("#desk").hidden = false;
  at("#sign-out").hidden = false;
  setText(at("#me"), me);
  follow();
}

at("#sign-in form").addEventListener("submit", async (event) => {
  event.preventDefault();
  const form = event.target;
  const { name, password } = Object.fromEntries(new FormData(form));
  const { problem } = await call("session", "POST", { name, password }).catch(() => ({ problem: "failed" }));
  setText(
    form.querySelector(".problem"),
    problem === undefined ? "" : problem === "password" ? words.wrongPassword : words.failed,
  );
  if (problem === undefined) await begin();
});
at("#sign-out").addEventListener("click", async () => {
  await call("session", "DELETE");
  seen = undefined;
  showSignIn();
});
addEventListener("hashchange", () => void refresh());
setInterval(() => me !== undefined && showQueue(), 15_000);
await begin();
