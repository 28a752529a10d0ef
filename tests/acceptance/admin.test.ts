import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Client } from "@signalbox/sdk";
import { makeAgent, operatorOf, refusal } from "../support/agents.ts";
import { openBed } from "../support/bed.ts";
import type { Bed } from "../support/bed.ts";
import { eventually } from "../support/processes.ts";

/** Stands for the operators in the audit and the log, and is no agent of theirs. */
const OPERATORS = "00000000-0000-0000-0000-000000000000";
const UNKNOWN = "0199f3a2-6c1e-7b44-9d0a-5f2f6f1c8e21";

type Page<Entry> = { list: Entry[]; next_cursor: string | null };

/** Every entry of a list, page by page, and how long the pages were. */
async function readAll<Entry>(
  read: (cursor: { cursor?: string }) => Promise<Page<Entry>>,
  between: () => Promise<unknown> = async () => undefined,
): Promise<{ entries: Entry[]; pages: number[] }> {
  const entries: Entry[] = [];
  const pages: number[] = [];
  for (let cursor: string | null | undefined; cursor !== null;) {
    const page: Page<Entry> = await read(cursor === undefined ? {} : { cursor });
    entries.push(...page.list);
    pages.push(page.list.length);
    cursor = page.next_cursor;
    await between();
  }
  return { entries, pages };
}

