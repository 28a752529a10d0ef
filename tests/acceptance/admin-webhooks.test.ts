import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { ROUTE_NAMES, routes } from "@signalbox/contract";
import type { Client } from "@signalbox/sdk";
import { Webhook } from "standardwebhooks";
import { makeAgent, operatorOf, refusal } from "../support/agents.ts";
import { openBed } from "../support/bed.ts";
import type { Bed } from "../support/bed.ts";
import { withClient } from "../support/postgres.ts";
import { eventually } from "../support/processes.ts";
import { deliveredIdsOf, sampleRequest } from "../support/sample-requests.ts";
import { asOperator, sendRequest } from "../support/wire.ts";

const URL_ONE = "https://developer.example.com/one";
const URL_TWO = "https://developer.example.com/two";

describe("/admin/v1 webhooks", () => {
  let bed: Bed;
  let operator: Client;
  before(async () => {
    bed = await openBed({ apis: 2, workers: 1 });
    operator = operatorOf(bed);
  });
  after(() => bed[Symbol.asyncDispose]());

  const newAgent = async () => (await makeAgent(bed, { webhook: false })).agentId;

  it("a message webhook is set, changed field by field, read and removed; its signing secret is shown once", async () => {
    const agent_id = await newAgent();
    assert.equal((await refusal(operator.webhooks.get({ agent_id }))).code, 40401);
    const made = await operator.webhooks.set({ agent_id, url: URL_ONE, username: "u", secret: "s" });
    assert.match(made.signing_secret ?? "", /^whsec_[A-Za-z0-9+/]{43}=$/);
    const { signing_secret: _, ...known } = made;
    assert.deepEqual(await operator.webhooks.get({ agent_id }), known);

    const changed = await operator.webhooks.set({ agent_id, url: URL_TWO });
    assert.deepEqual(
      [changed.webhook_id, changed.url, changed.username_set, changed.secret_set, changed.signing_secret],
      [made.webhook_id, URL_TWO, true, true, undefined],
    );
    const strict = await operator.webhooks.set({
      agent_id,
      url: URL_TWO,
      secret: null,
      strict_acknowledgement: true,
    });
    assert.deepEqual(
      [strict.username_set, strict.secret_set, strict.strict_acknowledgement],
      [true, false, true],
    );
    const kept = await operator.webhooks.set({ agent_id, url: URL_TWO });
    assert.equal(kept.strict_acknowledgement, true, "a switch left out stays as it is");

    await operator.webhooks.delete({ agent_id });
    assert.equal((await refusal(operator.webhooks.get({ agent_id }))).code, 40401);
    const anew = await operator.webhooks.set({ agent_id, url: URL_ONE });
    assert.notEqual(anew.webhook_id, made.webhook_id);
    assert.notEqual(anew.signing_secret, made.signing_secret);
    assert.deepEqual([anew.username_set, anew.secret_set], [false, false]);
  });

  it("an agent has one message webhook, also when many callers set the first at once", async () => {
    const agent_id = await newAgent();
    const replies = await withClient(bed.database.superuserUrl, async (holder) => {
      // Lets everybody look and nobody write, so that all have looked before the first one writes.
      await holder.query("begin");
      await holder.query("lock table webhook in share mode");
      const setting = Array.from({ length: 8 }, (_, at) =>
        operatorOf(bed, { baseUrl: bed.api(at % 2).baseUrl }).webhooks.set({
          agent_id,
          url: `${URL_ONE}/${at}`,
        }),
      );
      const answered = Promise.all(setting);
      await eventually("all eight wait", async () => {
        const [row] = await bed.database.query<{ waiting: number }>(
          "select count(*)::int as waiting from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
        );
        return row?.waiting === 8;
      });
      await holder.query("rollback");
      return answered;
    });
    assert.equal(new Set(replies.map((reply) => reply.webhook_id)).size, 1);
    assert.equal(replies.filter((reply) => reply.signing_secret !== undefined).length, 1);
  });

  it("a test event goes out once with the body an operator wrote, signed, marked as a test and audited", async () => {
    const agent_id = await newAgent();
    const path = `/tested/${agent_id}`;
    const { webhook_id, signing_secret } = await operator.webhooks.set({
      agent_id,
      url: bed.receiver.url + path,
      username: "u",
      secret: "s",
    });
    const arrived = () => bed.receiver.requests.filter((request) => request.path.startsWith(path));
    const written = { output: [{ content: { text: "退货 ‽" } }], istest: false, of_my_own: [1, null] };
    const probe = await operator.webhooks.sendTest({ agent_id, webhook_id, event: "message", body: written });
    assert.deepEqual([probe.url, probe.http_status, probe.cause], [bed.receiver.url + path, 200, null]);
    const [request, ...more] = arrived();
    assert.deepEqual(more, []);
    assert.deepEqual(request?.body, { ...written, istest: true });
    assert.equal(request?.headers["signalbox-event"], "message");
    assert.match(request?.headers["authorization"] ?? "", /^Basic /);
    new Webhook(signing_secret ?? "").verify(
      request?.bodyBytes ?? "",
      request?.headers as Record<string, string>,
    );

    bed.receiver.respond(({ path: asked }) =>
      asked === `${path}/desk/chat` ? { status: 503, body: "closed" } : undefined,
    );
    const { component_id } = await operator.desks.create({
      agent_id,
      name: "Desk",
      url: `${bed.receiver.url}${path}/desk`,
    });
    const chat = { agent_id, webhook_id: component_id, event: "user_message", body: {} } as const;
    const failed = await operator.webhooks.sendTest(chat);
    assert.deepEqual(
      [failed.http_status, failed.cause, failed.response_body],
      [503, "http_status", "closed"],
    );
    assert.deepEqual(arrived().at(-1)?.body, { istest: true });

    const { list } = await operator.audit.list({ agent_id });
    assert.deepEqual(
      list
        .filter(({ action }) => action === "webhook.test")
        .map(({ subject_id, detail }) => [subject_id, detail]),
      [
        [component_id, { event: "user_message", http_status: 503, cause: "http_status" }],
        [webhook_id, { event: "message", http_status: 200, cause: null }],
      ],
    );
    assert.deepEqual((await operator.deliveries.list({ agent_id })).list, [], "nothing is queued");
    assert.equal(arrived().length, 2, "and nothing is sent again");
  });

  it("a test event is refused for a webhook of another agent or kind, and for an event that has no tests", async () => {
    const [agent_id, other] = [await newAgent(), await newAgent()];
    const { webhook_id } = await operator.webhooks.set({ agent_id, url: URL_ONE });
    const asked = { agent_id, webhook_id, event: "message", body: {} } as const;
    assert.equal((await refusal(operator.webhooks.sendTest({ ...asked, agent_id: other }))).code, 40401);
    const wrongKind = await refusal(operator.webhooks.sendTest({ ...asked, event: "user_message" }));
    assert.equal(wrongKind.code, 40000);
    assert.match(wrongKind.message, /event must be message for this webhook$/);
    for (const event of ["handoff_closed", "operator_event"])
      assert.equal(
        (await refusal(operator.webhooks.sendTest({ ...asked, event: event as "message" }))).code,
        40000,
      );
    await operator.webhooks.delete({ agent_id });
    assert.equal((await refusal(operator.webhooks.sendTest(asked))).code, 40401);
  });

  it("human service components are added, changed, listed and removed, each on its own", async () => {
    const agent_id = await newAgent();
    const made = await operator.desks.create({ agent_id, name: "Desk", url: URL_ONE, username: "u" });
    assert.match(made.signing_secret ?? "", /^whsec_/);
    assert.deepEqual(
      [made.name, made.url, made.username_set, made.secret_set, made.allow_unauthenticated_replies],
      ["Desk", URL_ONE, true, false, false],
    );
    const { component_id } = made;
    const second = await operator.desks.create({ agent_id, name: "Night", url: URL_TWO });
    const changed = await operator.desks.update({
      agent_id,
      component_id,
      secret: "s",
      allow_unauthenticated_replies: true,
    });
    assert.deepEqual(
      [
        changed.name,
        changed.url,
        changed.username_set,
        changed.secret_set,
        changed.allow_unauthenticated_replies,
      ],
      ["Desk", URL_ONE, true, true, true],
    );
    assert.equal(changed.signing_secret, undefined);
    assert.deepEqual(
      (await operator.desks.list({ agent_id })).list.map(({ name }) => name),
      ["Night", "Desk"],
    );
    await operator.desks.delete({ agent_id, component_id });
    assert.equal((await refusal(operator.desks.update({ agent_id, component_id, name: "x" }))).code, 40401);
    assert.deepEqual(
      (await operator.desks.list({ agent_id })).list.map((component) => component.component_id),
      [second.component_id],
    );
  });

  it("webhook credentials that cannot be sent are refused", async () => {
    const agent_id = await newAgent();
    const wrong = [
      [{ username: "with:colon", secret: "s" }, /username must not contain a colon when a secret is set/],
      [{ secret: "s" }, /secret requires a username/],
      [{ username: "with blank" }, /username must not contain spaces when no secret is set/],
      [{ username: "schlüssel" }, /username must hold printable ASCII/],
      [{ username: "u", secret: "line\r\nbreak" }, /secret must hold printable ASCII/],
      [{ username: "" }, /username must have at least 1 character/],
      [{ username: "u".repeat(257) }, /username must have at most 256 characters/],
    ] as const;
    for (const [credentials, message] of wrong) {
      for (const call of [
        () => operator.webhooks.set({ agent_id, url: URL_ONE, ...credentials }),
        () => operator.desks.create({ agent_id, name: "Desk", url: URL_ONE, ...credentials }),
      ]) {
        const refused = await refusal(call());
        assert.equal(refused.code, 40000);
        assert.match(refused.message, message);
      }
    }
    assert.equal((await refusal(operator.webhooks.get({ agent_id }))).code, 40401, "nothing was stored");
    assert.deepEqual((await operator.desks.list({ agent_id })).list, []);
    await operator.webhooks.set({ agent_id, url: URL_ONE, username: "with:colon" });
    await operator.webhooks.set({ agent_id, url: URL_ONE, username: "with blank", secret: "p:w" });
  });

  it("webhook credentials are validated as a whole when only one half changes", async () => {
    const agent_id = await newAgent();
    const set = (credentials: { username?: string | null; secret?: string | null }) =>
      operator.webhooks.set({ agent_id, url: URL_ONE, ...credentials });
    await set({ username: "with:colon" });
    assert.match((await refusal(set({ secret: "s" }))).message, /username must not contain a colon/);
    await set({ username: "with blank", secret: "s" });
    assert.match((await refusal(set({ secret: null }))).message, /username must not contain spaces/);
    assert.match((await refusal(set({ username: "a:b" }))).message, /username must not contain a colon/);
    assert.match((await refusal(set({ username: null }))).message, /secret requires a username/);
    const kept = await operator.webhooks.get({ agent_id });
    assert.deepEqual([kept.username_set, kept.secret_set], [true, true], "what is refused changes nothing");

    const { component_id } = await operator.desks.create({ agent_id, name: "Desk", url: URL_ONE });
    const half = refusal(operator.desks.update({ agent_id, component_id, secret: "s" }));
    assert.match((await half).message, /secret requires a username/);
  });

  it("every change of a webhook leaves one audit entry without secrets, and a refusal or read leaves none", async () => {
    const agent_id = await newAgent();
    const secret = "planted-secret-1";
    const username = "planted-username-1";
    const hidden = [secret, username];
    const hook = await operator.webhooks.set({ agent_id, url: URL_ONE, username, secret });
    await operator.webhooks.set({ agent_id, url: URL_TWO, secret: "planted-secret-2" });
    const rotated = await operator.webhooks.rotateSecret({ agent_id, overlap_seconds: 5 });
    const component = { agent_id, name: "Desk", url: URL_ONE, username, secret };
    const { component_id, signing_secret = "" } = await operator.desks.create(component);
    await operator.desks.update({ agent_id, component_id, name: "Night" });
    await operator.desks.delete({ agent_id, component_id });
    await operator.webhooks.delete({ agent_id });
    const key = await operator.keys.create({ agent_id, name: "second" });
    await operator.keys.revoke({ agent_id, key_id: key.key_id });
    await operator.agents.update({ agent_id, fallback_text: "Call us." });
    await refusal(operator.webhooks.set({ agent_id, url: URL_ONE, secret: "s" }));
    await operator.keys.list({ agent_id });
    await operator.agents.delete({ agent_id });
    await operator.agents.delete({ agent_id });
    hidden.push(hook.signing_secret ?? "", rotated.signing_secret, signing_secret, key.api_key);

    const { list } = await operator.audit.list({ agent_id });
    assert.deepEqual(list.map(({ action }) => action).toReversed(), [
      "agent.create",
      "api_key.create",
      "message_webhook.create",
      "message_webhook.update",
      "message_webhook.rotate_signing_secret",
      "human_service.create",
      "human_service.update",
      "human_service.delete",
      "message_webhook.delete",
      "api_key.create",
      "api_key.revoke",
      "agent.update",
      "agent.delete",
    ]);
    assert.ok(
      list.every(({ actor, at }) => actor === "bootstrap_token" && Math.abs(Date.now() - at) < 60_000),
    );
    const [update] = list.filter(({ action }) => action === "message_webhook.update");
    assert.deepEqual([update?.subject_id, update?.detail["url"]], [hook.webhook_id, URL_TWO]);
    const rows = await bed.database.query<{ row: string }>("select audit::text as row from audit");
    for (const text of [JSON.stringify(list), ...rows.map(({ row }) => row)]) {
      for (const word of hidden) assert.equal(text.includes(word), false, `${word} is in ${text}`);
    }
  });

  it("no list or read of webhooks shows a secret", async () => {
    const agent = await makeAgent(bed, {
      webhook: { username: "planted-username-3", secret: "planted-secret-3" },
    });
    await agent.component({ username: "planted-username-4", secret: "planted-secret-4" });
    const ids = await deliveredIdsOf(bed, agent);
    await operatorOf(bed).operatorWebhook.set({ url: agent.webhookUrl, username: "planted-username-5" });
    const model = {
      agent_id: agent.agentId,
      url: agent.webhookUrl,
      model: "sample",
      api_key: "planted-key-6",
    };
    await operatorOf(bed).models.setChat(model);
    await operatorOf(bed).models.setChatFallback(model);
    await operatorOf(bed).models.setEmbedding(model);
    await operatorOf(bed).models.setSpeech({ ...model, voice: "any" });
    const { erasure_id: erasureId } = await operatorOf(bed).users.erase({
      agent_id: agent.agentId,
      user_id: "nobody",
    });
    const { run_id: runId } = await operatorOf(bed).savedQuestions.run({ agent_id: agent.agentId });
    const hidden = ["planted-", "whsec_", agent.apiKey];
    const looks = ROUTE_NAMES.filter(
      // A stream goes on; what it tells is ids.
      (name) =>
        routes[name].method === "GET" &&
        routes[name].auth === "operator" &&
        !("events" in routes[name]) &&
        !("about" in routes[name] && routes[name].about === "self"),
    );
    assert.ok(looks.length >= 6);
    for (const name of looks) {
      const answer = await sendRequest(bed.baseUrl, {
        ...sampleRequest(name, { ...ids, erasureId, runId }),
        headers: asOperator(bed),
      });
      assert.equal(answer.status, 200, answer.text);
      for (const word of hidden) assert.equal(answer.text.includes(word), false, `${name}: ${answer.text}`);
    }
  });
});
