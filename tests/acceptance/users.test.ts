import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { AgentResponseMessage, EstablishHandoff } from "@signalbox/contract";
import { makeAgent, refusal, type MadeAgent } from "../support/agents.ts";
import { openBed, type Bed } from "../support/bed.ts";

describe("user behind an anonymous id", () => {
  const open = new AsyncDisposableStack();
  let bed: Bed;
  let agent: MadeAgent;

  before(async () => {
    bed = open.use(await openBed({ apis: 1, workers: 1 }));
    agent = await makeAgent(bed);
  });
  after(() => open.disposeAsync());

  async function begin(anonymous_id: string, user_id?: string): Promise<string> {
    const { conversation_id } = await agent.client.conversations.create({ anonymous_id, user_id });
    return conversation_id;
  }

  /** As the next reply in the conversation names both. */
  async function idsIn(conversationId: string): Promise<[string | null, string | null]> {
    const before = agent.arrived().length;
    await agent.ask(conversationId, "Hello");
    const reply = (await agent.arrivals(before + 1)).at(-1)?.body as AgentResponseMessage;
    return [reply.user_id, reply.anonymous_id];
  }

  const bind = (user_id: string, ...ids: string[]) =>
    agent.client.users.bind({
      user_id,
      anonymous_ids: ids.map((anonymous_id) => ({ anonymous_id, conversation_type: "api" })),
    });

  it("an anonymous id has no user until set-userid, then later messages and conversations have one", async () => {
    const first = await begin("device-1");
    assert.deepEqual(await idsIn(first), [null, "device-1"]);
    assert.deepEqual(await bind("ada", "device-1"), { code: 0, message: "OK" });
    assert.deepEqual(await idsIn(first), ["ada", "device-1"]);
    assert.deepEqual(await idsIn(await begin("device-1")), ["ada", "device-1"]);
  });

  it("an anonymous id bound to another user changes it, except where a conversation named its user", async () => {
    const followed = await begin("device-2");
    const named = await begin("device-2", "grace");
    await bind("ada", "device-2");
    await bind("mary", "device-2");
    assert.deepEqual(await idsIn(followed), ["mary", "device-2"]);
    assert.deepEqual(await idsIn(named), ["grace", "device-2"]);
  });

  it("an anonymous id is bound per channel and agent", async () => {
    const here = await begin("device-3");
    const widget = { anonymous_id: "device-3", conversation_type: "WIDGET" };
    const account = { anonymous_id: "device-3", conversation_type: "API", source_id: "shop-2" };
    await agent.client.users.bind({ user_id: "ada", anonymous_ids: [widget, account] });
    const other = await makeAgent(bed);
    await other.client.users.bind({
      user_id: "ada",
      anonymous_ids: [{ anonymous_id: "device-3", conversation_type: "API" }],
    });
    assert.deepEqual(await idsIn(here), [null, "device-3"]);
    assert.deepEqual(await idsIn(await begin("device-3")), [null, "device-3"]);
  });

  it("a user has at most a hundred anonymous ids, and the oldest binding is dropped", async () => {
    const ids = Array.from({ length: 100 }, (_, index) => `many-${index}`);
    await bind("eve", "oldest");
    await bind("eve", ...ids);
    assert.deepEqual(await idsIn(await begin("oldest")), [null, "oldest"]);
    for (const id of ["many-0", "many-99"]) assert.deepEqual(await idsIn(await begin(id)), ["eve", id]);
    assert.equal((await refusal(bind("eve", ...ids, "one-more"))).code, 40000);
  });

  it("the user of an anonymous id is told to the desk in a handoff", async () => {
    const other = await makeAgent(bed);
    await other.component();
    const conversation_id = await other.converse({ user_id: undefined, anonymous_id: "device-4" });
    await other.client.users.bind({
      user_id: "ada",
      anonymous_ids: [{ anonymous_id: "device-4", conversation_type: "API" }],
    });
    await other.client.handoffs.request({ conversation_id });
    const isEstablish = ({ path }: { path: string }) => path === "/conversation/establish";
    await bed.receiver.waitFor(() => bed.receiver.requests.some(isEstablish), 15_000);
    const establish = bed.receiver.requests.find(isEstablish)?.body as EstablishHandoff;
    assert.deepEqual([establish.user_info.user_id, establish.user_info.anonymous_id], ["ada", "device-4"]);
  });

  it("a binding made while a conversation begins applies to it", async () => {
    for (let round = 0; round < 20; round += 1) {
      const anonymous = `race-${round}`;
      const [conversation] = await Promise.all([begin(anonymous), bind("ada", anonymous)]);
      assert.deepEqual(await idsIn(conversation), ["ada", anonymous]);
    }
  });
});
