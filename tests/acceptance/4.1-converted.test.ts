import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { DocumentDetail } from "@signalbox/contract";
import { makeAgent, operatorOf, type MadeAgent } from "../support/agents.ts";
import { openBed, type Bed } from "../support/bed.ts";
import { startFileServer, type FileServer } from "../support/file-server.ts";
import { faults, startModelServer, type ModelRequest, type ModelServer } from "../support/model-server.ts";
import { eventually } from "../support/processes.ts";

/** A chapter of plain text, long enough to be a chunk of its own. */
const chapter = (number: number, words = "the machine is cleaned with a dry cloth") =>
  `Chapter ${number} says that ${words}, and that screw number ${number}00 holds the cover. ${"It is a long text. ".repeat(12)}`;

/** Every chapter in what the model was given. */
const chaptersIn = ({ body }: ModelRequest) =>
  [...(body.messages?.at(-1)?.content ?? "").matchAll(/Chapter (\d+) says/g)].map(([, number]) =>
    Number(number),
  );

/** One pair for each chapter, with a quote that is there. */
const pairsFor = (request: ModelRequest) => ({
  say: JSON.stringify({
    pairs: chaptersIn(request).map((number) => ({
      question: `Which screw holds the cover in chapter ${number}?`,
      answer: `Screw number ${number}00.`,
      quote: `screw number ${number}00 holds the cover`,
    })),
  }),
});

