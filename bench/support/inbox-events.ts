import { makeAgent, operatorOf } from "@signalbox/tests/support/agents.ts";
import type { Bed } from "@signalbox/tests/support/bed.ts";
import { openChromium } from "@signalbox/tests/support/chromium.ts";
import { eventually } from "@signalbox/tests/support/processes.ts";
import { inFlight } from "./measured.ts";

const FILL_MS = 300_000;
const SHOWN_MS = 30_000;
const BETWEEN_MS = 250;

/**
 * From the moment the service has accepted a user's message to the frame that shows it, by turns in the chat that is open and
 * as the preview in the queue, while many others wait. The screen is the console's own, in Chromium.
 */
export async function measureInboxEvents(
  bed: Bed,
  { talks, messages }: { talks: number; messages: number },
): Promise<number[]> {
  const agent = await makeAgent(bed, { name: "Inbox" });
  const { agentId: agent_id, client } = agent;
  const operator = operatorOf(bed);
  await operator.setInbox({ agent_id, first_reply: { seconds: 3_600, warn_seconds: 0 } });
  await inFlight(talks, async (index) => {
    const conversation_id = await agent.converse({ user_id: `user-${index}` });
    await client.requestHandoff({ conversation_id });
  });
  await eventually(
    "all wait in the inbox",
    async () =>
      (await operator.searchTalks({ agent_id, view: "waiting", limit: 1 })).counts.waiting === talks,
    { timeoutMs: FILL_MS },
  );
  const { list } = await operator.searchTalks({ agent_id, view: "waiting", limit: 2 });
  const [opened, listed] = list;
  if (opened === undefined || listed === undefined) throw new Error("two chats are needed");

  await using browser = await openChromium();
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  await page.addInitScript(
    (token) => sessionStorage.setItem("signalbox.operator-token", token),
    bed.operatorToken,
  );
  await page.goto(`${bed.baseUrl}/console/inbox?agent=${agent_id}`);
  const queue = page.getByRole("list", { name: /^Chats/ });
  await queue
    .getByRole("link", { name: opened.user.user_id ?? "" })
    .first()
    .click({ timeout: SHOWN_MS });
  const chat = page.getByRole("region", { name: "Messages" });
  await chat.waitFor({ timeout: SHOWN_MS });

  const tookMs: number[] = [];
  for (let index = 0; index < messages; index += 1) {
    const text = `Message ${index} of the measurement`;
    const [talk, place] = index % 2 === 0 ? [opened, chat] : [listed, queue];
    await agent.ask(talk.conversation_id, text);
    const acceptedAt = performance.now();
    await place.getByText(text).first().waitFor({ timeout: SHOWN_MS });
    tookMs.push(performance.now() - acceptedAt);
    await page.waitForTimeout(BETWEEN_MS);
  }
  return tookMs;
}
