import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { OperatorEventBody } from "@signalbox/contract";
import { createClient, SignalboxError } from "@signalbox/sdk";
import type { Client } from "@signalbox/sdk";
import { Webhook } from "standardwebhooks";
import { makeAgentAt } from "@signalbox/tests/support/agent-at.ts";
import { openBed } from "@signalbox/tests/support/bed.ts";
import type { Bed } from "@signalbox/tests/support/bed.ts";
import { eventually } from "@signalbox/tests/support/processes.ts";
import type { ReceivedRequest, Responder } from "@signalbox/tests/support/receiver.ts";

const NO_AGENT = "00000000-0000-0000-0000-000000000000";

describe("operator events", () => {
  let bed: Bed;
  let operator: Client;
  const answers = new Map<string, Responder>();
  before(async () => {
    bed = await openBed({
      apis: 1,
      workers: 1,
      environment: { DELIVERY_RETRY_SECONDS: "0.2", DELIVERY_BLOCKED_SECONDS: "1" },
    });
    operator = createClient({ baseUrl: bed.baseUrl, operatorToken: bed.operatorToken, retries: 0 });
    bed.receiver.respond((request) => answers.get(request.path)?.(request));
  });
  after(() => bed[Symbol.asyncDispose]());

  let paths = 0;
  function newPath(responder: Responder = () => undefined): string {
    const path = `/path-${(paths += 1)}`;
    answers.set(path, responder);
    return path;
  }

  const at = (path: string) => bed.receiver.requests.filter((request) => request.path === path);
  const eventOf = ({ body }: ReceivedRequest) => OperatorEventBody.parse(body);
  const codeOf = (call: Promise<unknown>) =>
    call.then(
      () => undefined,
      (error: unknown) => (error instanceof SignalboxError ? error.code : error),
    );

  function eventsAbout(path: string, webhookId: string): OperatorEventBody[] {
    return at(path)
      .map(eventOf)
      .filter(({ webhook_id }) => webhook_id === webhookId);
  }

  it("the operator webhook is set, read, rotated and removed like any webhook, and every change is audited", async () => {
    assert.equal(await codeOf(operator.operatorWebhook.get()), 40401);
    assert.equal(await codeOf(operator.operatorWebhook.delete()), 40401);
    assert.equal(await codeOf(operator.operatorWebhook.set({ url: "http://x.example", secret: "s" })), 40000);
    const url = `${bed.receiver.url}/unused`;
    const set = await operator.operatorWebhook.set({ url, username: "ops", secret: "s3cret" });
    assert.match(set.signing_secret ?? "", /^whsec_/);
    const { signing_secret: _, ...shown } = set;
    assert.deepEqual(await operator.operatorWebhook.get(), shown);
    assert.deepEqual([shown.username_set, shown.secret_set], [true, true]);
    const changed = await operator.operatorWebhook.set({ url: `${url}/2`, secret: null });
    assert.deepEqual(
      [changed.webhook_id, changed.secret_set, changed.signing_secret],
      [set.webhook_id, false, undefined],
    );
    const rotated = await operator.operatorWebhook.rotateSecret({ overlap_seconds: 60 });
    assert.notEqual(rotated.signing_secret, set.signing_secret);
    await operator.operatorWebhook.delete();
    assert.equal(await codeOf(operator.operatorWebhook.get()), 40401);
    const { list } = await operator.audit.list({ agent_id: NO_AGENT, limit: 4 });
    assert.deepEqual(
      list.map(({ action }) => action),
      [
        "operator_webhook.delete",
        "operator_webhook.rotate_signing_secret",
        "operator_webhook.update",
        "operator_webhook.create",
      ],
    );
    const agents = await operator.agents.list();
    assert.ok(!agents.list.some(({ agent_id }) => agent_id === NO_AGENT), "operators are no agent");
  });

  it("there is one operator webhook, however many callers set the first at once", async () => {
    const url = `${bed.receiver.url}/unused`;
    const settled = await Promise.all(
      Array.from({ length: 20 }, () => operator.operatorWebhook.set({ url })),
    );
    assert.equal(new Set(settled.map(({ webhook_id }) => webhook_id)).size, 1);
    await operator.operatorWebhook.delete();
  });

  it("operator events report a failing and a recovered destination, signed, once each and in order", async () => {
    const path = newPath();
    const hook = await operator.operatorWebhook.set({ url: bed.receiver.url + path, username: "ops" });
    let down = true;
    const url = bed.receiver.url + newPath(() => (down ? { status: 503 } : undefined));
    const agent = await makeAgentAt(bed, url);
    const conversations = await Promise.all(Array.from({ length: 8 }, () => agent.converse()));
    await Promise.all(conversations.map((conversation) => agent.say(conversation)));
    await eventually("its failing is told", () => eventsAbout(path, agent.webhookId).length === 1, {
      timeoutMs: 20_000,
    });
    down = false;
    await eventually("its recovery is told", () => eventsAbout(path, agent.webhookId).length === 2, {
      timeoutMs: 20_000,
    });
    await agent.settled(8, 30_000);
    assert.deepEqual(
      eventsAbout(path, agent.webhookId).map(({ event, agent_id, ...more }) => [
        event,
        agent_id,
        "url" in more && more.url,
      ]),
      [
        ["destination_failing", agent.agentId, url],
        ["destination_recovered", agent.agentId, url],
      ],
    );
    for (const request of at(path)) {
      new Webhook(hook.signing_secret ?? "").verify(
        request.bodyBytes,
        request.headers as Record<string, string>,
      );
      assert.equal(request.headers["signalbox-event"], "operator_event");
      assert.equal(request.headers["authorization"], "Bearer ops");
      assert.equal(request.headers["signalbox-conversation"], undefined);
    }
    await operator.operatorWebhook.delete();
  });

  it("an operator event reports a message given up with its cause, and can be replayed from the log", async () => {
    const path = newPath();
    const hook = await operator.operatorWebhook.set({ url: bed.receiver.url + path });
    const agent = await makeAgentAt(bed, bed.receiver.url + newPath(() => ({ status: 400 })));
    await agent.say(await agent.converse());
    const [dead] = await agent.settled(1);
    await eventually("it is told", () => at(path).length === 1);
    const event = eventOf(at(path)[0] as ReceivedRequest);
    assert.deepEqual(
      { ...event, event_id: "", at: 0 },
      {
        event: "delivery_dead",
        event_id: "",
        at: 0,
        agent_id: agent.agentId,
        webhook_id: agent.webhookId,
        delivery_id: dead?.id,
        cause: "http_status",
      },
    );
    const { list } = await eventually("it is settled", async () => {
      const page = await operator.deliveries.list({ webhook_id: hook.webhook_id, state: "delivered" });
      return page.list.length === 1 ? page : undefined;
    });
    const [logged] = list;
    assert.deepEqual([logged?.agent_id, logged?.event], [NO_AGENT, "operator_event"]);
    await operator.deliveries.replay({ delivery_id: logged?.delivery_id ?? "" });
    await eventually("it is told again", () => at(path).length === 2);
    assert.deepEqual(at(path)[1]?.bodyBytes, at(path)[0]?.bodyBytes);
    await operator.operatorWebhook.delete();
  });

  it("events about the operator's own webhook are not sent to it", async () => {
    const path = newPath(() => ({ status: 400 }));
    await operator.operatorWebhook.set({ url: bed.receiver.url + path });
    const agent = await makeAgentAt(bed, bed.receiver.url + newPath(() => ({ status: 400 })));
    await agent.say(await agent.converse());
    await agent.settled(1);
    await eventually(
      "the event itself is given up",
      async () => (await operator.deliveries.list({ agent_id: NO_AGENT, state: "dead" })).list.length === 1,
    );
    await new Promise((resolve) => setTimeout(resolve, 500));
    assert.equal(new Set(at(path).map((request) => eventOf(request).event_id)).size, 1);
    await operator.operatorWebhook.delete();
  });
});
