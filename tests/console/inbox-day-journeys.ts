import assert from "node:assert/strict";
import { operatorOf } from "@signalbox/tests/support/agents.ts";
import { joinAs } from "@signalbox/tests/support/members.ts";
import { eventually } from "@signalbox/tests/support/processes.ts";
import type { Page } from "playwright-core";
import { chatOf, makeInbox, waitingUser } from "./inbox-journeys.ts";
import type { AddTest } from "./stage.ts";

const LONG = { timeout: 30_000 };
const WAIT = { timeoutMs: 30_000 };
/** More than the queue shows at once. */
const CHATS = 15;

/** Whether two things on the page share a pixel. */
async function overlap(page: Page, one: string, other: string): Promise<boolean> {
  const [a, b] = await Promise.all([page.locator(one).boundingBox(), page.locator(other).boundingBox()]);
  assert.ok(a !== null && b !== null, `${one} and ${other} are on the page`);
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}

/** What stops a support team on its first day. */
export function inboxDayJourneys(it: AddTest): void {
  it("inbox: its opening hours are saved, and its form asks for no server", async ({ bed, tabOf }) => {
    const { agentId: agent_id } = await makeInbox(bed, "Hours of the inbox");
    await using tab = await tabOf();
    const { page } = tab;
    await tab.open(`/endpoints?agent=${agent_id}`);
    await page.getByRole("link", { name: "Edit" }).click(LONG);
    const dialog = page.getByRole("dialog");
    assert.equal(await dialog.getByLabel("URL").count(), 0);
    assert.equal(await dialog.getByLabel(/secret|password/i).count(), 0);
    await dialog.getByRole("switch", { name: "Business hours" }).click();
    await tab.judge("inbox-hours");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.waitFor({ state: "detached", ...LONG });
    const { list } = await operatorOf(bed).desks.list({ agent_id });
    const inbox = list.find(({ kind }) => kind === "inbox");
    assert.deepEqual(inbox?.business_hours?.open, [
      { days: ["mon", "tue", "wed", "thu", "fri"], from: "09:00", to: "18:00" },
    ]);
    tab.assertQuiet();
  });

  it("lead: one person with one role sets the inbox's hours and the agent's texts, and sees no secret", async ({
    bed,
    tabOf,
  }) => {
    const { agentId } = await makeInbox(bed, "The lead's shop");
    const { cookie } = await joinAs(bed, { role: "lead", agentId, name: "Mei Chen" });
    await using tab = await tabOf({ operatorToken: undefined, cookie });
    const { page } = tab;
    await tab.open(`/inbox?agent=${agentId}`);
    const settings = page.getByRole("button", { name: "Inbox settings" });
    await settings.waitFor(LONG);
    const pages = await page.getByRole("navigation").getByRole("link").allTextContents();
    for (const name of ["Inbox", "Numbers", "Knowledge", "Agent"])
      assert.ok(pages.includes(name), `${name} is not among ${pages.join(", ")}`);
    for (const name of ["API keys", "Endpoints", "Audit", "Deliveries"])
      assert.ok(!pages.includes(name), name);

    await settings.click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Seconds for the first reply").fill("a while");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.getByText(/Enter a whole number/).waitFor(LONG);
    await dialog.getByLabel("Seconds for the first reply").fill("120");
    await tab.judge("inbox-settings");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.waitFor({ state: "detached", ...LONG });
    const inbox = await operatorOf(bed).inbox.get({ agent_id: agentId });
    assert.deepEqual(inbox.first_reply, { seconds: 120, warn_seconds: 0 });

    await tab.open(`/agent?agent=${agentId}`);
    await page.getByRole("tab").first().waitFor(LONG);
    assert.deepEqual(await page.getByRole("tab").allTextContents(), ["General", "Handoff"]);
    tab.assertQuiet();
  });

  it("inbox: a row shows what the user said, the tab how many wait, and a draft survives a reload", async ({
    bed,
    tabOf,
  }) => {
    const agent = await makeInbox(bed, "Rows and drafts");
    const { cookie } = await joinAs(bed, { role: "support", agentId: agent.agentId, name: "Tom Reid" });
    await using tab = await tabOf({ operatorToken: undefined, cookie });
    const { page } = tab;
    await Promise.all(
      Array.from({ length: CHATS }, (_, at) =>
        waitingUser(agent, `user-${at}@example.com`, `My zipper ${at} is torn.`),
      ),
    );
    await tab.open(`/inbox?agent=${agent.agentId}`);
    const row = chatOf(page, "user-3@example.com");
    await row.waitFor(LONG);
    assert.match(await row.innerText(), /My zipper 3 is torn\./);
    assert.doesNotMatch(await row.innerText(), /Agent:/);
    await eventually(
      "the tab tells who waits",
      async () => (await page.title()) === `(${CHATS}) Inbox · Signalbox`,
      WAIT,
    );
    const scrolls = await page.evaluate<number>("document.documentElement.scrollHeight - innerHeight");
    assert.ok(scrolls <= 0, `the page itself scrolls by ${scrolls} px`);
    await tab.judge("inbox-rows");

    await row.click();
    await page.getByLabel("Reply to the user").fill("Please send a photo.");
    await page.reload();
    await eventually(
      "the words are still there",
      async () => (await page.getByLabel("Reply to the user").inputValue()) === "Please send a photo.",
      WAIT,
    );
    await row.getByText("Draft").waitFor(LONG);
    tab.assertQuiet();
  });

  it("inbox: suggestions hide no last message, notices no Send, and a closed chat has the note field alone", async ({
    bed,
    tabOf,
  }) => {
    const agent = await makeInbox(bed, "Nothing in the way");
    const { cookie } = await joinAs(bed, { role: "support", agentId: agent.agentId, name: "Tom Reid" });
    await using tab = await tabOf({ operatorToken: undefined, cookie });
    const { page } = tab;
    const conversation_id = await waitingUser(agent, "mei@example.com", "Can you repair zippers?");
    for (let at = 0; at < 8; at += 1) await agent.ask(conversation_id, `Part ${at}\nof a long\nstory`);
    await agent.ask(conversation_id, "So, can you repair zippers?");
    await tab.open(`/inbox?agent=${agent.agentId}`);
    await chatOf(page, "mei@example.com").click(LONG);
    const last = page.getByRole("region", { name: "Messages" }).getByText("So, can you repair zippers?");
    await last.waitFor(LONG);
    await page.getByRole("button", { name: "Take", exact: true }).click();
    await page.getByRole("status").getByText("With you").waitFor(LONG);
    await page.getByRole("button", { name: "Suggestions" }).click();
    await page.getByText("Yes, within a week, for ten euros.").last().waitFor(LONG);
    const isSeen = () =>
      last.evaluate((element) => {
        const { top, bottom } = element.getBoundingClientRect();
        const box = element.closest("[role=region]")!.getBoundingClientRect();
        return top >= box.top && bottom <= box.bottom;
      });
    await eventually("the last message is seen beside the suggestions", isSeen, WAIT);
    await tab.judge("inbox-suggestions");

    await page.getByRole("button", { name: "Manage canned replies" }).click();
    const canned = page.getByRole("dialog");
    await canned.getByRole("button", { name: "New canned reply" }).click();
    await canned.getByLabel("Title").fill("photo");
    await canned.getByLabel("Text").fill("Please send a photo.");
    await canned.getByRole("button", { name: "Save" }).click();
    await page.getByText("Canned reply saved").waitFor(LONG);
    await page.keyboard.press("Escape");
    assert.ok(
      !(await overlap(
        page,
        "[data-base-ui-toast-viewport], [role=region][aria-label*=otific]",
        "[data-composer]",
      )),
    );

    await page.getByRole("button", { name: "Close", exact: true }).click();
    await page.getByRole("alertdialog").getByRole("button", { name: "Close" }).click();
    await page.getByText("This chat is closed. You can add a note.").waitFor(LONG);
    const composer = page.locator("[data-composer]");
    await composer.getByLabel("Note for your team").waitFor(LONG);
    assert.deepEqual(await composer.getByRole("button").allInnerTexts(), ["Add note"]);
    await tab.judge("inbox-note-only");
    tab.assertQuiet();
  });
}
