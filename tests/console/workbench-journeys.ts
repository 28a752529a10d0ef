import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { makeAgent, operatorOf } from "@signalbox/tests/support/agents.ts";
import { workbookOf } from "@signalbox/tests/support/office-files.ts";
import type { AddTest } from "./stage.ts";

const QA = [
  { question: "When do you open?", answer: "At nine." },
  { question: "Do you deliver?", answer: "Yes, on weekdays." },
];
const LONG = { timeout: 60_000 };

const SHEET = workbookOf({
  FAQ: [
    ["question", "answer"],
    ["When do you open?", "At ten."],
    ["Can I pay by card?", "Yes, with any card."],
  ],
});

/** A lead who keeps the answers right while files come and go. */
export function workbenchJourneys(it: AddTest): void {
  it("a lead saves questions from what was tried, publishes an import that was held back for them, and exports", async ({
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
      buffer: SHEET,
    });
    const drawer = page.getByRole("dialog", { name: "Import a file" });
    await drawer.getByRole("combobox", { name: "Import into" }).click(LONG);
    await page.getByRole("option", { name: /^Replace/ }).click();
    await drawer.getByRole("button", { name: "Import 2 questions" }).click(LONG);
    // The question about cards should not be answered, and would be.
    await drawer.getByText("This import is held back").waitFor(LONG);
    await drawer.getByText("Can I pay by card?").first().waitFor();
    await tab.judge("knowledge-import-held");
    assert.equal(
      (await operator.pairs.list({ agent_id })).list[0]?.answer,
      "At nine.",
      "users see nothing of it",
    );
    await drawer.getByRole("button", { name: /^Publish anyway: revision/ }).click();
    await page.getByRole("alertdialog").getByRole("button", { name: "Publish anyway" }).click();
    await page.getByText("Published. The agent answers from it now.").waitFor(LONG);
    assert.equal((await operator.pairs.list({ agent_id })).list[0]?.answer, "At ten.");

    const saving = page.waitForEvent("download");
    await page.getByRole("button", { name: "Export" }).click();
    await page.getByRole("menuitem", { name: "CSV" }).click();
    const download = await saving;
    assert.equal(download.suggestedFilename(), "questions.csv");
    assert.equal(
      await readFile(await download.path(), "utf8"),
      '\ufeffquestion,answer,similar questions,tags\r\nWhen do you open?,At ten.,,\r\nCan I pay by card?,"Yes, with any card.",,\r\n',
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
    const [pair] = (await operator.pairs.list({ agent_id })).list;
    await operator.savedQuestions.add({
      agent_id,
      question: "When do you open?",
      pair_id: pair?.pair_id ?? "",
    });
    await operator.savedQuestions.add({ agent_id, question: "Do you deliver?" });
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
}
