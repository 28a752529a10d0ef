import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { makeAgentAt } from "../support/agent-at.ts";
import { openBedDirectory } from "../support/bed-directory.ts";
import { openBed, type Bed } from "../support/bed.ts";
import { createAuthority, selfSigned } from "../support/certificates.ts";
import { HOSTILE } from "../support/hostile-behaviours.ts";
import {
  answerBytes,
  startHostileReceiver,
  type Behaviour,
  type HostileReceiver,
} from "../support/hostile-receivers.ts";
import { freePort } from "../support/processes.ts";

const TIMEOUT_MS = 1_500;
const DAY_MS = 86_400_000;

let bed: Bed;
let proxy: HostileReceiver;
const closing = new AsyncDisposableStack();
const authority = createAuthority();

before(async () => {
  const directory = closing.use(await openBedDirectory());
  const authorityFile = join(directory.path, "authority.pem");
  await writeFile(authorityFile, authority.certificate);
  proxy = closing.use(await startHostileReceiver({}));
  const proxyUrl = `http://127.0.0.1:${proxy.port}`;
  bed = closing.use(
    await openBed({
      apis: 1,
      workers: 1,
      environment: {
        DELIVERY_TIMEOUT_SECONDS: String(TIMEOUT_MS / 1000),
        NODE_EXTRA_CA_CERTS: authorityFile,
        RATE_LIMIT_PER_SECOND: "100000",
        NODE_USE_ENV_PROXY: "1",
        HTTP_PROXY: proxyUrl,
        HTTPS_PROXY: proxyUrl,
        ALL_PROXY: proxyUrl,
        NO_PROXY: "127.0.0.1",
      },
    }),
  );
});
after(() => closing.disposeAsync());

/** Memory of the worker, in megabytes. */
function residentMb(): number {
  const status = readFileSync(`/proc/${bed.worker().pid()}/status`, "utf8");
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1_000;
}

/** Every request that came is an attempt of its own, with the id of its message: nothing is ever sent twice in one. */
function assertNoSilentRepeat({ requests }: HostileReceiver): void {
  const names = requests.map(({ headers }) => `${headers["webhook-id"]} ${headers["signalbox-attempt"]}`);
  assert.deepEqual(
    names.filter((name, index) => names.indexOf(name) !== index),
    [],
    "an attempt was sent twice",
  );
}

