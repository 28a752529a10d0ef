import assert from "node:assert/strict";
import { makeAgent, operatorOf } from "@signalbox/tests/support/agents.ts";
import { eventually } from "@signalbox/tests/support/processes.ts";
import type { Locator } from "playwright-core";
import { keyboardOf } from "./hands.ts";
import type { AddTest } from "./stage.ts";

const QA = [
  { question: "When do you open?", answer: "At nine." },
  { question: "How do I return a parcel?", answer: "With the label in the box." },
  { question: "Where can I park?", answer: "Behind the house." },
];
const LONG = { timeout: 60_000 };

/** The next control stays in sight, once the message has slid in. */
const liesAbove = (message: Locator, bar: Locator) =>
  eventually("the message stands above the bar of tags", async () => {
    const [above, below] = await Promise.all([message.boundingBox(), bar.boundingBox()]);
    return above !== null && below !== null && above.y + above.height <= below.y;
  });

/** Sorting questions by tags. */
export function tagJourneys(it: AddTest): void {
  it("a lead tags a selection of questions, takes it back, tags one question and filters by its tag", async ({
    bed,
    tabOf,
  }) => {
    const { agentId: agent_id } = await makeAgent(bed, { name: "Tagged", webhook: false, qaList: QA });
    const tags = async () => (await operatorOf(bed).pairs.list({ agent_id })).list.map((pair) => pair.tags);
    await using tab = await tabOf();
    const { page } = tab;
    await tab.open(`/knowledge?agent=${agent_id}`);
    await page.getByRole("checkbox", { name: "Select: When do you open?" }).click(LONG);
    await page.getByRole("checkbox", { name: "Select: Where can I park?" }).click();
    await page.getByText("2 selected").waitFor();
    await page.getByRole("combobox", { name: "Tag", exact: true }).fill("The Shop");
    await page.getByRole("button", { name: "Add tag" }).click();
    const added = page.getByText("“the shop” added to 2 questions");
    await added.waitFor(LONG);
    // It stays while the mouse is over it.
    await added.hover();
    await liesAbove(added, page.getByRole("group", { name: "Selected questions" }));
    assert.deepEqual(await tags(), [["the shop"], [], ["the shop"]]);
    await page.getByRole("button", { name: "Remove tag" }).waitFor(LONG);
    await tab.judge("knowledge-tags");
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByText("Undone").waitFor(LONG);
    assert.deepEqual(await tags(), [[], [], []]);
    await page.getByRole("button", { name: "Clear selection" }).click();

    await page.getByRole("button", { name: "How do I return a parcel?" }).click();
    await page.getByLabel("Tags", { exact: false }).first().fill("Returns, parcels");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved. The agent answers with it now.").waitFor(LONG);
    assert.deepEqual((await tags())[1], ["parcels", "returns"]);
    await page.getByRole("combobox", { name: /^Tag:/ }).click(LONG);
    await page.getByRole("option", { name: "returns" }).click();
    await page.getByRole("button", { name: "When do you open?" }).waitFor({ state: "detached", ...LONG });
    await page.getByRole("button", { name: "How do I return a parcel?" }).click();
    await page.getByRole("tab", { name: "History" }).click();
    await page.getByText("parcels, returns").first().waitFor(LONG);
    await tab.judge("knowledge-tags-history");
    tab.assertQuiet();
  });

  it("questions are tagged with the keyboard, on a phone, in Chinese and dark", async ({ bed, tabOf }) => {
    const { agentId: agent_id } = await makeAgent(bed, { name: "Tagged phone", webhook: false, qaList: QA });
    await using tab = await tabOf({ language: "zh-CN", theme: "dark", width: 360 });
    const { page } = tab;
    const hands = keyboardOf(page);
    await tab.open(`/knowledge?agent=${agent_id}`);
    await hands.press(page.getByRole("checkbox", { name: "选择：How do I return a parcel?" }));
    await hands.type(page.getByRole("combobox", { name: "标签", exact: true }), "退货");
    await hands.press(page.getByRole("button", { name: "添加标签" }));
    const added = page.getByText("已为 1 个问题添加“退货”");
    await added.waitFor(LONG);
    await liesAbove(added, page.getByRole("group", { name: "已选问题" }));
    await page.getByRole("button", { name: "移除标签" }).waitFor(LONG);
    await tab.judge("knowledge-tags");
    const { list } = await operatorOf(bed).pairs.list({ agent_id, tag: "退货" });
    assert.deepEqual(
      list.map(({ question }) => question),
      ["How do I return a parcel?"],
    );
    await page.getByRole("button", { name: "取消选择" }).click(LONG);
    await page.getByRole("combobox", { name: "标签", exact: true }).waitFor({ state: "detached", ...LONG });
    tab.assertQuiet();
  });
}
