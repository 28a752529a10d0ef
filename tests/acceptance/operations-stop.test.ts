import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import type { ChildProcessByStdio } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import type { Readable } from "node:stream";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { createClient } from "@signalbox/sdk";
import { makeAgent } from "../support/agents.ts";
import type { MadeAgent } from "../support/agents.ts";
import { openBed } from "../support/bed.ts";
import type { Bed } from "../support/bed.ts";
import { followChat } from "../support/followed-chat.ts";
import { CLEAN, judge } from "../support/ledger.ts";
import type { Accepted } from "../support/ledger.ts";
import { startNginx } from "../support/nginx.ts";
import { withClient } from "../support/postgres.ts";
import { eventually, freePort } from "../support/processes.ts";
import { PROGRAM, startService } from "../support/service.ts";
import { bearer, JSON_TYPE, sendRequest } from "../support/wire.ts";
import { atMost } from "../support/machine.ts";

/** Far below the 25 s after which a process gives up: what ends at once must not need them. */
const SOON_MS = 12_000;

type PipedApi = ChildProcessByStdio<null, Readable, null>;

/** A connection that is kept, and all that came over it when the service closes it. */
function openConnection(baseUrl: string) {
  const { hostname, port } = new URL(baseUrl);
  const socket = connect(Number(port), hostname);
  const chunks: Buffer[] = [];
  socket.on("data", (chunk) => chunks.push(chunk));
  const answer = once(socket, "close").then(() => Buffer.concat(chunks).toString());
  return { write: (text: string) => void socket.write(text), answer };
}

