import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { SignalboxError } from "@signalbox/sdk";
import { callerOf, makeAgent, operatorOf, refusal, type MadeAgent } from "../support/agents.ts";
import { openBed, type Bed } from "../support/bed.ts";
import { followChat } from "../support/followed-chat.ts";
import { atMost } from "../support/machine.ts";
import { eventually } from "../support/processes.ts";
import { openBrowser, type BrowserArguments, type Visitor } from "./chat-browser.ts";

describe("end of chat tokens", { concurrency: 4 }, () => {
  let bed: Bed;
  before(async () => {
    bed = await openBed({ apis: 2, workers: 0 });
  });
  after(() => bed[Symbol.asyncDispose]());
  const browserOf = (...given: BrowserArguments) => openBrowser(bed, ...given);

  const ENDED_WITHIN_MS = 10_000;
  /** One browser at each node, following; what it is refused with once `end` is done. */
  const endedBy = async (
    agent: MadeAgent,
    user: { user_id?: string; anonymous_id?: string },
    end: () => Promise<unknown>,
  ): Promise<(number | undefined)[]> => {
    const browsers = await Promise.all([0, 1].map((node) => browserOf(agent, user, node)));
    const streams = await Promise.all(
      browsers.map(async (browser) => {
        const { conversation_id } = await browser.client.chats.begin();
        const stream = await followChat(browser, conversation_id);
        await stream.heard("ready");
        return stream;
      }),
    );
    await end();
    const endedAt = performance.now();
    await Promise.race([
      Promise.all(streams.map(({ ended }) => ended)),
      sleep(2 * ENDED_WITHIN_MS, undefined, { ref: false }),
    ]);
    atMost(performance.now() - endedAt, ENDED_WITHIN_MS, "a stream ends");
    const refusedWith = ({ client }: Visitor) =>
      eventually("the token is refused", () =>
        client.chats.begin().then(
          () => undefined,
          (error: unknown) => (error instanceof SignalboxError ? error.code : 0),
        ),
      );
    return Promise.all(browsers.map(refusedWith));
  };

  it("a chat token ends when the API key that minted it is revoked", async () => {
    const agent = await makeAgent(bed);
    const { agentId: agent_id, keyId: key_id } = agent;
    const other = await operatorOf(bed).keys.create({ agent_id, name: "other" });
    const byOther = await browserOf({ ...agent, client: callerOf(bed, other.api_key) });
    const codes = await endedBy(agent, {}, () => operatorOf(bed).keys.revoke({ agent_id, key_id }));
    assert.deepEqual(codes, [40127, 40127]);
    await byOther.client.chats.begin();
  });

  it("a chat token ends when its agent is deleted", async () => {
    const agent = await makeAgent(bed);
    const deleted = () => operatorOf(bed).agents.delete({ agent_id: agent.agentId });
    assert.deepEqual(await endedBy(agent, {}, deleted), [40378, 40378]);
  });

  it("a chat token ends when the developer revokes its user's tokens, and no other user's does", async () => {
    const agent = await makeAgent(bed);
    const bystander = await browserOf(agent, { user_id: "bob" });
    const revoked = () => agent.client.chatTokens.revoke({ user_id: "ada" });
    assert.deepEqual(await endedBy(agent, { user_id: "ada" }, revoked), [40127, 40127]);
    await bystander.client.chats.begin();
    const anew = await browserOf(agent, { user_id: "ada" });
    await anew.client.chats.begin();
  });

  it("a chat token ends when the developer revokes its visitor's tokens by anonymous_id", async () => {
    const agent = await makeAgent(bed);
    const anonymous_id = "widget:lost-device";
    const revoked = () => agent.client.chatTokens.revoke({ anonymous_id });
    assert.deepEqual(await endedBy(agent, { anonymous_id }, revoked), [40127, 40127]);
  });

  it("a chat token ends when the operator revokes all tokens of the agent", async () => {
    const [agent, neighbour] = [await makeAgent(bed), await makeAgent(bed)];
    const bystander = await browserOf(neighbour, { user_id: "ada" });
    const revoked = () =>
      operatorOf(bed).chatTokens.revokeForAgent({ agent_id: agent.agentId, all_users: true });
    assert.deepEqual(await endedBy(agent, { user_id: "ada" }, revoked), [40127, 40127]);
    await bystander.client.chats.begin();
    const { list } = await operatorOf(bed).audit.list({ agent_id: agent.agentId, limit: 1 });
    assert.equal(list[0]?.action, "chat_tokens.revoke");
  });

  it("a revocation that names nobody is refused", async () => {
    const agent = await makeAgent(bed);
    assert.equal((await refusal(agent.client.chatTokens.revoke({}))).code, 40000);
  });
});