describe("4.1 rule 3: a document converted by a model", () => {
  const open = new AsyncDisposableStack();
  let bed: Bed;
  let files: FileServer;
  let model: ModelServer;
  let agent: MadeAgent;

  before(async () => {
    files = open.use(await startFileServer());
    model = open.use(await startModelServer());
    bed = open.use(await openBed({ apis: 1, workers: 1, environment: { DOCUMENT_TOKENS_MAX: "4000" } }));
    agent = await makeAgent(bed, { webhook: false });
    await operatorOf(bed).models.setChat({
      agent_id: agent.agentId,
      url: model.url,
      model: "converter",
      timeout_seconds: 3,
    });
  });
  after(() => open.disposeAsync());

  const serve = (name: string, chapters: string[]) => ({
    source_url: files.put(name, { bytes: chapters.join("\n\n===\n\n"), type: "text/plain" }),
    file_name: name,
  });

  async function convert(name: string, chapters: string[]): Promise<DocumentDetail> {
    const { doc } = await agent.client.knowledge.add({
      purpose: "FILE_2_QA",
      splitter: "===",
      files: [serve(name, chapters)],
    });
    return finished(doc[0]?.doc_id ?? "");
  }

  async function finished(documentId: string): Promise<DocumentDetail> {
    return eventually(
      "the document is converted",
      async () => {
        const [detail] = await agent.client.knowledge.getDocuments({ data_ids: [documentId] });
        return detail?.data_status === "AVAILABLE" && detail;
      },
      { timeoutMs: 60_000 },
    );
  }

  async function pairsOf(documentId: string): Promise<{ question: string; origin: string }[]> {
    return bed.database.query(
      `select p.question, p.origin from qa_pair p join document d on d.id = p.document_id and d.current_revision = p.revision
       where d.id = $1 order by p.ordinal`,
      [documentId],
    );
  }

  it("a converted document is sent to the model chunk by chunk, split by the splitter, with its cost in its state", async () => {
    model.answer(pairsFor);
    const before = model.requests.length;
    const detail = await convert(
      "three.txt",
      [1, 2, 3].map((number) => chapter(number)),
    );
    assert.deepEqual(
      await pairsOf(detail.data_id),
      [1, 2, 3].map((number) => ({
        question: `Which screw holds the cover in chapter ${number}?`,
        origin: "model",
      })),
    );
    const { chunks_total, chunks_done, chunks_failed, prompt_tokens, completion_tokens } =
      detail.last_import ?? {};
    assert.deepEqual([chunks_total, chunks_done, chunks_failed], [3, 3, 0]);
    assert.ok((prompt_tokens ?? 0) > 0 && (completion_tokens ?? 0) > 0);
    const asked = model.requests.slice(before);
    assert.deepEqual(
      asked.flatMap(chaptersIn).toSorted((one, other) => one - other),
      [1, 2, 3],
    );
    assert.equal(asked[0]?.body.response_format?.type, "json_schema");
  });

  it("a converted document is split into chunks of at most chunk_token tokens, 600 by default, in 4.1 and 4.2", async () => {
    model.answer(pairsFor);
    // Paragraphs of 99 tokens, with nothing in them that parts a document.
    const numbers = Array.from({ length: 6 }, (_, index) => 60 + index);
    const bytes = numbers.map((number) => `Note. ${chapter(number)}`).join("\n\n");
    const source_url = files.put("notes.txt", { bytes, type: "text/plain" });
    const entry = { source_url, file_name: "notes.txt" };
    const chunksOf = async (doc_id: string, change: () => Promise<unknown>) => {
      const before = model.requests.length;
      await change();
      const { last_import } = await finished(doc_id);
      const asked = model.requests.slice(before).map((request) => chaptersIn(request).length);
      return { total: last_import?.chunks_total, asked };
    };

    const added = await agent.client.knowledge.add({ purpose: "FILE_2_QA", files: [entry] });
    const doc_id = added.doc[0]?.doc_id ?? "";
    const whole = await chunksOf(doc_id, async () => {});
    assert.equal(whole.total, 2, "600 tokens hold five paragraphs and what is between them");

    const updated = [{ ...entry, doc_id }];
    const small = await chunksOf(doc_id, () =>
      agent.client.knowledge.update({ chunk_token: 100, files: updated }),
    );
    assert.equal(small.total, 6, "100 tokens hold one");
    // The sixth was a chunk of its own before, and is not asked about again.
    assert.deepEqual(small.asked, [1, 1, 1, 1, 1]);

    const few = await agent.client.knowledge.add({ purpose: "FILE_2_QA", chunk_token: 300, files: [entry] });
    const medium = await chunksOf(few.doc[0]?.doc_id ?? "", async () => {});
    assert.equal(medium.total, 3, "300 tokens hold two paragraphs");

    const again = await chunksOf(doc_id, () => agent.client.knowledge.update({ files: updated }));
    assert.equal(again.total, whole.total, "left out in 4.2 it is 600 again");
  });

  it("a converted document keeps no pair that its source does not support, and counts those dropped", async () => {
    model.answer((request) => ({
      say: JSON.stringify({
        pairs: chaptersIn(request).flatMap((number) => [
          {
            question: `What holds cover ${number}?`,
            answer: `Screw number ${number}00.`,
            quote: `screw number ${number}00`,
          },
          { question: "Who made it?", answer: "A company.", quote: "made by a company" },
          { question: "How many?", answer: "77 of them.", quote: "the machine is cleaned" },
        ]),
      }),
    }));
    const detail = await convert("invented.txt", [chapter(4), chapter(5)]);
    assert.deepEqual(
      (await pairsOf(detail.data_id)).map(({ question }) => question),
      ["What holds cover 4?", "What holds cover 5?"],
    );
    assert.equal(detail.last_import?.unsupported, 4);
  });

  it("an updated document sends only changed text to the model again", async () => {
    model.answer(pairsFor);
    const { data_id } = await convert("manual.txt", [chapter(6), chapter(7), chapter(8)]);
    const before = model.requests.length;
    const updated = serve("manual.txt", [chapter(6), chapter(9), chapter(8)]);
    await agent.client.knowledge.update({ splitter: "===", files: [{ ...updated, doc_id: data_id }] });
    await finished(data_id);
    assert.deepEqual(model.requests.slice(before).map(chaptersIn), [[9]]);
    assert.deepEqual(
      (await pairsOf(data_id)).map(({ question }) => /\d+/.exec(question)?.[0]),
      ["6", "9", "8"],
    );
  });

  it("a chunk that the model fails at is kept in its own words, and the state says so", async () => {
    model.answer((request) => (chaptersIn(request).includes(11) ? faults.broken() : pairsFor(request)));
    const detail = await convert("half.txt", [chapter(10), chapter(11)]);
    const pairs = await pairsOf(detail.data_id);
    assert.deepEqual(
      pairs.map(({ origin }) => origin === "model"),
      [true, false],
    );
    assert.equal(detail.last_import?.chunks_failed, 1);
    assert.equal(detail.last_import?.cause, "partial");
    const { list } = await agent.client.knowledge.search({
      prompt: "screw number 1100 cover",
      data_ids: [detail.data_id],
    });
    assert.match(list[0]?.answer ?? "", /screw number 1100 holds the cover/, "its text can still be found");
  });

  it("a conversion stops paying at the document's cost limit and keeps the rest in its own words", async () => {
    model.answer((request) => ({
      ...pairsFor(request),
      usage: { prompt_tokens: 900, completion_tokens: 200 },
    }));
    const before = model.requests.length;
    const detail = await convert(
      "dear.txt",
      Array.from({ length: 12 }, (_, index) => chapter(20 + index)),
    );
    const asked = model.requests.length - before;
    assert.ok(asked >= 4 && asked < 9, `${asked} of 12 chunks were asked about`);
    const origins = (await pairsOf(detail.data_id)).map(({ origin }) => origin);
    assert.equal(origins.filter((origin) => origin === "model").length, asked);
    assert.equal(detail.last_import?.chunks_failed, 12 - asked);
    assert.match(detail.last_import?.detail ?? "", /token budget was used up/);
  });

  it("a running conversion shows its progress", async () => {
    model.answer(async (request) => ({ ...pairsFor(request), delayMs: 800 }));
    const adding = agent.client.knowledge.add({
      purpose: "FILE_2_QA",
      splitter: "===",
      files: [
        serve(
          "slow.txt",
          Array.from({ length: 8 }, (_, index) => chapter(40 + index)),
        ),
      ],
    });
    const seen = new Set<number>();
    const watching = eventually(
      "progress is seen",
      async () => {
        const { list } = await agent.client.knowledge.listDocuments({ page_size: 1 });
        const [detail] = await agent.client.knowledge.getDocuments({ data_ids: [list[0]?.id ?? ""] });
        const { chunks_done = 0, chunks_total = 0 } = detail?.last_import ?? {};
        if (chunks_total === 8) seen.add(chunks_done);
        return detail?.data_status === "AVAILABLE" && detail.doc_name === "slow.txt";
      },
      { timeoutMs: 30_000 },
    );
    await Promise.all([adding, watching]);
    assert.ok(
      [...seen].some((done) => done > 0 && done < 8),
      `seen: ${[...seen].join(", ")}`,
    );
  });
});
