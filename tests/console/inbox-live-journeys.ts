import assert from "node:assert/strict";
import { createClient } from "@signalbox/sdk";
import { type MadeAgent, makeAgent, operatorOf } from "@signalbox/tests/support/agents.ts";
import type { Bed } from "@signalbox/tests/support/bed.ts";
import { followChat } from "@signalbox/tests/support/followed-chat.ts";
import { joinAs } from "@signalbox/tests/support/members.ts";
import { eventually } from "@signalbox/tests/support/processes.ts";
import type { AddTest } from "./stage.ts";

const LONG = { timeout: 30_000 };
const WAIT = { timeoutMs: 30_000 };
const USER = "mei@example.com";

/** A user of the widget who has asked for a person, with what the page is told. */
async function userInWidget(bed: Bed, agent: MadeAgent) {
  const { token: chatToken } = await agent.client.chatTokens.mint({ user_id: USER });
  const { baseUrl } = bed;
  const client = createClient({ baseUrl, chatToken, retries: 0 });
  const { conversation_id } = await client.chats.begin();
  await client.chats.say({ conversation_id, text: "My jacket is torn." });
  await client.chats.askForPerson({ conversation_id });
  const stream = await followChat({ baseUrl, chatToken }, conversation_id);
  await stream.heard("ready");
  return {
    stream,
    type: () => client.chats.type({ conversation_id }),
    see: () => client.chats.markSeen({ conversation_id, sequence: Number(stream.lastEventId()) }),
    say: (text: string) => client.chats.say({ conversation_id, text }),
  };
}

/** What passes between the inbox and the widget while both are open. */
export function inboxLiveJourneys(it: AddTest): void {
  for (const [language, width, words] of [
    [
      "en",
      1440,
      {
        take: "Take",
        reply: "Reply to the user",
        note: "Note for your team",
        typing: " is typing…",
        messages: "Messages",
        sent: "Sent",
        seen: "Seen",
      },
    ],
    [
      "zh-CN",
      320,
      {
        take: "接入",
        reply: "回复用户",
        note: "给团队的备注",
        typing: " 正在输入…",
        messages: "消息",
        sent: "已发送",
        seen: "已读",
      },
    ],
  ] as const) {
    it(`inbox: typing and seen marks pass both ways, and notes do not: ${language}`, async ({
      bed,
      tabOf,
    }) => {
      const agent = await makeAgent(bed, { name: `Typing ${language}` });
      await operatorOf(bed).inbox.set({ agent_id: agent.agentId });
      const { cookie } = await joinAs(bed, { role: "support", agentId: agent.agentId, name: "Ada Okafor" });
      const user = await userInWidget(bed, agent);
      await using tab = await tabOf({
        operatorToken: undefined,
        cookie,
        language,
        width,
        theme: language === "en" ? "light" : "dark",
      });
      const { page } = tab;
      const told: number[] = [];
      page.on("request", (request) => {
        if (request.url().endsWith("/typing")) told.push(performance.now());
      });
      await tab.open(`/inbox?agent=${agent.agentId}`);
      await page.getByRole("link", { name: USER }).click(LONG);
      const reply = page.getByLabel(words.reply);
      await reply.pressSequentially("Hel");
      assert.deepEqual(told, [], "nobody holds the chat yet");
      await page.getByRole("button", { name: words.take, exact: true }).click();
      await page
        .getByRole("button", { name: words.take, exact: true })
        .waitFor({ state: "detached", ...LONG });
      await reply.press("Tab");
      await page.getByLabel(words.note).pressSequentially("For us alone");
      await page.getByLabel(words.note).press("Tab");
      assert.deepEqual(told, [], "a note is for the team");
      await reply.pressSequentially("lo, Ada here.");
      await user.stream.heard("typing Ada Okafor");
      await eventually(
        "it is told again",
        async () => {
          await reply.press("!");
          return told.length >= 2;
        },
        { ...WAIT, everyMs: 50 },
      );
      const [first = 0, second = 0] = told;
      assert.ok(second - first > 2_500, `${second - first} ms apart`);

      const line = page.getByRole("status").getByText(`${USER}${words.typing}`);
      // A signal may be lost; one that is under way must not come behind the message.
      const type = () =>
        eventually(
          "the human sees it",
          async () => {
            await user.type();
            return line.waitFor({ timeout: 5_000 }).then(
              () => true,
              () => false,
            );
          },
          WAIT,
        );
      await type();
      await tab.judge("inbox-typing");
      await user.say("It is the left sleeve.");
      const messages = page.getByRole("region", { name: words.messages, exact: true });
      await messages.getByText("It is the left sleeve.", { exact: true }).waitFor(LONG);
      await line.waitFor({ state: "detached", ...LONG });
      await type();
      await line.waitFor({ state: "detached", ...LONG });

      const asked = Number(user.stream.lastEventId());
      await user.stream.heard(`seen ${asked}`);
      await reply.fill("Send us a picture, please.");
      await reply.press("Enter");
      await user.stream.heard("human: Send us a picture, please.");
      await messages.getByText(words.sent, { exact: true }).waitFor(LONG);
      await user.see();
      await messages.getByText(words.seen, { exact: true }).waitFor(LONG);
      await tab.judge("inbox-seen");
      await user.stream.leave();
      tab.assertQuiet();
    });
  }

  it("inbox: a file is attached by its address with the keyboard, checked as the route does, and reaches the user", async ({
    bed,
    tabOf,
  }) => {
    const agent = await makeAgent(bed, { name: "Files" });
    await operatorOf(bed).inbox.set({ agent_id: agent.agentId });
    const { cookie } = await joinAs(bed, { role: "support", agentId: agent.agentId, name: "Ada Okafor" });
    const user = await userInWidget(bed, agent);
    await using tab = await tabOf({ operatorToken: undefined, cookie });
    const { page } = tab;
    const { keyboard } = page;
    await tab.open(`/inbox?agent=${agent.agentId}`);
    await page.getByRole("link", { name: USER }).click(LONG);
    await page.getByRole("button", { name: "Take", exact: true }).click(LONG);
    await page.getByRole("button", { name: "Attach" }).focus();
    await keyboard.press("Enter");
    const dialog = page.getByRole("dialog", { name: "Attach a file" });
    await dialog.getByLabel("Address (URL)").waitFor(LONG);
    await keyboard.type("sleeve.png");
    await keyboard.press("Enter");
    await dialog.getByText(/^Must be/).waitFor(LONG);
    await tab.judge("inbox-attach");
    await dialog.getByLabel("Address (URL)").fill("https://files.example/torn%20sleeve.png");
    await keyboard.press("Enter");
    await dialog.waitFor({ state: "detached", ...LONG });
    const attached = page.getByRole("list", { name: "Attached files" });
    await attached.getByText("torn sleeve.png").waitFor(LONG);
    await tab.judge("inbox-attached");
    const reply = page.getByLabel("Reply to the user");
    await reply.fill("Like this?");
    await reply.press("Enter");
    await user.stream.heard(
      "human: Like this?\n[image] torn sleeve.png: https://files.example/torn%20sleeve.png",
    );
    const link = page
      .getByRole("region", { name: "Messages" })
      .getByRole("link", { name: "torn sleeve.png" });
    await link.waitFor(LONG);
    assert.equal(await link.getAttribute("href"), "https://files.example/torn%20sleeve.png");
    assert.equal(await attached.count(), 0);
    await user.stream.leave();
    tab.assertQuiet();
  });
}
