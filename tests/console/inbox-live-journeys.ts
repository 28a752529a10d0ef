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
  const { token: chatToken } = await agent.client.mintChatToken({ user_id: USER });
  const { baseUrl } = bed;
  const client = createClient({ baseUrl, chatToken, retries: 0 });
  const { conversation_id } = await client.beginChat();
  await client.sayInChat({ conversation_id, text: "My jacket is torn." });
  await client.askForPerson({ conversation_id });
  const stream = await followChat({ baseUrl, chatToken }, conversation_id);
  await stream.heard("ready");
  return {
    stream,
    type: () => client.typeInChat({ conversation_id }),
    say: (text: string) => client.sayInChat({ conversation_id, text }),
  };
}

/** What passes between the inbox and the widget while both are open. */
export function inboxLiveJourneys(it: AddTest): void {
  for (const [language, width, words] of [
    ["en", 1440, { take: "Take", reply: "Reply to the user", note: "Note for your team", typing: " is typing…" }],
    ["zh-CN", 320, { take: "接入", reply: "回复用户", note: "给团队的备注", typing: " 正在输入…" }],
  ] as const) {
    it(`inbox: typing is shown to the user and to the human, and a note is not: ${language}`, async ({
      bed,
      tabOf,
    }) => {
      const agent = await makeAgent(bed, { name: `Typing ${language}` });
      await operatorOf(bed).setInbox({ agent_id: agent.agentId });
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
      await page.getByRole("button", { name: words.take, exact: true }).waitFor({ state: "detached", ...LONG });
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
      await eventually("the human sees it", async () => {
        await user.type();
        return line.isVisible();
      });
      await tab.judge("inbox-typing");
      await user.say("It is the left sleeve.");
      await page.getByRole("region").getByText("It is the left sleeve.").waitFor(LONG);
      await line.waitFor({ state: "detached", ...LONG });
      await user.type();
      await line.waitFor(LONG);
      await line.waitFor({ state: "detached", ...LONG });
      await user.stream.leave();
      tab.assertQuiet();
    });
  }
}