describe("/admin/v1", () => {
  let bed: Bed;
  let operator: Client;
  before(async () => {
    bed = await openBed({ apis: 1, workers: 0 });
    operator = operatorOf(bed);
  });
  after(() => bed[Symbol.asyncDispose]());

  const newAgent = async () => (await makeAgent(bed, { webhook: false })).agentId;

  it("of ten calls at once to run the saved questions one starts a run, and all are told of it", async () => {
    const agent_id = await newAgent();
    await operator.savedQuestions.add({ agent_id, question: "When do you open?" });
    // No worker runs it meanwhile.
    const calls = Array.from({ length: 10 }, () => operator.savedQuestions.run({ agent_id }));
    const told = (await Promise.all(calls)).map(({ run_id }) => run_id);
    const { list } = await operator.savedQuestions.listRuns({ agent_id });
    assert.deepEqual(
      [list.map(({ run_id }) => run_id), list.map(({ state }) => state)],
      [[...new Set(told)], ["waiting"]],
    );
  });

  describe("agents", () => {
    it("an agent is created, read, changed field by field and deleted, and stays readable", async () => {
      const made = await operator.agents.create({ name: "Shop", fallback_text: "Call us." });
      assert.deepEqual(Object.keys(made), [
        "agent_id",
        "name",
        "language",
        "fallback_text",
        "direct_score",
        "answer_score",
        "small_talk",
        "synonyms",
        "hold_failing_imports",
        "default_knowledge_base_id",
        "create_time",
        "delete_time",
      ]);
      assert.deepEqual(
        [made.name, made.language, made.fallback_text, made.delete_time],
        ["Shop", "en", "Call us.", null],
      );
      const { agent_id } = made;
      assert.deepEqual(await operator.agents.get({ agent_id }), made);

      assert.deepEqual(await operator.agents.update({ agent_id, name: "Market" }), {
        ...made,
        name: "Market",
      });
      assert.deepEqual(await operator.agents.update({ agent_id, language: "zh-CN", fallback_text: null }), {
        ...made,
        name: "Market",
        language: "zh-CN",
        fallback_text: null,
      });
      assert.deepEqual(await operator.agents.delete({ agent_id }), { code: 0, message: "OK" });
      const deleted = await operator.agents.get({ agent_id });
      assert.ok(deleted.delete_time !== null);
      await operator.agents.delete({ agent_id });
      assert.deepEqual(await operator.agents.get({ agent_id }), deleted, "the first deletion stands");
    });

    for (const agent_id of [UNKNOWN, OPERATORS])
      it(`an agent that does not exist answers 40401 wherever it is named: ${agent_id}`, async () => {
        const url = "https://developer.example.com/";
        const calls = [
          operator.agents.get({ agent_id }),
          operator.agents.update({ agent_id, name: "x" }),
          operator.agents.delete({ agent_id }),
          operator.keys.create({ agent_id, name: "x" }),
          operator.keys.revoke({ agent_id, key_id: UNKNOWN }),
          operator.webhooks.set({ agent_id, url }),
          operator.webhooks.get({ agent_id }),
          operator.webhooks.delete({ agent_id }),
          operator.webhooks.rotateSecret({ agent_id }),
          operator.desks.create({ agent_id, name: "x", url }),
          operator.desks.update({ agent_id, component_id: UNKNOWN, name: "x" }),
          operator.desks.delete({ agent_id, component_id: UNKNOWN }),
        ];
        for (const { status, code } of await Promise.all(calls.map(refusal)))
          assert.deepEqual([status, code], [404, 40401]);
      });

    it("a deleted agent can be read, and a change of it answers 40378", async () => {
      const agent = await makeAgent(bed);
      const { agentId: agent_id } = agent;
      const component_id = await agent.component();
      await operator.agents.delete({ agent_id });
      await operator.webhooks.get({ agent_id });
      assert.equal((await operator.keys.list({ agent_id })).list.length, 1);
      assert.equal((await operator.desks.list({ agent_id })).list.length, 1);
      const url = "https://developer.example.com/";
      const calls = [
        operator.agents.update({ agent_id, name: "x" }),
        operator.keys.create({ agent_id, name: "x" }),
        operator.webhooks.set({ agent_id, url }),
        operator.webhooks.rotateSecret({ agent_id }),
        operator.desks.create({ agent_id, name: "x", url }),
        operator.desks.update({ agent_id, component_id, name: "x" }),
      ];
      for (const { status, code } of await Promise.all(calls.map(refusal)))
        assert.deepEqual([status, code], [403, 40378]);
    });

    it("a misspelt, blank or wrongly typed agent setting is refused", async () => {
      const agent_id = await newAgent();
      const wrong: [Promise<unknown>, RegExp][] = [
        [operator.agents.create({ name: " " }), /name must not be blank/],
        [operator.agents.create({ name: "n".repeat(101) }), /name must have at most 100 characters/],
        [operator.agents.create({ name: "x", language: "de" as "en" }), /language must be en or zh-CN/],
        [
          operator.agents.update({ agent_id, fallbackText: "x" } as { agent_id: string }),
          /no field fallbackText/,
        ],
        [operator.webhooks.set({ agent_id, url: "ftp://x/" }), /url must be a whole URL/],
        [operator.webhooks.set({ agent_id, url: "https://a:b@x/" }), /must not contain a user name/],
      ];
      for (const [call, message] of wrong) {
        const refused = await refusal(call);
        assert.equal(refused.code, 40000);
        assert.match(refused.message, message);
      }
    });
  });

  describe("lists", () => {
    it("a list of 120 agents has no gap and no repeat, also while more are created between its pages", async () => {
      const wanted = new Set<string>();
      for (let round = 0; round < 12; round += 1) {
        const made = await Promise.all(
          Array.from({ length: 10 }, () => operator.agents.create({ name: "Listed" })),
        );
        for (const { agent_id } of made) wanted.add(agent_id);
      }
      const { entries, pages } = await readAll(
        (cursor) => operator.agents.list({ limit: 50, ...cursor }),
        () => operator.agents.create({ name: "Meanwhile" }),
      );
      const ids = entries.map(({ agent_id }) => agent_id);
      assert.equal(new Set(ids).size, ids.length, "no repeat");
      assert.deepEqual(
        [...wanted].filter((id) => !ids.includes(id)),
        [],
        "no gap",
      );
      assert.deepEqual(ids, ids.toSorted().toReversed(), "the newest first");
      assert.ok(
        pages.slice(0, -1).every((length) => length === 50),
        pages.join(),
      );
    });

    it("lists of keys, components and audit entries hold one agent's own, page by page", async () => {
      const agent = await makeAgent(bed);
      const stranger = await makeAgent(bed);
      await stranger.component();
      const { agentId: agent_id } = agent;
      for (let made = 0; made < 22; made += 1) {
        await operator.keys.create({ agent_id, name: `key ${made}` });
        await agent.component({ name: `desk ${made}` });
      }
      const keys = await readAll((cursor) => operator.keys.list({ agent_id, limit: 10, ...cursor }));
      assert.deepEqual(keys.pages, [10, 10, 3]);
      assert.equal(new Set(keys.entries.map(({ key_id }) => key_id)).size, 23);
      const desks = await readAll((cursor) => operator.desks.list({ agent_id, limit: 11, ...cursor }));
      assert.deepEqual(desks.pages, [11, 11], "no empty page at the end");
      assert.deepEqual(
        desks.entries.map(({ name }) => name),
        Array.from({ length: 22 }, (_, at) => `desk ${21 - at}`),
      );
      const audit = await readAll((cursor) => operator.audit.list({ agent_id, limit: 20, ...cursor }));
      assert.deepEqual(audit.pages, [20, 20, 7]);
      assert.ok(audit.entries.every((entry) => entry.agent_id === agent_id));
      assert.equal(new Set(audit.entries.map(({ audit_id }) => audit_id)).size, 47);
    });
  });

  describe("API keys", () => {
    it("API keys are listed with their details and revoked for good", async () => {
      const agent = await makeAgent(bed, { webhook: false });
      const { agentId: agent_id, keyId: key_id } = agent;
      const seconds = Math.floor(Date.now() / 1000) + 3_600;
      const brief = await operator.keys.create({ agent_id, name: "brief", expire_time: seconds });
      assert.equal(brief.expire_time, seconds * 1000, "ten digits are seconds");
      await agent.client.keys.verify();
      await operator.keys.revoke({ agent_id, key_id });
      const [newest, first] = await eventually("the use of the key is noted", async () => {
        const { list } = await operator.keys.list({ agent_id });
        return list[1]?.last_used_time !== null && list;
      });
      assert.deepEqual([newest?.name, newest?.last_used_time, newest?.revoke_time], ["brief", null, null]);
      assert.ok(typeof first?.revoke_time === "number");
      await operator.keys.revoke({ agent_id, key_id });
      assert.equal((await operator.keys.list({ agent_id })).list[1]?.revoke_time, first?.revoke_time);
    });

    it("API keys and components are not found through another agent's path", async () => {
      const [one, other] = [await makeAgent(bed), await makeAgent(bed)];
      const component_id = await one.component();
      const agent_id = other.agentId;
      const calls = [
        operator.keys.revoke({ agent_id, key_id: one.keyId }),
        operator.desks.update({ agent_id, component_id, name: "x" }),
        operator.desks.delete({ agent_id, component_id }),
      ];
      for (const { code } of await Promise.all(calls.map(refusal))) assert.equal(code, 40401);
      await one.client.keys.verify();
    });
  });
});
