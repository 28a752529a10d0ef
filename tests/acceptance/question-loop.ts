import assert from "node:assert/strict";
import { makeAgent, operatorOf, refusal, type MadeAgent } from "../support/agents.ts";
import type { Bed } from "../support/bed.ts";
import { makeDesk } from "../support/desk.ts";
import { eventually } from "../support/processes.ts";

const HOURS = { question: "When do you open on Sundays?", answer: "At ten." };

type AddTest = (title: string, run: () => Promise<void>) => void;

/** From what users asked in vain, and from what humans answered, to pairs. */
export function questionLoopTests(it: AddTest, bed: () => Bed): void {
  const operator = () => operatorOf(bed());
  async function ask(agent: MadeAgent, ...questions: string[]): Promise<string[]> {
    const conversation_id = await agent.converse();
    const answers: string[] = [];
    for (const content of questions) {
      const { output } = (await agent.client.conversations.sendMessage({
        conversation_id,
        response_mode: "blocking",
        messages: [{ role: "user", content }],
      })) as { output: { content: { text: string } }[] };
      answers.push(output[0]?.content.text ?? "");
    }
    return answers;
  }
  const groupsOf = async ({ agentId: agent_id }: MadeAgent) =>
    (await operator().unanswered.listGroups({ agent_id })).list;

  it("a group of unanswered questions is answered by one pair, closes, and returns if asked again in vain", async () => {
    const agent = await makeAgent(bed(), { webhook: false, qaList: [HOURS] });
    const { agentId: agent_id } = agent;
    await ask(
      agent,
      "Do you sell zebras?",
      "do you sell a zebra",
      "Sell me zebras, please",
      "Who painted the ceiling?",
    );
    await ask(agent, "Do you sell zebras?");
    const [group, other] = await groupsOf(agent);
    assert.partialDeepStrictEqual(group, { question: "Do you sell zebras?", asked: 4, phrasings: 3 });
    assert.equal(other?.question, "Who painted the ceiling?");
    const pages = [];
    for (let cursor: string | null = "0"; cursor !== null;) {
      const page: { list: { question: string }[]; next_cursor: string | null } =
        await operator().unanswered.listGroups({ agent_id, limit: 1, cursor });
      pages.push(...page.list.map(({ question }) => question));
      cursor = page.next_cursor;
    }
    assert.deepEqual(pages, ["Do you sell zebras?", "Who painted the ceiling?"]);
    const [first, ...phrasings] = group?.questions ?? [];
    await operator().pairs.add({
      agent_id,
      question: first?.question ?? "",
      answer: "Only striped ones.",
      alternates: phrasings.map(({ question }) => question),
      question_ids: (group?.questions ?? []).map(({ question_id }) => question_id),
    });
    assert.deepEqual(
      (await groupsOf(agent)).map(({ question }) => question),
      ["Who painted the ceiling?"],
    );
    assert.deepEqual(await ask(agent, "Sell me zebras, please"), ["Only striped ones."]);
    const [pair] = (await operator().pairs.list({ agent_id, text: "zebras" })).list;
    await operator().pairs.delete({ agent_id, pair_id: pair?.pair_id ?? "" });
    await ask(agent, "do you sell a zebra");
    assert.ok((await groupsOf(agent)).some(({ question }) => question === "do you sell a zebra"));
  });

  it("what a human answered is offered masked, published on an editor's yes alone, and offered once", async () => {
    const desk = await makeDesk(bed(), { agent: { qaList: [HOURS] } });
    const { agent } = desk;
    const { agentId: agent_id } = agent;
    const offers = async () => (await operator().humanAnswers.list({ agent_id })).list;
    const handled = async (question: string, reply: string) => {
      const conversation = await desk.converse();
      await agent.ask(conversation, question);
      const handoff = await desk.connect(conversation);
      await desk.reply(handoff, "Ada here. How can I help?");
      await desk.reply(handoff, reply);
      await desk.close(handoff);
      return conversation;
    };
    const conversation_id = await handled(
      "Do you repair zippers?",
      "We do. Write to ada@shop.example or +49 30 9018201.",
    );
    await handled("Is there a garden?", "There is one behind the house.");
    const [garden, zippers] = await eventually("both are offered", async () => {
      const list = await offers();
      return list.length === 2 ? list : undefined;
    });
    assert.partialDeepStrictEqual(zippers, {
      conversation_id,
      question: "Do you repair zippers?",
    });
    assert.match(zippers?.answer ?? "", /We do\. Write to \[email\] or \[phone\]\./);
    assert.equal(
      (await operator().pairs.list({ agent_id })).list.length,
      1,
      "nothing is published by itself",
    );
    const accepted = {
      agent_id,
      answer_id: zippers?.answer_id ?? "",
      question: "Do you repair zippers?",
      answer: "We do.",
    };
    assert.equal((await operator().humanAnswers.accept(accepted)).answer, "We do.");
    assert.equal((await refusal(operator().humanAnswers.accept(accepted))).code, 40900);
    await operator().humanAnswers.dismiss({ agent_id, answer_id: garden?.answer_id ?? "" });
    assert.deepEqual(await offers(), []);
    const { list } = await agent.client.knowledge.search({
      prompt: "Do you repair zippers?",
      embedding_rate: 0,
    });
    assert.equal(list[0]?.answer, "We do.");
    const other = await makeAgent(bed(), { webhook: false });
    const foreign = { agent_id: other.agentId, answer_id: garden?.answer_id ?? "" };
    assert.equal((await refusal(operator().humanAnswers.dismiss(foreign))).code, 40401);
  });

  it("an erased conversation leaves nothing of a human's answer or the decision about it", async () => {
    const desk = await makeDesk(bed(), { agent: { qaList: [HOURS] } });
    const { agentId: agent_id } = desk.agent;
    const conversation_id = await desk.converse();
    await desk.agent.ask(conversation_id, "Do you repair zippers?");
    const handoff = await desk.connect(conversation_id);
    await desk.reply(handoff, "We do, within a week.");
    await desk.close(handoff);
    const [offer] = await eventually("it is offered", async () => {
      const { list } = await operator().humanAnswers.list({ agent_id });
      return list.length > 0 ? list : undefined;
    });
    await operator().humanAnswers.dismiss({ agent_id, answer_id: offer?.answer_id ?? "" });
    const decisions = () =>
      bed().database.query("select 1 from human_answer_decision where agent_id = $1", [agent_id]);
    assert.equal((await decisions()).length, 1);
    await bed().database.query("delete from conversation where agent_id = $1 and id = $2", [
      agent_id,
      conversation_id,
    ]);
    assert.equal((await decisions()).length, 0);
  });
}
