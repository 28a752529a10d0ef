import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { AgentResponseMessage } from "@signalbox/contract";
import { makeAgent, operatorOf, refusal, type MadeAgent } from "../support/agents.ts";
import { openBed, type Bed } from "../support/bed.ts";
import { eventually } from "../support/processes.ts";
import { pairTagTests } from "./pair-tags.ts";
import { pairTests } from "./pairs.ts";
import { questionLoopTests } from "./question-loop.ts";
import { savedQuestionTests } from "./saved-questions.ts";
import { uploadTests } from "./uploads.ts";

const UNKNOWN = "0199f3a2-6c1e-7b44-9d0a-000000000009";

describe("knowledge endpoints beside 4.1 and 4.2", () => {
  const open = new AsyncDisposableStack();
  let bed: Bed;
  let agent: MadeAgent;

  before(async () => {
    bed = open.use(await openBed({ apis: 1, workers: 1 }));
    agent = await makeAgent(bed, { webhook: false });
  });
  after(() => open.disposeAsync());

  async function added(name: string, ...pairs: [question: string, answer: string][]): Promise<string> {
    const qaList = pairs.map(([question, answer]) => ({ question, answer }));
    const { doc } = await agent.client.knowledge.add({ purpose: "QA_TEXT", name, qaList });
    return doc[0]?.doc_id ?? "";
  }

  it("knowledge bases are created and listed with what they hold", async () => {
    const own = await makeAgent(bed, { webhook: false });
    const { knowledge_base_id } = await own.client.knowledge.createBase({
      name: "Shop",
      desc: "What we sell",
    });
    const qaList = [
      { question: "A?", answer: "a" },
      { question: "B?", answer: "b" },
    ];
    await own.client.knowledge.add({ purpose: "QA_TEXT", name: "One", knowledge_base_id, qaList });
    await own.client.knowledge.add({ purpose: "QA_TEXT", name: "Two", knowledge_base_id, qaList });
    const { knowledge_base, total } = await own.client.knowledge.listBases();
    assert.equal(total, 2);
    const [first, second] = knowledge_base;
    assert.deepEqual([first?.name, first?.is_default, first?.doc, first?.chunk], ["Default", true, 0, 0]);
    assert.deepEqual(
      [second?.id, second?.name, second?.desc, second?.doc, second?.chunk],
      [knowledge_base_id, "Shop", "What we sell", 2, 4],
    );
    const page = await own.client.knowledge.listBases({ page: 2, page_size: 1 });
    assert.deepEqual(
      page.knowledge_base.map(({ id }) => id),
      [knowledge_base_id],
    );
  });

  it("documents of a base are listed page by page, newest first", async () => {
    const own = await makeAgent(bed, { webhook: false });
    for (const name of ["first", "second", "third"])
      await own.client.knowledge.add({
        purpose: "QA_TEXT",
        name,
        qaList: [{ question: "Q?", answer: name }],
      });
    const { list, total } = await own.client.knowledge.listDocuments({ page: 1, page_size: 2 });
    assert.deepEqual([list.map(({ name }) => name), total], [["third", "second"], 3]);
    const { list: rest } = await own.client.knowledge.listDocuments({ page: 2, page_size: 2 });
    const [last] = rest;
    assert.deepEqual(
      [last?.name, last?.format, last?.status, last?.chunk, last?.char_count],
      ["first", "QA_TEXT", "AVAILABLE", 1, 7],
    );
    const { code } = await refusal(own.client.knowledge.listDocuments({ knowledge_base_id: UNKNOWN }));
    assert.equal(code, 40000);
  });

  it("document details are returned for known ids and nothing for others", async () => {
    const [one, two] = [await added("One", ["A?", "a"]), await added("Two", ["B?", "b"], ["C?", "c"])];
    const details = await agent.client.knowledge.getDocuments({ data_ids: [one, UNKNOWN, two] });
    assert.deepEqual(
      details.map(({ data_id, data_status, pairs }) => [data_id, data_status, pairs]),
      [
        [one, "AVAILABLE", 1],
        [two, "AVAILABLE", 2],
      ],
    );
    assert.equal((await refusal(agent.client.knowledge.getDocuments({}))).code, 40000);
  });

  it("all named documents are deleted at once or none, and deleting twice is no error", async () => {
    const [one, two] = [await added("Zebra", ["Zebra?", "striped"]), await added("Gnu", ["Gnu?", "brown"])];
    const find = async (prompt: string) =>
      (await agent.client.knowledge.search({ prompt })).list.map((pair) => pair.answer);
    const { code } = await refusal(agent.client.knowledge.deleteDocuments({ doc: `${one},${UNKNOWN}` }));
    assert.equal(code, 40000);
    assert.deepEqual(await find("zebra"), ["striped"]);
    for (const _ of [1, 2])
      assert.deepEqual(await agent.client.knowledge.deleteDocuments({ doc: `${one},${two}` }), {
        code: 0,
        message: "OK",
      });
    assert.deepEqual([await find("zebra"), await find("gnu")], [[], []]);
    assert.deepEqual(await agent.client.knowledge.getDocuments({ data_ids: [one, two] }), []);
    assert.equal(
      (
        await refusal(
          agent.client.knowledge.update({ doc_id: one, qaList: [{ question: "Q?", answer: "a" }] }),
        )
      ).code,
      40000,
    );
    await bed.database.query(
      "update document_revision set finished_at = now() - interval '1 hour' where document_id = any($1::uuid[])",
      [[one, two]],
    );
    await eventually("their pairs are swept", async () => {
      const left = await bed.database.query("select from qa_pair where document_id = any($1::uuid[])", [
        [one, two],
      ]);
      return left.length === 0;
    });
  });

  it("appended pairs join a document's content and are found by their keywords", async () => {
    const doc_id = await added("Tools", ["What is a saw for?", "Wood."]);
    const reply = await agent.client.knowledge.addPairs({
      doc_id,
      chunks: [{ question: "What is a drill for?", answer: "Holes.", keywords: ["boring machine"] }],
    });
    assert.deepEqual(reply, { code: 0, message: "OK" });
    const answer = async (prompt: string) =>
      (await agent.client.knowledge.search({ prompt, data_ids: [doc_id] })).list[0];
    assert.equal((await answer("What is a saw for?"))?.answer, "Wood.");
    assert.deepEqual(
      [(await answer("Boring machine?"))?.answer, (await answer("Boring machine?"))?.score],
      ["Holes.", 1],
    );
    const [detail] = await agent.client.knowledge.getDocuments({ data_ids: [doc_id] });
    assert.equal(detail?.pairs, 2);
    const { code } = await refusal(
      agent.client.knowledge.addPairs({ doc_id: UNKNOWN, chunks: [{ question: "Q?", answer: "a" }] }),
    );
    assert.equal(code, 40000);
  });

  it("the pairs of a document are read page by page and replaced with their keywords", async () => {
    const doc_id = await added("Colours", ["Red?", "No."]);
    const chunks = Array.from({ length: 5 }, (_, index) => ({
      question: `Colour ${index}?`,
      answer: "Blue.",
      keywords: index === 2 ? ["色", "shade"] : [],
    }));
    await agent.client.knowledge.addPairs({ doc_id, chunks, replace: true });
    const read = [];
    let cursor: string | null = null;
    do {
      const page = await agent.client.knowledge.listPairs({
        doc_id,
        limit: 2,
        ...(cursor !== null && { cursor }),
      });
      read.push(...page.list);
      cursor = page.next_cursor;
    } while (cursor !== null);
    assert.deepEqual(read, chunks);
    const [detail] = await agent.client.knowledge.getDocuments({ data_ids: [doc_id] });
    assert.equal(detail?.pairs, 5);
    const found = await agent.client.knowledge.search({ prompt: "Red?", data_ids: [doc_id] });
    assert.equal(
      found.list.some(({ answer }) => answer === "No."),
      false,
    );
  });

  it("a page-by-page read never mixes two contents", async () => {
    const doc_id = await added("Tides", ["One?", "1"], ["Two?", "2"], ["Three?", "3"]);
    const { next_cursor } = await agent.client.knowledge.listPairs({ doc_id, limit: 2 });
    assert.ok(next_cursor !== null);
    await agent.client.knowledge.update({ doc_id, qaList: [{ question: "Four?", answer: "4" }] });
    const changed = await refusal(
      agent.client.knowledge.listPairs({ doc_id, limit: 2, cursor: next_cursor }),
    );
    assert.equal(changed.code, 40900);
    const { list } = await agent.client.knowledge.listPairs({ doc_id });
    assert.deepEqual(list, [{ question: "Four?", answer: "4", keywords: [] }]);
    assert.equal((await refusal(agent.client.knowledge.listPairs({ doc_id, cursor: "x" }))).code, 40000);
    assert.equal((await refusal(agent.client.knowledge.listPairs({ doc_id: UNKNOWN }))).code, 40000);
    await agent.client.knowledge.deleteDocuments({ doc: doc_id });
    assert.equal((await refusal(agent.client.knowledge.listPairs({ doc_id }))).code, 40000);
  });

  it("concurrent appends lose no pair", async () => {
    const doc_id = await added("Log", ["Entry 0?", "0"]);
    await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        agent.client.knowledge.addPairs({
          doc_id,
          chunks: [{ question: `Entry ${index + 1}?`, answer: `${index + 1}` }],
        }),
      ),
    );
    const [detail] = await agent.client.knowledge.getDocuments({ data_ids: [doc_id] });
    assert.equal(detail?.pairs, 13);
  });

  it("a match shows how each score came about, within the given bases, documents and scores", async () => {
    const own = await makeAgent(bed, { webhook: false });
    const { knowledge_base_id } = await own.client.knowledge.createBase({ name: "Other", desc: "d" });
    const pair = { question: "How do I reset my password?", answer: "By the link." };
    const elsewhere = { question: "How do I reset my clock?", answer: "With the small wheel." };
    await own.client.knowledge.add({ purpose: "QA_TEXT", name: "A", qaList: [pair] });
    await own.client.knowledge.add({ purpose: "QA_TEXT", name: "B", knowledge_base_id, qaList: [elsewhere] });
    const all = await own.client.knowledge.search({ prompt: "reset password", score_parts: true });
    assert.deepEqual([all.total, all.list[0]?.answer], [2, "By the link."]);
    for (const { score, parts } of all.list) {
      const { question = 0, trigram = 0, answer = 0, lexical = 0, semantic } = parts ?? {};
      assert.ok(Math.abs(question + trigram + answer - lexical) < 1e-9 && lexical === score);
      assert.equal(semantic, null);
    }
    assert.equal(all.list[0]?.content, "How do I reset my password?\nBy the link.");
    const inOther = await own.client.knowledge.search({
      prompt: "reset password",
      group_ids: [knowledge_base_id],
    });
    assert.deepEqual(
      inOther.list.map(({ answer }) => answer),
      ["With the small wheel."],
    );
    const strict = await own.client.knowledge.search({ prompt: "reset password", doc_correlation: 0.9 });
    assert.equal(strict.total, 0);
    const one = await own.client.knowledge.search({ prompt: "reset", top_k: 1 });
    assert.equal(one.total, 1);
    assert.equal(
      (await refusal(own.client.knowledge.search({ prompt: "x", group_ids: [UNKNOWN] }))).code,
      40000,
    );
  });

  it("the retrieval test finds what answers a user and says what it would do", async () => {
    const own = await makeAgent(bed, {
      qaList: [{ question: "When do you open on Sundays?", answer: "At ten." }],
    });
    const conversation = await own.converse();
    const prompts = ["When do you open on Sundays?", "open on a sunday?", "who painted this"];
    for (const [index, prompt] of prompts.entries()) {
      const { list } = await own.client.knowledge.search({ prompt });
      await own.ask(conversation, prompt);
      const arrived = await own.arrivals(index + 1);
      const reply = arrived.at(-1)?.body as AgentResponseMessage | undefined;
      const would = list[0]?.would ?? "fallback";
      // Without a model a pair that may fit is given as it is, and an offer answers nothing yet.
      const branches = { direct: "direct", model: "direct", offer: "fallback", fallback: "fallback" };
      assert.equal(reply?.output[0]?.from_component_branch, branches[would], prompt);
    }
    const { list } = await operatorOf(bed).unanswered.list({ agent_id: own.agentId });
    assert.deepEqual(
      list.map(({ question, asked }) => [question, asked]),
      [["who painted this", 1]],
    );
  });

  describe("pairs", () =>
    pairTests(
      (title, run) => void it(title, run),
      () => bed,
    ));

  describe("tags of pairs", () =>
    pairTagTests(
      (title, run) => void it(title, run),
      () => bed,
    ));

  describe("uploads", () =>
    uploadTests(
      (title, run) => void it(title, run),
      () => bed,
    ));

  describe("saved questions", () =>
    savedQuestionTests(
      (title, run) => void it(title, run),
      () => bed,
    ));

  describe("the loop from questions to pairs", () =>
    questionLoopTests(
      (title, run) => void it(title, run),
      () => bed,
    ));
});
