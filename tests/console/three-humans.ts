import assert from "node:assert/strict";
import { operatorOf } from "@signalbox/tests/support/agents.ts";
import { joinAs } from "@signalbox/tests/support/members.ts";
import { eventually } from "@signalbox/tests/support/processes.ts";
import type { Page } from "playwright-core";
import type { ConsoleTab } from "./console-tab.ts";
import { IS_WHOLE } from "./screen-data.ts";
import type { AddTest, Stage } from "./stage.ts";
import { assertWhole, marksIn, openBusyDesk, type BusyDesk, type ChattingUser } from "./three-humans-desk.ts";
import { INBOX_WORDS, type InboxLanguage } from "./three-humans-words.ts";

const LONG = { timeout: 90_000 };
const WAIT = { timeoutMs: 90_000 };
const AGAIN_MS = 5_000;
/** Each look asks a page for its roles, which costs it more than a message does. */
const LOOK = { ...WAIT, everyMs: 250 };
const NAMES = ["Ada Okafor", "Bo Lindqvist", "李雷"];
const TEAMS: InboxLanguage[][] = IS_WHOLE
  ? [
      ["en", "en", "en"],
      ["zh-CN", "zh-CN", "zh-CN"],
    ]
  : [["en", "zh-CN", "en"]];
const USERS = IS_WHOLE ? 20 : 6;

/** Somebody of the team in a browser of their own. */
interface Human {
  name: string;
  tab: ConsoleTab;
  page: Page;
  words: (typeof INBOX_WORDS)[InboxLanguage];
}

/** The holder of a user's chat, and the humans' messages in it. */
interface Served {
  user: ChattingUser;
  human: Human;
  written: string[];
}

/** A team at work in several browsers while parts of the service die. */
export function threeHumansJourneys(it: AddTest): void {
  for (const team of TEAMS)
    it(`inbox: three humans serve ${USERS} users while a worker and an api node are killed, and no message is lost or shown twice (${team.join(", ")})`, async (stage) => {
      await using desk = await openBusyDesk(USERS);
      await operatorOf(desk.bed).cannedReplies.create({
        agent_id: desk.agent.agentId,
        title: "hours",
        text: "Hello {{user.id}}, {{human.name}} here. We open at nine.",
      });
      await using tabs = new AsyncDisposableStack();
      const humans = await Promise.all(
        team.map(async (language, index) => {
          const human = await openHuman(stage, desk, { language, name: NAMES[index] ?? "" });
          tabs.use(human.tab);
          return human;
        }),
      );
      const served = await takeContested(humans, desk.users);
      const of = (human: Human) => served.filter((one) => one.human === human);
      let greeted = 0;
      const greeting = Promise.all(
        humans.map(async (human) => {
          for (const one of of(human)) {
            await takeAndGreet(one);
            greeted += 1;
          }
        }),
      );
      await eventually("a part of the users is greeted", () => greeted >= USERS / 4, WAIT);
      const broken = await killWorker(desk, () => greeted);
      await greeting;
      for (const one of served.filter(({ user }) => user.index % 4 === 2)) await transfer(one, humans);
      let closed = 0;
      const closing = Promise.all(
        humans.map(async (human) => {
          for (const one of of(human)) {
            await finish(desk, one);
            closed += 1;
          }
        }),
      );
      await eventually("a part of the chats is closed", () => closed >= USERS / 4, WAIT);
      assert.ok(closed < USERS, "void: all chats were closed before the api node was killed");
      const unanswered = await desk.killApi();
      await closing;
      assert.ok(broken > 0 && unanswered > 0, `void: ${broken} deliveries and ${unanswered} calls were cut`);
      for (const { name, tab, page } of humans) {
        assert.deepEqual(await page.evaluate("doubled"), [], `${name} saw a message twice`);
        tab.assertQuiet();
      }
    });
}

async function killWorker(desk: BusyDesk, greeted: () => number): Promise<number> {
  assert.ok(greeted() < USERS, "void: all users were greeted before the worker was killed");
  return desk.killWorker();
}

