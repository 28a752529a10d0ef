import assert from "node:assert/strict";
import { operatorOf } from "@signalbox/tests/support/agents.ts";
import { joinAs } from "@signalbox/tests/support/members.ts";
import { eventually } from "@signalbox/tests/support/processes.ts";
import { chatOf, makeInbox, waitingUser } from "./inbox-journeys.ts";
import type { AddTest } from "./stage.ts";

const LONG = { timeout: 30_000 };
const WAIT = { timeoutMs: 30_000 };

/** The browser's side of notifications and sound: what was asked, shown and played, and whether the tab is hidden. */
const BROWSER = `
  window.asked = Number(sessionStorage.getItem("asked") ?? 0);
  window.shown = [];
  window.played = 0;
  window.isAway = false;
  window.Notification = class extends EventTarget {
    static permission = sessionStorage.getItem("permission") ?? "default";
    static async requestPermission() {
      sessionStorage.setItem("asked", String((window.asked += 1)));
      sessionStorage.setItem("permission", (this.permission = "granted"));
      return "granted";
    }
    constructor(title) {
      super();
      window.shown.push(title);
    }
  };
  const start = OscillatorNode.prototype.start;
  OscillatorNode.prototype.start = function (...at) {
    window.played += 1;
    return start.apply(this, at);
  };
  Object.defineProperty(Document.prototype, "hidden", { get: () => window.isAway });
  Object.defineProperty(Document.prototype, "visibilityState", { get: () => (window.isAway ? "hidden" : "visible") });
`;

/** How a team shares its work in the inbox. */
export function inboxTeamJourneys(it: AddTest): void {
  it("inbox: a team is made with the keyboard, a chat is transferred to it, and its member finds it under Team", async ({
    bed,
    tabOf,
  }) => {
    const agent = await makeInbox(bed, "With teams");
    const { agentId: agent_id } = agent;
    const as = async (name: string, language: "en" | "zh-CN" = "en") => {
      const { cookie } = await joinAs(bed, { role: "support", agentId: agent_id, name });
      return tabOf({ operatorToken: undefined, cookie, language });
    };
    await using ada = await as("Ada Okafor");
    await using bo = await as("Bo Lindqvist", "zh-CN");
    const { page } = ada;
    await ada.open(`/inbox?agent=${agent_id}`);
    await page.getByRole("button", { name: "Manage teams" }).focus();
    await page.keyboard.press("Enter");
    await page.getByText("No teams yet").waitFor(LONG);
    await page.getByRole("button", { name: "New team" }).focus();
    await page.keyboard.press("Enter");
    await page.getByLabel("Name").waitFor(LONG);
    await page.keyboard.type("Billing");
    await page.getByRole("checkbox", { name: /^Bo Lindqvist/ }).focus();
    await page.keyboard.press("Space");
    await ada.judge("inbox-team");
    await page.getByLabel("Name").focus();
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Edit: Billing" }).waitFor(LONG);
    await ada.judge("inbox-teams");
    await eventually("the dialog is closed", async () => {
      await page.keyboard.press("Escape");
      return (await page.getByRole("dialog").count()) === 0;
    });

    await waitingUser(agent, "mei@example.com", "My invoice is wrong.");
    await chatOf(page, "mei@example.com").click(LONG);
    await page.getByRole("heading", { name: "mei@example.com" }).waitFor(LONG);
    await page.keyboard.press("a");
    const dialog = page.getByRole("dialog", { name: "Transfer this chat" });
    await dialog.getByRole("combobox", { name: "To" }).click();
    await page.getByRole("option", { name: "Billing (team, nobody available)" }).click();
    await page.getByRole("listbox").waitFor({ state: "detached", ...LONG });
    await dialog.getByRole("button", { name: "Transfer" }).click();
    await page.getByText("Transferred to Billing").waitFor(LONG);

    await bo.open(`/inbox?agent=${agent_id}`);
    await bo.page.getByRole("button", { name: /^团队 ?1/ }).click(LONG);
    const row = bo.page.getByRole("list", { name: /^对话/ }).getByRole("link", { name: "mei@example.com" });
    await row.getByText("Billing").waitFor(LONG);
    await bo.page.getByRole("combobox", { name: /^团队/ }).click();
    await bo.page.getByRole("option", { name: "Billing（1 个等待中）" }).click();
    await row.waitFor(LONG);
    await bo.judge("inbox-team-queue");
    await row.click();
    await bo.page.getByRole("button", { name: "接入" }).click(LONG);
    await bo.page.getByRole("status").getByText("Billing · 由你处理").waitFor(LONG);

    await page.getByRole("button", { name: "Manage teams" }).click();
    await page.getByRole("button", { name: "Delete: Billing" }).click(LONG);
    await page.getByRole("alertdialog").getByRole("button", { name: "Delete team" }).click();
    await page.getByText("No teams yet").waitFor(LONG);
    assert.deepEqual((await operatorOf(bed).inboxTeams.list({ agent_id })).list, []);
    for (const tab of [ada, bo]) tab.assertQuiet();
  });

  it("inbox: consent to notifications is asked once, and a new chat is told of while the tab is hidden", async ({
    bed,
    tabOf,
  }) => {
    const agent = await makeInbox(bed, "Notified");
    const { cookie } = await joinAs(bed, { role: "support", agentId: agent.agentId, name: "Noor" });
    await using tab = await tabOf({ operatorToken: undefined, cookie });
    const { page } = tab;
    await page.addInitScript(BROWSER);
    const browser = (name: "asked" | "shown" | "played") => page.evaluate<unknown>(`window.${name}`);
    await tab.open(`/inbox?agent=${agent.agentId}`);
    const [on, off] = ["Turn on notifications and sound", "Turn off notifications and sound"];
    await page.getByRole("button", { name: on }).waitFor(LONG);
    await waitingUser(agent, "first@example.com", "Hello?");
    await chatOf(page, "first@example.com").waitFor(LONG);
    assert.deepEqual([await browser("asked"), await browser("played")], [0, 0], "nothing without consent");

    await page.getByRole("button", { name: on }).click();
    await page.getByText("Notifications and sound are on").first().waitFor(LONG);
    await page.getByRole("button", { name: off }).click();
    await page.getByRole("button", { name: on }).click();
    await page.getByRole("button", { name: off }).waitFor(LONG);
    await tab.open(`/inbox?agent=${agent.agentId}`);
    await page.getByRole("button", { name: off }).waitFor(LONG);
    await chatOf(page, "first@example.com").waitFor(LONG);
    assert.equal(await browser("asked"), 1);

    await waitingUser(agent, "second@example.com", "Anybody?");
    await chatOf(page, "second@example.com").waitFor(LONG);
    await eventually("the sound is heard", async () => Number(await browser("played")) > 0, WAIT);
    assert.deepEqual(await browser("shown"), [], "the tab is on screen");
    await page.evaluate(`window.isAway = true; document.dispatchEvent(new Event("visibilitychange"))`);
    await waitingUser(agent, "third@example.com", "Is anybody there?");
    await eventually("a notification is shown", async () => String(await browser("shown")) !== "", WAIT);
    // Without the user's words: anybody who passes by may read it.
    assert.deepEqual(await browser("shown"), ["third@example.com is waiting for a person"]);
    tab.assertQuiet();
  });
}
