import assert from "node:assert/strict";
import { makeAgent, operatorOf, refusal, type MadeAgent } from "../support/agents.ts";
import type { Bed } from "../support/bed.ts";
import { makeDesk } from "../support/desk.ts";
import { followChat } from "../support/followed-chat.ts";
import { openBrowser } from "./chat-browser.ts";

const QA = [{ question: "When do you open?", answer: "At nine." }];

type AddTest = (title: string, run: () => Promise<void>) => void;

/** What users think of answers and of conversations, and what becomes of it. */
export function ratingTests(it: AddTest, bed: () => Bed): void {
  const operator = () => operatorOf(bed());

  /** Asks in a conversation of its own; gives the answer's id. */
  async function ask(agent: MadeAgent, text: string) {
    const visitor = await openBrowser(bed(), agent);
    const { conversation_id } = await visitor.client.chats.begin();
    const stream = await followChat(visitor, conversation_id);
    const { message_id: asked } = await visitor.client.chats.say({ conversation_id, text });
    await stream.heard("ai: At nine.");
    await stream.leave();
    const answer = stream.told.find((told) => told.event === "message" && told.data.sender === "ai");
    const message_id = answer?.event === "message" ? answer.data.message_id : "";
    return { visitor, conversation_id, message_id, asked };
  }

  it("an answer is rated with a comment, rated again, shown in the timeline, and gone with its conversation", async () => {
    const agent = await makeAgent(bed(), { qaList: QA });
    const { agentId: agent_id } = agent;
    const { visitor, conversation_id, message_id, asked } = await ask(agent, "When do you open?");
    const rate = { conversation_id, message_id };
    await visitor.client.chats.rate({ ...rate, rating: "good" });
    await visitor.client.chats.rate({ ...rate, rating: "bad", comment: "And on Sundays?" });
    await visitor.client.chats.rate({ conversation_id, rating: "good" });
    const { list } = await operator().conversations.get({ agent_id, conversation_id });
    const rated = list.flatMap((item) => (item.kind === "message" && item.rating ? [item.rating] : []));
    assert.partialDeepStrictEqual(rated, [{ rating: "bad", comment: "And on Sundays?" }]);
    assert.partialDeepStrictEqual(list.at(-1), { kind: "rating", rating: "good", handoff_id: null });

    const codeOf = async (input: object) =>
      (await refusal(visitor.client.chats.rate({ ...rate, rating: "good", ...input }))).code;
    assert.equal(await codeOf({ message_id: asked }), 40401, "the user's own message");
    assert.equal(await codeOf({ rating: "fine" }), 40000);
    assert.equal(await codeOf({ comment: "x".repeat(501) }), 40000);
    const stranger = await openBrowser(bed(), agent);
    assert.equal((await refusal(stranger.client.chats.rate({ ...rate, rating: "good" }))).code, 40358);

    const rows = () =>
      bed().database.query<{ comment: string | null }>(
        "select comment from conversation_rating where agent_id = $1 and message_id is not null",
        [agent_id],
      );
    await bed().database.query("update conversation set redacted_at = now() where id = $1", [
      conversation_id,
    ]);
    assert.deepEqual(await rows(), [{ comment: null }], "a redacted one is counted without its comment");
    await bed().database.query("delete from conversation where id = $1", [conversation_id]);
    assert.deepEqual(await rows(), []);
  });

  it("a rating after a human closed is about that handoff, and one of each is kept", async () => {
    const desk = await makeDesk(bed(), { agent: { qaList: QA } });
    const { agentId: agent_id } = desk.agent;
    const visitor = await openBrowser(bed(), desk.agent);
    const { conversation_id } = await visitor.client.chats.begin();
    const handoffs = [];
    for (const rating of ["bad", "good"] as const) {
      const handoff = await desk.connect(conversation_id);
      await desk.reply(handoff, "Ann here.");
      await desk.close(handoff);
      await visitor.client.chats.rate({ conversation_id, rating });
      handoffs.push(handoff);
    }
    const { list } = await operator().conversations.get({ agent_id, conversation_id });
    const rated = list.flatMap((item) => (item.kind === "rating" ? [[item.handoff_id, item.rating]] : []));
    assert.deepEqual(rated, [
      [handoffs[0], "bad"],
      [handoffs[1], "good"],
    ]);
  });

  it("a poorly rated question joins the unanswered ones, closes when it is taught, and returns if rated bad again", async () => {
    const agent = await makeAgent(bed(), { qaList: QA });
    const { agentId: agent_id } = agent;
    const groups = async () => (await operator().unanswered.listGroups({ agent_id })).list;
    const rateBad = async (text: string, comment?: string) => {
      const { visitor, ...rated } = await ask(agent, text);
      const { conversation_id, message_id } = rated;
      await visitor.client.chats.rate({ conversation_id, message_id, rating: "bad", comment });
      return { visitor, ...rated };
    };
    await ask(agent, "When do you open?");
    assert.deepEqual(await groups(), []);
    await rateBad("When do you open?");
    const last = await rateBad("when do you open", "On Sundays?");
    const [group] = await groups();
    assert.partialDeepStrictEqual(group, { asked: 2, poorly_rated: 2, phrasings: 1, best_question: null });
    assert.partialDeepStrictEqual(group?.poor_ratings[0], {
      message_id: last.message_id,
      conversation_id: last.conversation_id,
      answer: "At nine.",
      comment: "On Sundays?",
    });
    const [pair] = (await operator().pairs.list({ agent_id })).list;
    const question_ids = group?.questions.map(({ question_id }) => question_id) ?? [];
    const { pair_id = "", version = 0 } = pair ?? {};
    const better = { alternates: ["What are your hours?"], question_ids };
    await operator().pairs.update({ agent_id, pair_id, version, ...better });
    assert.deepEqual(await groups(), []);
    const again = await rateBad("When do you open?");
    const [returned] = await groups();
    assert.partialDeepStrictEqual(returned, { question: "When do you open?", asked: 1, poorly_rated: 1 });
    await operator().unanswered.dismiss({ agent_id, question_id: returned?.question_id ?? "" });
    assert.deepEqual(await groups(), []);
    const { conversation_id, message_id } = again;
    const rate = { conversation_id, message_id };
    for (const rating of ["good", "bad"] as const) await again.visitor.client.chats.rate({ ...rate, rating });
    assert.equal((await groups()).length, 1, "the user thinks badly of it anew");
    await again.visitor.client.chats.rate({ ...rate, rating: "good" });
    assert.deepEqual(await groups(), [], "a rating taken back counts no more");
  });
}