async function openHuman(
  { tabOf }: Stage,
  { bed, agent, url }: BusyDesk,
  { language, name }: { language: InboxLanguage; name: string },
): Promise<Human> {
  const { cookie } = await joinAs(bed, { role: "support", agentId: agent.agentId, name });
  const tab = await tabOf({ baseUrl: url, operatorToken: undefined, cookie, language });
  const words = INBOX_WORDS[language];
  // At every change of the page: a message that stands there twice for one frame is shown twice.
  await tab.page.addInitScript(`
    globalThis.doubled = [];
    const look = () => {
      const marks = document.querySelector('[role="region"][aria-label="${words.messages}"]')?.textContent.match(/\\[[uhn]\\d+-\\d+\\]/g) ?? [];
      for (const mark of marks) if (marks.indexOf(mark) !== marks.lastIndexOf(mark) && !doubled.includes(mark)) doubled.push(mark);
    };
    new MutationObserver(look).observe(document, { childList: true, characterData: true, subtree: true });
  `);
  await tab.open(`/inbox?agent=${agent.agentId}`);
  return { name, tab, page: tab.page, words };
}

const rowOf = ({ page, words }: Human, { id }: ChattingUser) =>
  page.getByRole("list", { name: words.queue }).getByRole("link", { name: id });

const isMine = ({ page, words }: Human) => page.getByRole("status").getByText(words.withYou);

const TALKS = /\/inbox\/talks\/(search$|[0-9a-f-]+(\?|$))/;

/** All of them at once: one has it, the others read who. Then the rest is shared out. */
async function takeContested(humans: Human[], users: ChattingUser[]): Promise<Served[]> {
  const [first, ...others] = users;
  assert.ok(first !== undefined);
  const held = Promise.withResolvers<void>();
  for (const human of humans) {
    await rowOf(human, first).click(LONG);
    await buttonOf(human, first, human.words.take).waitFor(LONG);
    // None of them hears of the others' clicks before its own.
    await human.page.route(TALKS, async (route) => {
      await held.promise;
      await route.continue().catch(() => undefined);
    });
  }
  await Promise.all(humans.map((human) => buttonOf(human, first, human.words.take).click(LONG)));
  held.resolve();
  const ends = await Promise.all(
    humans.map(async (human) => {
      const refusal = human.page.getByText(human.words.wasFaster).first();
      await isMine(human).or(refusal).first().waitFor(LONG);
      const text = (await isMine(human).isVisible()) ? undefined : await refusal.textContent(LONG);
      await human.page.unroute(TALKS);
      return { human, text };
    }),
  );
  const winners = ends.filter(({ text }) => text === undefined).map(({ human }) => human);
  const [winner] = winners;
  assert.ok(winner !== undefined && winners.length === 1, `${winners.length} have the chat`);
  for (const { text } of ends) if (text !== undefined) assert.ok(text?.startsWith(winner.name), `${text}`);
  return [
    { user: first, human: winner, written: [] },
    ...others.map((user, index) => ({ user, human: humans[index % humans.length] ?? winner, written: [] })),
  ];
}

/** In the pane of the user's chat: a toast may have a button of the same name. */
const buttonOf = ({ page }: Human, { id }: ChattingUser, name: string) =>
  page.getByRole("region", { name: id }).getByRole("button", { name, exact: true });

async function takeAndGreet(one: Served): Promise<void> {
  const { human, user } = one;
  const { page, words } = human;
  await page.getByRole("button", { name: user.index === 0 ? words.mine : words.waiting }).click(LONG);
  await rowOf(human, user).click(LONG);
  await page.getByRole("heading", { name: user.id }).waitFor(LONG);
  const take = buttonOf(human, user, words.take);
  await again("the chat is taken", async () => {
    if (await isMine(human).isVisible()) return true;
    // What a call that got no answer did is seen a moment later.
    await take.click({ timeout: AGAIN_MS }).catch(() => undefined);
    await isMine(human)
      .waitFor({ timeout: AGAIN_MS })
      .catch(() => undefined);
    return isMine(human).isVisible();
  });
  await write(one, "Hello, how can I help?");
}

const again = (what: string, act: () => Promise<boolean>) => eventually(what, act, LOOK);

const messagesOf = ({ page, words }: Human) => page.getByRole("region", { name: words.messages });
const shownIn = async (human: Human) => marksIn((await messagesOf(human).textContent()) ?? "");

/** A human who reads that the reply was not sent tries again. */
async function write({ human, user, written }: Served, text: string): Promise<void> {
  const { page, words } = human;
  const field = page.getByLabel(words.reply);
  const mark = `[h${user.index}-${written.length}]`;
  await field.fill(`${text} ${mark}`, LONG);
  await field.press("Enter");
  written.push(mark);
  await again(`${mark} is sent`, async () => {
    const retry = messagesOf(human).getByRole("button", { name: words.retry });
    if (await retry.isVisible()) await retry.click({ timeout: AGAIN_MS }).catch(() => undefined);
    return (await messagesOf(human).locator("section").filter({ hasText: mark }).count()) > 0;
  });
}

