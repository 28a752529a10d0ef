import assert from "node:assert/strict";
import type { DocumentRevision, SavedQuestionRun } from "@signalbox/contract";
import { makeAgent, operatorOf, refusal, type MadeAgent } from "../support/agents.ts";
import type { Bed } from "../support/bed.ts";
import { eventually } from "../support/processes.ts";

const HOURS = { question: "When do you open on Sundays?", answer: "At ten." };
const RETURNS = { question: "How do I return a parcel?", answer: "With the label in the box." };
const PARKING = { question: "Where can I park my car?", answer: "Behind the shop." };

type AddTest = (title: string, run: () => Promise<void>) => void;

/** Questions with the answers they should get, against a bed that is there. */
export function savedQuestionTests(it: AddTest, bed: () => Bed): void {
  const operator = () => operatorOf(bed());
  const csvOf = (pairs: (typeof HOURS)[]) =>
    ["question,answer", ...pairs.map(({ question, answer }) => `${question},${answer}`)].join("\n");

  async function taught(...qaList: (typeof HOURS)[]) {
    const agent = await makeAgent(bed(), { webhook: false });
    const { doc } = await agent.client.knowledge.add({ purpose: "QA_TEXT", name: "FAQ", qaList });
    return { agent, agent_id: agent.agentId, doc_id: doc[0]?.doc_id ?? "" };
  }
  async function saved(agent_id: string, question: string, expected?: string) {
    const { list } = await operator().pairs.list({ agent_id });
    const pair = list.find((one) => one.question === expected);
    return operator().savedQuestions.add({ agent_id, question, ...(pair && { pair_id: pair.pair_id }) });
  }
  async function imported(agent_id: string, pairs: (typeof HOURS)[], doc_id: string) {
    const bytes = Buffer.from(csvOf(pairs));
    const file = { agent_id, file_name: "faq.csv", size_bytes: bytes.length };
    const { upload_id } = await operator().uploads.create(file);
    await operator().uploads.addPart({ agent_id, upload_id, offset: 0, data: bytes.toString("base64") });
    return ended(agent_id, await operator().uploads.import({ agent_id, upload_id, doc_id }));
  }
  const ended = (agent_id: string, { doc_id, revision }: DocumentRevision) =>
    eventually("the import has ended", async () => {
      const { list } = await operator().documents.listRevisions({ agent_id, doc_id });
      const seen = list.find((one) => one.revision === revision);
      return seen?.state === "waiting" || seen?.state === "working" ? undefined : seen;
    });
  const runs = async (agent_id: string) => (await operator().savedQuestions.listRuns({ agent_id })).list;
  const finished = (agent_id: string, { run_id }: Pick<SavedQuestionRun, "run_id">) =>
    eventually("the run has finished", async () => {
      const run = await operator().savedQuestions.getRun({ agent_id, run_id });
      return run.state === "waiting" ? undefined : run;
    });
  const answerTo = async (agent: MadeAgent, prompt: string) =>
    (await agent.client.knowledge.search({ prompt, embedding_rate: 0 })).list[0]?.answer;

  it("a run of saved questions says which pass, and then what got better and worse", async () => {
    const { agent_id, doc_id } = await taught(HOURS, RETURNS);
    const hours = await saved(agent_id, "When do you open on Sundays?", HOURS.question);
    assert.equal(hours.last_result, null);
    await saved(agent_id, "Where can I park my car?", RETURNS.question);
    await saved(agent_id, "Who will win the election?");
    const first = await finished(agent_id, await operator().savedQuestions.run({ agent_id }));
    assert.partialDeepStrictEqual(first, { trigger: "manual", total: 3, passed: 2, better: 0, worse: 0 });
    assert.deepEqual(
      first.results.map(({ question, passed, change }) => [question, passed, change]),
      [
        ["When do you open on Sundays?", true, "new"],
        ["Where can I park my car?", false, "new"],
        ["Who will win the election?", true, "new"],
      ],
    );
    // Saving it again changes what is expected of it.
    const { list: pairs } = await operator().pairs.list({ agent_id, doc_id });
    const [hoursPair] = pairs.filter(({ question }) => question === HOURS.question);
    await operator().pairs.delete({ agent_id, pair_id: hoursPair?.pair_id ?? "" });
    await operator().pairs.add({ agent_id, doc_id, ...PARKING });
    await saved(agent_id, "where can I PARK my car", PARKING.question);
    const second = await finished(agent_id, await operator().savedQuestions.run({ agent_id }));
    assert.partialDeepStrictEqual(second, { total: 3, passed: 2, better: 1, worse: 1 });
    const { list } = await operator().savedQuestions.list({ agent_id });
    assert.deepEqual(
      list.map(({ question, last_result }) => [question, last_result?.passed, last_result?.change]),
      [
        ["Who will win the election?", true, "same"],
        ["where can I PARK my car", true, "better"],
        ["When do you open on Sundays?", false, "worse"],
      ],
    );
    await operator().savedQuestions.delete({ agent_id, saved_question_id: hours.saved_question_id });
    const gone = operator().savedQuestions.delete({ agent_id, saved_question_id: hours.saved_question_id });
    assert.equal((await refusal(gone)).code, 40401);
    assert.equal((await operator().savedQuestions.list({ agent_id })).list.length, 2);
  });

  it("saved questions are asked after an import, and pass with a reworded question or answer", async () => {
    const { agent_id, doc_id } = await taught(HOURS, RETURNS);
    await saved(agent_id, HOURS.question, HOURS.question);
    await saved(agent_id, RETURNS.question, RETURNS.question);
    const reworded = [
      { ...HOURS, answer: "At eleven." },
      { question: "How do I return a parcel to you?", answer: RETURNS.answer },
    ];
    const { revision, state } = await imported(agent_id, reworded, doc_id);
    assert.equal(state, "current");
    const run = await eventually("the questions were asked", async () =>
      (await runs(agent_id)).find((one) => one.revision === revision && one.state === "finished"),
    );
    assert.partialDeepStrictEqual(run, { trigger: "import", doc_id, held: false, total: 2, passed: 2 });
  });

  it("an import that makes a saved question fail is held back until an editor publishes it", async () => {
    const { agent, agent_id, doc_id } = await taught(HOURS, RETURNS);
    await operator().agents.update({ agent_id, hold_failing_imports: true });
    await saved(agent_id, HOURS.question, HOURS.question);
    await saved(agent_id, PARKING.question, RETURNS.question);
    const held = await imported(agent_id, [RETURNS, PARKING], doc_id);
    assert.partialDeepStrictEqual(held, { state: "held", cause: "saved_questions", pairs: 2 });
    assert.match(
      held.detail ?? "",
      /^1 saved question would no longer pass: "When do you open on Sundays\?"$/,
    );
    assert.equal(await answerTo(agent, HOURS.question), HOURS.answer, "users see nothing of it");
    const [run] = await runs(agent_id);
    assert.partialDeepStrictEqual(run, {
      held: true,
      revision: held.revision,
      total: 2,
      passed: 0,
      worse: 1,
    });
    const [question] = (await operator().savedQuestions.list({ agent_id })).list;
    assert.equal(question?.last_result, null, "a held run says nothing of what users are answered");
    // A pair that is edited meanwhile would be lost.
    const publish = { agent_id, doc_id, revision: held.revision };
    const published = await operator().documents.publish(publish);
    assert.partialDeepStrictEqual(published, { state: "current", pairs: 2, cause: null });
    assert.notEqual(await answerTo(agent, HOURS.question), HOURS.answer);
    assert.equal(await answerTo(agent, PARKING.question), PARKING.answer);
    assert.equal((await runs(agent_id))[0]?.held, false);
    assert.equal((await refusal(operator().documents.publish(publish))).code, 40900);
  });

  it("a held import gives way to a later one, and is not published over an edit", async () => {
    const { agent, agent_id, doc_id } = await taught(HOURS, RETURNS);
    await operator().agents.update({ agent_id, hold_failing_imports: true });
    await saved(agent_id, HOURS.question, HOURS.question);
    const first = await imported(agent_id, [PARKING], doc_id);
    assert.equal(first.state, "held");
    const [pair] = (await operator().pairs.list({ agent_id, doc_id })).list;
    await operator().pairs.update({ agent_id, pair_id: pair?.pair_id ?? "", answer: "At noon." });
    const late = await refusal(operator().documents.publish({ agent_id, doc_id, revision: first.revision }));
    assert.equal(late.code, 40900);
    assert.equal(await answerTo(agent, HOURS.question), "At noon.");
    const second = await imported(agent_id, [HOURS, PARKING], doc_id);
    assert.equal(second.state, "current");
    const { list } = await operator().documents.listRevisions({ agent_id, doc_id });
    const state = list.find(({ revision }) => revision === first.revision)?.state;
    assert.equal(state, "superseded");
    // A restore is held like an import.
    const third = await imported(agent_id, [HOURS, RETURNS], doc_id);
    assert.equal(third.state, "current");
    const restored = await operator().documents.restore({ agent_id, doc_id, revision: first.revision });
    assert.equal((await ended(agent_id, restored)).state, "held");
    assert.equal(await answerTo(agent, HOURS.question), HOURS.answer);
  });
}
