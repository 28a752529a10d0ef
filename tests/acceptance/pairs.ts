import assert from "node:assert/strict";
import type { AgentResponseMessage, Pair } from "@signalbox/contract";
import { makeAgent, operatorOf, refusal, type MadeAgent } from "../support/agents.ts";
import type { Bed } from "../support/bed.ts";
import { joinAs } from "../support/members.ts";
import { sampleIdsOf } from "../support/sample-requests.ts";

const HOURS = { question: "When do you open on Sundays?", answer: "At ten." };
const RETURNS = { question: "How do I return a parcel?", answer: "With the label in the box." };
const REFUND = { question: "如何申请退款？", answer: "在订单页面点击退款。" };

/** Adds a test to the file it is called in, which is the one that is reported. */
type AddTest = (title: string, run: () => Promise<void>) => void;

/** Editing knowledge one pair at a time, against a bed that is there. */
export function pairTests(it: AddTest, bed: () => Bed): void {
  const operator = () => operatorOf(bed());
  const taught = (...qaList: (typeof HOURS)[]) => makeAgent(bed(), { qaList });
  const pairsOf = async ({ agentId }: MadeAgent, query: Partial<{ doc_id: string; text: string }> = {}) =>
    (await operator().pairs.list({ agent_id: agentId, ...query })).list;
  const pairOf = async (agent: MadeAgent, question: string): Promise<Pair> => {
    const found = (await pairsOf(agent)).find((pair) => pair.question === question);
    assert.ok(found, question);
    return found;
  };

  it("a corrected pair is answered at once, and the old one after a restore", async () => {
    const agent = await taught(HOURS, RETURNS);
    const conversation = await agent.converse();
    const answerTo = async (question: string) => {
      const before = agent.arrived().length;
      await agent.ask(conversation, question);
      const reply = (await agent.arrivals(before + 1)).at(-1)?.body as AgentResponseMessage | undefined;
      return reply?.output[0]?.content.text;
    };
    // The second question is answered from memory, and a third would be.
    for (const _ of [1, 2]) assert.equal(await answerTo(HOURS.question), "At ten.");
    const { agentId: agent_id } = agent;
    const { pair_id, version, author } = await pairOf(agent, HOURS.question);
    assert.deepEqual([version, author], [1, null]);
    const changed = await operator().pairs.update({ agent_id, pair_id, answer: "At noon.", version });
    assert.partialDeepStrictEqual(changed, { pair_id, ...HOURS, answer: "At noon.", version: 2 });
    assert.equal(await answerTo(HOURS.question), "At noon.");
    const { list } = await agent.client.knowledge.listPairs({ doc_id: changed.doc_id });
    assert.deepEqual(
      list.map(({ answer }) => answer),
      ["At noon.", RETURNS.answer],
    );
    const restored = await operator().pairs.restore({ agent_id, pair_id, version: 1 });
    assert.deepEqual([restored.answer, restored.version], ["At ten.", 3]);
    assert.equal(await answerTo(HOURS.question), "At ten.");
    assert.equal(await answerTo(RETURNS.question), RETURNS.answer);
  });

  it("a pair is found by an added alternate and not by a removed one", async () => {
    const agent = await taught(HOURS, RETURNS);
    const { pair_id } = await pairOf(agent, RETURNS.question);
    const change = (alternates: string[]) =>
      operator().pairs.update({ agent_id: agent.agentId, pair_id, alternates });
    const best = async () =>
      (await agent.client.knowledge.search({ prompt: "boomerang shipment", embedding_rate: 0 })).list[0];
    assert.equal(await best(), undefined);
    await change(["boomerang shipment"]);
    assert.deepEqual([(await best())?.answer, (await best())?.score], [RETURNS.answer, 1]);
    await change([]);
    assert.equal(await best(), undefined);
  });

  it("the history of a pair lists who changed it and how, also after deletion, and restores it", async () => {
    const agent = await taught(HOURS);
    const { agentId: agent_id } = agent;
    const { pair_id, doc_id } = await pairOf(agent, HOURS.question);
    const imported = await operator().pairs.listHistory({ agent_id, pair_id });
    assert.deepEqual(
      imported.list.map(({ version, change, author }) => [version, change, author]),
      [[1, "imported", null]],
    );
    const { operator_token, token_id } = await operator().tokens.create({
      name: "lead",
      scopes: ["knowledge"],
    });
    const lead = operatorOf(bed(), { operatorToken: operator_token });
    await lead.pairs.update({ agent_id, pair_id, question: "When do you open?" });
    await lead.pairs.update({ agent_id, pair_id, question: "When do you open?" });
    for (const _ of [1, 2]) await lead.pairs.delete({ agent_id, pair_id });
    assert.deepEqual(await pairsOf(agent), []);
    assert.equal((await refusal(lead.pairs.get({ agent_id, pair_id }))).code, 40401);
    assert.equal((await refusal(lead.pairs.update({ agent_id, pair_id, answer: "x" }))).code, 40900);
    assert.deepEqual((await agent.client.knowledge.search({ prompt: "When do you open?" })).list, []);
    const author = { actor: "operator_token", actor_id: token_id, actor_name: "lead" };
    const { list } = await operator().pairs.listHistory({ agent_id, pair_id });
    assert.deepEqual(
      list.map((kept) => [kept.version, kept.change, kept.question, kept.author]),
      [
        [3, "deleted", "When do you open?", author],
        [2, "changed", "When do you open?", author],
        [1, "imported", HOURS.question, null],
      ],
    );
    const first = await operator().pairs.listHistory({ agent_id, pair_id, limit: 2 });
    const rest = await operator().pairs.listHistory({ agent_id, pair_id, cursor: first.next_cursor ?? "" });
    assert.deepEqual([...first.list, ...rest.list], list);
    assert.equal((await refusal(lead.pairs.restore({ agent_id, pair_id, version: 9 }))).code, 40401);
    await lead.pairs.restore({ agent_id, pair_id, version: 2 });
    assert.equal((await lead.pairs.get({ agent_id, pair_id })).question, "When do you open?");
    const { list: audited } = await operator().audit.list({ agent_id });
    assert.deepEqual(
      audited
        .filter(({ action }) => action.startsWith("pair."))
        .map((entry) => [entry.action, entry.subject_id, entry.actor_name, entry.detail["version"]]),
      [
        ["pair.restore", doc_id, "lead", 4],
        ["pair.delete", doc_id, "lead", 3],
        ["pair.change", doc_id, "lead", 2],
      ],
    );
  });

  it("an edit of an outdated version or of a document being replaced is refused", async () => {
    const agent = await taught(HOURS);
    const { agentId: agent_id } = agent;
    const { pair_id, doc_id, knowledge_base_id } = await pairOf(agent, HOURS.question);
    await operator().pairs.update({ agent_id, pair_id, answer: "One.", version: 1 });
    const late = await refusal(operator().pairs.update({ agent_id, pair_id, answer: "Two.", version: 1 }));
    assert.equal(late.code, 40900);
    assert.equal((await operator().pairs.get({ agent_id, pair_id })).answer, "One.");
    const [row] = await bed().database.query<{ id: string }>(
      `with number as (update document set last_revision = last_revision + 1 where id = $2 returning last_revision)
      insert into document_revision (agent_id, document_id, revision, id, knowledge_base_id, import_id, reading, state, terms_version, beat_at)
      select $1, $2, last_revision, gen_random_uuid(), $3, gen_random_uuid(), 'pairs', 'waiting', 1, now() + interval '1 hour' from number
      returning id`,
      [agent_id, doc_id, knowledge_base_id],
    );
    const busy = await refusal(operator().pairs.update({ agent_id, pair_id, answer: "Two." }));
    assert.deepEqual([busy.code, /import is replacing/.test(busy.message)], [40900, true]);
    await bed().database.query("update document_revision set state = 'failed' where id = $1", [row?.id]);
    await agent.client.knowledge.update({ doc_id, qaList: [RETURNS] });
    assert.equal((await refusal(operator().pairs.update({ agent_id, pair_id, answer: "Two." }))).code, 40401);
    assert.deepEqual(
      (await pairsOf(agent)).map(({ question, version }) => [question, version]),
      [[RETURNS.question, 1]],
    );
  });

  it("a pair is added to a document, or to the agent's own document that is created once", async () => {
    const agent = await taught(HOURS);
    const { agentId: agent_id } = agent;
    const { doc_id } = await pairOf(agent, HOURS.question);
    const added = await operator().pairs.add({ agent_id, doc_id, ...RETURNS, alternates: ["Send back?"] });
    assert.partialDeepStrictEqual(added, { doc_id, ...RETURNS, alternates: ["Send back?"], version: 1 });
    const own = await Promise.all(
      [1, 2, 3].map((number) => operator().pairs.add({ agent_id, question: `Q${number}?`, answer: "A." })),
    );
    assert.equal(new Set(own.map((pair) => pair.doc_id)).size, 1);
    assert.equal(new Set(own.map((pair) => pair.pair_id)).size, 3);
    const { list } = await operator().documents.list({ agent_id });
    assert.deepEqual(
      list.map(({ doc_name, pairs, status }) => [doc_name, pairs, status]),
      [
        ["Added one by one", 3, "AVAILABLE"],
        ["Known", 2, "AVAILABLE"],
      ],
    );
    const bases = await operator().documents.listBases({ agent_id });
    assert.partialDeepStrictEqual(bases.list, [{ is_default: true, documents: 2, pairs: 5 }]);
    const { list: versions } = await operator().pairs.listHistory({ agent_id, pair_id: added.pair_id });
    assert.deepEqual(
      versions.map(({ change }) => change),
      ["added"],
    );
    const found = await agent.client.knowledge.search({ prompt: "Send back?" });
    assert.equal(found.list[0]?.answer, RETURNS.answer);
  });

  it("pairs are listed and searched page by page, by words and prefixes, in any script", async () => {
    const agent = await taught(HOURS, RETURNS, REFUND);
    const { agentId: agent_id } = agent;
    const { doc } = await agent.client.knowledge.add({
      purpose: "QA_TEXT",
      name: "Many",
      qaList: Array.from({ length: 7 }, (_, index) => ({ question: `Parcel ${index}?`, answer: "Soon." })),
    });
    const all: string[] = [];
    let cursor: string | null = null;
    do {
      const page: { list: Pair[]; next_cursor: string | null } = await operator().pairs.list({
        agent_id,
        limit: 3,
        ...(cursor !== null && { cursor }),
      });
      all.push(...page.list.map(({ question }) => question));
      cursor = page.next_cursor;
    } while (cursor !== null);
    assert.deepEqual(all.toSorted(), (await pairsOf(agent)).map(({ question }) => question).toSorted());
    assert.equal(all.length, 10);
    const found = async (text: string) => (await pairsOf(agent, { text })).map(({ question }) => question);
    assert.deepEqual(await found("sund"), [HOURS.question]);
    assert.deepEqual(await found("LABEL parcels"), [RETURNS.question]);
    assert.deepEqual(await found("退款 申请"), [REFUND.question]);
    assert.deepEqual(await found("parcel sundays"), []);
    assert.deepEqual(await found("?!"), []);
    assert.equal((await found("parcel")).length, 8);
    const inOne = await operator().pairs.list({
      agent_id,
      doc_id: doc[0]?.doc_id ?? "",
      text: "parcel",
      limit: 5,
    });
    assert.equal(inOne.list.length, 5);
    const rest = await operator().pairs.list({
      agent_id,
      doc_id: doc[0]?.doc_id ?? "",
      text: "parcel",
      cursor: inOne.next_cursor ?? "",
    });
    assert.deepEqual(
      rest.list.map(({ question }) => question),
      ["Parcel 5?", "Parcel 6?"],
    );
    assert.equal((await refusal(operator().pairs.list({ agent_id, cursor: "x" }))).code, 40000);
  });

  it("trying a question says what the agent would answer and why, and leaves no trace", async () => {
    const agent = await taught(HOURS, RETURNS);
    const { agentId: agent_id } = agent;
    const asked = (question: string) => operator().agents.try({ agent_id, question });
    const sure = await asked(HOURS.question);
    const { pair_id } = await pairOf(agent, HOURS.question);
    assert.partialDeepStrictEqual(sure, { decision: "direct", answer: HOURS.answer, is_tie: false });
    assert.partialDeepStrictEqual(sure.pairs[0], { pair_id, ...HOURS, score: 1, unsupported: 0 });
    assert.ok((sure.confidence ?? 0) >= sure.thresholds.answer);
    for (const { score, parts } of sure.pairs)
      assert.ok(Math.abs(parts.question + parts.trigram + parts.answer - score) < 1e-9);
    const unknown = await asked("who painted this");
    assert.deepEqual([unknown.decision, unknown.answer, unknown.pairs], ["fallback", null, []]);
    assert.deepEqual(sure.reply, { outcome: "answered", text: HOURS.answer });
    assert.equal(unknown.reply.outcome, "unanswered");
    await operator().agents.update({ agent_id, direct_score: 0.5, answer_score: 0.4 });
    const eager = await asked("open sundays");
    assert.deepEqual(
      [eager.decision, eager.thresholds.direct, eager.thresholds.answer_score],
      ["direct", 0.5, 0.4],
    );
    assert.deepEqual((await operator().unanswered.list({ agent_id })).list, []);
  });

  it("trying a question gives the words a user gets, for small talk, offers, handoffs and all else", async () => {
    const agent = await taught(HOURS, RETURNS);
    const { agentId: agent_id } = agent;
    const tried = async (question: string) => (await operator().agents.try({ agent_id, question })).reply;
    const toldUser = async (content: string) => {
      const conversation_id = await agent.converse();
      await agent.ask(conversation_id, content);
      const arrived = await bed().receiver.waitFor(
        ({ body }) => (body as AgentResponseMessage).conversation_id === conversation_id,
      );
      return (arrived.body as AgentResponseMessage).output[0]?.content.text;
    };
    const asPerson = "I want to speak to a human";
    const messages = [
      "hello",
      "thanks a lot",
      HOURS.question,
      "sundays?",
      "who painted this",
      asPerson,
      "转人工",
    ];
    for (const message of messages)
      assert.equal((await tried(message)).text, await toldUser(message), message);
    await agent.component();
    for (const message of messages.slice(0, -2))
      assert.equal((await tried(message)).text, await toldUser(message), `${message}, with a desk`);
    for (const message of [asPerson, "转人工"])
      assert.deepEqual(await tried(message), { outcome: "handed_over", text: null });
  });

  it("a question leaves the unanswered list once a pair answers it, until it is asked in vain again", async () => {
    const agent = await taught(HOURS);
    const { agentId: agent_id } = agent;
    const conversation = await agent.converse();
    const ask = async (question: string) => {
      const before = agent.arrived().length;
      await agent.ask(conversation, question);
      const reply = (await agent.arrivals(before + 1)).at(-1)?.body as AgentResponseMessage | undefined;
      return reply?.output[0]?.content.text;
    };
    const listed = async () => (await operator().unanswered.list({ agent_id })).list;
    const questions = ["Who painted the ceiling?", "Is parking free?", "Any zebras around?"];
    for (const question of questions) await ask(question);
    await ask("is parking free");
    const idOf = async (question: string) =>
      (await listed()).find((entry) => entry.question === question)?.question_id ?? "";
    assert.deepEqual((await listed()).map(({ question, asked }) => `${asked} ${question}`).toSorted(), [
      "1 Any zebras around?",
      "1 Who painted the ceiling?",
      "2 Is parking free?",
    ]);
    const added = await operator().pairs.add({
      agent_id,
      question: "Where can I park?",
      answer: "Behind the house, for free.",
      alternates: ["Is parking free?"],
      question_id: await idOf("Is parking free?"),
    });
    assert.equal(await ask("is parking free?"), "Behind the house, for free.");
    await operator().pairs.update({
      agent_id,
      pair_id: (await pairOf(agent, HOURS.question)).pair_id,
      alternates: ["Any zebras around?"],
      question_id: await idOf("Any zebras around?"),
    });
    const question_id = await idOf("Who painted the ceiling?");
    await operator().unanswered.dismiss({ agent_id, question_id });
    assert.equal((await refusal(operator().unanswered.dismiss({ agent_id, question_id }))).code, 40401);
    assert.deepEqual(await listed(), []);
    await operator().pairs.delete({ agent_id, pair_id: added.pair_id });
    await ask("Is parking free?");
    assert.deepEqual(
      (await listed()).map(({ question, asked }) => [question, asked]),
      [["Is parking free?", 1]],
    );
  });

  it("editors may change pairs, and support and viewers may read them", async () => {
    const agent = await makeAgent(bed());
    const ids = await sampleIdsOf(agent);
    const reads = [
      "listAgentKnowledgeBases",
      "listAgentDocuments",
      "listPairs",
      "getPair",
      "listPairHistory",
      "tryQuestion",
    ];
    const writes = ["addPair", "changePair", "restorePair", "deletePair"];
    for (const role of ["editor", "support", "viewer"] as const) {
      const member = await joinAs(bed(), { role, agentId: agent.agentId });
      const statusOf = async (name: string) =>
        (await member.call(name as Parameters<typeof member.call>[0], ids)).status;
      for (const name of reads) assert.equal(await statusOf(name), 200, `${name} as ${role}`);
      if (role !== "editor")
        for (const name of writes) assert.equal(await statusOf(name), 403, `${name} as ${role}`);
    }
    const editor = await joinAs(bed(), { role: "editor", agentId: agent.agentId });
    for (const name of writes)
      assert.equal((await editor.call(name as "addPair", ids)).status, 200, `${name} as editor`);
  });
}
