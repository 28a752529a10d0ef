import assert from "node:assert/strict";
import { makeAgent, operatorOf } from "@signalbox/tests/support/agents.ts";
import { makeDesk } from "@signalbox/tests/support/desk.ts";
import { workbookOf } from "@signalbox/tests/support/office-files.ts";
import type { Page } from "playwright-core";
import { keyboardOf, mouseOf, type Hands } from "./hands.ts";
import { LEAD_WORDS, type LeadWords } from "./lead-words.ts";
import { IS_WHOLE } from "./screen-data.ts";
import type { AddTest, Stage } from "./stage.ts";

const LONG = { timeout: 60_000 };
const ROWS = 300;
const XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";
const WAYS = [
  { language: "en", means: "mouse", handsOf: mouseOf },
  { language: "zh-CN", means: "keyboard", handsOf: keyboardOf },
] as const;
type Way = (typeof WAYS)[number];
/** Each takes half a minute: the second language is for `npm run e2e`. */
const WALKED = IS_WHOLE ? WAYS : WAYS.slice(0, 1);

/** Two title lines, a header that no program knows, three hundred rows and, unless corrected, eleven mistakes. */
function handbook(words: LeadWords, isCorrected: boolean): Buffer {
  const rows = Array.from({ length: ROWS }, (_, at) => [words.question(at + 1), words.answer(at + 1), ""]);
  rows[0] = [words.hours.question, words.hours.answer, ""];
  rows[10] = [words.delivery.question, words.delivery.answer, words.slang];
  if (!isCorrected) {
    for (const at of [10, 20, 30, 40]) rows[at]![1] = "";
    for (const at of [50, 60, 70]) rows[at]![0] = "";
    for (const at of [80, 90]) rows[at]![1] = "TODO";
    for (const at of [100, 110]) rows[at]![1] = "#N/A";
  }
  const titles = words.titles.map((title) => [title, "", ""]);
  return workbookOf({ FAQ: [...titles, words.header, ...rows] });
}

/** The whole way of a lead, in each language of the console; once without a mouse. */
export function leadJourneys(it: AddTest): void {
  for (const way of WALKED) {
    const how = `(${way.language}, ${way.means})`;
    it(`a lead imports 300 rows with eleven mistakes, corrects them, publishes, sees saved questions improve and rolls back ${how}`, (stage) =>
      importHandbook(stage, way));
    it(`a lead answers a group of questions, the agent answers the next wording, and a human's reply becomes a pair ${how}`, (stage) =>
      closeTheLoop(stage, way));
  }
}

async function importHandbook({ bed, tabOf }: Stage, { language, handsOf }: Way): Promise<void> {
  const words = LEAD_WORDS[language];
  const qaList = [words.hours, words.delivery];
  const { agentId: agent_id } = await makeAgent(bed, { name: "Handbook", webhook: false, qaList });
  const operator = operatorOf(bed);
  const [, delivery] = (await operator.pairs.list({ agent_id })).list;
  // One that is answered now, and one in words that nothing finds yet.
  for (const question of [words.delivery.question, words.slang])
    await operator.savedQuestions.add({ agent_id, question, pair_id: delivery?.pair_id ?? "" });
  const questions = async () =>
    (await operator.pairs.list({ agent_id, limit: 2 })).list.map(({ question, answer }) => ({
      question,
      answer,
    }));
  await using tab = await tabOf({ language });
  const { page } = tab;
  const hands = handsOf(page);
  const link = (name: string) => hands.press(page.getByRole("link", { name, exact: true }));
  await tab.open(`/saved-questions?agent=${agent_id}`);
  await hands.press(page.getByRole("switch", { name: words.hold }));
  await hands.press(page.getByRole("button", { name: words.run }));
  await page.getByText(words.passed(1)).first().waitFor(LONG);

  await link(words.knowledge);
  const drawer = page.getByRole("dialog", { name: words.importing });
  await chooseFile(page, hands, words, handbook(words, false));
  await drawer.getByText(words.refused).waitFor(LONG);
  await drawer.getByText(words.warnings).waitFor();
  await drawer.getByText(words.at, { exact: true }).waitFor();
  await drawer.getByText(words.noAnswer).first().waitFor();
  await tab.judge("lead-import");
  await hands.choose(drawer.getByRole("combobox", { name: words.into }), words.replace);
  await hands.press(drawer.getByRole("button", { name: words.confirm(293) }));
  // The row about deliveries has no answer, so a question that passes now would fail.
  await drawer.getByText(words.held).waitFor(LONG);
  await drawer.getByText(words.delivery.question).first().waitFor(LONG);
  await tab.judge("lead-import-held");
  assert.deepEqual(await questions(), qaList, "users see nothing of it");
  await page.keyboard.press("Escape");
  await drawer.waitFor({ state: "detached", ...LONG });

  await chooseFile(page, hands, words, handbook(words, true));
  await drawer.getByRole("button", { name: words.confirm(ROWS) }).waitFor(LONG);
  assert.equal(await drawer.getByText(words.refused).count(), 0);
  await hands.choose(drawer.getByRole("combobox", { name: words.into }), words.replace);
  await hands.press(drawer.getByRole("button", { name: words.confirm(ROWS) }));
  await drawer.getByText(words.done).waitFor(LONG);
  await hands.press(drawer.getByRole("button", { name: words.show }));
  await page.getByRole("button", { name: words.question(2), exact: true }).waitFor(LONG);

  await link(words.saved);
  await page.getByText(words.passed(2)).first().waitFor(LONG);
  await page.getByText(words.better).first().waitFor(LONG);
  await tab.judge("lead-questions-better");
  await hands.press(page.getByRole("switch", { name: words.hold }));

  await link(words.knowledge);
  await hands.press(page.getByRole("button", { name: words.history, exact: true }));
  const history = page.getByRole("dialog", { name: words.historyTitle });
  await hands.press(history.getByRole("button", { name: words.restoreFirst, exact: true }));
  await hands.press(page.getByRole("alertdialog").getByRole("button", { name: words.restore, exact: true }));
  await page.getByText(words.restored).waitFor(LONG);
  assert.deepEqual(await questions(), qaList);
  tab.assertQuiet();
}