describe("graceful shutdown", () => {
  let bed: Bed;
  before(async () => {
    bed = await openBed({ environment: { RATE_LIMIT_PER_SECOND: "100000" } });
  });
  after(() => bed[Symbol.asyncDispose]());

  const messageTo = (conversation_id: string) =>
    JSON.stringify({
      conversation_id,
      response_mode: "webhook",
      messages: [{ role: "user", content: "hello" }],
    });

  /** Holds the conversation's row, so that a message in it is under way for as long as the test wants. */
  const whileHeld = <T>(conversationId: string, use: () => Promise<T>) =>
    withClient(bed.database.superuserUrl, async (holder) => {
      await holder.query("begin");
      await holder.query("select from conversation where id = $1 for update", [conversationId]);
      const result = await use();
      await holder.query("rollback");
      return result;
    });

  const isWaiting = () =>
    eventually("the request waits for the row", async () => {
      const [row] = await bed.database.query<{ waiting: number }>(
        "select count(*)::int as waiting from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
      );
      return (row?.waiting ?? 0) > 0;
    });

  it("an api finishes its requests, answers readiness with 503, accepts nothing new and exits with 0", async () => {
    const api = bed.api(0);
    const agent = await makeAgent(bed);
    const conversationId = await agent.converse();
    const body = messageTo(conversationId);
    const head = `POST /v2/conversation/message HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${agent.apiKey}\r\n`;
    const asking = openConnection(api.baseUrl);
    const probing = openConnection(api.baseUrl);

    const stopped = await whileHeld(conversationId, async () => {
      asking.write(`${head}content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
      // On its way when the signal comes, so that this connection is not closed as idle.
      probing.write("GET /readyz HTTP/1.1\r\n");
      await isWaiting();
      const begun = performance.now();
      const exit = api.stop().then((code) => ({ code, tookMs: performance.now() - begun }));
      const isRefused = async () => (await sendRequest(api.baseUrl, { path: "/livez" })).status === 0;
      await eventually("new connections are refused", isRefused);
      probing.write("host: x\r\n\r\n");
      assert.match(
        await probing.answer,
        /^HTTP\/1.1 503 Service Unavailable[^]*\r\n\r\nService Unavailable$/,
      );
      return { exit };
    });
    assert.match(await asking.answer, /^HTTP\/1.1 200 OK[^]*"message_id"/);
    const { code, tookMs } = await stopped.exit;
    assert.equal(code, 0);
    atMost(tookMs, SOON_MS, "it ends");
    await api.start();
    await agent.arrivals(1);
  });

  it("kept-alive connections do not delay a shutdown", async () => {
    const api = bed.api(0);
    const agent = await makeAgent(bed);
    const conversationId = await agent.converse();
    await fetch(`${api.baseUrl}/livez`).then((response) => response.text());
    const begun = performance.now();
    const [answer, exit] = await whileHeld(conversationId, async () => {
      const asking = fetch(`${api.baseUrl}/v2/conversation/message`, {
        method: "POST",
        headers: { ...bearer(agent.apiKey), ...JSON_TYPE },
        body: messageTo(conversationId),
      });
      await isWaiting();
      return [asking, api.stop()];
    });
    assert.equal((await answer).status, 200);
    assert.equal(await exit, 0);
    atMost(performance.now() - begun, SOON_MS, "the stop");
    await api.start();
  });

  it("a shutdown that times out is reported by its exit code", async () => {
    const agent = await makeAgent(bed);
    const conversationId = await agent.converse();
    await using api = await startService({
      role: "api",
      name: "api-impatient",
      port: await freePort(),
      directory: bed.directory,
      environment: { ...bed.environment, SHUTDOWN_GRACE_SECONDS: "1" },
    });
    const code = await whileHeld(conversationId, async () => {
      const unanswered = sendRequest(api.baseUrl, {
        method: "POST",
        path: "/v2/conversation/message",
        headers: { ...bearer(agent.apiKey), ...JSON_TYPE },
        body: messageTo(conversationId),
      });
      await isWaiting();
      const exit = await api.stop();
      assert.equal((await unanswered).status, 0);
      return exit;
    });
    assert.equal(code, 1);
    assert.match(api.logs(), /Shutdown timed out/);
  });

  it("an api serves new connections during SHUTDOWN_DRAIN_SECONDS while /readyz is 503, then ends live streams", async () => {
    const agent = await makeAgent(bed);
    const conversationId = await agent.converse();
    await using api = await startService({
      role: "api",
      name: "api-draining",
      port: await freePort(),
      directory: bed.directory,
      environment: { ...bed.environment, SHUTDOWN_DRAIN_SECONDS: "2" },
    });
    const { token } = await agent.client.chatTokens.mint({ user_id: "user-1" });
    const user = createClient({ baseUrl: api.baseUrl, chatToken: token });
    const chat = await followChat(
      { baseUrl: api.baseUrl, chatToken: token },
      (await user.chats.begin()).conversation_id,
    );
    await chat.heard("ready");
    const begun = performance.now();
    const sinceMs = () => performance.now() - begun;
    const streamEndedMs = chat.ended.then(sinceMs);
    const stopped = api.stop();
    const readiness = async () => (await sendRequest(api.baseUrl, { path: "/readyz" })).status;
    await eventually("it says that it drains", async () => (await readiness()) === 503);
    const answer = await sendRequest(api.baseUrl, {
      method: "POST",
      path: "/v2/conversation/message",
      headers: { ...bearer(agent.apiKey), ...JSON_TYPE },
      body: messageTo(conversationId),
    });
    assert.equal(answer.status, 200, "a message that comes while it drains is accepted");
    await eventually("new connections are refused", async () => (await readiness()) === 0, { everyMs: 20 });
    assert.ok(sinceMs() >= 2_000, `refused after ${Math.round(sinceMs())} ms`);
    assert.ok((await streamEndedMs) >= 2_000, "the stream was told on until then");
    assert.equal(await stopped, 0);
    await agent.arrivals(1);
  });

  it("replacing two api nodes behind the documented nginx under load fails no request", async () => {
    const agent = await makeAgent(bed, { fallback_text: "ok" });
    const nodes = await Promise.all(
      ["api-rolled-1", "api-rolled-2"].map(async (name) => {
        const { SHUTDOWN_DRAIN_SECONDS: _default, ...environment } = bed.environment;
        return startService({
          role: "api",
          name,
          port: await freePort(),
          directory: bed.directory,
          environment,
        });
      }),
    );
    await using closing = new AsyncDisposableStack();
    for (const node of nodes) closing.use(node);
    const nginx = closing.use(
      await startNginx(
        bed.directory,
        nodes.map(({ baseUrl }) => baseUrl),
      ),
    );
    const client = createClient({ baseUrl: nginx.baseUrl, apiKey: agent.apiKey, retries: 0 });
    let accepted = 0;
    let going = true;
    const failures: string[] = [];
    const users = Array.from({ length: 8 }, async () => {
      const { conversation_id } = await client.conversations.create({ user_id: "user-1" });
      while (going) {
        const sent = client.conversations.sendMessage({
          conversation_id,
          response_mode: "webhook",
          messages: [{ role: "user", content: "hello" }],
        });
        await sent.then(() => accepted++).catch((error: unknown) => failures.push(String(error)));
        await sleep(20);
      }
    });
    for (const node of nodes) {
      assert.equal(await node.stop(), 0, node.name);
      await node.start();
    }
    going = false;
    await Promise.all(users);
    assert.deepEqual(failures, [], nginx.errors());
    assert.ok(accepted > 200, `${accepted} messages`);
    await agent.arrivals(accepted, 60_000);
  });

  /** An api whose log goes into a pipe, as under a terminal, a supervisor or a container. */
  async function withPipedApi(use: (child: PipedApi, baseUrl: string) => Promise<void>): Promise<void> {
    const port = await freePort();
    const { PATH = "" } = process.env;
    const child = spawn(process.execPath, [PROGRAM, "api"], {
      env: { ...bed.environment, PATH, PORT: String(port) },
      stdio: ["ignore", "pipe", "inherit"],
    });
    try {
      const baseUrl = `http://127.0.0.1:${port}`;
      const isReady = async () => (await sendRequest(baseUrl, { path: "/readyz" })).status === 200;
      await eventually("it is ready", isReady, { timeoutMs: 20_000 });
      const exited = once(child, "exit", { signal: AbortSignal.timeout(SOON_MS) });
      await use(child, baseUrl);
      const [code] = (await exited) as [number | null];
      assert.equal(code, 0);
    } finally {
      child.kill("SIGKILL");
    }
  }

  it("a process whose log reader is gone serves on and stops on SIGTERM", async () => {
    await withPipedApi(async (child, baseUrl) => {
      child.stdout.destroy();
      for (let time = 0; time < 5; time += 1)
        assert.equal((await sendRequest(baseUrl, { path: "/livez" })).status, 200);
      child.kill("SIGTERM");
    });
  });

  it("a process stops when its log reader leaves at the same moment", async () => {
    await withPipedApi(async (child) => {
      child.kill("SIGTERM");
      child.stdout.destroy();
    });
  });

  it("a stopping worker finishes a slow delivery: nothing is sent twice or lost", async () => {
    const agent = await makeAgent(bed);
    agent.respond(() => ({ delayMs: 2_000 }));
    await agent.ask(await agent.converse(), "hello");
    await agent.arrivals(1);
    const begun = performance.now();
    assert.deepEqual(await Promise.all(bed.workers.map((worker) => worker.stop())), [0, 0]);
    assert.ok(performance.now() - begun > 1_000, "it was in the middle of it");
    atMost(performance.now() - begun, SOON_MS, "the stop");
    const [delivery] = await bed.database.query("select state, attempts from delivery where agent_id = $1", [
      agent.agentId,
    ]);
    assert.deepEqual(delivery, { state: "delivered", attempts: 1 });
    await Promise.all(bed.workers.map((worker) => worker.start()));
    await sleep(4_000);
    assert.equal(agent.arrived().length, 1);
  });

  it("restarting every process in turn under load makes no duplicate, and no caller notices", async () => {
    const agent = await makeAgent(bed, { fallback_text: "ok" });
    agent.respond(() => ({ delayMs: 30 }));
    const client = createClient({
      baseUrls: bed.apis.map(({ baseUrl }) => baseUrl),
      apiKey: agent.apiKey,
      retries: 6,
    });
    const accepted: Accepted[] = [];
    let going = true;
    const users = Array.from({ length: 6 }, async () => {
      const { conversation_id } = await client.conversations.create({ user_id: "user-1" });
      while (going) {
        await client.conversations.sendMessage({
          conversation_id,
          response_mode: "webhook",
          messages: [{ role: "user", content: "hello" }],
        });
        accepted.push({ conversationId: conversation_id, key: String(accepted.length) });
        await sleep(20);
      }
    });
    for (const service of [...bed.workers, ...bed.apis]) {
      assert.equal(await service.stop(), 0, service.name);
      await service.start();
    }
    going = false;
    await Promise.all(users);
    assert.ok(accepted.length > 100, `${accepted.length} messages`);
    await agent.arrivals(accepted.length, 30_000);
    await sleep(2_000);
    judgeByPlace(agent, accepted);
  });

  /** All answers read alike here, so the n-th of a conversation stands for its n-th message. */
  function judgeByPlace(agent: MadeAgent, accepted: Accepted[]): void {
    const places = new Map<string, number>();
    const numbered = accepted.map(({ conversationId }) => {
      const place = (places.get(conversationId) ?? 0) + 1;
      places.set(conversationId, place);
      return { conversationId, key: String(place) };
    });
    const received = bed.receiver
      .ledger()
      .filter((entry) => places.has(entry.conversationId))
      .map((entry) => ({ ...entry, key: String(entry.sequence) }));
    assert.deepEqual(judge({ accepted: numbered, received }), CLEAN);
    assert.equal(agent.arrived().length, accepted.length);
  }
});
