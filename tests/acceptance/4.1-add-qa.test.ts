import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { ANSWER_MAX_CHARACTERS, QA_LIST_MAX_PAIRS, QUESTION_MAX_CHARACTERS } from "@signalbox/contract";
import { makeAgent, refusal } from "../support/agents.ts";
import type { MadeAgent } from "../support/agents.ts";
import { openBed } from "../support/bed.ts";
import type { Bed } from "../support/bed.ts";
import { bearer, JSON_TYPE, sendRequest } from "../support/wire.ts";

const HOURS = [{ question: "When do you open?", answer: "At nine." }];
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

describe("4.1 add QA to a knowledge document", () => {
  let bed: Bed;
  let agent: MadeAgent;
  before(async () => {
    bed = await openBed({ apis: 2, workers: 0 });
    agent = await makeAgent(bed, { webhook: false });
  });
  after(() => bed[Symbol.asyncDispose]());

  const documentsOf = (made: MadeAgent) =>
    bed.database.query<{ id: string; name: string; knowledge_base_id: string }>(
      "select id, name, knowledge_base_id from document where agent_id = $1 order by id",
      [made.agentId],
    );

  const post = (body: unknown, headers: Record<string, string> = {}) =>
    sendRequest(bed.baseUrl, {
      method: "POST",
      path: "/v1/bot/doc/qa/add",
      headers: { ...bearer(agent.apiKey), ...JSON_TYPE, ...headers },
      body: JSON.stringify(body),
    });

  const reasonOf = async (body: unknown) => {
    const { status, body: failure } = await post(body);
    const { code, message } = failure as { code: number; message: string };
    assert.deepEqual([status, code], [400, 40000], message);
    assert.deepEqual(Object.keys(failure as object), ["code", "message"]);
    return message;
  };

  it("4.1 returns the added document and no failed name, and nothing else", async () => {
    const answer = await post({ purpose: "QA_TEXT", name: "Opening hours", qaList: HOURS });
    assert.equal(answer.status, 200);
    assert.match(answer.headers["content-type"] ?? "", /^application\/json\b/);
    const body = answer.body as { doc: { doc_id: string; doc_name: string }[]; failed: string[] };
    assert.deepEqual(Object.keys(body), ["doc", "failed"]);
    assert.deepEqual(body.failed, []);
    assert.equal(body.doc.length, 1);
    assert.deepEqual(Object.keys(body.doc[0] ?? {}), ["doc_id", "doc_name"]);
    assert.equal(body.doc[0]?.doc_name, "Opening hours");
    assert.match(body.doc[0]?.doc_id ?? "", UUID);
  });

  it("4.1 stores every pair of the list in order as the document's current revision", async () => {
    const qaList = Array.from({ length: 7 }, (_, at) => ({
      question: `question ${at}`,
      answer: `answer ${at}`,
    }));
    const { doc } = await agent.client.knowledge.add({ purpose: "QA_TEXT", name: "Ordered", qaList });
    const stored = await bed.database.query(
      `select p.question, p.answer from document d join qa_pair p
        on p.document_id = d.id and p.revision = d.current_revision
        where d.id = $1 and p.agent_id = $2 order by p.ordinal`,
      [doc[0]?.doc_id, agent.agentId],
    );
    assert.deepEqual(stored, qaList);
  });

  it("4.1 uses the agent's default knowledge base when none or null is given", async () => {
    const other = await makeAgent(bed, { webhook: false });
    await other.client.knowledge.add({ purpose: "QA_TEXT", name: "a", qaList: HOURS });
    await other.client.knowledge.add({
      purpose: "QA_TEXT",
      name: "b",
      qaList: HOURS,
      knowledge_base_id: null,
    });
    assert.deepEqual(
      (await documentsOf(other)).map(({ knowledge_base_id }) => knowledge_base_id),
      [other.knowledgeBaseId, other.knowledgeBaseId],
    );
  });

  it("4.1 uses the given knowledge base, in any case of its id", async () => {
    const other = await makeAgent(bed, { webhook: false });
    const [base] = await bed.database.query<{ id: string }>(
      "insert into knowledge_base (id, agent_id, name) values (gen_random_uuid(), $1, 'Second') returning id",
      [other.agentId],
    );
    const knowledge_base_id = base?.id ?? "";
    await other.client.knowledge.add({ purpose: "QA_TEXT", name: "a", qaList: HOURS, knowledge_base_id });
    await other.client.knowledge.add({
      purpose: "QA_TEXT",
      name: "b",
      qaList: HOURS,
      knowledge_base_id: knowledge_base_id.toUpperCase(),
    });
    assert.deepEqual(
      (await documentsOf(other)).map((document) => document.knowledge_base_id),
      [knowledge_base_id, knowledge_base_id],
    );
  });

  it("4.1 refuses another agent's knowledge base in the same words as an unknown one, and stores nothing", async () => {
    const other = await makeAgent(bed, { webhook: false });
    const add = (knowledge_base_id: string) =>
      refusal(
        other.client.knowledge.add({ purpose: "QA_TEXT", name: "x", qaList: HOURS, knowledge_base_id }),
      );
    const foreign = await add(agent.knowledgeBaseId);
    assert.deepEqual(foreign, {
      status: 400,
      code: 40000,
      message: "Parameter error: knowledge_base_id is not a knowledge base of this agent",
    });
    assert.deepEqual(await add("0199f3a2-6c1e-7b44-9d0a-5f2f6f1c8e21"), foreign);
    assert.deepEqual(await documentsOf(other), []);
  });

  it("4.1 names what is missing in one exact sentence", async () => {
    const name = "Opening hours";
    const purpose = "QA_TEXT";
    assert.equal(
      await reasonOf({ purpose, qaList: HOURS }),
      "Parameter error: name is required when purpose is QA_TEXT",
    );
    assert.equal(
      await reasonOf({ purpose, name }),
      "Parameter error: qaList is required when purpose is QA_TEXT",
    );
    assert.equal(
      await reasonOf({ purpose, name: null, qaList: null }),
      "Parameter error: name is required when purpose is QA_TEXT; qaList is required when purpose is QA_TEXT",
    );
    assert.equal(
      await reasonOf({ name, qaList: HOURS }),
      "Parameter error: purpose is required: QA_TEXT, QA_FILE or FILE_2_QA",
    );
    assert.equal(
      await reasonOf({ purpose: "QA", name, qaList: HOURS }),
      "Parameter error: purpose must be QA_TEXT, QA_FILE or FILE_2_QA",
    );
    assert.equal(
      await reasonOf({ purpose, name, qaList: [{ question: "Where?" }] }),
      "Parameter error: qaList[0].answer is required",
    );
    assert.equal(
      await reasonOf({ purpose: "QA_FILE", name, qaList: HOURS }),
      "Parameter error: files is required when purpose is QA_FILE",
    );
    assert.equal(
      await reasonOf({ purpose: "FILE_2_QA" }),
      "Parameter error: files is required when purpose is FILE_2_QA",
    );
  });

  it("4.1 refuses an empty list, blank texts and more than 20 files", async () => {
    const purpose = "QA_TEXT";
    assert.match(await reasonOf({ purpose, name: "x", qaList: [] }), /qaList must have at least 1 entry/);
    assert.match(await reasonOf({ purpose, name: " ", qaList: HOURS }), /name must not be blank/);
    assert.match(
      await reasonOf({ purpose, name: "x", qaList: [{ question: "\t", answer: "" }] }),
      /qaList\[0\]\.question must not be blank; qaList\[0\]\.answer must not be empty/,
    );
    const files = Array.from({ length: 21 }, (_, at) => ({
      file_url: `https://files.example.com/${at}.csv`,
      file_name: `${at}.csv`,
    }));
    assert.match(await reasonOf({ purpose: "QA_FILE", files }), /files must have at most 20 entries/);
  });

  it("4.1 accepts texts of exactly the maximum length in characters and refuses one more", async () => {
    const purpose = "QA_TEXT";
    const longest = {
      question: "😀".repeat(QUESTION_MAX_CHARACTERS),
      answer: "答".repeat(ANSWER_MAX_CHARACTERS),
    };
    const { doc } = await agent.client.knowledge.add({ purpose, name: "n".repeat(200), qaList: [longest] });
    const [stored] = await bed.database.query(
      "select length(question) as question, length(answer) as answer from qa_pair where document_id = $1",
      [doc[0]?.doc_id],
    );
    assert.deepEqual(stored, { question: 1000, answer: 25_000 });
    assert.match(
      await reasonOf({ purpose, name: "x", qaList: [{ ...longest, question: `${longest.question}x` }] }),
      /qaList\[0\]\.question must have at most 1,000 characters/,
    );
    assert.match(
      await reasonOf({ purpose, name: "x", qaList: [{ ...longest, answer: `${longest.answer}x` }] }),
      /qaList\[0\]\.answer must have at most 25,000 characters/,
    );
    assert.match(
      await reasonOf({ purpose, name: "n".repeat(201), qaList: HOURS }),
      /name must have at most 200 characters/,
    );
  });

  it("4.1 accepts 10,000 pairs and refuses 10,001", async () => {
    const qaList = Array.from({ length: QA_LIST_MAX_PAIRS }, (_, at) => ({
      question: `q ${at}`,
      answer: `a ${at}`,
    }));
    const { doc } = await agent.client.knowledge.add({ purpose: "QA_TEXT", name: "Large", qaList });
    const [stored] = await bed.database.query("select count(*)::int from qa_pair where document_id = $1", [
      doc[0]?.doc_id,
    ]);
    assert.deepEqual(stored, { count: 10_000 });
    assert.match(
      await reasonOf({ purpose: "QA_TEXT", name: "Larger", qaList: [...qaList, ...HOURS] }),
      /qaList must have at most 10000 entries/,
    );
  });

  it("4.1 adds one document for requests repeated with one Idempotency-Key, on either node", async () => {
    const other = await makeAgent(bed, { webhook: false });
    const send = (baseUrl: string) =>
      sendRequest(baseUrl, {
        method: "POST",
        path: "/v1/bot/doc/qa/add",
        headers: { ...bearer(other.apiKey), ...JSON_TYPE, "idempotency-key": "import-1" },
        body: JSON.stringify({ purpose: "QA_TEXT", name: "Once", qaList: HOURS }),
      });
    const first = await send(bed.api(0).baseUrl);
    const second = await send(bed.api(1).baseUrl);
    assert.deepEqual([first.status, second.status], [200, 200]);
    assert.equal(second.text, first.text);
    assert.equal((await documentsOf(other)).length, 1);
  });

  it("4.1 adds two documents of the same name without an Idempotency-Key", async () => {
    const other = await makeAgent(bed, { webhook: false });
    for (const _ of [1, 2])
      await other.client.knowledge.add({ purpose: "QA_TEXT", name: "Twice", qaList: HOURS });
    assert.deepEqual(
      (await documentsOf(other)).map(({ name }) => name),
      ["Twice", "Twice"],
    );
  });
});
