import assert from "node:assert/strict";
import { makeAgent, operatorOf } from "@signalbox/tests/support/agents.ts";
import { eventually } from "@signalbox/tests/support/processes.ts";
import type { AddTest } from "./stage.ts";

const QA = [{ question: "When do you open?", answer: "At nine." }];

/** A failing part stands first. */
export function healthJourneys(it: AddTest): void {
  it("a webhook that refuses every delivery is failing in Health and Endpoints, and listed before those that work", async ({
    bed,
    tabOf,
  }) => {
    const refusing = await makeAgent(bed, { name: "Refusing", qaList: QA });
    refusing.respond(() => ({ status: 401 }));
    await refusing.ask(await refusing.converse(), "When do you open?");
    // The newest is listed first unless something is wrong with another.
    const working = await makeAgent(bed, { name: "Working", qaList: QA });
    await working.ask(await working.converse(), "When do you open?");
    await working.arrivals(1);
    await eventually("it was refused", async () => {
      const { list } = await operatorOf(bed).destinations.list({ agent_id: refusing.agentId });
      return list[0]?.lanes_retrying === 1;
    });
    await using tab = await tabOf();
    const { page } = tab;
    await tab.open("/health");
    const rows = page.locator("main tbody tr");
    await rows.filter({ hasText: "Refusing" }).getByText("Failing").waitFor();
    await rows.filter({ hasText: "Working" }).getByText("Healthy").waitFor();
    const texts = await rows.allInnerTexts();
    const at = (text: string) => texts.findIndex((row) => row.includes(text));
    assert.ok(at("Refusing") < at("Healthy"), texts.join("\n"));
    await tab.judge("health-failing");
    await tab.open(`/endpoints?agent=${refusing.agentId}`);
    await page.getByRole("article").getByText("Failing", { exact: true }).waitFor();
    await tab.judge("endpoints-failing");
    tab.assertQuiet();
  });
}
