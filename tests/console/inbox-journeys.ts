import assert from "node:assert/strict";
import { type MadeAgent, makeAgent, operatorOf } from "@signalbox/tests/support/agents.ts";
import type { Bed } from "@signalbox/tests/support/bed.ts";
import { joinAs } from "@signalbox/tests/support/members.ts";
import { eventually } from "@signalbox/tests/support/processes.ts";
import type { Page } from "playwright-core";
import type { AddTest } from "./stage.ts";

const LONG = { timeout: 30_000 };
const WAIT = { timeoutMs: 30_000 };
const QA = [{ question: "Can you repair zippers?", answer: "Yes, within a week, for ten euros." }];
const NOTE = "She wrote last week about the same jacket.";

export async function makeInbox(bed: Bed, name: string): Promise<MadeAgent> {
  const agent = await makeAgent(bed, { name, qaList: QA });
  await operatorOf(bed).inbox.set({ agent_id: agent.agentId });
  return agent;
}

/** A user who asked something, and then for a person. */
export async function waitingUser(agent: MadeAgent, user_id: string, question: string): Promise<string> {
  const conversation_id = await agent.converse({ user_id });
  await agent.ask(conversation_id, question);
  await agent.client.handoffs.request({ conversation_id });
  return conversation_id;
}

/** What humans said to users, as it arrived at the developer's webhook. */
const saidByHumans = (agent: MadeAgent) =>
  agent
    .arrived()
    .filter(({ headers }) => headers["signalbox-sender"] === "human")
    .map(({ body }) => (body as { output: { content: { text: string } }[] }).output[0]?.content.text ?? "");

const reachesUser = (agent: MadeAgent, text: string) =>
  eventually(`the user reads: ${text}`, () => saidByHumans(agent).includes(text), WAIT);

export const chatOf = (page: Page, user: string) =>
  page.getByRole("list", { name: /^Chats/ }).getByRole("link", { name: user });

/** From now on this page hears nothing new, until it is let go. */
async function holdNews(page: Page): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  await page.route(/\/inbox\/talks\/(search$|[0-9a-f-]+(\?|$))/, async (route) => {
    await promise;
    await route.continue();
  });
  return resolve;
}

