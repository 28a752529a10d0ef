import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { makeAgent, operatorOf } from "@signalbox/tests/support/agents.ts";
import { workbookOf } from "@signalbox/tests/support/office-files.ts";
import { keyboardOf } from "./hands.ts";
import type { AddTest, Stage } from "./stage.ts";

const QA = [
  { question: "When do you open?", answer: "At nine." },
  { question: "Do you deliver?", answer: "Yes." },
];
/** As people write them: titles on top, names that no program knows, and mistakes. */
const SHEET = workbookOf({
  FAQ: [
    ["Support handbook", ""],
    ["Updated in November", ""],
    ["Customer asks", "We say"],
    ["When do you open?", "At ten."],
    ["Is there a lift?", ""],
    ["Where can I park?", "TODO"],
    ["", "Nobody asked."],
    ["Can I pay by card?", "Yes, with any card."],
  ],
});

/** Bringing a file from the disk to the agent. */
export function importJourneys(it: AddTest): void {
  it("a lead drops a workbook with title lines, corrects how it is read, sees its mistakes, imports it and rolls it back", async ({
    bed,
    tabOf,
  }) => {
    const { agentId: agent_id } = await makeAgent(bed, { name: "Imported", webhook: false, qaList: QA });
    await using tab = await tabOf();
    const { page } = tab;
    await tab.open(`/knowledge?agent=${agent_id}`);
    await page.getByRole("button", { name: "When do you open?" }).waitFor();
    const files = await page.evaluateHandle(`(() => {
      const dropped = new DataTransfer();
      const bytes = Uint8Array.from(atob("${SHEET.toString("base64")}"), (character) => character.codePointAt(0));
      dropped.items.add(new File([bytes], "handbook.xlsx"));
      return dropped;
    })()`);
    await page.dispatchEvent("body", "dragover", { dataTransfer: files });
    await page.getByText("Drop a file to import it").waitFor();
    await page.dispatchEvent("body", "drop", { dataTransfer: files });

    const drawer = page.getByRole("dialog", { name: "Import a file" });
    await drawer.getByText("handbook.xlsx").waitFor({ timeout: 30_000 });
    await drawer.getByRole("combobox", { name: "Header row" }).click();
    await page.getByRole("option", { name: "Row 3", exact: true }).click();
    await drawer.getByText("2 rows refused").waitFor({ timeout: 30_000 });
    await drawer.getByText("Row 5, column B", { exact: true }).waitFor();
    await drawer.getByText("the answer is missing").waitFor();
    await drawer.getByText("the cell looks like a placeholder: TODO").waitFor();
    await drawer.getByText("1 with another answer in your knowledge").waitFor();
    await tab.judge("knowledge-import");
    await drawer.getByRole("combobox", { name: "Import into" }).click();
    await page.getByRole("option", { name: /^Replace/ }).click();
    await drawer.getByText("1 with another answer in your knowledge").waitFor({ state: "detached" });
    await drawer.getByRole("button", { name: "Import 3 questions" }).click();
    await drawer.getByText("3 questions imported").waitFor({ timeout: 60_000 });
    await tab.judge("knowledge-imported");
    const saving = page.waitForEvent("download");
    await drawer.getByRole("button", { name: "Download 2 refused rows (CSV)" }).click();
    const saved = await readFile(await (await saving).path(), "utf8");
    assert.equal(
      saved,
      "\ufeffRow,Column,Problem\r\n5,B,the answer is missing,Is there a lift?,\r\n7,A,the question is missing,,Nobody asked.\r\n",
    );
    await drawer.getByRole("button", { name: "Show questions" }).click();
    await page.getByRole("button", { name: "Can I pay by card?" }).waitFor();
    const { list } = await operatorOf(bed).pairs.list({ agent_id });
    assert.deepEqual(
      list.map(({ answer }) => answer),
      ["At ten.", "TODO", "Yes, with any card."],
    );

    await page.getByRole("button", { name: "History" }).click();
    const history = page.getByRole("dialog", { name: /^Document history/ });
    await history.getByText("3 questions · handbook.xlsx").waitFor();
    await tab.judge("knowledge-document-history");
    await history.getByRole("button", { name: "Restore revision 1" }).click();
    await page.getByRole("alertdialog").getByRole("button", { name: "Restore" }).click();
    await page.getByText("Restored. The agent answers with it now.").waitFor({ timeout: 60_000 });
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Do you deliver?" }).waitFor();
    const back = await operatorOf(bed).pairs.list({ agent_id });
    assert.deepEqual(
      back.list.map(({ question, answer }) => ({ question, answer })),
      QA,
    );
    tab.assertQuiet();
  });

  it("a file is chosen and its first import rolled back, with the keyboard, on a phone, in Chinese and dark", async ({
    bed,
    tabOf,
  }) => {
    const { agentId } = await makeAgent(bed, { name: "Phone", webhook: false });
    await using tab = await tabOf({ language: "zh-CN", theme: "dark", width: 360 });
    const { page } = tab;
    await tab.open(`/knowledge?agent=${agentId}`);
    await page.getByText("还没有问题").waitFor({ timeout: 30_000 });
    const chosen = page.waitForEvent("filechooser");
    await page.getByRole("button", { name: "导入", exact: true }).focus();
    await page.keyboard.press("Enter");
    const mimeType = "text/csv";
    const buffer = Buffer.from("问题,答案\n几点开门？,九点。\n可以停车吗？,\n");
    await (await chosen).setFiles({ name: "faq.csv", mimeType, buffer });
    await page.getByText("1 行被拒绝").waitFor({ timeout: 30_000 });
    await page.getByText("缺少答案").waitFor();
    await tab.judge("knowledge-import");
    const hands = keyboardOf(page);
    await hands.press(page.getByRole("button", { name: "导入 1 个问题" }));
    await page.getByText("已导入 1 个问题").waitFor({ timeout: 60_000 });
    await hands.press(page.getByRole("button", { name: "查看问题" }));
    await page.getByRole("button", { name: "几点开门？" }).waitFor({ timeout: 30_000 });
    await hands.press(page.getByRole("button", { name: "历史", exact: true }));
    await page.getByText("首次导入之前：没有问题").waitFor({ timeout: 30_000 });
    await tab.judge("knowledge-document-history");
    await hands.press(page.getByRole("button", { name: "恢复到首次导入之前" }));
    await hands.press(page.getByRole("alertdialog").getByRole("button", { name: "恢复", exact: true }));
    await page.getByText("已恢复，智能体现在按此回答。").waitFor({ timeout: 60_000 });
    await page.keyboard.press("Escape");
    await page.getByText("还没有问题").waitFor({ timeout: 30_000 });
    assert.deepEqual((await operatorOf(bed).pairs.list({ agent_id: agentId })).list, []);
    tab.assertQuiet();
  });

  it("a lead brings an export as JSON back and hears that its documents are joined", async ({
    bed,
    tabOf,
  }) => {
    const { agentId: agent_id } = await makeAgent(bed, { name: "Backup", webhook: false });
    await using tab = await tabOf({ theme: "dark", width: 320 });
    const { page } = tab;
    await tab.open(`/knowledge?agent=${agent_id}`);
    const chosen = page.waitForEvent("filechooser");
    await page.getByRole("button", { name: "Import", exact: true }).click();
    const documents = QA.map((pair) => ({
      doc_name: "Hours",
      pairs: [{ ...pair, keywords: ["<b>Hm</b>?"], tags: ["shop"] }],
    }));
    const buffer = Buffer.from(JSON.stringify({ documents }));
    await (await chosen).setFiles({ name: "backup.json", mimeType: "application/json", buffer });
    await page.getByText("1 warning").waitFor({ timeout: 30_000 });
    await page.getByText("the file contains 2 documents; their pairs are read as one").waitFor();
    await tab.judge("knowledge-import-backup");
    await page.getByRole("button", { name: "Import 2 questions" }).click();
    await page.getByText("2 questions imported").waitFor({ timeout: 60_000 });
    const { list } = await operatorOf(bed).pairs.list({ agent_id });
    assert.deepEqual(
      list.map(({ question, answer, alternates, tags }) => ({ question, answer, alternates, tags })),
      QA.map((pair) => ({ ...pair, alternates: ["<b>Hm</b>?"], tags: ["shop"] })),
    );
    tab.assertQuiet();
  });

  for (const way of ASKED)
    it(`a lead is asked for the columns of an export, chooses them and sees the first pairs as users read them (${way.look.language})`, (stage) =>
      chooseColumns(stage, way));
}

