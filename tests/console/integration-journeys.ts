import assert from "node:assert/strict";
import { isFailure } from "@signalbox/sdk";
import { callerOf, makeAgent, operatorOf } from "@signalbox/tests/support/agents.ts";
import { makeDesk } from "@signalbox/tests/support/desk.ts";
import { eventually } from "@signalbox/tests/support/processes.ts";
import type { Page } from "playwright-core";
import { focusIsOn, keyboardOf, mouseOf, type HandsOf } from "./hands.ts";
import { IS_WHOLE } from "./screen-data.ts";
import type { AddTest, Stage } from "./stage.ts";

const ANSWER = "At nine, every day but Sunday.";
const QA = [{ question: "When do you open?", answer: ANSWER }];
const LONG = { timeout: 60_000 };
/** What would run if it were ever taken for markup, a template, an address or a style. */
const SCRIPTS = [
  `<script>document.title='hacked'</script>`,
  `<img src=x onerror="document.title='hacked'">`,
  `"><svg onload="document.title='hacked'">`,
  `<iframe srcdoc="<script>parent.document.title='hacked'</script>"></iframe>`,
  `[link](javascript:document.title='hacked')`,
  `javascript:document.title='hacked'`,
  `{{constructor.constructor("document.title='hacked'")()}}`,
  `<style>*{display:none}</style>`,
  `</textarea></title><body onpageshow="document.title='hacked'">`,
];
const SCRIPT = SCRIPTS.join(" ");

const button = (place: Pick<Page, "getByRole">, name: string) =>
  place.getByRole("button", { name, exact: true });
const pageLink = (page: Page, name: string) =>
  page.getByRole("navigation").getByRole("link", { name, exact: true });
/** The button at the foot of the open dialog, not the cross. */
const closeOf = (page: Page) => button(page.getByRole("dialog"), "Close").last();
const rowsOf = (page: Page) => page.locator("a[data-row-link]");

/** What an integrator does with it, from the first key to what arrives: with the keyboard alone, and once with the mouse. */
export function integrationJourneys(it: AddTest): void {
  it("first steps: from nothing to a first delivered message, each step ticking itself (mouse)", (stage) =>
    takeFirstSteps(stage, mouseOf));
  if (IS_WHOLE)
    it("first steps: from nothing to a first delivered message, each step ticking itself (keyboard)", (stage) =>
      takeFirstSteps(stage, keyboardOf));
  it("a failing webhook: the cause, the fix, a new URL, a replay that arrives (keyboard)", mendWebhook);
  it(
    "a webhook that moves to another server needs its credentials again, and says so (keyboard)",
    moveWebhook,
  );
  it(
    "a delivery is edited and sent as a test, which arrives marked and with its response shown (keyboard)",
    sendEdited,
  );
  it("bulk replay: deliveries are counted first, then sent, with progress (keyboard)", replayAll);
  it("a signing secret is rotated under traffic and no delivery fails (keyboard)", rotateSecret);
  it("a key is made with one scope, refused for the others, and revoked (keyboard)", makeKey);
  it(
    "one conversation is followed through a handoff, and stored scripts stay text (keyboard)",
    followHandoff,
  );
}

