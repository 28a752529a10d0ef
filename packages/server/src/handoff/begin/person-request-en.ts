/**
 * Whether a message asks for a person. `may_ask` names one in a way that can also be a question about the service, such as
 * "customer service": where knowledge has no answer to it, a person was meant.
 */
export type PersonRequest = "asks" | "may_ask";

const words = (list: string) => new Set(list.split(" "));

/** Stand before a person without changing who is meant. "My agent" and "another person" are somebody else. */
const DETERMINERS = words("a an the any some your you're one of from these those");
const ADJECTIVES = words(
  "real live actual human proper customer client service support care billing sales technical tech team staff member senior qualified",
);
const CERTAIN_HEADS = words(
  "human humans person agent agents representative representatives rep reps operator advisor adviser supervisor manager being beings colleague colleagues employee consultant specialist",
);
/** Also the name of a thing that knowledge may have an answer about. */
const VAGUE_HEADS = words(
  "someone somebody anyone anybody support service team staff department member chat",
);
const HELP_FROM = words("help assistance support");
/** Words that may follow a person: after any other word it was part of a name, as in "human resources" or "agent costume". */
const FOLLOWERS = words(
  "please now here there today asap instead again directly immediately right thanks real involved and or but to with on in at from for about who that which can could i if because regarding via by not available online around",
);
const HELPS = words(
  "help helps talk speak assist call look explain actually handle fix solve take answer reply join contact sort understand",
);

const CONTACTS = words("talk speak chat");
const CONTACTS_ING = words("talking speaking chatting");
const CONNECTS = words(
  "connect connected transfer transferred switch escalate escalated hand put pass send forward route redirect redirected refer",
);
const CONNECTED = words(
  "me us it this that over on through back please chat conversation call case issue my the",
);
const REACHES = words("contact reach");
const WANTS = words("need want prefer request requesting demand wish looking insist appreciate");
/** "I'd like" is a wish, "I like" is praise. */
const BEFORE_LIKE = words("would i'd we'd id feel");
const ADDRESSES = words("can could would will you let's");
const BEFORE_I = words("can could may do should must shall");
const GIVES = words("get give have find bring send");
const WILLS = words("can could may let would have get ask");

const NEGATIONS = words("not don't dont never without no didn't doesn't nobody");
const REFUSES_BOT = words("not don't dont never no stop enough hate tired sick done without more");
const BOTS = words("bot bots robot robots machine machines chatbot computer ai");
const ASKS_ABOUT = words("what what's when which whose who who's whom where");
/** Knowledge may have an address or a number; if not, a person was asked for. */
const ASKS_WHERE = /^(?:who|where) (?:can|could|do|should) i (?:talk|speak|chat)$/;
const HOW_MUCH = words("long much many often fast");
const POLITE = words(
  "hi hello hey please pls plz thanks thank you ok okay now just so well um sorry sir madam a an the asap immediately right away here there yes no still but any me to for urgent urgently needed required",
);

const SPOKEN = new Map([
  ["gimme", ["give", "me"]],
  ["lemme", ["let", "me"]],
  ["wanna", ["want", "to"]],
  ["w", ["with"]],
  ["u", ["you"]],
]);