/** What a support team does in the inbox. */
export function inboxJourneys(it: AddTest): void {
  it("inbox: of two who take a chat one wins, replies reach the user and notes do not, then transfer and close", async ({
    bed,
    tabOf,
  }) => {
    const agent = await makeInbox(bed, "Two humans");
    const { agentId: agent_id } = agent;
    await operatorOf(bed).cannedReplies.create({
      agent_id,
      title: "hours",
      text: "Hello {{user.id}}, {{human.name}} here. We open at nine.",
    });
    const as = async (name: string) => {
      const { cookie } = await joinAs(bed, { role: "support", agentId: agent_id, name });
      return tabOf({ operatorToken: undefined, cookie });
    };
    await using ada = await as("Ada Okafor");
    await using bo = await as("Bo Lindqvist");
    for (const tab of [ada, bo]) {
      await tab.open(`/inbox?agent=${agent_id}`);
      await tab.page.getByText("Nobody is waiting").waitFor(LONG);
    }
    const conversation_id = await waitingUser(agent, "mei@example.com", "My jacket is torn.");
    for (const { page } of [ada, bo]) await chatOf(page, "mei@example.com").click(LONG);

    const draft = bo.page.getByLabel("Reply to the user");
    await draft.fill("Hello from Bo");
    const letGo = await holdNews(bo.page);
    await ada.page.getByRole("button", { name: "Take", exact: true }).click();
    await ada.page.getByRole("status").getByText("With you").waitFor(LONG);
    await bo.page.getByRole("button", { name: "Take", exact: true }).click();
    letGo();
    await bo.page.getByText("Ada Okafor was faster").first().waitFor(LONG);
    await bo.page.getByText("Ada Okafor has this chat. You can add a note.").waitFor(LONG);
    assert.equal(await draft.inputValue(), "Hello from Bo");
    assert.ok(await bo.page.getByRole("button", { name: "Send" }).isDisabled());

    await ada.page.getByLabel("Reply to the user").press("Tab");
    await ada.page.getByLabel("Note for your team").fill(NOTE);
    await ada.page.keyboard.press("Enter");
    const messages = ada.page.getByRole("region", { name: "Messages" });
    await messages.getByText(NOTE).waitFor(LONG);
    // A second note would be one too: the mode stays.
    await ada.page.getByLabel("Note for your team").press("Tab");
    await ada.page.getByLabel("Reply to the user").fill("Send us a picture, please.");
    await ada.page.keyboard.press("Enter");
    await reachesUser(agent, "Send us a picture, please.");
    await messages.getByText("Sent", { exact: true }).first().waitFor(LONG);
    await agent.ask(conversation_id, "It is the left sleeve.");
    await messages.getByText("It is the left sleeve.").waitFor(LONG);
    await ada.page.getByRole("log", { name: "New messages" }).getByText("It is the left sleeve.").waitFor();
    await bo.page.getByRole("region", { name: "Messages" }).getByText(NOTE).waitFor(LONG);
    await ada.judge("inbox-chat");

    const reply = ada.page.getByLabel("Reply to the user");
    await reply.fill("/ho");
    await ada.page.getByRole("option", { name: /hours/ }).waitFor(LONG);
    await ada.judge("inbox-canned");
    await reply.press("Enter");
    const filled = "Hello mei@example.com, Ada Okafor here. We open at nine.";
    await eventually("the reply is filled in", async () => (await reply.inputValue()) === filled, WAIT);
    assert.ok(!saidByHumans(agent).includes(filled), "it is inserted and not sent");
    await reply.press("Enter");
    await reachesUser(agent, filled);

    await ada.page.getByRole("button", { name: "Transfer" }).click();
    const dialog = ada.page.getByRole("dialog", { name: "Transfer this chat" });
    await dialog.getByRole("combobox", { name: "To" }).click();
    await ada.page.getByRole("option", { name: /^Bo Lindqvist/ }).click();
    await ada.page.getByRole("listbox").waitFor({ state: "detached", ...LONG });
    await ada.judge("inbox-transfer");
    await dialog.getByRole("button", { name: "Transfer" }).click();
    await ada.page.getByText("Transferred to Bo Lindqvist").waitFor(LONG);

    await bo.page.getByRole("button", { name: /^Mine/ }).click();
    await chatOf(bo.page, "mei@example.com").click(LONG);
    await eventually("he may send", () => bo.page.getByRole("button", { name: "Send" }).isEnabled(), WAIT);
    await draft.press("Enter");
    await reachesUser(agent, "Hello from Bo");
    await bo.page.getByRole("button", { name: "Close", exact: true }).click();
    await bo.page.getByRole("alertdialog").getByRole("button", { name: "Close" }).click();
    await bo.page.getByText("This chat is closed. You can add a note.").waitFor(LONG);
    await eventually(
      "the agent answers again",
      async () => (await agent.client.handoffs.get({ conversation_id })).control === "bot",
      WAIT,
    );
    await bo.page.getByRole("button", { name: "Closed" }).click();
    await chatOf(bo.page, "mei@example.com").waitFor(LONG);
    const arrived = JSON.stringify(agent.arrived().map(({ body }) => body));
    assert.ok(!arrived.includes(NOTE), "the user saw the note");
    for (const tab of [ada, bo]) tab.assertQuiet();
  });

  it("inbox: with the keyboard alone, take, reply, note, suggestion and close", async ({ bed, tabOf }) => {
    const agent = await makeInbox(bed, "By keyboard");
    const { cookie } = await joinAs(bed, { role: "support", agentId: agent.agentId, name: "Kim Keys" });
    await using tab = await tabOf({ operatorToken: undefined, cookie });
    const { page } = tab;
    const { keyboard } = page;
    await waitingUser(agent, "first@example.com", "Can you repair zippers?");
    await tab.open(`/inbox?agent=${agent.agentId}`);
    await chatOf(page, "first@example.com").waitFor(LONG);
    await waitingUser(agent, "second@example.com", "Where is my parcel?");
    await chatOf(page, "second@example.com").waitFor(LONG);
    await keyboard.press("?");
    await page.getByRole("dialog").getByText("Take the chat").waitFor(LONG);
    // The first Escape may belong to a tooltip.
    await eventually("the sheet is closed", async () => {
      await keyboard.press("Escape");
      return (await page.getByRole("dialog").count()) === 0;
    });

    await keyboard.press("j");
    await page.getByRole("heading", { name: "first@example.com" }).waitFor(LONG);
    await keyboard.press("j");
    await page.getByRole("heading", { name: "second@example.com" }).waitFor(LONG);
    await keyboard.press("r");
    const reply = page.getByLabel("Reply to the user");
    await keyboard.type("A draft that stays");
    await keyboard.press("Escape");
    await keyboard.press("k");
    await page.getByRole("heading", { name: "first@example.com" }).waitFor(LONG);
    await page.getByText("Draft", { exact: true }).waitFor(LONG);
    await keyboard.press("t");
    await page.getByRole("status").getByText("With you").waitFor(LONG);
    await keyboard.press("r");
    await keyboard.type("Yes, ");
    // Enter that chooses a word of an input method sends nothing.
    await page.evaluate(
      `document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", isComposing: true, bubbles: true }))`,
    );
    assert.equal(await reply.inputValue(), "Yes, ");
    await keyboard.type("we do.");
    await keyboard.press("Shift+Enter");
    await keyboard.type("Bring it along.");
    await keyboard.press("Enter");
    await reachesUser(agent, "Yes, we do.\nBring it along.");

    await page.getByRole("button", { name: "Suggestions" }).focus();
    await keyboard.press("Enter");
    const insert = page.getByRole("button", { name: "Insert the answer to: Can you repair zippers?" });
    await insert.waitFor(LONG);
    await insert.focus();
    await keyboard.press("Enter");
    assert.equal(await reply.inputValue(), "Yes, within a week, for ten euros.");
    assert.equal(saidByHumans(agent).length, 1, "a suggestion sends nothing by itself");
    await eventually(
      "the field has the focus",
      async () => (await page.evaluate(`document.activeElement.tagName`)) === "TEXTAREA",
    );
    await keyboard.press("Escape");
    await keyboard.press("n");
    await page.getByLabel("Note for your team").waitFor();
    await keyboard.type(NOTE);
    await keyboard.press("Enter");
    await page.getByRole("region", { name: "Messages" }).getByText(NOTE).waitFor(LONG);
    await keyboard.press("Escape");
    await keyboard.press("e");
    await page.getByRole("alertdialog").waitFor();
    await keyboard.press("Tab");
    await keyboard.press("Enter");
    await page.getByRole("region", { name: "Messages" }).getByText("Chat closed").waitFor(LONG);
    tab.assertQuiet();
  });

  it("inbox: a message that could not be sent is kept, and goes out once when tried again", async ({
    bed,
    tabOf,
  }) => {
    const agent = await makeInbox(bed, "Unsent");
    const { cookie } = await joinAs(bed, { role: "support", agentId: agent.agentId, name: "Una" });
    await waitingUser(agent, "una@example.com", "Hello?");
    await using tab = await tabOf({ operatorToken: undefined, cookie });
    const { page } = tab;
    await tab.open(`/inbox?agent=${agent.agentId}`);
    await chatOf(page, "una@example.com").click(LONG);
    await page.route(/\/reply$/, (route) =>
      route.fulfill({ status: 500, json: { code: 50_000, message: "Internal system error" } }),
    );
    await page.getByLabel("Reply to the user").fill("Here I am.");
    await page.keyboard.press("Enter");
    await page.getByText("Not sent").waitFor(LONG);
    await tab.judge("inbox-not-sent");
    await page.unroute(/\/reply$/);
    await page.getByRole("button", { name: "Try again" }).click();
    await reachesUser(agent, "Here I am.");
    await page.getByText("Sent", { exact: true }).waitFor(LONG);
    assert.deepEqual(saidByHumans(agent), ["Here I am."]);
    tab.assertQuiet();
  });

  it("inbox: while it is off, support reads whom to ask, and an owner turns it on", async ({
    bed,
    tabOf,
  }) => {
    const { agentId } = await makeAgent(bed, { name: "Switched off", webhook: false });
    const { cookie } = await joinAs(bed, { role: "support", agentId, name: "Sam" });
    await using support = await tabOf({ operatorToken: undefined, cookie });
    await support.open(`/inbox?agent=${agentId}`);
    await support.page.getByText("Ask a developer or owner of this agent to turn it on.").waitFor(LONG);
    assert.equal(await support.page.getByRole("button", { name: "Turn on the inbox" }).count(), 0);
    const owner = await joinAs(bed, { role: "owner", name: "Olu" });
    await using tab = await tabOf({ operatorToken: undefined, cookie: owner.cookie });
    const { page } = tab;
    await tab.open(`/inbox?agent=${agentId}`);
    await page.getByRole("button", { name: "Turn on the inbox" }).click(LONG);
    await page.getByText("Nobody is waiting").waitFor(LONG);
    await page.getByRole("button", { name: "Your availability: Away" }).click(LONG);
    await page.getByRole("menuitem", { name: "Available for new chats" }).click();
    await page.getByRole("button", { name: "Your availability: Available" }).waitFor(LONG);
    await page.getByRole("button", { name: "Manage canned replies" }).click();
    await page.getByRole("button", { name: "New canned reply" }).click();
    await page.getByLabel("Title").fill("hours");
    await page.getByLabel("Text").fill("Hello {{user.name}}");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("unknown placeholder {{user.name}}").waitFor();
    await page.getByLabel("Text").fill("Hello {{user.id}}");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("button", { name: "Edit: hours" }).waitFor(LONG);
    await tab.judge("inbox-canned-replies");
    for (const one of [support, tab]) one.assertQuiet();
  });

  it("inbox: on a phone, in Chinese and dark, one pane at a time with a way back", async ({ bed, tabOf }) => {
    const agent = await makeInbox(bed, "Inbox on a phone");
    const { cookie } = await joinAs(bed, { role: "support", agentId: agent.agentId, name: "李雷" });
    await waitingUser(agent, "mei@example.com", "拉链坏了能修吗？");
    await using tab = await tabOf({
      operatorToken: undefined,
      cookie,
      language: "zh-CN",
      theme: "dark",
      width: 320,
    });
    const { page } = tab;
    await tab.open(`/inbox?agent=${agent.agentId}`);
    const row = page.getByRole("list", { name: /^对话/ }).getByRole("link", { name: "mei@example.com" });
    await row.waitFor(LONG);
    await tab.judge("inbox-queue");
    await row.click();
    await page.getByRole("button", { name: "接入" }).click(LONG);
    await page.getByRole("status").getByText("由你处理").waitFor(LONG);
    assert.ok(!(await row.isVisible()), "one pane at a time");
    await page.getByLabel("回复用户").fill("可以，一周内修好。");
    await page.keyboard.press("Enter");
    await reachesUser(agent, "可以，一周内修好。");
    await tab.judge("inbox-chat");
    await page.getByRole("button", { name: "用户详情" }).click();
    await page.getByRole("dialog", { name: "用户信息" }).waitFor();
    await tab.judge("inbox-details");
    await page.keyboard.press("Escape");
    await page.getByRole("link", { name: "返回列表" }).click();
    await row.waitFor(LONG);
    tab.assertQuiet();
  });
}