/** As far as the preview that is read with the header and columns that the lead says. */
async function chooseFile(page: Page, hands: Hands, words: LeadWords, buffer: Buffer): Promise<void> {
  const chosen = page.waitForEvent("filechooser");
  await hands.press(page.getByRole("button", { name: words.import, exact: true }));
  await (await chosen).setFiles({ name: "handbook.xlsx", mimeType: XLSX, buffer });
  const drawer = page.getByRole("dialog", { name: words.importing });
  await hands.choose(drawer.getByRole("combobox", { name: words.headerRow }), words.rowThree);
  await hands.choose(drawer.getByRole("combobox", { name: words.columnC, exact: true }), words.alternates);
}

async function closeTheLoop({ bed, tabOf }: Stage, { language, handsOf }: Way): Promise<void> {
  const words = LEAD_WORDS[language];
  const desk = await makeDesk(bed, { agent: { name: "Loop", qaList: [words.hours, words.delivery] } });
  const { agent } = desk;
  const { agentId: agent_id } = agent;
  const answerTo = async (content: string) => {
    const { output } = (await agent.client.conversations.sendMessage({
      conversation_id: await agent.converse(),
      response_mode: "blocking",
      messages: [{ role: "user", content }],
    })) as { output: { content: { text: string } }[] };
    return output[0]?.content.text;
  };
  for (const question of ["Do you sell zebras?", "do you sell a zebra", "Sell me zebras, please"])
    await answerTo(question);
  const conversation = await desk.converse();
  await agent.ask(conversation, "Can you repair zippers?");
  const handoff = await desk.connect(conversation);
  await desk.reply(handoff, "We can, within a week. Write to ada@shop.example.");
  await desk.close(handoff);

  await using tab = await tabOf({ language });
  const { page } = tab;
  const hands = handsOf(page);
  const field = (place: Pick<Page, "getByLabel">) => place.getByLabel(words.answerField, { exact: true });
  await tab.open(`/unanswered?agent=${agent_id}`);
  await page.getByText(words.wordings).waitFor(LONG);
  await tab.judge("unanswered-groups");
  await hands.press(page.getByRole("button", { name: "Do you sell zebras?" }));
  await page.getByText(words.alsoAsked).waitFor(LONG);
  await hands.type(field(page), "Only striped ones.");
  await tab.judge("unanswered-group");
  await hands.press(page.getByRole("button", { name: words.save, exact: true }));
  await page.getByText(words.wordings).waitFor({ state: "detached", ...LONG });
  assert.equal(await answerTo("please sell me zebras"), "Only striped ones.");

  await hands.press(page.getByRole("button", { name: words.humans }));
  await hands.press(page.getByRole("button", { name: "Can you repair zippers?" }));
  const review = page.getByRole("dialog", { name: words.review });
  await review.getByText(words.masked, { exact: false }).waitFor(LONG);
  assert.equal(await field(review).inputValue(), "We can, within a week. Write to [email].");
  await tab.judge("human-answer");
  await hands.type(field(review), "Yes, within a week.");
  await hands.press(review.getByRole("button", { name: words.accept }));
  await page.getByText(words.noneToReview).waitFor(LONG);
  assert.equal(await answerTo("Can you repair zippers?"), "Yes, within a week.");
  tab.assertQuiet();
}
