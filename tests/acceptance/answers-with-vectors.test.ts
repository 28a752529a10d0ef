import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { BlockingReply } from "@signalbox/contract";
import { makeAgent, operatorOf, type MadeAgent } from "../support/agents.ts";
import { openBed, type Bed } from "../support/bed.ts";
import { startModelServer, type ModelServer } from "../support/model-server.ts";
import { withClient } from "../support/postgres.ts";
import { eventually } from "../support/processes.ts";

describe("answers with vectors", () => {
  const open = new AsyncDisposableStack();
  let bed: Bed;
  let model: ModelServer;
  let agent: MadeAgent;
  let documentId: string;

  /** A model that knows which words mean the same. */
  const MEANINGS = [
    ["car", "automobile", "vehicle"],
    ["mend", "tinkering"],
    ["cost", "price", "fee"],
    ["lamp", "light"],
  ];
  const vectorOf = (text: string) =>
    MEANINGS.map((words) => (words.some((word) => text.toLowerCase().includes(word)) ? 1 : 0.05));

  before(async () => {
    model = open.use(await startModelServer());
    model.embedWith((texts) => texts.map(vectorOf));
    bed = open.use(await openBed({ apis: 1, workers: 1, environment: { BUILT_IN_ENCODER: "true" } }));
    agent = await makeAgent(bed, { webhook: false });
    await operatorOf(bed).models.setEmbedding({ agent_id: agent.agentId, url: model.url, model: "reader" });
    const qaList = [
      { question: "Where can I mend my automobile?", answer: "In the yard." },
      { question: "What is the fee?", answer: "Ten." },
      { question: "Is there a lamp?", answer: "Yes." },
    ];
    const { doc } = await agent.client.knowledge.add({ purpose: "QA_TEXT", name: "Yard", qaList });
    documentId = doc[0]?.doc_id ?? "";
    await embedded(3);
  });
  after(() => open.disposeAsync());

  async function embedded(pairs: number): Promise<void> {
    await eventually(
      "every pair has its vector",
      async () => {
        const [detail] = await agent.client.knowledge.getDocuments({ data_ids: [documentId] });
        return detail?.pairs === pairs && detail.pairs_with_vectors === pairs;
      },
      { timeoutMs: 30_000 },
    );
  }

  const embeddedTexts = () =>
    model.requests.flatMap(({ path, body }) => (path === "/v1/embeddings" ? [body.input ?? []].flat() : []));

  it("a vector search finds a pair with the same meaning and no common word", async () => {
    const { list } = await agent.client.knowledge.search({ prompt: "vehicle tinkering", score_parts: true });
    assert.equal(list[0]?.answer, "In the yard.");
    assert.ok((list[0]?.parts?.semantic ?? 0) > 0.8 && (list[0]?.parts?.lexical ?? 1) < 0.1);
    const byWords = await agent.client.knowledge.search({ prompt: "vehicle tinkering", embedding_rate: 0 });
    assert.deepEqual(byWords.list, []);
  });

  it("answers come by words while the embedding model is unavailable", async () => {
    model.next({ status: 503 });
    const { list } = await agent.client.knowledge.search({ prompt: "Is there a lamp?" });
    assert.deepEqual([list[0]?.answer, list[0]?.score], ["Yes.", 1]);
  });

  it("an update embeds only new pairs and keeps the vectors of the others", async () => {
    const before = embeddedTexts().length;
    await agent.client.knowledge.update({
      doc_id: documentId,
      qaList: [
        { question: "What is the fee?", answer: "Ten." },
        { question: "Where can I mend my automobile?", answer: "In the yard." },
        { question: "Can you light the lamp?", answer: "At dusk." },
      ],
    });
    const [detail] = await agent.client.knowledge.getDocuments({ data_ids: [documentId] });
    assert.equal(detail?.pairs_with_vectors, 2, "at the moment the update is there");
    await embedded(3);
    assert.deepEqual(embeddedTexts().slice(before).toSorted(), ["At dusk.", "Can you light the lamp?"]);
    const { list } = await agent.client.knowledge.search({ prompt: "vehicle tinkering" });
    assert.equal(list[0]?.answer, "In the yard.");
  });

  it("an append embeds only the appended pairs", async () => {
    const before = embeddedTexts().length;
    const chunks = [{ question: "Who pays the price?", answer: "You.", keywords: ["cost"] }];
    await agent.client.knowledge.addPairs({ doc_id: documentId, chunks });
    const [detail] = await agent.client.knowledge.getDocuments({ data_ids: [documentId] });
    assert.deepEqual(
      [detail?.pairs, detail?.pairs_with_vectors],
      [4, 3],
      "at the moment the append is there",
    );
    await embedded(4);
    assert.deepEqual(embeddedTexts().slice(before).toSorted(), ["Who pays the price?", "You.", "cost"]);
  });

  it("an edited pair is embedded with its new texts, and no other pair is", async () => {
    const before = embeddedTexts().length;
    const { agentId: agent_id } = agent;
    const { list } = await operatorOf(bed).pairs.list({ agent_id, doc_id: documentId });
    const pair_id = list.find(({ answer }) => answer === "In the yard.")?.pair_id ?? "";
    await operatorOf(bed).pairs.update({ agent_id, pair_id, question: "Do you light the yard?" });
    const [detail] = await agent.client.knowledge.getDocuments({ data_ids: [documentId] });
    assert.deepEqual([detail?.pairs, detail?.pairs_with_vectors], [4, 3], "at the moment it is edited");
    await embedded(4);
    assert.deepEqual(embeddedTexts().slice(before).toSorted(), ["Do you light the yard?", "In the yard."]);
    const found = async () =>
      (await agent.client.knowledge.search({ prompt: "vehicle tinkering", doc_correlation: 0.5 })).list;
    assert.deepEqual(await found(), []);
    await operatorOf(bed).pairs.restore({ agent_id, pair_id, version: 1 });
    await embedded(4);
    assert.equal((await found())[0]?.answer, "In the yard.");
  });

  it("a pair appended while the last of the others is embedded gets its vector", async () => {
    const qaList = [{ question: "Is there a light?", answer: "Yes." }];
    const { doc } = await agent.client.knowledge.add({ purpose: "QA_TEXT", name: "Late", qaList });
    const id = doc[0]?.doc_id ?? "";
    await withClient(bed.database.superuserUrl, async (appending) => {
      await appending.query("begin");
      await appending.query("select from document where id = $1 for update", [id]);
      await appending.query(
        `insert into qa_pair (agent_id, knowledge_base_id, document_id, revision, ordinal, question, answer, terms)
         select agent_id, knowledge_base_id, document_id, revision, 2, 'Is there a car?', 'No.', ''
         from qa_pair where document_id = $1`,
        [id],
      );
      await eventually(
        "the worker takes the document for done",
        async () => {
          const waiting = await bed.database.query(
            `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
               and query like '%from "document"%for update%'`,
          );
          return waiting.length > 0;
        },
        { timeoutMs: 30_000 },
      );
      await appending.query("commit");
    });
    await eventually("the late pair has its vectors", async () => {
      const vectors = await bed.database.query(
        "select from qa_embedding where document_id = $1 and ordinal = 2",
        [id],
      );
      return vectors.length === 2;
    });
  });

  it("all pairs are embedded again when another model is configured", async () => {
    model.embedWith((texts) => texts.map((text) => [...vectorOf(text), 0]));
    await operatorOf(bed).models.setEmbedding({
      agent_id: agent.agentId,
      url: model.url,
      model: "other-reader",
    });
    await eventually(
      "the vectors are the other model's",
      async () => {
        const rows = await bed.database.query<{ model: string }>(
          "select distinct model from qa_embedding e where revision = 2",
        );
        return rows.length === 1 && rows[0]?.model === "other-reader";
      },
      { timeoutMs: 30_000 },
    );
    const { list } = await agent.client.knowledge.search({ prompt: "vehicle tinkering" });
    assert.equal(list[0]?.answer, "In the yard.");
  });

  it("the built-in encoder finds what is meant where the agent has no model and words are not sure", async () => {
    const plain = await makeAgent(bed, { webhook: false });
    const qaList = [
      { question: "How do I reset my password?", answer: "By the link on the first page." },
      { question: "When does my parcel arrive?", answer: "Within three working days." },
      { question: "Can I pay by credit card?", answer: "With every major one." },
      { question: "Do you repair broken lamps?", answer: "In our workshop." },
    ];
    const { doc } = await plain.client.knowledge.add({ purpose: "QA_TEXT", name: "Shop", qaList });
    const encoderSeconds = async () => {
      const headers = { authorization: `Bearer ${bed.operatorToken}` };
      const metrics = await (await fetch(`${bed.baseUrl}/metrics`, { headers })).text();
      return Number(/^signalbox_encoder_cpu_seconds_total (\S+)$/m.exec(metrics)?.[1]);
    };
    const say = async (content: string) => {
      const reply = await plain.client.conversations.sendMessage({
        conversation_id: await plain.converse(),
        response_mode: "blocking",
        messages: [{ role: "user", content }],
      });
      return BlockingReply.parse(reply)
        .output.map(({ content }) => content.text)
        .join();
    };
    await eventually(
      "every pair has its vector",
      async () => {
        const [detail] = await plain.client.knowledge.getDocuments({ data_ids: [doc[0]?.doc_id ?? ""] });
        return detail?.pairs_with_vectors === qaList.length;
      },
      { timeoutMs: 30_000 },
    );
    const idle = await encoderSeconds();
    assert.equal(await say("How do I reset my password?"), "By the link on the first page.");
    assert.match(await say("hello"), /hello|hi/i);
    assert.equal(await encoderSeconds(), idle, "words are sure, and small talk has no meaning to look for");

    const asked = "I can't remember my login credentials";
    const byWords = await plain.client.knowledge.search({ prompt: asked, embedding_rate: 0 });
    const { list } = await plain.client.knowledge.search({ prompt: asked, score_parts: true });
    assert.equal(list[0]?.question, "How do I reset my password?");
    assert.ok((list[0]?.parts?.semantic ?? 0) > 0.3);
    assert.ok((list[0]?.score ?? 0) > (byWords.list[0]?.score ?? 0), "nearer by meaning than by words");
    assert.match(await say(asked), /How do I reset my password\?|By the link on the first page\./);
    assert.ok((await encoderSeconds()) > idle);
  });

  it("a base in a language the built-in encoder does not know is searched by words alone", async () => {
    const german = await makeAgent(bed, { webhook: false });
    const qaList = [
      { question: "Wie ändere ich mein Kennwort?", answer: "Über den Verweis auf der ersten Seite." },
      { question: "Wann kommt mein Paket an?", answer: "In drei Werktagen." },
      { question: "Kann ich mit Kreditkarte bezahlen?", answer: "Mit jeder größeren." },
    ];
    const { doc } = await german.client.knowledge.add({ purpose: "QA_TEXT", name: "Laden", qaList });
    const id = doc[0]?.doc_id ?? "";
    await eventually(
      "the encoder is done with every pair",
      async () => {
        const [detail] = await german.client.knowledge.getDocuments({ data_ids: [id] });
        return detail?.pairs_with_vectors === qaList.length;
      },
      { timeoutMs: 30_000 },
    );
    assert.deepEqual(
      await bed.database.query("select form from qa_embedding where document_id = $1", [id]),
      [],
    );
    const search = async (embedding_rate?: number) =>
      (
        await german.client.knowledge.search({
          prompt: "mein Paket kommt wann",
          ...(embedding_rate === 0 && { embedding_rate }),
        })
      ).list;
    assert.equal((await search())[0]?.answer, "In drei Werktagen.");
    assert.deepEqual(await search(), await search(0));
  });

  it("vectors are not used where the model cannot tell questions apart", async () => {
    const blind = await makeAgent(bed, { webhook: false });
    model.embedWith((texts) => texts.map(() => [0.5, 0.5, 0.5]));
    await operatorOf(bed).models.setEmbedding({ agent_id: blind.agentId, url: model.url, model: "blind" });
    const qaList = [
      { question: "退款需要多久？", answer: "三天。" },
      { question: "如何重置密码？", answer: "点击链接。" },
    ];
    const { doc } = await blind.client.knowledge.add({ purpose: "QA_TEXT", name: "Blind", qaList });
    await eventually(
      "it has vectors",
      async () => {
        const [detail] = await blind.client.knowledge.getDocuments({ data_ids: [doc[0]?.doc_id ?? ""] });
        return detail?.pairs_with_vectors === 2;
      },
      { timeoutMs: 30_000 },
    );
    const { list } = await blind.client.knowledge.search({ prompt: "如何重置密码", score_parts: true });
    assert.deepEqual([list[0]?.answer, list[0]?.parts?.semantic], ["点击链接。", null]);
  });
});
