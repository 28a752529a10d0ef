import assert from "node:assert/strict";
import type { DocumentRevision, Pair } from "@signalbox/contract";
import { makeAgent, operatorOf, refusal, type MadeAgent } from "../support/agents.ts";
import type { Bed } from "../support/bed.ts";
import { eventually } from "../support/processes.ts";

const HOURS = { question: "When do you open?", answer: "At nine." };
const RETURNS = { question: "How do I return a parcel?", answer: "With the label in the box." };
const PARKING = { question: "Where can I park?", answer: "Behind the house." };

type AddTest = (title: string, run: () => Promise<void>) => void;

/** Words that a team sorts its pairs by, against a bed that is there. */
export function pairTagTests(it: AddTest, bed: () => Bed): void {
  const operator = () => operatorOf(bed());
  const taught = () => makeAgent(bed(), { webhook: false, qaList: [HOURS, RETURNS, PARKING] });
  const pairsOf = async ({ agentId: agent_id }: MadeAgent, query: { tag?: string; text?: string } = {}) =>
    (await operator().pairs.list({ agent_id, ...query })).list;
  const tagsOf = async (agent: MadeAgent) =>
    Object.fromEntries((await pairsOf(agent)).map(({ question, tags }) => [question, tags]));
  const idsOf = async (agent: MadeAgent) => (await pairsOf(agent)).map(({ pair_id }) => pair_id);
  const ended = ({ agentId: agent_id }: MadeAgent, { doc_id, revision }: DocumentRevision) =>
    eventually("it has ended", async () => {
      const { list } = await operator().documents.listRevisions({ agent_id, doc_id });
      const seen = list.find((one) => one.revision === revision);
      return seen?.state === "waiting" || seen?.state === "working" ? undefined : seen;
    });
  async function imported(agent: MadeAgent, file_name: string, bytes: Buffer, doc_id?: string) {
    const { agentId: agent_id } = agent;
    const { upload_id } = await operator().uploads.create({ agent_id, file_name, size_bytes: bytes.length });
    const data = bytes.toString("base64");
    await operator().uploads.addPart({ agent_id, upload_id, offset: 0, data });
    const reading = doc_id === undefined ? {} : { doc_id };
    return ended(agent, await operator().uploads.import({ agent_id, upload_id, ...reading }));
  }

  it("tags of a pair are stored in one spelling, listed with counts, and cleared", async () => {
    const agent = await taught();
    const { agentId: agent_id } = agent;
    const [hours, returns] = await pairsOf(agent);
    const tags = ["  Opening   Hours ", "ＦＡＱ", "faq"];
    const changed = await operator().pairs.update({ agent_id, pair_id: hours?.pair_id ?? "", tags });
    assert.deepEqual([changed.tags, changed.version], [["faq", "opening hours"], 2]);
    await operator().pairs.update({ agent_id, pair_id: returns?.pair_id ?? "", tags: ["faq"] });
    assert.deepEqual((await operator().pairs.listTags({ agent_id })).list, [
      { tag: "faq", pairs: 2 },
      { tag: "opening hours", pairs: 1 },
    ]);
    const same = await operator().pairs.update({
      agent_id,
      pair_id: changed.pair_id,
      tags: ["FAQ", "opening hours"],
    });
    assert.equal(same.version, 2, "the same tags are no change");
    await operator().pairs.update({ agent_id, pair_id: changed.pair_id, tags: [] });
    assert.deepEqual(await tagsOf(agent), {
      [HOURS.question]: [],
      [RETURNS.question]: ["faq"],
      [PARKING.question]: [],
    });
  });

  it("pairs are listed by tag, alone and with words, page by page", async () => {
    const agent = await taught();
    const { agentId: agent_id } = agent;
    const pair_ids = await idsOf(agent);
    await operator().pairs.tag({ agent_id, pair_ids, add: ["shop"] });
    await operator().pairs.tag({ agent_id, pair_ids: pair_ids.slice(1), add: ["退货"] });
    const found = async (query: { tag: string; text?: string }) =>
      (await pairsOf(agent, query)).map(({ question }) => question);
    assert.deepEqual(await found({ tag: "退货" }), [RETURNS.question, PARKING.question]);
    assert.deepEqual(await found({ tag: " SHOP ", text: "park" }), [PARKING.question]);
    assert.deepEqual(await found({ tag: "sho" }), []);
    const first = await operator().pairs.list({ agent_id, tag: "shop", limit: 2 });
    const rest = await operator().pairs.list({ agent_id, tag: "shop", cursor: first.next_cursor ?? "" });
    assert.deepEqual(
      [...first.list, ...rest.list].map(({ pair_id }) => pair_id),
      pair_ids,
    );
    await operator().pairs.tag({ agent_id, pair_ids: pair_ids.slice(0, 1), remove: ["shop"] });
    assert.deepEqual(await found({ tag: "shop" }), [RETURNS.question, PARKING.question]);
    const { list } = await agent.client.knowledge.search({ prompt: "shop 退货", embedding_rate: 0 });
    assert.deepEqual(list, [], "a tag answers no question");
  });

  it("tagging several pairs changes each once, names those that are gone, and is one entry in the history", async () => {
    const agent = await taught();
    const { agentId: agent_id } = agent;
    const [first = "", second = "", gone = ""] = await idsOf(agent);
    await operator().pairs.update({ agent_id, pair_id: first, tags: ["shop"] });
    await operator().pairs.delete({ agent_id, pair_id: gone });
    const reply = await operator().pairs.tag({
      agent_id,
      pair_ids: [second, first, gone, second],
      add: ["Shop"],
    });
    assert.deepEqual(reply, { changed: [second], missing: [gone] });
    const doc_id = (await pairsOf(agent))[0]?.doc_id ?? "";
    const { list } = await operator().documents.listRevisions({ agent_id, doc_id });
    assert.deepEqual(
      list.map(({ change, state, pairs }) => [change, state, pairs]),
      [
        ["edit", "current", 2],
        ["edit", "superseded", 2],
        ["edit", "superseded", 3],
        ["import", "superseded", 3],
      ],
    );
    const tooMany = Array.from({ length: 10 }, (_, at) => `tag ${at}`);
    const refused = await refusal(
      operator().pairs.tag({ agent_id, pair_ids: [first, second], add: tooMany }),
    );
    assert.deepEqual([refused.code, /at most 10 tags/.test(refused.message)], [40000, true]);
    assert.deepEqual((await tagsOf(agent))[RETURNS.question], ["shop"], "none of them was tagged");
    for (const wrong of [["a,b"], [" "], ["x".repeat(41)], [...tooMany, "one more"]])
      assert.equal(
        (await refusal(operator().pairs.tag({ agent_id, pair_ids: [first], add: wrong }))).code,
        40000,
      );
  });

  it("the history of a pair shows its tags, and a restore brings them back with the answer unchanged", async () => {
    const agent = await taught();
    const { agentId: agent_id } = agent;
    const [pair_id = ""] = await idsOf(agent);
    await operator().pairs.update({ agent_id, pair_id, tags: ["one"] });
    await operator().pairs.update({ agent_id, pair_id, answer: "At ten." });
    await operator().pairs.update({ agent_id, pair_id, tags: ["two"] });
    const { list } = await operator().pairs.listHistory({ agent_id, pair_id });
    assert.deepEqual(
      list.map(({ version, change, answer, tags }) => [version, change, answer, tags]),
      [
        [4, "changed", "At ten.", ["two"]],
        [3, "changed", "At ten.", ["one"]],
        [2, "changed", HOURS.answer, ["one"]],
        [1, "imported", HOURS.answer, []],
      ],
    );
    const restored = await operator().pairs.restore({ agent_id, pair_id, version: 3 });
    assert.deepEqual([restored.answer, restored.tags, restored.version], ["At ten.", ["one"], 5]);
    assert.deepEqual(
      (await pairsOf(agent, { tag: "one" })).map(({ pair_id: id }) => id),
      [pair_id],
    );
    assert.deepEqual(await pairsOf(agent, { tag: "two" }), []);
  });

  it("a new import without tags keeps those of each question that stays, and a restore those of its content", async () => {
    const agent = await taught();
    const { agentId: agent_id } = agent;
    const [first = "", second = "", third = ""] = await idsOf(agent);
    await operator().pairs.tag({ agent_id, pair_ids: [first, second], add: ["shop"] });
    await operator().pairs.tag({ agent_id, pair_ids: [third], add: ["cars"] });
    const doc_id = (await pairsOf(agent))[0]?.doc_id ?? "";
    const file = Buffer.from(
      `question,answer\n${HOURS.question},${HOURS.answer}\nhow do i return a parcel,Corrected.\nIs there a lift?,No.\n`,
    );
    const { revision } = await imported(agent, "new.csv", file, doc_id);
    const now = { [HOURS.question]: ["shop"], "how do i return a parcel": ["shop"], "Is there a lift?": [] };
    assert.deepEqual(await tagsOf(agent), now);
    await agent.client.knowledge.update({ doc_id, qaList: [HOURS, PARKING] });
    assert.deepEqual(await tagsOf(agent), { [HOURS.question]: ["shop"], [PARKING.question]: [] });
    await ended(agent, await operator().documents.restore({ agent_id, doc_id, revision }));
    assert.deepEqual(await tagsOf(agent), now);
    assert.equal((await pairsOf(agent, { tag: "shop" })).length, 2);
  });

  it("tags come from the tags column of a file and replace those of the same pairs", async () => {
    const agent = await taught();
    const { agentId: agent_id } = agent;
    const doc_id = (await pairsOf(agent))[0]?.doc_id ?? "";
    await operator().pairs.tag({ agent_id, pair_ids: await idsOf(agent), add: ["old"] });
    const rows = [
      "question,answer,标签",
      `${HOURS.question},${HOURS.answer},"Shop; Opening Hours、FAQ"`,
      `${RETURNS.question},${RETURNS.answer},`,
      `Too long?,Yes.,${"x".repeat(41)}`,
    ];
    const seen = await imported(agent, "faq.csv", Buffer.from(`${rows.join("\n")}\n`), doc_id);
    assert.partialDeepStrictEqual(seen, { pairs: 2, rejected: 1 });
    assert.deepEqual(
      seen.problems.map(({ line, column, cause }) => [line, column, cause]),
      [[4, 3, "tag_too_long"]],
    );
    assert.deepEqual(await tagsOf(agent), {
      [HOURS.question]: ["faq", "opening hours", "shop"],
      [RETURNS.question]: [],
    });
  });

  it("exported tags are the same after an import, as CSV, XLSX and JSON", async () => {
    const agent = await taught();
    const { agentId: agent_id } = agent;
    const [first = "", second = ""] = await idsOf(agent);
    await operator().pairs.tag({ agent_id, pair_ids: [first, second], add: ["opening hours", "退货"] });
    const before = await tagsOf(agent);
    for (const format of ["csv", "xlsx"] as const) {
      const file = await operator().pairs.export({ agent_id, format });
      const other = await makeAgent(bed(), { webhook: false });
      await imported(other, `pairs.${format}`, Buffer.from(await file.arrayBuffer()));
      assert.deepEqual(await tagsOf(other), before, format);
    }
    const { documents } = JSON.parse(
      await (await operator().pairs.export({ agent_id, format: "json" })).text(),
    ) as {
      documents: { pairs: (Pick<Pair, "question" | "answer" | "tags"> & { keywords: string[] })[] }[];
    };
    const other = await makeAgent(bed(), { webhook: false, qaList: [HOURS] });
    const doc_id = (await pairsOf(other))[0]?.doc_id ?? "";
    await other.client.knowledge.addPairs({ doc_id, chunks: documents[0]?.pairs ?? [], replace: true });
    assert.deepEqual(await tagsOf(other), before, "json");
    const { list } = await other.client.knowledge.listPairs({ doc_id });
    assert.deepEqual(
      list.map(({ tags }) => tags),
      [["opening hours", "退货"], ["opening hours", "退货"], undefined],
    );
  });
}