describe("service against hostile receivers", () => {
  it("every attempt at a hostile receiver ends in time, memory stays bounded, and others are served", async () => {
    const met = await Promise.all(
      HOSTILE.map(async (hostile) => {
        const receiver = closing.use(await startHostileReceiver(hostile.behaviour));
        return {
          ...hostile,
          receiver,
          agent: await makeAgentAt(bed, receiver.url, { username: "me", secret: "pw" }),
        };
      }),
    );
    const healthy = await makeAgentAt(bed, `${bed.receiver.url}/healthy`);
    const healthyConversation = await healthy.converse();
    await healthy.say(healthyConversation);
    await healthy.settled(1);
    const beforeMb = residentMb();
    let mostMb = beforeMb;
    const watching = setInterval(() => (mostMb = Math.max(mostMb, residentMb())), 25);

    for (const { agent } of met) await agent.say(await agent.converse());
    for (let time = 0; time < 20; time += 1) {
      await healthy.say(healthyConversation);
      await sleep(100);
    }
    await healthy.settled(21);
    const failed: string[] = [];
    for (const { what, agent, cause, status, takesAll, receiver } of met) {
      const [first] = await agent.attempted(1);
      assert.ok(first !== undefined);
      const told = `a receiver that ${what}: ${JSON.stringify(first)}`;
      if (first.cause !== (cause ?? null) || first.http_status !== (status ?? null)) failed.push(told);
      if (first.duration_ms > TIMEOUT_MS + 1_000) failed.push(`${told} took too long`);
      if (takesAll && first.duration_ms < TIMEOUT_MS - 20) failed.push(`${told} ended too early`);
      assertNoSilentRepeat(receiver);
    }
    clearInterval(watching);
    assert.deepEqual(failed, []);
    assert.ok(mostMb - beforeMb < 150, `the worker grew from ${beforeMb} to ${mostMb} MB`);
    assert.deepEqual([...new Set((await healthy.deliveries()).map(({ attempts }) => attempts))], [1]);
  });

  it("certificate errors are told apart, and nothing is sent to an untrusted receiver", async () => {
    const hosts = ["127.0.0.1"];
    const yesterday = new Date(Date.now() - DAY_MS / 2);
    const fixtures = {
      delivered: authority.issue({ hosts }),
      tls_expired: authority.issue({ hosts, until: yesterday }),
      tls_wrong_host: authority.issue({ hosts: ["developer.example"] }),
      tls_untrusted: selfSigned({ hosts }),
    };
    for (const [cause, tls] of Object.entries(fixtures)) {
      const behaviour = {
        onRequest: (socket: { write(bytes: Buffer): void }) => socket.write(answerBytes(200)),
      };
      const receiver = closing.use(await startHostileReceiver(behaviour, { tls }));
      const agent = await makeAgentAt(bed, receiver.url, { username: "me" });
      await agent.say(await agent.converse());
      const [first] = await agent.attempted(1);
      assert.equal(first?.cause ?? "delivered", cause);
      assert.equal(receiver.requests.length, cause === "delivered" ? 1 : 0);
    }
  });

  it("a TLS handshake that never completes ends at the deadline", async () => {
    const mute = closing.use(await startHostileReceiver({}));
    const agent = await makeAgentAt(bed, mute.url.replace("http:", "https:"));
    await agent.say(await agent.converse());
    const [first] = await agent.attempted(1);
    assert.equal(first?.cause, "timeout");
    assert.ok((first?.duration_ms ?? 0) < TIMEOUT_MS + 500, `${first?.duration_ms} ms`);
  });

  it("a receiver that is not there is reported as connect_refused", async () => {
    const agent = await makeAgentAt(bed, `http://127.0.0.1:${await freePort()}/`);
    await agent.say(await agent.converse());
    const [first] = await agent.attempted(1);
    assert.equal(first?.cause, "connect_refused");
  });

  it("the second answer to one request is never taken for the next message", async () => {
    const receiver = closing.use(
      await startHostileReceiver({
        onRequest: (socket, { connection }) => {
          socket.write(answerBytes(200));
          // At once with the first answer, a moment later, and into the idle connection.
          const stale = answerBytes(500, "stale");
          if (connection % 3 === 0) socket.write(stale);
          else setTimeout(() => socket.destroyed || socket.write(stale), (connection % 3) * 10);
        },
      }),
    );
    const agent = await makeAgentAt(bed, receiver.url);
    const conversationId = await agent.converse();
    for (let time = 0; time < 12; time += 1) {
      await agent.say(conversationId);
      await agent.settled(time + 1);
      await sleep(40);
    }
    const seen = await agent.attempts();
    assert.deepEqual(
      seen.map(({ http_status }) => http_status),
      Array.from({ length: 12 }, () => 200),
    );
    assertNoSilentRepeat(receiver);
  });

  it("an answer before the request was read is accepted or retried, and the message is delivered once", async () => {
    const receiver = closing.use(
      await startHostileReceiver({
        onConnection: (socket) => void socket.write(answerBytes(200, undefined, ["connection: close"])),
      }),
    );
    const agent = await makeAgentAt(bed, receiver.url);
    await agent.say(await agent.converse());
    const [delivery] = await agent.settled(1);
    assert.equal(delivery?.state, "delivered");
    assertNoSilentRepeat(receiver);
  });

  it("a message lost in a closing connection is retried as the same message, in order", async () => {
    const receiver = closing.use(
      await startHostileReceiver({
        onRequest: (socket, { number, connection }) => {
          // The second request on a connection meets the end of it; on every other the end comes just before, if it can.
          if (number > 1) return void socket.resetAndDestroy();
          socket.write(answerBytes(200));
          if (connection % 2 === 0) setImmediate(() => socket.destroy());
        },
      }),
    );
    const agent = await makeAgentAt(bed, receiver.url);
    const conversationId = await agent.converse();
    const count = 16;
    for (let time = 0; time < count; time += 1) await agent.say(conversationId);
    const deliveries = await agent.settled(count, 60_000);
    assert.equal(deliveries.length, count);
    assert.deepEqual([...new Set(deliveries.map(({ state }) => state))], ["delivered"]);
    assertNoSilentRepeat(receiver);
    const sequences = receiver.requests.map(({ headers }) => Number(headers["signalbox-sequence"]));
    assert.deepEqual(
      sequences,
      sequences.toSorted((a, b) => a - b),
      "a later message came before an earlier one was through",
    );
    const ids = Map.groupBy(receiver.requests, ({ headers }) => headers["signalbox-sequence"]);
    for (const requests of ids.values()) {
      assert.equal(new Set(requests.map(({ headers }) => headers["webhook-id"])).size, 1);
      assert.equal(new Set(requests.map(({ body }) => body)).size, 1);
    }
    const lost = (await agent.attempts()).filter(({ cause }) => cause === "connection_lost");
    assert.ok(lost.length > 0, "the race never happened");
  });

  it("a proxy named by the environment is not used", async () => {
    const behaviour: Behaviour = { onRequest: (socket) => void socket.write(answerBytes(200)) };
    const direct = closing.use(await startHostileReceiver(behaviour, { host: "127.0.0.3" }));
    const agent = await makeAgentAt(bed, direct.url);
    await agent.say(await agent.converse());
    await agent.settled(1);
    assert.equal(direct.requests.length, 1);
    assert.deepEqual(proxy.requests, []);
  });
});
