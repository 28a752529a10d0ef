import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { createClient } from "@signalbox/sdk";
import { callerOf, makeAgent } from "../support/agents.ts";
import type { MadeAgent } from "../support/agents.ts";
import { openBed } from "../support/bed.ts";
import type { Bed } from "../support/bed.ts";
import { logLines } from "../support/log-lines.ts";
import { startCollector, type Collector } from "../support/otlp-collector.ts";
import { readSpans } from "../support/otlp-spans.ts";
import { eventually, freePorts } from "../support/processes.ts";
import { startService } from "../support/service.ts";
import type { Service } from "../support/service.ts";
import { asOperator, bearer, JSON_TYPE, sendRequest } from "../support/wire.ts";

/** Where an OpenTelemetry exporter that was told nothing sends to. */
const DEFAULT_OTLP_PORT = 4318;

describe("operations", () => {
  let bed: Bed;
  let agent: MadeAgent;
  let collector: Collector;
  let uninvited: Collector;
  let tracedApi: Service;
  let tracedWorker: Service;
  const closing = new AsyncDisposableStack();

  before(async () => {
    uninvited = closing.use(await startCollector(DEFAULT_OTLP_PORT));
    collector = closing.use(await startCollector(0));
    bed = closing.use(await openBed({ apis: 1, workers: 0 }));
    const [apiPort = 0, workerPort = 0, enginePort = 0] = await freePorts(3);
    const environment = {
      ...bed.environment,
      ENGINE_SERVICE_PORT: String(enginePort),
      ENGINE_SERVICE_URI: `http://127.0.0.1:${enginePort}`,
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${collector.port}`,
      OTEL_BSP_SCHEDULE_DELAY: "200",
      OTEL_SERVICE_NAME: "signalbox-under-test",
    };
    const { directory } = bed;
    [tracedApi, tracedWorker] = await Promise.all([
      startService({ role: "api", name: "api-traced", port: apiPort, directory, environment }),
      startService({ role: "worker", name: "worker-traced", port: workerPort, directory, environment }),
    ]);
    closing.use(tracedApi);
    closing.use(tracedWorker);
    agent = await makeAgent(bed);
    await agent.ask(await agent.converse(), "hello");
    await agent.arrivals(1);
  });
  after(() => closing.disposeAsync());

  it("/livez and /readyz answer on every role, without a key", async () => {
    for (const { baseUrl } of [bed.api(), tracedWorker]) {
      for (const path of ["/livez", "/readyz"]) {
        const answer = await sendRequest(baseUrl, { path });
        assert.deepEqual([answer.status, answer.text], [200, "OK"]);
        assert.match(answer.headers["content-type"] ?? "", /^text\/plain\b/);
      }
    }
  });

  it("a worker serves nothing of the API", async () => {
    for (const path of ["/v1/webhook/service/health", "/admin/v1/agents", "/v1/api-key/verify"])
      assert.equal((await sendRequest(tracedWorker.baseUrl, { path, headers: asOperator(bed) })).status, 404);
  });

  it("/metrics is Prometheus text with our metrics, labelled by pattern without ids", async () => {
    await sendRequest(bed.baseUrl, { path: `/nothing/${agent.agentId}` });
    await sendRequest(bed.baseUrl, { path: `/admin/v1/agents/${agent.agentId}`, headers: asOperator(bed) });
    const read = async (baseUrl: string) => {
      const answer = await sendRequest(baseUrl, { path: "/metrics", headers: asOperator(bed) });
      assert.match(answer.headers["content-type"] ?? "", /^text\/plain; version=0\.0\.4/);
      const lines = answer.text.trimEnd().split("\n");
      const sample = /^[a-zA-Z_:][a-zA-Z0-9_:]*(\{([a-z_]+="[^"\\\n]*",?)*\})? (-?[0-9.e+-]+|NaN|[+-]Inf)$/;
      const help = /^# (HELP|TYPE) [a-zA-Z_:][a-zA-Z0-9_:]* .+$/;
      for (const line of lines) assert.ok(line === "" || help.test(line) || sample.test(line), line);
      assert.equal(answer.text.includes(agent.agentId), false);
      return answer.text;
    };
    const api = await read(bed.baseUrl);
    const worker = await read(tracedWorker.baseUrl);
    for (const name of [
      "signalbox_http_request_seconds",
      "signalbox_delivery_attempt_seconds",
      "signalbox_delivery_lag_seconds",
      "signalbox_turns_total",
      "signalbox_reconciled_total",
      "signalbox_reconciler_leads",
      "signalbox_engine_reachable",
      "signalbox_engine_send_failures_total",
      "signalbox_database_waiting",
      "process_resident_memory_bytes",
    ])
      assert.match(worker, new RegExp(`^# TYPE ${name} `, "m"));
    assert.match(
      api,
      /^signalbox_http_request_seconds_count\{route="\/admin\/v1\/agents\/:agent_id",status="200"\} [1-9]/m,
    );
    assert.match(api, /^signalbox_http_request_seconds_count\{route="unknown",status="404"\} [1-9]/m);
    assert.match(worker, /^signalbox_delivery_attempt_seconds_count\{cause="delivered"\} 1$/m);
    assert.match(worker, /^signalbox_turns_total\{outcome="small_talk"\} 1$/m);
    assert.match(worker, /^signalbox_engine_reachable 1$/m);
    assert.match(worker, /^signalbox_reconciler_leads 1$/m);
  });

  it("every request logs one line with who, what and how long, and nothing of headers, query or body", async () => {
    const planted = `planted${randomBytes(6).toString("hex")}`;
    const headers = { ...bearer(agent.apiKey), ...JSON_TYPE, "x-planted": planted, cookie: planted };
    const requests = [
      { method: "POST", path: "/v1/conversation", headers, body: JSON.stringify({ user_id: planted }) },
      { method: "POST", path: "/v1/conversation", headers, body: `{"user_id":"${planted}` },
      { method: "POST", path: "/v1/conversation", headers: { ...headers, ...bearer(planted) } },
      { path: `/v1/${planted}?${planted}=1` },
      { path: `/admin/v1/agents?cursor=${planted}`, headers: asOperator(bed) },
      { path: `/%zz${planted}` },
      { method: "POST", path: "/v1/conversation", headers, body: planted.repeat(100_000) },
    ];
    const answers = await Promise.all(requests.map((request) => sendRequest(bed.baseUrl, request)));
    const ids = answers.map((answer) => answer.headers["signalbox-request-id"] ?? "none");
    const lines = () => logLines(bed.api());
    await eventually("the lines are written", () =>
      ids.every((id) => lines().some((line) => line.requestId === id)),
    );
    const ofRequest = (id: string | undefined) => lines().filter(({ requestId }) => requestId === id);
    for (const id of ids) assert.equal(ofRequest(id).length, 1, `${id} has one line`);

    const { time, durationMs, requestId: _, ...line } = ofRequest(ids[0])[0] ?? assert.fail();
    assert.deepEqual(line, {
      level: "info",
      role: "api",
      event: "http_request",
      method: "POST",
      route: "/v1/conversation",
      status: 200,
      agentId: agent.agentId,
      apiKeyId: agent.keyId,
      msg: "HTTP request",
    });
    assert.ok(Math.abs(Date.parse(String(time)) - Date.now()) < 60_000);
    assert.ok(typeof durationMs === "number" && durationMs > 0);
    assert.deepEqual(
      ids.map((id) => ofRequest(id)[0]?.["status"]),
      [200, 400, 401, 404, 400, 400, 413],
    );
    const all = bed.logs();
    for (const secret of [planted, agent.apiKey, bed.operatorToken, "Bearer"])
      assert.equal(all.includes(secret), false);
  });

  it("one message is followed by its id from its request over the turn to the delivery, in one line each", async () => {
    const other = await makeAgent(bed);
    const conversation = await other.converse();
    const messageId = await other.ask(conversation, "Hello");
    const [delivered] = await other.arrivals(1);
    const replyId = (delivered?.body as { message_id?: string } | undefined)?.message_id;
    const about = (line: Record<string, unknown>) => JSON.stringify(line).includes(messageId);
    const lines = () =>
      [...logLines(bed.api()), ...logLines(tracedWorker)].filter(
        (line) => line.level === "info" && about(line),
      );
    await eventually("the delivery is logged", () => lines().length >= 3);
    const [request, turn, delivery] = lines();
    assert.deepEqual(
      [lines().length, request?.event, request?.["messageId"]],
      [3, "http_request", messageId],
    );
    const ids = { agentId: other.agentId, conversationId: conversation };
    const { time: _, branches, role: __, msg: ___, traceId, ...ended } = turn ?? assert.fail();
    assert.deepEqual(ended, {
      level: "info",
      event: "turn_ended",
      ...ids,
      outcome: "answered",
      messageIds: [messageId],
      replyIds: [replyId],
    });
    assert.deepEqual(branches, ["small_talk"]);
    assert.equal(delivery?.event, "delivery_settled");
    assert.deepEqual([delivery["messageId"], delivery["inReplyTo"]], [replyId, messageId]);
    assert.equal(traceId, delivery["traceId"]);
  });

  it("spans reach the collector of OTEL_EXPORTER_OTLP_ENDPOINT as children of the caller's span", async () => {
    const traceId = randomBytes(16);
    const headers = {
      ...bearer(agent.apiKey),
      ...JSON_TYPE,
      traceparent: `00-${traceId.toString("hex")}-${randomBytes(8).toString("hex")}-01`,
    };
    const answer = await sendRequest(tracedApi.baseUrl, {
      method: "POST",
      path: "/v1/conversation",
      headers,
      body: '{"user_id":"planted-user"}',
    });
    assert.equal(answer.status, 200);
    const exported = () => Buffer.concat(collector.exports.map(({ bytes }) => bytes));
    const wanted = [
      "POST /v1/conversation",
      "http.route",
      "signalbox-under-test",
      "webhook.attempt",
      "signalbox.outcome",
    ];
    await eventually("the spans are exported", () => wanted.every((text) => exported().includes(text)));
    await eventually("the caller's trace goes on", () => exported().includes(traceId));
    assert.ok(collector.exports.every(({ path }) => path === "/v1/traces"));
    for (const secret of [agent.apiKey, "planted-user", "hello"])
      assert.equal(exported().includes(secret), false);
  });

  it("one message is one trace, from api over worker to the developer", async () => {
    const traceId = randomBytes(16).toString("hex");
    const callersSpan = randomBytes(8).toString("hex");
    const conversationId = await agent.converse();
    const before = agent.arrived().length;
    agent.respond((request) => (request.headers["signalbox-attempt"] === "1" ? { status: 503 } : undefined));
    const answer = await sendRequest(tracedApi.baseUrl, {
      method: "POST",
      path: "/v2/conversation/message",
      headers: {
        ...bearer(agent.apiKey),
        ...JSON_TYPE,
        traceparent: `00-${traceId}-${callersSpan}-01`,
      },
      body: JSON.stringify({
        conversation_id: conversationId,
        response_mode: "webhook",
        messages: [{ role: "user", content: "hello" }],
      }),
    });
    assert.equal(answer.status, 200);
    const { message_id: messageId } = answer.body as { message_id: string };
    const attempts = (await agent.arrivals(before + 2)).slice(before);
    const spans = () =>
      collector.exports.flatMap(({ bytes }) => readSpans(bytes)).filter((span) => span.traceId === traceId);
    await eventually("every span of the trace is exported", () => spans().length === 4);
    const only = (name: string) => spans().find((span) => span.name === name);
    const accept = only("POST /v2/conversation/message");
    const turn = only("agent.turn");
    const tries = spans().filter(({ name }) => name === "webhook.attempt");
    assert.equal(accept?.parentSpanId, callersSpan);
    assert.equal(turn?.parentSpanId, accept?.spanId);
    assert.deepEqual(
      tries.map(({ parentSpanId }) => parentSpanId),
      [turn?.spanId, turn?.spanId],
    );
    assert.deepEqual(
      new Set(attempts.map(({ headers }) => headers["traceparent"])),
      new Set(tries.map(({ spanId }) => `00-${traceId}-${spanId}-01`)),
      "the developer is told the span of each attempt",
    );

    const operator = createClient({ baseUrl: bed.baseUrl, operatorToken: bed.operatorToken });
    const { list } = await operator.deliveries.list({ message_id: messageId });
    assert.deepEqual(
      list.map(({ delivery_id, in_reply_to }) => [delivery_id, in_reply_to]),
      [[attempts[0]?.headers["webhook-id"], messageId]],
    );
    const [first = assert.fail()] = attempts;
    const reply = (first.body as { message_id: string }).message_id;
    assert.deepEqual((await operator.deliveries.list({ message_id: reply })).list, list);
    const detail = await operator.deliveries.get({ delivery_id: list[0]?.delivery_id ?? "" });
    assert.deepEqual(
      detail.attempts.map(({ request_headers }) => request_headers?.["traceparent"]),
      attempts.map(({ headers }) => headers["traceparent"]),
    );

    const accepted = logLines(tracedApi).find((line) => line["messageId"] === messageId);
    assert.deepEqual(
      [accepted?.["event"], accepted?.["conversationId"], accepted?.["traceId"]],
      ["http_request", conversationId, traceId],
    );
    const settled = logLines(tracedWorker).filter((line) => line["inReplyTo"] === messageId);
    assert.equal(settled.length, 1, "one line for one delivery, however many attempts it took");
    const { time: _time, lagMs, ...line } = settled[0] ?? assert.fail();
    assert.ok(typeof lagMs === "number" && lagMs > 0);
    assert.deepEqual(line, {
      level: "info",
      role: "worker",
      event: "delivery_settled",
      agentId: agent.agentId,
      conversationId,
      messageId: reply,
      inReplyTo: messageId,
      deliveryId: list[0]?.delivery_id,
      webhookId: list[0]?.webhook_id,
      deliveryEvent: "message",
      state: "delivered",
      attempts: 2,
      httpStatus: 200,
      traceId,
      msg: "delivery settled",
    });
  });

  it("a caller's trace passes through a service that does not trace itself", async () => {
    const traceparent = `00-${randomBytes(16).toString("hex")}-${randomBytes(8).toString("hex")}-01`;
    const conversationId = await agent.converse();
    const before = agent.arrived().length;
    const answer = await sendRequest(bed.baseUrl, {
      method: "POST",
      path: "/v2/conversation/message",
      headers: { ...bearer(agent.apiKey), ...JSON_TYPE, traceparent },
      body: JSON.stringify({
        conversation_id: conversationId,
        response_mode: "webhook",
        messages: [{ role: "user", content: "hello" }],
      }),
    });
    assert.equal(answer.status, 200);
    const [arrived] = (await agent.arrivals(before + 1)).slice(before);
    const traceIdOf = (header: unknown) => String(header).split("-")[1];
    assert.equal(traceIdOf(arrived?.headers["traceparent"]), traceIdOf(traceparent));
  });

  it("probes are logged only at debug, and a 503 at warn", async () => {
    const headers = asOperator(bed);
    const probes = ["/livez", "/readyz", "/metrics", "/v1/webhook/service/health"];
    const answers = await Promise.all(probes.map((path) => sendRequest(bed.baseUrl, { path, headers })));
    const ids = answers.map((answer) => answer.headers["signalbox-request-id"]);
    const levels = () =>
      logLines(bed.api()).flatMap(({ requestId, level }) => (ids.includes(requestId) ? [level] : []));
    await eventually("the lines are written", () => levels().length === probes.length);
    assert.deepEqual(levels(), ["debug", "debug", "debug", "debug"]);
    const failing = await eventually("health fails", async () => {
      await bed.database.query("update worker set beat_at = now() - interval '1 hour'");
      const answer = await sendRequest(bed.baseUrl, { path: "/v1/webhook/service/health" });
      return answer.status === 503 ? answer : undefined;
    });
    const id = failing.headers["signalbox-request-id"];
    const line = await eventually("its line is written", () =>
      logLines(bed.api()).find(({ requestId }) => requestId === id),
    );
    assert.deepEqual([line.level, line["status"]], ["warn", 503]);
  });

  it("pending spans are exported when a process stops", async () => {
    assert.equal(await tracedApi.stop(), 0);
    await tracedApi.start();
    const before = collector.exports.length;
    await callerOf({ baseUrl: tracedApi.baseUrl }, agent.apiKey).keys.verify();
    assert.equal(await tracedApi.stop(), 0);
    const late = Buffer.concat(collector.exports.slice(before).map(({ bytes }) => bytes));
    assert.ok(late.includes("GET /v1/api-key/verify"));
  });

  it("nothing is exported without an endpoint", async () => {
    await agent.client.keys.verify();
    await sleep(500);
    assert.equal(await bed.api().stop(), 0, "the last chance to export");
    assert.deepEqual(uninvited.exports, []);
  });
});
