import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { makeAgent, operatorOf } from "@signalbox/tests/support/agents.ts";
import type { Bed } from "@signalbox/tests/support/bed.ts";
import { makeDesk } from "@signalbox/tests/support/desk.ts";
import { eventually } from "@signalbox/tests/support/processes.ts";
import type { AddTest } from "./stage.ts";

const QA = [
  { question: "When do you open?", answer: "At nine." },
  { question: "你们几点开门？", answer: "九点。" },
];
const COUNTED = { timeoutMs: 120_000 };
const HOUR_MS = 3_600_000;

async function makeCounted(bed: Bed): Promise<string> {
  const desk = await makeDesk(bed, { agent: { name: "Counted", qaList: QA } });
  const { agent } = desk;
  for (const text of ["When do you open?", "When do you open?", "Who painted the ceiling?", "你们几点开门？"])
    await agent.ask(await agent.converse(), text);
  const handoff = await desk.connect(await desk.converse());
  await desk.reply(handoff, "Ada here. How can I help?");
  await desk.close(handoff);
  return agent.agentId;
}

let counted: Promise<string> | undefined;
/** Asked for before the first test: the worker counts after the fact, and others run meanwhile. */
export const countedAgent = (bed: Bed) => (counted ??= makeCounted(bed));

/** A lead who wants to know how the agent does. */
export function numbersJourneys(it: AddTest): void {
  it("a lead reads figures as charts and tables, filters them by language, and downloads what is shown", async ({
    bed,
    tabOf,
  }) => {
    const agent_id = await countedAgent(bed);
    const operator = operatorOf(bed);
    await eventually(
      "the figures are counted",
      async () => {
        const range = { from_time: Date.now() - HOUR_MS, to_time: Date.now() + HOUR_MS };
        const { totals } = await operator.numbers.get({ agent_id, ...range });
        return totals.conversations >= 5 && totals.answers.direct === 3 && totals.resolution.count === 1;
      },
      COUNTED,
    );
    await using tab = await tabOf();
    const { page } = tab;
    await tab.open(`/numbers?agent=${agent_id}`);
    await page.getByText("75%").first().waitFor();
    await page.getByText("Through the API").waitFor();
    await page.getByText("Closed by the human").waitFor();
    await page.getByText("Who painted the ceiling?").waitFor();
    await tab.judge("numbers");

    const answers = page
      .locator("section")
      .filter({ has: page.getByRole("heading", { name: "Answers", exact: true }) });
    await answers.getByRole("button", { name: "Show as table" }).click();
    const today = answers.getByRole("row").nth(1).getByRole("cell");
    assert.deepEqual(await today.allTextContents(), ["3", "0", "0", "1", "0"]);
    await tab.judge("numbers-table");

    await page.getByRole("button", { name: "24 hours" }).click();
    await page.waitForURL(/range=24h/);
    await page.getByRole("combobox", { name: /^Language/ }).click();
    await page.getByRole("option", { name: "Chinese" }).click();
    await page.waitForURL(/language=zh/);
    await page.getByText("100%").first().waitFor();
    const downloaded = page.waitForEvent("download");
    await page.getByRole("button", { name: "Download CSV" }).click();
    const lines = (await readFile(await (await downloaded).path(), "utf8"))
      .replace("\uFEFF", "")
      .trimEnd()
      .split("\r\n");
    assert.equal(lines.length, 25);
    const column = lines[0]?.split(",").indexOf("answers_direct") ?? -1;
    assert.equal(
      lines.slice(1).reduce((sum, line) => sum + Number(line.split(",")[column]), 0),
      1,
    );
    await page.reload();
    await page.getByText("100%").first().waitFor();
  });

  it("an agent without a conversation has an empty state instead of charts of nothing", async ({
    bed,
    tabOf,
  }) => {
    const { agentId } = await makeAgent(bed, { name: "Quiet", webhook: false });
    await using tab = await tabOf();
    await tab.open(`/numbers?agent=${agentId}`);
    await tab.page.getByRole("heading", { name: "Nothing was said in this range" }).waitFor();
    await tab.judge("numbers-empty");
  });
}
