import assert from "node:assert/strict";
import { ROUTE_NAMES, type AgentResponseMessage } from "@signalbox/contract";
import { isFailure } from "@signalbox/sdk";
import { callerOf, makeAgent, operatorOf } from "@signalbox/tests/support/agents.ts";
import { makeDesk } from "@signalbox/tests/support/desk.ts";
import { eventually } from "@signalbox/tests/support/processes.ts";
import type { AddTest } from "./stage.ts";

const ANSWER = "At nine, every day but Sunday.";
const QA = [{ question: "When do you open?", answer: ANSWER }];
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

/** What a person does with it, from the first click to what arrives. */
export function journeys(it: AddTest): void {
  it("first steps: from nothing to a first delivered message, each step ticking itself", async ({
    bed,
    tabOf,
  }) => {
    await using tab = await tabOf();
    const { page } = tab;
    await tab.open("/");
    await page.getByRole("button", { name: "New agent" }).first().click();
    await page.getByLabel("Name").fill("Journey");
    await page.getByRole("button", { name: "Create agent" }).click();
    await page.getByText("What is set up for Journey").waitFor();
    await page.getByRole("link", { name: "Create key" }).click();
    await page.getByRole("button", { name: "Create key" }).click();
    await page.getByLabel("Name").fill("backend");
    await page.getByRole("dialog").getByRole("button", { name: "Create key" }).click();
    const key = page.getByRole("dialog").locator("code");
    await key.waitFor();
    const apiKey = (await key.textContent()) ?? "";
    assert.match(apiKey, /^sbx_/);
    await page.getByRole("dialog").getByRole("button", { name: "Close" }).last().click();

    await page.getByRole("link", { name: "Endpoints" }).click();
    await page.getByRole("button", { name: "Set webhook" }).click();
    await page.getByLabel("URL").fill(`${bed.receiver.url}/hooks/journey`);
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Your new signing secret").waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Close" }).last().click();

    const client = callerOf(bed, apiKey);
    await client.addQa({ purpose: "QA_TEXT", name: "Shop", qaList: QA });
    const { conversation_id } = await client.createConversation({ user_id: "user-1" });
    const messages = [{ role: "user" as const, content: "When do you open?" }];
    await client.sendMessage({ conversation_id, response_mode: "webhook", messages });
    await page.getByRole("link", { name: "Start" }).click();
    await page.getByText("4 of 6 done").waitFor();
    tab.assertQuiet();
  });

  it("a failing webhook: the cause, the fix, a new URL, a replay that arrives", async ({ bed, tabOf }) => {
    const agent = await makeAgent(bed, { name: "Failing", qaList: QA });
    agent.respond(() => ({ status: 410 }));
    await agent.ask(await agent.converse(), "When do you open?");
    const operator = operatorOf(bed);
    await eventually("it is disabled", async () => {
      const { list } = await operator.listDestinations({ agent_id: agent.agentId });
      return list[0]?.breaker === "disabled";
    });
    await using tab = await tabOf();
    const { page } = tab;
    await tab.open(`/deliveries?agent=${agent.agentId}`);
    await page
      .getByRole("link", { name: /^Message/ })
      .first()
      .click();
    await page.getByText("Answer was not HTTP 200").first().waitFor();
    await page.getByText("Look in the receiver's log for the webhook-id").waitFor();
    await page.getByRole("link", { name: "Endpoints" }).click();
    await page.getByText("Disabled by 410").waitFor();
    await page.getByRole("button", { name: "Edit" }).click();
    await page.getByLabel("URL").fill(`${bed.receiver.url}/mended/${agent.agentId}`);
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Healthy").waitFor();
    await page.getByRole("link", { name: "Deliveries", exact: true }).click();
    await page.getByText("Delivered", { exact: true }).first().waitFor();

    // Sent again to where it arrived before, under the same id.
    const arrived = () => bed.receiver.requests.filter(({ path }) => path === `/mended/${agent.agentId}`);
    await eventually("it arrives", () => arrived().length === 1);
    await page
      .getByRole("link", { name: /^Message/ })
      .first()
      .click();
    await page.getByRole("button", { name: "Replay" }).click();
    await page.getByText("Replay is on its way").waitFor();
    await eventually("the replay arrives", () => arrived().length === 2);
    const [first, second] = arrived();
    assert.equal(second?.headers["webhook-id"], first?.headers["webhook-id"]);
    tab.assertQuiet();
  });

  it("a delivery is edited and sent as a test, which arrives marked and with its response shown", async ({
    bed,
    tabOf,
  }) => {
    const agent = await makeAgent(bed, { name: "Tested", qaList: QA });
    await agent.ask(await agent.converse(), "When do you open?");
    await agent.arrivals(1);
    await using tab = await tabOf();
    const { page } = tab;
    await tab.open(`/deliveries?agent=${agent.agentId}`);
    await page.getByText(ANSWER).waitFor();
    await page.locator("a[data-row-link]").first().click();
    await page.getByText("First byte", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Edit and send as test" }).click();
    const editor = page.getByRole("dialog").getByRole("textbox", { name: "Request body" });
    await editor.fill("{ not json");
    await page.getByText("The body must be a JSON object.").waitFor();
    assert.ok(await page.getByRole("button", { name: "Send test" }).isDisabled());
    await editor.fill('{ "output": [{ "content": { "text": "Edited" } }] }');
    agent.respond(({ body }) =>
      (body as { istest?: boolean }).istest === true ? { body: { heard: "a test" } } : undefined,
    );
    await page.getByRole("button", { name: "Send test" }).click();
    await page.getByRole("dialog").getByText("HTTP 200").waitFor();
    await page.getByRole("dialog").getByText("heard").waitFor();
    await tab.judge("delivery-test");
    const bodies = agent.arrived().map(({ body }) => body);
    assert.deepEqual(bodies.at(-1), { output: [{ content: { text: "Edited" } }], istest: true });
    tab.assertQuiet();
  });

  it("bulk replay: deliveries are counted first, then sent, with progress", async ({ bed, tabOf }) => {
    const agent = await makeAgent(bed, { name: "Bulk", qaList: QA });
    const conversation = await agent.converse();
    for (let count = 0; count < 3; count += 1) await agent.ask(conversation, "When do you open?");
    await agent.arrivals(3);
    await using tab = await tabOf();
    const { page } = tab;
    await tab.open(`/deliveries?agent=${agent.agentId}`);
    await page.getByRole("link", { name: "Replay all that match" }).click();
    await page.getByRole("button", { name: "Count matches" }).click();
    await page.getByText("3 deliveries match").waitFor();
    await page.getByRole("button", { name: "Replay 3 deliveries" }).click();
    await page.getByText("Finished").first().waitFor({ timeout: 60_000 });
    await agent.arrivals(6);
    tab.assertQuiet();
  });

  it("a signing secret is rotated under traffic and no delivery fails", async ({ bed, tabOf }) => {
    const agent = await makeAgent(bed, { name: "Rotated", qaList: QA });
    const conversation = await agent.converse();
    await using tab = await tabOf();
    const { page } = tab;
    await tab.open(`/endpoints?agent=${agent.agentId}`);
    await agent.ask(conversation, "When do you open?");
    await page.getByRole("button", { name: "Rotate secret" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Rotate secret" }).click();
    await page.getByText("Your new signing secret").waitFor();
    await agent.ask(conversation, "When do you open?");
    const arrived = await agent.arrivals(2);
    // Both secrets sign while they overlap.
    assert.equal(arrived[1]?.headers["webhook-signature"]?.split(" ").length, 2);
    const outcomes = await eventually("both are settled", async () => {
      const { list } = await operatorOf(bed).listDeliveries({ agent_id: agent.agentId });
      return list.every(({ state }) => state !== "pending") ? list : undefined;
    });
    assert.deepEqual(
      outcomes.map(({ state, attempt_count }) => [state, attempt_count]),
      [
        ["delivered", 1],
        ["delivered", 1],
      ],
    );
    tab.assertQuiet();
  });

  it("a key is made with one scope, refused for the others, and revoked", async ({ bed, tabOf }) => {
    const agent = await makeAgent(bed, { name: "Keys" });
    await using tab = await tabOf();
    const { page } = tab;
    await tab.open(`/keys?agent=${agent.agentId}`);
    await page.getByRole("button", { name: "Create key" }).click();
    await page.getByLabel("Name").fill("knowledge only");
    for (const scope of ["Chat tokens", "Messages", "Desk", "Read"])
      await page.getByRole("checkbox", { name: scope }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Create key" }).click();
    const apiKey = (await page.getByRole("dialog").locator("code").textContent()) ?? "";
    const client = callerOf(bed, apiKey);
    await client.addQa({ purpose: "QA_TEXT", name: "Shop", qaList: QA });
    await assert.rejects(client.createConversation({ user_id: "user-1" }), (error) =>
      isFailure(error, "missingScope"),
    );
    await page.getByRole("dialog").getByRole("button", { name: "Close" }).last().click();
    await page.getByRole("button", { name: "Revoke: knowledge only" }).click();
    await page.getByRole("alertdialog").getByRole("button", { name: "Revoke" }).click();
    await page.getByText("Key revoked").waitFor();
    await eventually("it is refused", () =>
      client.verifyApiKey().then(
        () => false,
        (error: unknown) => isFailure(error, "developerAuth"),
      ),
    );
    tab.assertQuiet();
  });

  it("one conversation is followed through a handoff, and stored scripts stay text", async ({
    bed,
    tabOf,
  }) => {
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
    await tab.open(`/conversations?agent=${desk.agent.agentId}`);
    await page.locator("a[data-row-link]").first().click();
    for (const text of ["A human was requested", "A human joined", "Handoff ended"])
      await page.getByText(text).waitFor();
    await page.getByText(`Ada here. ${SCRIPT}`).waitFor();
    await page.getByText("Ended by the human").waitFor();
    await page
      .getByRole("link", { name: /Handoff requested/ })
      .first()
      .click();
    await page.getByRole("heading", { name: "Handoff requested" }).waitFor();
    await tab.open(`/deliveries?agent=${desk.agent.agentId}&event=message`);
    await page
      .getByRole("link", { name: /^Message/ })
      .last()
      .click();
    await page.getByText("Answer was not HTTP 200").first().waitFor();
    await page.getByText("Response body").first().waitFor();
    assert.equal(await page.title(), "Signalbox");
    assert.equal(await page.locator("iframe, img[src=x], svg[onload]").count(), 0);
    tab.assertQuiet();
  });

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