async function transfer(one: Served, humans: Human[]): Promise<void> {
  const { human, user } = one;
  const { page, words } = human;
  const next = humans[(humans.indexOf(human) + 1) % humans.length] ?? human;
  await openMine(human, user);
  await buttonOf(human, user, words.transfer).click(LONG);
  const dialog = page.getByRole("dialog", { name: words.transferDialog });
  await dialog.getByRole("combobox", { name: words.transferTo }).click(LONG);
  await page.getByRole("option", { name: next.name }).click(LONG);
  await page.getByRole("listbox").waitFor({ state: "detached", ...LONG });
  await dialog.getByRole("button", { name: words.transfer }).click(LONG);
  await page.getByText(words.transferred(next.name)).first().waitFor(LONG);
  one.human = next;
}

async function openMine(human: Human, user: ChattingUser): Promise<void> {
  await human.page.getByRole("button", { name: human.words.mine }).click(LONG);
  await rowOf(human, user).click(LONG);
  await human.page.getByRole("heading", { name: user.id }).waitFor(LONG);
  await isMine(human).waitFor(LONG);
}

/** A note, a canned reply or a file in turn, the user's attachment, the last words, and the end. */
async function finish(desk: BusyDesk, one: Served): Promise<void> {
  const { human, user, written } = one;
  const { page, words } = human;
  await openMine(human, user);
  if (user.index % 4 === 0) await addNote(one);
  if (user.index % 4 === 1) await replyWithCanned(one);
  if (user.index % 4 === 3) await replyWithFile(desk, one);
  await user.finish();
  await eventually(
    `${human.name} reads all that ${user.id} said`,
    async () => {
      const shown = new Set(await shownIn(human));
      return user.said.every((mark) => shown.has(mark));
    },
    LOOK,
  );
  await messagesOf(human).getByRole("link", { name: "parcel.png" }).waitFor(LONG);
  await write(one, "It comes tomorrow.");
  await again("the chat is closed", async () => {
    const isClosed = page.getByText(words.isClosed);
    if (await isClosed.isVisible()) return true;
    await buttonOf(human, user, words.close)
      .click({ timeout: AGAIN_MS })
      .catch(() => undefined);
    const sure = page.getByRole("alertdialog").getByRole("button", { name: words.close });
    await sure.click({ timeout: AGAIN_MS }).catch(() => undefined);
    await isClosed.waitFor({ timeout: AGAIN_MS }).catch(() => undefined);
    return isClosed.isVisible();
  });
  await assertWhole(desk, user, { written, shown: await shownIn(human) });
}

async function addNote({ human, user }: Served): Promise<void> {
  const { page, words } = human;
  const mark = `[n${user.index}-0]`;
  await page.getByLabel(words.reply).press("Tab");
  await page.getByLabel(words.note).fill(`Asked before. ${mark}`);
  await page.keyboard.press("Enter");
  await messagesOf(human).locator("section").filter({ hasText: mark }).waitFor(LONG);
  await page.getByLabel(words.note).press("Tab");
}

async function replyWithCanned(one: Served): Promise<void> {
  const { human, user } = one;
  const { page, words } = human;
  const field = page.getByLabel(words.reply);
  await field.fill("/ho");
  await page.getByRole("option", { name: /hours/ }).waitFor(LONG);
  await field.press("Enter");
  const filled = `Hello ${user.id}, ${human.name} here. We open at nine.`;
  await eventually("the reply is filled in", async () => (await field.inputValue()) === filled, WAIT);
  await write(one, filled);
}

async function replyWithFile(desk: BusyDesk, one: Served): Promise<void> {
  const { human, user } = one;
  const { page, words } = human;
  const name = `label-${user.index}.pdf`;
  const url = `https://files.example.com/${name}`;
  await page.getByRole("button", { name: words.attach, exact: true }).click(LONG);
  const dialog = page.getByRole("dialog", { name: words.attachDialog });
  await dialog.getByLabel(words.attachUrl).fill(url, LONG);
  await dialog.getByRole("button", { name: words.attachAdd, exact: true }).click(LONG);
  await page.getByRole("list", { name: words.attached }).getByText(name).waitFor(LONG);
  await write(one, "Print this label.");
  const link = messagesOf(human).locator("section").getByRole("link", { name });
  await link.waitFor(LONG);
  assert.equal(await link.getAttribute("href"), url);
  const arrived = () => desk.arrivedTexts(user).filter((text) => text.includes(url)).length;
  await eventually(`${name} reaches the user`, () => arrived() > 0, WAIT);
  assert.equal(arrived(), 1, `${name} reaches the user once`);
}
