import assert from "node:assert/strict";
import { ROUTE_NAMES, type AgentResponseMessage } from "@signalbox/contract";
import { makeAgent } from "@signalbox/tests/support/agents.ts";
import type { AddTest } from "./stage.ts";

const ANSWER = "At nine, every day but Sunday.";
const QA = [{ question: "When do you open?", answer: ANSWER }];
/** What a person does with it, from the first click to what arrives. */
export function journeys(it: AddTest): void {
  it("a lead corrects one answer and the agent gives it, undo restores the old one, and a gap is closed", async ({
    bed,
    tabOf,
  }) => {
    const agent = await makeAgent(bed, { name: "Taught", qaList: QA });
    const { agentId: agent_id } = agent;
    const conversation = await agent.converse();
    const answerTo = async (question: string) => {
      const before = agent.arrived().length;
      await agent.ask(conversation, question);
      const reply = (await agent.arrivals(before + 1)).at(-1)?.body as AgentResponseMessage | undefined;
      return reply?.output[0]?.content.text;
    };
    await answerTo("Do you sell zebras?");
    await using tab = await tabOf();
    const { page } = tab;
    await tab.open(`/knowledge?agent=${agent_id}`);
    await page.getByLabel("Search questions and answers").fill("ope");
    await page.getByRole("button", { name: "When do you open?" }).click();
    await page.getByLabel("Answer", { exact: true }).fill("At noon.");
    await page.keyboard.press("Control+Enter");
    await page.getByText("Saved. The agent answers with it now.").waitFor();
    assert.equal(await answerTo("When do you open?"), "At noon.");
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByText("Undone").waitFor();
    assert.equal(await answerTo("When do you open?"), ANSWER);
    await page.getByRole("button", { name: "When do you open?" }).click();
    await page.getByRole("tab", { name: "History" }).click();
    await page.locator("del", { hasText: "noon" }).waitFor();
    await tab.judge("knowledge-history");
    await page.getByRole("button", { name: "Restore version 2" }).click();
    await page.getByRole("dialog", { name: "Edit question" }).waitFor({ state: "detached" });
    assert.equal(await answerTo("When do you open?"), "At noon.");

    await page.getByRole("button", { name: "Try it" }).click();
    await page.getByLabel("A user's question").fill("When do you open?");
    await page.keyboard.press("Enter");
    await page.getByText("Answers word for word", { exact: true }).waitFor();
    await tab.judge("knowledge-try");
    await page.keyboard.press("Escape");

    await page.getByRole("link", { name: "Unanswered" }).click();
    await page.getByRole("button", { name: "Do you sell zebras?" }).click();
    await page.getByLabel("Answer", { exact: true }).fill("Only striped ones.");
    await tab.judge("unanswered-answer");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Nothing is unanswered").waitFor();
    assert.equal(await answerTo("Do you sell zebras?"), "Only striped ones.");
    tab.assertQuiet();
  });

  it("the console works with the keyboard alone: palette, shortcuts, a list and back", async ({
    bed,
    tabOf,
  }) => {
    const agent = await makeAgent(bed, { name: "Keyboard", qaList: QA });
    await agent.ask(await agent.converse(), "When do you open?");
    await agent.arrivals(1);
    await using tab = await tabOf();
    const { page } = tab;
    await tab.open(`/?agent=${agent.agentId}`);
    await page.getByRole("heading", { name: "Start", level: 1 }).waitFor();
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox").waitFor();
    await page.keyboard.type("deliv");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Deliveries", level: 1 }).waitFor();
    // Until the palette is gone, it has the keys.
    await page.getByRole("dialog").waitFor({ state: "hidden" });
    await page.keyboard.press("/");
    await page.locator("[aria-label^=State]:focus").waitFor();
    await page.locator("a[data-row-link]").first().waitFor();
    const chosen = page.getByRole("checkbox", { name: /^Select delivery / });
    await chosen.focus();
    await page.keyboard.press("Space");
    await page.getByText("1 selected").waitFor();
    await page.keyboard.press("Space");
    await page.getByText("1 selected").waitFor({ state: "hidden" });
    await page.getByRole("region", { name: "Deliveries" }).focus();
    await page.keyboard.press("j");
    await page.locator("a[data-row-link]:focus").waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Message", level: 1 }).waitFor();
    await page.keyboard.press("g");
    await page.keyboard.press("k");
    await page.getByRole("heading", { name: "API keys", level: 1 }).waitFor();
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
    await page.keyboard.press("Escape");
    tab.assertQuiet();
  });

  it("new deliveries are counted without a reload or a poll, and shown on request", async ({
    tabOf,
    bed,
  }) => {
    const agent = await makeAgent(bed, { name: "Live", qaList: QA });
    const conversation = await agent.converse();
    await agent.ask(conversation, "When do you open?");
    await agent.arrivals(1);
    await using tab = await tabOf();
    const { page } = tab;
    // Without its looks from time to time: only the stream can tell.
    await page.addInitScript(
      "((begin) => (globalThis.setInterval = (run, ms) => (ms < 3_000 ? begin(run, ms) : 0)))(setInterval)",
    );
    const opened = page.waitForResponse(/\/admin\/v1\/changes/);
    await tab.open(`/deliveries?agent=${agent.agentId}`);
    assert.equal((await opened).status(), 200);
    await page.locator("a[data-row-link]").first().waitFor();
    await agent.ask(conversation, "When do you open?");
    await page.getByRole("button", { name: "1 new" }).click();
    await page.locator("a[data-row-link]").nth(1).waitFor();
    tab.assertQuiet();
  });

  it("the API reference opens for anybody, with every operation, its schema and an example", async ({
    tabOf,
    bed,
  }) => {
    await using tab = await tabOf({ operatorToken: undefined });
    const { page } = tab;
    await page.goto(`${bed.baseUrl}/reference#listDeliveries`);
    await page.getByRole("heading", { name: "List deliveries, newest first", level: 1 }).waitFor();
    await page.getByText("Example reply: 200").waitFor();
    const listed = await page.getByRole("navigation").getByRole("link").count();
    assert.ok(listed >= ROUTE_NAMES.length, `${listed} operations`);
    await page.getByRole("searchbox").fill("deliverMessage");
    await page.getByRole("navigation").getByRole("link").click();
    await page.getByText("webhook-signature").first().waitFor();
    await tab.judge("reference");
    tab.assertQuiet();
  });
}