async function takeFirstSteps({ bed, tabOf }: Stage, handsOf: HandsOf): Promise<void> {
  await using tab = await tabOf();
  const { page } = tab;
  const hands = handsOf(page);
  await tab.open("/");
  await hands.press(button(page, "New agent").first());
  await hands.type(page.getByLabel("Name"), "Journey");
  await hands.press(button(page, "Create agent"));
  await page.getByText("What is set up for Journey").waitFor();
  await hands.press(page.getByRole("link", { name: "Create key" }));
  await hands.press(button(page, "Create key"));
  await hands.type(page.getByLabel("Name"), "backend");
  await hands.press(button(page.getByRole("dialog"), "Create key"));
  const key = page.getByRole("dialog").locator("code");
  await key.waitFor();
  const apiKey = (await key.textContent()) ?? "";
  assert.match(apiKey, /^sbx_/);
  await hands.press(closeOf(page));
  await focusIsOn(button(page, "Create key"));

  await hands.press(pageLink(page, "Endpoints"));
  await hands.press(button(page, "Set webhook"));
  await hands.type(page.getByLabel("URL"), `${bed.receiver.url}/hooks/journey`);
  await hands.press(button(page, "Save"));
  await page.getByText("Your new signing secret").waitFor();
  await hands.press(closeOf(page));

  const client = callerOf(bed, apiKey);
  await client.knowledge.add({ purpose: "QA_TEXT", name: "Shop", qaList: QA });
  const { conversation_id } = await client.conversations.create({ user_id: "user-1" });
  const messages = [{ role: "user" as const, content: "When do you open?" }];
  await client.conversations.sendMessage({ conversation_id, response_mode: "webhook", messages });
  await hands.press(pageLink(page, "Start"));
  await page.getByText("4 of 6 done").waitFor();
  tab.assertQuiet();
}

async function mendWebhook({ bed, tabOf }: Stage): Promise<void> {
  const agent = await makeAgent(bed, { name: "Failing", qaList: QA });
  agent.respond(() => ({ status: 410 }));
  await agent.ask(await agent.converse(), "When do you open?");
  const operator = operatorOf(bed);
  await eventually("it is disabled", async () => {
    const { list } = await operator.destinations.list({ agent_id: agent.agentId });
    return list[0]?.breaker === "disabled";
  });
  await using tab = await tabOf();
  const { page } = tab;
  const hands = keyboardOf(page);
  await tab.open(`/deliveries?agent=${agent.agentId}`);
  await hands.press(rowsOf(page).first());
  await page.getByText("Answer was not HTTP 200").first().waitFor();
  await page.getByText("Look in the receiver's log for the webhook-id").waitFor();
  await focusIsOn(page.getByRole("main"));
  await hands.press(pageLink(page, "Endpoints"));
  await page.getByText("Disabled by 410").waitFor();
  await hands.press(button(page, "Edit"));
  await hands.type(page.getByLabel("URL"), `${bed.receiver.url}/mended/${agent.agentId}`);
  await hands.press(button(page, "Save"));
  await page.getByText("Healthy").waitFor();
  await focusIsOn(button(page, "Edit"));
  await hands.press(pageLink(page, "Deliveries"));
  await page.getByText("Delivered", { exact: true }).first().waitFor();

  // Sent again to where it arrived before, under the same id.
  const arrived = () => bed.receiver.requests.filter(({ path }) => path === `/mended/${agent.agentId}`);
  await eventually("it arrives", () => arrived().length === 1);
  await hands.press(rowsOf(page).first());
  await hands.press(button(page, "Replay"));
  await page.getByText("Replay is on its way").waitFor();
  await eventually("the replay arrives", () => arrived().length === 2);
  const [first, second] = arrived();
  assert.equal(second?.headers["webhook-id"], first?.headers["webhook-id"]);
  tab.assertQuiet();
}

async function moveWebhook({ bed, tabOf }: Stage): Promise<void> {
  const webhook = { username: "shop", secret: "planted" };
  const agent = await makeAgent(bed, { name: "Moved", webhook });
  await using tab = await tabOf();
  const { page } = tab;
  const hands = keyboardOf(page);
  await tab.open(`/endpoints?agent=${agent.agentId}`);
  await hands.press(button(page, "Edit"));
  await page.getByText("Leave empty to keep the stored value").waitFor();
  await hands.type(page.getByLabel("URL"), "https://new.example.com/hooks");
  await page.getByText("This is another server").waitFor();
  await hands.press(button(page, "Save"));
  await page.getByText("Enter it again for the new server").waitFor();
  const stored = await operatorOf(bed).webhooks.get({ agent_id: agent.agentId });
  assert.equal(stored.url, agent.webhookUrl);
  await hands.type(page.getByLabel("Username"), "new-shop");
  await hands.press(button(page, "Save"));
  await page.getByText("Bearer (username only)").waitFor();
  tab.assertQuiet();
}