/** Two texts that could be the answer: nobody guesses. */
const EXPORT = [
  "Ref,Topic,Public text,Text of the team",
  '1001,Parking,"<p>Park <strong>behind</strong> the house:</p><ul><li>cars</li><li>bikes</li></ul>","<p>Ask Ada for the second key.</p>"',
  '1002,Lift,"<p>There is one &amp; it is wide.</p>","<p>The lift was checked in May.</p>"',
  '1003,Cards,"<p>We take every card.</p>","<p>The terminal is in the drawer.</p>"',
  '1004,Dogs,"<p>Dogs are welcome here.</p>","<p>Water bowls are in the kitchen.</p>"',
].join("\r\n");

const ASKED = [
  {
    look: { language: "en", theme: "light", width: 1280 },
    empty: "No questions yet",
    button: "Import",
    asks: "Which columns hold the questions and the answers?",
    unready: "Import 0 questions",
    column: (name: string) => `Column ${name}`,
    roles: { question: "Question", answer: "Answer" },
    ready: "Import 4 questions",
    done: "4 questions imported",
  },
  {
    look: { language: "zh-CN", theme: "dark", width: 360 },
    empty: "还没有问题",
    button: "导入",
    asks: "哪一列是问题，哪一列是答案？",
    unready: "导入 0 个问题",
    column: (name: string) => `${name} 列`,
    roles: { question: "问题", answer: "答案" },
    ready: "导入 4 个问题",
    done: "已导入 4 个问题",
  },
] as const;

