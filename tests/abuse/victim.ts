import { setTimeout as sleep } from "node:timers/promises";
import { Agent } from "undici";
import { makeAgent, type MadeAgent } from "../support/agents.ts";
import type { Bed } from "../support/bed.ts";
import { joinAs } from "../support/members.ts";
import type { ReceivedRequest } from "../support/receiver.ts";

const CONVERSATIONS = 20;
const ANSWER_WITHIN_MS = 15_000;
const NEWS_WITHIN_MS = 15_000;
const QUESTION = "When do you open?";
const ANSWER = "We open at nine.";

/** What the well-behaved tenant saw while it conversed. */
export type Seen = { latenciesMs: number[]; errors: string[] };

export type Victim = {
  agent: MadeAgent;
  /** Asks at a steady rate, whether answers are quick or slow, in blocking and in webhook mode by turns. */
  converse(wanted: { perSecond: number; seconds: number }): Promise<Seen>;
  /** Brings a small file; an import that does not end well is an error. */
  importFile(url: string): Promise<string[]>;
  /** Opens a stream of changes as somebody of the tenant's support would; one that is refused or tells nothing is an error. */
  hearNews(seconds: number): Promise<string[]>;
};

/** The waiting reader of each conversation. */
export type Arrivals = Map<string, () => void>;

export function noteArrival(arrivals: Arrivals, { body }: ReceivedRequest): void {
  const id = (body as { conversation_id?: string } | undefined)?.conversation_id;
  if (id !== undefined) arrivals.get(id)?.();
}

export async function makeVictim(bed: Bed, arrivals: Arrivals): Promise<Victim> {
  const agent = await makeAgent(bed, { name: "Victim", qaList: [{ question: QUESTION, answer: ANSWER }] });
  let users = 0;
  const beginConversation = () => agent.converse({ user_id: `user-${users++}` });
  const { cookie } = await joinAs(bed, { role: "support", agentId: agent.agentId });
  const idle: string[] = [];
  while (idle.length < CONVERSATIONS) idle.push(await beginConversation());

  async function askBlocking(conversation_id: string): Promise<void> {
    const reply = await agent.client.conversations.sendMessage({
      conversation_id,
      response_mode: "blocking",
      messages: [{ role: "user", content: QUESTION }],
    });
    const text = "output" in reply ? reply.output[0]?.content.text : undefined;
    if (text !== ANSWER) throw new Error(`the answer was ${JSON.stringify(text)}`);
  }

  async function askByWebhook(conversationId: string): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const timer = setTimeout(
      () => reject(new Error(`no message arrived within ${ANSWER_WITHIN_MS} ms`)),
      ANSWER_WITHIN_MS,
    );
    arrivals.set(conversationId, resolve);
    try {
      await Promise.all([agent.ask(conversationId, QUESTION), promise]);
    } finally {
      clearTimeout(timer);
      arrivals.delete(conversationId);
    }
  }

  async function askOnce(index: number, seen: Seen): Promise<void> {
    let conversationId: string | undefined;
    try {
      // Slow answers keep conversations busy; that they are slow is seen in their latencies, not here.
      conversationId = idle.shift() ?? (await beginConversation());
      const startedAt = performance.now();
      await (index % 2 === 0 ? askBlocking : askByWebhook)(conversationId);
      seen.latenciesMs.push(performance.now() - startedAt);
    } catch (error) {
      seen.errors.push(String(error));
    } finally {
      if (conversationId !== undefined) idle.push(conversationId);
    }
  }

  return {
    agent,
    async converse({ perSecond, seconds }) {
      const seen: Seen = { latenciesMs: [], errors: [] };
      const startedAt = performance.now();
      const asked: Promise<void>[] = [];
      for (let index = 0; index < perSecond * seconds; index += 1) {
        const waitMs = startedAt + (index / perSecond) * 1000 - performance.now();
        if (waitMs > 1) await sleep(waitMs);
        asked.push(askOnce(index, seen));
      }
      await Promise.all(asked);
      return seen;
    },
    async importFile(file_url) {
      try {
        const { failed } = await agent.client.knowledge.add({
          purpose: "QA_FILE",
          files: [{ file_url, file_name: "hours.csv" }],
        });
        return failed.map((name) => `the import of ${name} failed`);
      } catch (error) {
        return [`the import failed: ${String(error)}`];
      }
    },
    async hearNews(seconds) {
      // By then a flood has all that it can get.
      await sleep((seconds * 1000) / 2);
      // Over a connection of its own, as a browser that comes now.
      const browser = new Agent();
      try {
        const { statusCode, body } = await browser.request({
          origin: bed.baseUrl,
          method: "GET",
          path: `/admin/v1/changes?agent_id=${agent.agentId}`,
          headers: { cookie },
          signal: AbortSignal.timeout(NEWS_WITHIN_MS),
        });
        if (statusCode !== 200)
          return [`the stream of changes was refused: ${statusCode} ${await body.text()}`];
        for await (const piece of body) if (String(piece).includes("event: changed")) return [];
        return ["the stream of changes ended without news"];
      } catch (error) {
        return [`the stream of changes told nothing: ${String(error)}`];
      } finally {
        await browser.destroy();
      }
    },
  };
}