async function sendEdited({ bed, tabOf }: Stage): Promise<void> {
  const agent = await makeAgent(bed, { name: "Tested", qaList: QA });
  await agent.ask(await agent.converse(), "When do you open?");
  await agent.arrivals(1);
  await using tab = await tabOf();
  const { page } = tab;
  const hands = keyboardOf(page);
  await tab.open(`/deliveries?agent=${agent.agentId}`);
  await page.getByText(ANSWER).waitFor();
  await hands.press(rowsOf(page).first());
  await page.getByText("First byte", { exact: true }).waitFor();
  await hands.press(button(page, "Edit and send as test"));
  const dialog = page.getByRole("dialog");
  const editor = dialog.getByRole("textbox", { name: "Request body" });
  await hands.type(editor, "{ not json");
  await page.getByText("The body must be a JSON object.").waitFor();
  assert.ok(await button(page, "Send test").isDisabled());
  await hands.type(editor, '{ "output": [{ "content": { "text": "Edited" } }] }');
  agent.respond(({ body }) =>
    (body as { istest?: boolean }).istest === true ? { body: { heard: "a test" } } : undefined,
  );
  await hands.press(button(page, "Send test"));
  await dialog.getByText("HTTP 200").waitFor();
  await dialog.getByText("heard").waitFor();
  await tab.judge("delivery-test");
  const bodies = agent.arrived().map(({ body }) => body);
  assert.deepEqual(bodies.at(-1), { output: [{ content: { text: "Edited" } }], istest: true });
  await page.keyboard.press("Escape");
  await focusIsOn(button(page, "Edit and send as test"));
  tab.assertQuiet();
}

async function replayAll({ bed, tabOf }: Stage): Promise<void> {
  const agent = await makeAgent(bed, { name: "Bulk", qaList: QA });
  const conversation = await agent.converse();
  for (let count = 0; count < 3; count += 1) await agent.ask(conversation, "When do you open?");
  await agent.arrivals(3);
  await using tab = await tabOf();
  const { page } = tab;
  const hands = keyboardOf(page);
  await tab.open(`/deliveries?agent=${agent.agentId}`);
  await hands.press(page.getByRole("link", { name: "Replay all that match" }));
  await hands.press(button(page, "Count matches"));
  await page.getByText("3 deliveries match").waitFor();
  await hands.press(button(page, "Replay 3 deliveries"));
  await page.getByText("Finished").first().waitFor(LONG);
  await focusIsOn(page.getByRole("main"));
  await agent.arrivals(6);
  tab.assertQuiet();
}

async function rotateSecret({ bed, tabOf }: Stage): Promise<void> {
  const agent = await makeAgent(bed, { name: "Rotated", qaList: QA });
  const conversation = await agent.converse();
  await using tab = await tabOf();
  const { page } = tab;
  const hands = keyboardOf(page);
  await tab.open(`/endpoints?agent=${agent.agentId}`);
  await agent.ask(conversation, "When do you open?");
  await hands.press(button(page, "Rotate secret"));
  await hands.choose(page.getByRole("combobox", { name: "Overlap" }), "1 hour");
  await hands.press(button(page.getByRole("dialog"), "Rotate secret"));
  await page.getByText("Your new signing secret").waitFor();
  await agent.ask(conversation, "When do you open?");
  const arrived = await agent.arrivals(2);
  // Both secrets sign while they overlap.
  assert.equal(arrived[1]?.headers["webhook-signature"]?.split(" ").length, 2);
  const outcomes = await eventually("both are settled", async () => {
    const { list } = await operatorOf(bed).deliveries.list({ agent_id: agent.agentId });
    return list.every(({ state }) => state !== "pending") ? list : undefined;
  });
  assert.deepEqual(
    outcomes.map(({ state, attempt_count }) => [state, attempt_count]),
    [
      ["delivered", 1],
      ["delivered", 1],
    ],
  );
  await hands.press(closeOf(page));
  await focusIsOn(button(page, "Rotate secret"));
  tab.assertQuiet();
}