/** What one sentence in English says. */
export function readEnglish(sentence: string): PersonRequest | undefined {
  const said = (sentence.match(/[a-z0-9']+/g) ?? []).flatMap((word) => SPOKEN.get(word) ?? [word]);
  if (said.length === 0) return undefined;
  const bare = said.filter((word) => !POLITE.has(word) && !/^\d+$/.test(word));
  if (isRefusalOfBot(said)) return "asks";
  if (asksAbout(bare)) return ASKS_WHERE.test(bare.slice(0, 4).join(" ")) ? "may_ask" : undefined;
  return readBare(said, bare) ?? readWish(said);
}

/** Whether a text wants to know something. */
export function isEnglishQuestion(text: string): boolean {
  return asksAbout((text.match(/[a-z0-9']+/g) ?? []).filter((word) => !POLITE.has(word)));
}

/** "When can I speak to an agent" and "how long does it take" want to know something. */
function asksAbout([first = "", second = "", third = "", fourth = ""]: string[]): boolean {
  if (ASKS_ABOUT.has(first)) return true;
  if (first === "how") return HOW_MUCH.has(second);
  if (first === "did") return true;
  if (/^(?:have|has|was|were)$/.test(first)) return /^(?:i|you|he|she|it|we|they|your)$/.test(second);
  return first === "do" && second === "i" && (third === "have" || third === "need") && fourth !== "";
}

function isRefusalOfBot(said: string[]): boolean {
  const bot = said.findIndex((word) => BOTS.has(word));
  if (bot === -1) return false;
  const before = said.slice(0, bot);
  if (ASKS_ABOUT.has(before[0] ?? "") || before[0] === "how") return false;
  const refuses = before.findIndex((word) => REFUSES_BOT.has(word));
  return refuses !== -1 && before.slice(refuses + 1).every((word) => !CERTAIN_HEADS.has(word));
}

/** Nothing but the name of a person, and politeness. */
function readBare(said: string[], bare: string[]): PersonRequest | undefined {
  if (bare.length === 0 || bare.length > 5 || said[0] === "no" || said.includes("not")) return undefined;
  const isAllNames = bare.every(
    (word) => ADJECTIVES.has(word) || CERTAIN_HEADS.has(word) || VAGUE_HEADS.has(word),
  );
  if (!isAllNames) return undefined;
  if (bare.some((word) => CERTAIN_HEADS.has(word))) return "asks";
  return bare.some((word) => VAGUE_HEADS.has(word)) ? "may_ask" : undefined;
}

function readWish(said: string[]): PersonRequest | undefined {
  for (const [at, word] of said.entries()) {
    const person = personWanted(said, at, word);
    if (person !== undefined && !isNegated(said, at, person)) return "asks";
  }
  return isThereSomebody(said);
}

/** Where the person stands whom this word asks for. */
function personWanted(said: string[], at: number, word: string): number | undefined {
  if (CONTACTS.has(word)) return personAt(said, afterPreposition(said, at + 1));
  if (CONTACTS_ING.has(word)) {
    const isWish = [1, 2, 3].some((back) => isWanting(said, at - back) || said[at - back] === "rather");
    return isWish ? personAt(said, afterPreposition(said, at + 1)) : undefined;
  }
  if (CONNECTS.has(word)) {
    let next = at + 1;
    while (next - at < 5 && CONNECTED.has(said[next] ?? "")) next += 1;
    const follows = said[next] === "to" || said[next] === "with" ? next + 1 : undefined;
    return follows === undefined ? undefined : personAt(said, follows);
  }
  if (REACHES.has(word)) return personAt(said, at + 1);
  if (isWanting(said, at) || isGiving(said, at)) {
    const skipped = /^(?:me|us|for)$/.test(said[at + 1] ?? "") ? 2 : 1;
    return helpfulPersonAt(said, at + skipped) ?? helperAt(said, at, word);
  }
  if (HELP_FROM.has(word) && said[at + 1] === "from") return personAt(said, at + 2);
  return helperAt(said, at, word);
}

/** "Can a human help me", "have someone call me". */
function helperAt(said: string[], at: number, word: string): number | undefined {
  if (!WILLS.has(word)) return undefined;
  const person = personAt(said, at + 1);
  if (person === undefined) return undefined;
  const next = nextAfterPlace(said, person);
  return HELPS.has(said[said[next] === "to" ? next + 1 : next] ?? "") ? person : undefined;
}

function isWanting(said: string[], at: number): boolean {
  const word = said[at] ?? "";
  return WANTS.has(word) || (word === "like" && BEFORE_LIKE.has(said[at - 1] ?? ""));
}

/** "Get me", "can I have", and "get" as the first word. */
function isGiving(said: string[], at: number): boolean {
  if (!GIVES.has(said[at] ?? "")) return false;
  if (said[at + 1] === "me" || said[at - 1] === "to") return true;
  if (said[at - 1] === "i") return BEFORE_I.has(said[at - 2] ?? "");
  return said[at] === "get" && said.slice(0, at).every((word) => POLITE.has(word) || ADDRESSES.has(word));
}

function afterPreposition(said: string[], at: number): number {
  return said[at] === "to" || said[at] === "with" ? at + 1 : at;
}

/** "Somebody from your team", "someone there". */
function nextAfterPlace(said: string[], person: number): number {
  let next = person + 1;
  while (
    next < said.length &&
    (DETERMINERS.has(said[next]!) || ADJECTIVES.has(said[next]!) || /^(?:there|here)$/.test(said[next]!))
  )
    next += 1;
  return next;
}

/** The last word of a person's name that begins here; undefined when something else begins here. */
function personAt(said: string[], from: number): number | undefined {
  let at = from;
  while (DETERMINERS.has(said[at] ?? "")) at += 1;
  let head: number | undefined;
  for (; at < said.length && at - from < 8; at += 1) {
    const word = said[at]!;
    if (CERTAIN_HEADS.has(word) || VAGUE_HEADS.has(word)) head = at;
    else if (HELP_FROM.has(word) && at > from && !/^(?:me|us)$/.test(said[at + 1] ?? "")) head = at;
    else if (!ADJECTIVES.has(word) && !(DETERMINERS.has(word) && ADJECTIVES.has(said[at + 1] ?? ""))) break;
  }
  if (head === undefined) return undefined;
  const next = said[head + 1];
  return next === undefined || FOLLOWERS.has(next) || HELPS.has(next) ? head : undefined;
}

/** A user who needs "a person to sign" needs nobody of ours. */
function helpfulPersonAt(said: string[], from: number): number | undefined {
  const person = personAt(said, from);
  if (person === undefined) return undefined;
  const next = said[person + 1] ?? "";
  const isVagueFor = next === "for" && VAGUE_HEADS.has(said[person]!);
  if (!/^(?:to|who|that)$/.test(next) && !isVagueFor) return person;
  return said.slice(person + 2, person + 6).some((word) => HELPS.has(word)) ? person : undefined;
}

function isNegated(said: string[], at: number, person: number): boolean {
  return said.slice(Math.max(0, at - 5), person).some((word) => NEGATIONS.has(word));
}

const IS_ANYONE_THERE = /^(?:is|are) (?:anyone|anybody|someone|somebody) (?:there|here|available)$/;

/** "Is there a human I can talk to?", "is anyone there?" */
function isThereSomebody(said: string[]): PersonRequest | undefined {
  if (IS_ANYONE_THERE.test(said.slice(0, 3).join(" "))) return "may_ask";
  const there = said.indexOf("there");
  if (there < 1 || !/^(?:is|are)$/.test(said[there - 1]!)) return undefined;
  const person = personAt(said, there + 1);
  if (person === undefined) return undefined;
  return person + 1 < said.length ? "asks" : "may_ask";
}
