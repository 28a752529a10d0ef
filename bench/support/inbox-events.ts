import { makeAgent, operatorOf, type MadeAgent } from "@signalbox/tests/support/agents.ts";
import type { Bed } from "@signalbox/tests/support/bed.ts";
import { openChromium, type Page } from "@signalbox/tests/support/chromium.ts";
import { eventually } from "@signalbox/tests/support/processes.ts";
import { inFlight } from "./measured.ts";

const FILL_MS = 300_000;
/** As many users a second as ask for a person at a busy desk, and not all of them at once. */
const FILL_IN_FLIGHT = 4;
const SHOWN_MS = 30_000;
const BETWEEN_MS = 250;
/** The first ones load code and fill caches. */
const WARM = 10;

/**
 * From the moment the service has accepted a user's message to the frame that shows it, by turns in the chat that is open and
 * as the preview in the queue, while many others wait. The screen is the console's own, in Chromium.
 */
export async function measureInboxEvents(
  bed: Bed,
  { talks, messages }: { talks: number; messages: number },
): Promise<Record<"chat" | "queue", number[]>> {
  const agent = await makeAgent(bed, { name: "Inbox" });
  const { agentId: agent_id } = agent;
  const operator = operatorOf(bed);
  await operator.inbox.set({ agent_id, first_reply: { seconds: 3_600, warn_seconds: 0 } });
  await fill(bed, agent, talks);
  const { list } = await operator.talks.search({ agent_id, view: "waiting", limit: 2 });
  const [opened, listed] = list;
  if (opened === undefined || listed === undefined) throw new Error("two chats are needed");

  await using browser = await openChromium();
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  await page.addInitScript(
    (token) => sessionStorage.setItem("signalbox.operator-token", token),
    bed.operatorToken,
  );
  await page.goto(`${bed.baseUrl}/console/inbox?agent=${agent_id}`);
  const queue = 'ul[aria-label^="Chats"]';
  const chat = '[role="region"][aria-label="Messages"]';
  await page
    .locator(queue)
    .getByRole("link", { name: opened.user.user_id ?? "" })
    .first()
    .click({ timeout: SHOWN_MS });
  await page.locator(chat).waitFor({ timeout: SHOWN_MS });

  const tookMs = { chat: [] as number[], queue: [] as number[] };
  for (let index = 0; index < messages + WARM; index += 1) {
    const text = `Message ${index} of the measurement`;
    const [talk, place] = index % 2 === 0 ? ([opened, "chat"] as const) : ([listed, "queue"] as const);
    const shownAt = await watchFor(page, place === "chat" ? chat : queue, text);
    await agent.ask(talk.conversation_id, text);
    const acceptedAt = Date.now();
    const took = (await shownAt()) - acceptedAt;
    if (index >= WARM) tookMs[place].push(Math.max(0, took));
    await page.waitForTimeout(BETWEEN_MS);
  }
  return tookMs;
}

/** Until this many wait. On a busy machine a handoff may find its desk down; another one is begun in its place. */
async function fill(bed: Bed, agent: MadeAgent, talks: number): Promise<void> {
  const countOf = async (table: string, where: string) => {
    const [row] = await bed.database.query<{ count: number }>(
      `select count(*)::integer as count from ${table} where agent_id = $1 and ${where}`,
      [agent.agentId],
    );
    return row?.count ?? 0;
  };
  const openHandoffs = () => countOf("handoff", "state in ('requested', 'connecting', 'active')");
  const waiting = () => countOf("inbox_talk", "state = 'waiting'");
  let users = 0;
  await eventually(
    "all wait in the inbox",
    async () => {
      await inFlight(
        talks - (await openHandoffs()),
        async () => {
          const conversation_id = await agent.converse({ user_id: `user-${(users += 1)}` });
          await agent.client.handoffs.request({ conversation_id });
        },
        FILL_IN_FLIGHT,
      );
      return (await waiting()) >= talks && (await openHandoffs()) >= talks;
    },
    { timeoutMs: FILL_MS },
  );
}

/**
 * Gives the moment of the frame that shows the text, by the clock that this process reads too. The page watches itself:
 * a check from outside runs every half second.
 */
async function watchFor(page: Page, place: string, text: string): Promise<() => Promise<number>> {
  await page.evaluate(`void (window.shownAt = new Promise((resolve, reject) => {
    setTimeout(() => reject(new Error("not shown: " + ${JSON.stringify(text)})), ${SHOWN_MS});
    const look = () => {
      if (document.querySelector(${JSON.stringify(place)})?.textContent.includes(${JSON.stringify(text)}) !== true) return;
      watching.disconnect();
      requestAnimationFrame(() => setTimeout(() => resolve(Date.now())));
    };
    const watching = new MutationObserver(look);
    watching.observe(document.body, { childList: true, characterData: true, subtree: true });
  }))`);
  return async () => Number(await page.evaluate("window.shownAt"));
}
