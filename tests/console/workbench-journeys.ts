import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { makeAgent, operatorOf } from "@signalbox/tests/support/agents.ts";
import { makeDesk } from "@signalbox/tests/support/desk.ts";
import { workbookOf } from "@signalbox/tests/support/office-files.ts";
import type { AddTest } from "./stage.ts";

const QA = [
  { question: "When do you open?", answer: "At nine." },
  { question: "Do you deliver?", answer: "Yes, on weekdays." },
];
const LONG = { timeout: 60_000 };

/** Two title lines, three hundred rows, and eleven mistakes among them. */
function handbook(): Buffer {
  const rows = Array.from({ length: 300 }, (_, at) => [
    `What does part ${at + 1} of the machine cost?`,
    `Part ${at + 1} costs ${at + 2} EUR.`,
  ]);
  rows[0] = ["When do you open?", "At ten."];
  rows[1] = ["Can I pay by card?", "Yes, with any card."];
  for (const at of [10, 20, 30, 40]) rows[at] = [rows[at]?.[0] ?? "", ""];
  for (const at of [50, 60, 70]) rows[at] = ["", rows[at]?.[1] ?? ""];
  for (const at of [80, 90]) rows[at] = [rows[at]?.[0] ?? "", "TODO"];
  for (const at of [100, 110]) rows[at] = [rows[at]?.[0] ?? "", "#N/A"];
  return workbookOf({
    FAQ: [["Support handbook", ""], ["Updated in November", ""], ["Customer asks", "We say"], ...rows],
  });
}