async function makeKey({ bed, tabOf }: Stage): Promise<void> {
  const agent = await makeAgent(bed, { name: "Keys" });
  await using tab = await tabOf();
  const { page } = tab;
  const hands = keyboardOf(page);
  await tab.open(`/keys?agent=${agent.agentId}`);
  await hands.press(button(page, "Create key"));
  await hands.type(page.getByLabel("Name"), "knowledge only");
  for (const name of ["Chat tokens", "Messages", "Desk", "Read"])
    await hands.press(page.getByRole("checkbox", { name }));
  await hands.press(button(page.getByRole("dialog"), "Create key"));
  const apiKey = (await page.getByRole("dialog").locator("code").textContent()) ?? "";
  const client = callerOf(bed, apiKey);
  await client.knowledge.add({ purpose: "QA_TEXT", name: "Shop", qaList: QA });
  await assert.rejects(client.conversations.create({ user_id: "user-1" }), (error) =>
    isFailure(error, "missingScope"),
  );
  await hands.press(closeOf(page));
  await focusIsOn(button(page, "Create key"));
  await hands.press(button(page, "Revoke: knowledge only"));
  await hands.press(button(page.getByRole("alertdialog"), "Revoke"));
  await page.getByText("Key revoked").waitFor();
  // Its button is gone with it.
  await focusIsOn(page.getByRole("region", { name: "API keys" }));
  await eventually("it is refused", () =>
    client.keys.verify().then(
      () => false,
      (error: unknown) => isFailure(error, "developerAuth"),
    ),
  );
  tab.assertQuiet();
}

async function followHandoff({ bed, tabOf }: Stage): Promise<void> {
  const qaList = [{ question: SCRIPT, answer: `Answer: ${SCRIPT}` }];
  const desk = await makeDesk(bed, { agent: { name: SCRIPTS[0] ?? "", qaList } });
  desk.agent.respond(() => ({ status: 500, body: { error: SCRIPT } }));
  const conversation = await desk.converse();
  await desk.agent.ask(conversation, SCRIPT);
  const handoff = await desk.connect(conversation);
  await desk.reply(handoff, `Ada here. ${SCRIPT}`);
  await desk.isIn(conversation, "active");
  await desk.close(handoff);
  await using tab = await tabOf();
  const { page } = tab;
  const hands = keyboardOf(page);
  await tab.open(`/conversations?agent=${desk.agent.agentId}`);
  await hands.press(rowsOf(page).first());
  for (const text of ["A human was requested", "A human joined", "Handoff ended"])
    await page.getByText(text).waitFor();
  await page.getByText(`Ada here. ${SCRIPT}`).waitFor();
  await page.getByText("Ended by the human").waitFor();
  await hands.press(page.getByRole("link", { name: /Handoff requested/ }).first());
  await page.getByRole("heading", { name: "Handoff requested" }).waitFor();
  await focusIsOn(page.getByRole("main"));
  await hands.press(pageLink(page, "Deliveries"));
  await hands.choose(page.getByRole("combobox", { name: /^Event/ }), "Message");
  await page.waitForURL(/event=message/);
  await hands.press(page.getByRole("link", { name: /^Message/ }).last());
  await page.getByText("Answer was not HTTP 200").first().waitFor();
  await page.getByText("Response body").first().waitFor();
  assert.match(await page.title(), /^(Message|Delivery)[^<]* · Signalbox$/);
  assert.equal(await page.locator("iframe, img[src=x], svg[onload]").count(), 0);
  tab.assertQuiet();
}
