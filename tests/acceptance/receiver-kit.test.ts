import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { nodeReceiver } from "@signalbox/sdk/node";
import { createReceiver, type DeduplicationStore, type Receiver } from "@signalbox/sdk/receiver";
import { makeAgent, type MadeAgent, operatorOf } from "@signalbox/tests/support/agents.ts";
import { type Bed, openBed } from "@signalbox/tests/support/bed.ts";
import { eventually } from "@signalbox/tests/support/processes.ts";

const credentials = { username: "signalbox", secret: "s3cret with blanks" };

describe("SDK receiver called by the service", () => {
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
    eventually(`${count} messages at the receiver`, () => heard.length >= count);

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

  it("the receiver takes messages in order with the service's credentials and signature", async () => {
    const conversation = await agent.converse();
    for (let count = 1; count <= 3; count += 1) {
      await agent.ask(conversation, "When do you open?");
      await arrived(count);
    }
    assert.deepEqual(heard, ["1 ai At nine.", "2 ai At nine.", "3 ai At nine."]);
    assert.deepEqual(failures, []);
  });

  it("the receiver answers the availability test without calling a handler", async () => {
    const { results } = await agent.client.webhooks.check();
    assert.deepEqual(
      results.map(({ reachable, http_status }) => [reachable, http_status]),
      [[true, 200]],
    );
    assert.equal(heard.length, 3);
  });

  it("the receiver accepts both secrets during a rotation and only the new one afterwards", async () => {
    const operator = operatorOf(bed);
    const rotated = await operator.webhooks.rotateSecret({
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
    const { results } = await agent.client.webhooks.check();
    assert.deepEqual([results[0]?.reachable, results[0]?.http_status], [false, 401]);
  });

  it("the receiver stores handled calls in a shared table as documented", async () => {
    const page = readFileSync(join(import.meta.dirname, "../../docs/how-to/receive-webhooks.md"), "utf8");
    const [create = "", claim = "", look = ""] = [...page.matchAll(/```sql\n(.*?)```/gs)].map(
      ([, sql]) => sql ?? "",
    );
    const query: Bed["database"]["query"] = (sql, parameters) => bed.database.query(sql, parameters);
    await query(create);
    const store: DeduplicationStore = {
      async claim(id) {
        if ((await query(claim, [id])).length === 1) return "claimed";
        const [row] = await query<{ handled: boolean }>(look, [id]);
        return row?.handled === true ? "handled" : "in_progress";
      },
      confirm: async (id) =>
        void (await query("update handled_webhook set handled = true where webhook_id = $1", [id])),
      release: async (id) => void (await query("delete from handled_webhook where webhook_id = $1", [id])),
    };
    const many = await Promise.all(Array.from({ length: 10 }, () => store.claim("a")));
    assert.equal(many.filter((claimed) => claimed === "claimed").length, 1);
    assert.equal(await store.claim("a"), "in_progress");
    await query("update handled_webhook set claimed_at = now() - interval '2 minutes'");
    assert.equal(await store.claim("a"), "claimed");
    await store.release("a");
    assert.equal(await store.claim("a"), "claimed");
    await store.confirm("a");
    await query("update handled_webhook set claimed_at = now() - interval '2 minutes'");
    assert.equal(await store.claim("a"), "handled");
  });

  it("the receiver handles a replayed delivery once, however often it is replayed", async () => {
    // Made anew, it remembers nothing: the first replay is news to it. The old secret still signs.
    receiver = receive(agent.signingSecret);
    const operator = operatorOf(bed);
    const { list } = await operator.deliveries.list({ agent_id: agent.agentId, limit: 1 });
    const before = heard.length;
    for (let replays = 0; replays < 2; replays += 1) {
      const { delivery_id } = await operator.deliveries.replay({ delivery_id: list[0]?.delivery_id ?? "" });
      await eventually("the replay is delivered", async () => {
        const { state } = await operator.deliveries.get({ delivery_id });
        return state === "delivered";
      });
    }
    assert.equal(heard.length, before + 1);
  });
});