/** A lead who keeps the answers right while files come and go. */
export function workbenchJourneys(it: AddTest): void {
  it("a lead saves questions, imports 300 rows with eleven mistakes, sees the questions improve and rolls back", async ({
    bed,
    tabOf,
  }) => {
    const agent = await makeAgent(bed, { name: "Workbench", webhook: false, qaList: QA });
    const { agentId: agent_id } = agent;
    const operator = operatorOf(bed);
    await using tab = await tabOf();
    const { page } = tab;
    await tab.open(`/knowledge?agent=${agent_id}`);
    await page.getByRole("button", { name: "When do you open?" }).waitFor();
    await page.getByRole("button", { name: "Try it" }).click();
    const save = async (question: string, expected: string) => {
      await page.getByLabel("A user's question").fill(question);
      await page.keyboard.press("Enter");
      await page.getByRole("button", { name: "Save this question" }).click();
      await page.getByRole("menuitem", { name: expected }).click();
      await page.getByText("Question saved. It is asked again after every import.").first().waitFor();
    };
    await save("When do you open?", "When do you open?");
    await save("Can I pay by card?", "Should not be answered");
    await tab.judge("knowledge-try-saved");
    await page.keyboard.press("Escape");

    await page.getByRole("link", { name: "Saved questions" }).click();
    await page.getByText("Not run yet").waitFor();
    await page.getByRole("button", { name: "Run now" }).click();
    await page.getByText("2 of 2 passed").first().waitFor(LONG);
    await tab.judge("saved-questions");

    await page.getByRole("switch", { name: /^Hold imports/ }).click();
    await page.getByRole("link", { name: "Knowledge" }).click();
    const chosen = page.waitForEvent("filechooser");
    await page.getByRole("button", { name: "Import", exact: true }).click();
    await (
      await chosen
    ).setFiles({
      name: "handbook.xlsx",
      mimeType: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
      buffer: handbook(),
    });
    const drawer = page.getByRole("dialog", { name: "Import a file" });
    await drawer.getByRole("combobox", { name: "Header row" }).click(LONG);
    await page.getByRole("option", { name: "Row 3", exact: true }).click();
    await drawer.getByText("7 rows refused").waitFor(LONG);
    await drawer.getByText("the cell looks like a placeholder: TODO").first().waitFor();
    await drawer.getByRole("combobox", { name: "Import into" }).click();
    await page.getByRole("option", { name: /^Replace/ }).click();
    await drawer.getByRole("button", { name: "Import 293 questions" }).click(LONG);
    // The question about cards should not be answered, and would be.
    await drawer.getByText("This import is held back").waitFor(LONG);
    await drawer.getByText("Can I pay by card?").first().waitFor();
    await tab.judge("knowledge-import-held");
    assert.equal(
      (await operator.listPairs({ agent_id })).list[0]?.answer,
      "At nine.",
      "users see nothing of it",
    );
    await drawer.getByRole("button", { name: /^Publish anyway: revision/ }).click();
    await page.getByRole("alertdialog").getByRole("button", { name: "Publish anyway" }).click();
    await page.getByText("Published. The agent answers from it now.").waitFor(LONG);
    assert.equal((await operator.listPairs({ agent_id })).list[0]?.answer, "At ten.");

    // Corrected: the answer about cards is wanted after all.
    await page.getByRole("button", { name: "Try it" }).click();
    await save("Can I pay by card?", "Can I pay by card?");
    await page.keyboard.press("Escape");
    await page.getByRole("link", { name: "Saved questions" }).click();
    await page.getByRole("button", { name: "Run now" }).click();
    await page.getByText("1 better").first().waitFor(LONG);
    await tab.judge("saved-questions-better");

    await page.getByRole("switch", { name: /^Hold imports/ }).click();
    await page.getByRole("link", { name: "Knowledge" }).click();
    await page.getByRole("button", { name: "History" }).click();
    const history = page.getByRole("dialog", { name: /^Document history/ });
    await history.getByRole("button", { name: "Restore revision 1" }).click();
    await page.getByRole("alertdialog").getByRole("button", { name: "Restore" }).click();
    await page.getByText("Restored. The agent answers with it now.").waitFor(LONG);
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Do you deliver?" }).waitFor(LONG);
    assert.deepEqual(
      (await operator.listPairs({ agent_id })).list.map(({ question, answer }) => ({ question, answer })),
      QA,
    );

    const saving = page.waitForEvent("download");
    await page.getByRole("button", { name: "Export" }).click();
    await page.getByRole("menuitem", { name: "CSV" }).click();
    const download = await saving;
    assert.equal(download.suggestedFilename(), "questions.csv");
    assert.equal(
      await readFile(await download.path(), "utf8"),
      '\ufeffquestion,answer,similar questions,tags\r\nWhen do you open?,At nine.,,\r\nDo you deliver?,"Yes, on weekdays.",,\r\n',
    );
    tab.assertQuiet();
  });

  it("saved questions are run with the keyboard, on a phone, in Chinese and dark", async ({ bed, tabOf }) => {
    const { agentId: agent_id } = await makeAgent(bed, {
      name: "Saved on a phone",
      webhook: false,
      qaList: QA,
    });
    const operator = operatorOf(bed);
    const [pair] = (await operator.listPairs({ agent_id })).list;
    await operator.saveQuestion({ agent_id, question: "When do you open?", pair_id: pair?.pair_id ?? "" });
    await operator.saveQuestion({ agent_id, question: "Do you deliver?" });
    await using tab = await tabOf({ language: "zh-CN", theme: "dark", width: 320 });
    const { page } = tab;
    await tab.open(`/saved-questions?agent=${agent_id}`);
    await page.getByText("When do you open?").first().waitFor(LONG);
    await page.getByRole("button", { name: "立即运行" }).focus();
    await page.keyboard.press("Enter");
    await page.getByText("2 个中 1 个通过").first().waitFor(LONG);
    await tab.judge("saved-questions");
    tab.assertQuiet();
  });

  it("a lead answers a group of questions, the agent answers the next wording, and accepts a human's reply as a pair", async ({
    bed,
    tabOf,
  }) => {
    const desk = await makeDesk(bed, { agent: { name: "Loop", qaList: QA } });
    const { agent } = desk;
    const { agentId: agent_id } = agent;
    const answerTo = async (content: string) => {
      const { output } = (await agent.client.sendMessage({
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

    await using tab = await tabOf();
    const { page } = tab;
    await tab.open(`/unanswered?agent=${agent_id}`);
    await page.getByText("3 wordings").waitFor(LONG);
    await tab.judge("unanswered-groups");
    await page.getByRole("button", { name: "Do you sell zebras?" }).click();
    await page.getByText("Also asked in 2 other wordings").waitFor();
    await page.getByLabel("Answer", { exact: true }).fill("Only striped ones.");
    await tab.judge("unanswered-group");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("3 wordings").waitFor({ state: "detached", ...LONG });
    assert.equal(await answerTo("please sell me zebras"), "Only striped ones.");

    await page.getByRole("button", { name: "Answered by humans" }).click();
    await page.getByRole("button", { name: "Can you repair zippers?" }).click(LONG);
    const review = page.getByRole("dialog", { name: "Review a human's answer" });
    await review.getByText("Email addresses and long numbers are masked.", { exact: false }).waitFor();
    const answer = review.getByLabel("Answer", { exact: true });
    assert.equal(await answer.inputValue(), "We can, within a week. Write to [email].");
    await tab.judge("human-answer");
    await answer.fill("Yes, within a week.");
    await review.getByRole("button", { name: "Add to knowledge" }).click();
    await page.getByText("No answers to review").waitFor(LONG);
    assert.equal(await answerTo("Can you repair zippers?"), "Yes, within a week.");
    tab.assertQuiet();
  });
}
