import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, it } from "node:test";
import { nodeReceiver } from "@signalbox/sdk/node";
import { createReceiver, type Receiver } from "@signalbox/sdk/receiver";
import { makeAgent, type MadeAgent, operatorOf } from "@signalbox/tests/support/agents.ts";
import { type Bed, openBed } from "@signalbox/tests/support/bed.ts";
import { eventually } from "@signalbox/tests/support/processes.ts";

const credentials = { username: "signalbox", secret: "s3cret with blanks" };

describe("the receiver kit, called by the service itself", () => {
  let bed: Bed;
  let agent: MadeAgent;
  let receiver: Receiver;
  let url = "";
  const heard: string[] = [];
  const failures: unknown[] = [];
  const server = createServer((request, response) => nodeReceiver(receiver)(request, response));

  const receive = (signingSecrets: string) =>
    createReceiver({
      ...credentials,
      signingSecrets,
      onMessage: ({ output }, { sequence, sender }) =>
        void heard.push(`${sequence} ${sender} ${output[0]?.content.text}`),
      onError: (error) => failures.push(error),
    });
  const arrived = (count: number) =>
    eventually(`${count} messages at the receiver`, async () => {
      if (heard.length < count) throw new Error(heard.join("\n"));
      return Promise.resolve();
    });

  before(async () => {
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`;
    bed = await openBed({ apis: 1, workers: 1, environment: { DELIVERY_RETRY_SECONDS: "0.2" } });
    agent = await makeAgent(bed, {
      webhook: { url, ...credentials },
      qaList: [{ question: "When do you open?", answer: "At nine." }],
    });
    receiver = receive(agent.signingSecret);
  });
  after(async () => {
    server.closeAllConnections();
    server.close();
    await bed[Symbol.asyncDispose]();
  });

  it("takes messages in order, with the credentials and the signature the service sends", async () => {
    const conversation = await agent.converse();
    for (let count = 1; count <= 3; count += 1) {
      await agent.ask(conversation, "When do you open?");
      await arrived(count);
    }
    assert.deepEqual(heard, ["1 ai At nine.", "2 ai At nine.", "3 ai At nine."]);
    assert.deepEqual(failures, []);
  });

  it("answers the availability test, and handles nothing", async () => {
    const { results } = await agent.client.checkWebhooks();
    assert.deepEqual(
      results.map(({ reachable, http_status }) => [reachable, http_status]),
      [[true, 200]],
    );
    assert.equal(heard.length, 3);
  });

  it("knows either secret while one is being replaced, and no longer the old one afterwards", async () => {
    const operator = operatorOf(bed);
    const rotated = await operator.rotateMessageWebhookSecret({
      agent_id: agent.agentId,
      overlap_seconds: 3600,
    });
    const conversation = await agent.converse();
    await agent.ask(conversation, "When do you open?");
    await arrived(4);
    receiver = receive(rotated.signing_secret);
    await agent.ask(conversation, "When do you open?");
    await arrived(5);
    receiver = receive("whsec_c29tZWJvZHkgZWxzZQ==");
    const { results } = await agent.client.checkWebhooks();
    assert.deepEqual([results[0]?.reachable, results[0]?.http_status], [false, 401]);
  });

  it("handles a replay only once more than never", async () => {
    receiver = receive(agent.signingSecret);
    const operator = operatorOf(bed);
    const { list } = await operator.listDeliveries({ agent_id: agent.agentId, limit: 1 });
    const delivery_id = list[0]?.delivery_id ?? "";
    // This receiver was made anew and remembers nothing: the first replay is news to it, the second is not.
    await operator
      .rotateMessageWebhookSecret({ agent_id: agent.agentId, overlap_seconds: 0 })
      .then((rotated) => {
        receiver = receive(rotated.signing_secret);
      });
    for (let replays = 0; replays < 2; replays += 1) {
      const replay = await operator.replayDelivery({ delivery_id });
      await eventually("the replay is delivered", async () => {
        const { state } = await operator.getDelivery({ delivery_id: replay.delivery_id });
        if (state !== "delivered") throw new Error(state);
      });
    }
    assert.equal(heard.length, 6);
  });
});