async function chooseColumns({ bed, tabOf }: Stage, way: (typeof ASKED)[number]): Promise<void> {
  const { agentId: agent_id } = await makeAgent(bed, { name: "Asked", webhook: false });
  await using tab = await tabOf(way.look);
  const { page } = tab;
  const hands = keyboardOf(page);
  await tab.open(`/knowledge?agent=${agent_id}`);
  await page.getByText(way.empty).waitFor({ timeout: 30_000 });
  const chosen = page.waitForEvent("filechooser");
  await hands.press(page.getByRole("button", { name: way.button, exact: true }));
  await (await chosen).setFiles({ name: "export.csv", mimeType: "text/csv", buffer: Buffer.from(EXPORT) });
  await page.getByText(way.asks).waitFor({ timeout: 30_000 });
  await page.getByText("Ask Ada for the second key.").waitFor();
  assert.equal(await page.getByRole("button", { name: way.unready }).isDisabled(), true);
  await tab.judge("knowledge-import-columns");
  const { roles, column } = way;
  await hands.choose(page.getByRole("combobox", { name: column("B"), exact: true }), roles.question);
  await hands.choose(page.getByRole("combobox", { name: column("C"), exact: true }), roles.answer);
  await page.getByRole("button", { name: way.ready }).waitFor({ timeout: 30_000 });
  await page.getByText("There is one & it is wide.").waitFor();
  await page.locator("strong", { hasText: "behind" }).waitFor();
  await tab.judge("knowledge-import-first-pairs");
  await hands.press(page.getByRole("button", { name: way.ready }));
  await page.getByText(way.done).waitFor({ timeout: 60_000 });
  const { list } = await operatorOf(bed).pairs.list({ agent_id });
  assert.deepEqual(list.map(({ question, answer }) => [question, answer])[0], [
    "Parking",
    "Park **behind** the house:\n\n- cars\n- bikes",
  ]);
  tab.assertQuiet();
}
