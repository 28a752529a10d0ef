import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { rootCertificates, setDefaultCACertificates } from "node:tls";
import { createAuthority, selfSigned } from "@signalbox/tests/support/certificates.ts";
import { HOSTILE } from "@signalbox/tests/support/hostile-behaviours.ts";
import {
  answerBytes,
  startHostileReceiver,
  SUCCESS_BODY,
  type Behaviour,
  type HostileReceiver,
} from "@signalbox/tests/support/hostile-receivers.ts";
import { openOutbound, type OutboundRules, type Outbound, type OutboundResult } from "./outbound-http.ts";
import { atMost } from "@signalbox/tests/support/machine.ts";

const REPLY_BYTES_MAX = 65_536;
const DEADLINE_MS = 700;
const DAY_MS = 86_400_000;

const closing = new AsyncDisposableStack();
after(() => closing.disposeAsync());

function open(connectionLifeMs = 60_000): Outbound {
  const rules: OutboundRules = {
    allowedHosts: [],
    allowedRanges: [{ range: "127.0.0.1", port: "*" }],
    connectionLifeMs,
  };
  return closing.adopt(openOutbound(rules), (outbound) => outbound.close());
}

async function receive(
  behaviour: Behaviour,
  options?: Parameters<typeof startHostileReceiver>[1],
): Promise<HostileReceiver> {
  return closing.use(await startHostileReceiver(behaviour, options));
}

function post(outbound: Outbound, url: string, timeoutMs = 5_000): Promise<OutboundResult> {
  const headers = { "content-type": "application/json" };
  return outbound.post({ url, headers, body: Buffer.from("{}"), timeoutMs });
}

function told(result: OutboundResult): string {
  return result.kind === "answered" ? `answered ${result.status}` : result.cause;
}

/** Connections are closed in their own time, and soon. */
async function allClosed(receiver: HostileReceiver, but = 0): Promise<void> {
  const giveUpAt = performance.now() + 2_000;
  while (receiver.open() > but && performance.now() < giveUpAt)
    await new Promise((done) => setTimeout(done, 10));
  assert.ok(receiver.open() <= but, "a connection was left open");
}

describe("exchange with a hostile receiver", () => {
  for (const { what, behaviour, cause, status, takesAll } of HOSTILE) {
    it(`an exchange with a receiver that ${what} is bounded, and its connection is not reused`, async () => {
      const receiver = await receive(behaviour);
      const outbound = open();
      const begun = performance.now();
      const result = await post(outbound, receiver.url, DEADLINE_MS);
      const tookMs = performance.now() - begun;
      // On a starved machine the deadline may pass before the receiver has shown what it does.
      if (takesAll === undefined) atMost(tookMs, DEADLINE_MS, "an exchange that needs no deadline");
      assert.equal(
        told(result),
        status === undefined ? cause : `answered ${status}`,
        result.kind === "unanswered" ? result.detail : "",
      );
      atMost(tookMs, DEADLINE_MS + 400, "the deadline");
      if (takesAll) assert.ok(tookMs >= DEADLINE_MS - 10, `it took only ${tookMs} ms`);
      if (result.kind === "answered") assert.ok(result.body.length <= REPLY_BYTES_MAX);
      assert.ok(receiver.requests.length <= 1, "the request was sent twice");
      // A whole answer leaves the connection as it was; anything else ends it.
      if (status === undefined || (result.kind === "answered" && result.body.length === REPLY_BYTES_MAX))
        await allClosed(receiver);
    });
  }

  it("the deadline covers a receiver that never completes the TLS handshake", async () => {
    const receiver = await receive({});
    const begun = performance.now();
    assert.equal(told(await post(open(), receiver.url.replace("http:", "https:"), 300)), "timeout");
    const tookMs = performance.now() - begun;
    assert.ok(tookMs >= 290, `it took ${tookMs} ms`);
    atMost(tookMs, 1_000, "the deadline");
  });

  it("a receiver that sends bombs and floods costs no memory", async () => {
    const flood = HOSTILE.filter(({ what }) => /bomb|without end|10 GB/.test(what));
    assert.ok(flood.length >= 6);
    const receivers = await Promise.all(flood.map(({ behaviour }) => receive(behaviour)));
    const outbound = open();
    await Promise.all(receivers.map(({ url }) => post(outbound, url)));
    const before = process.memoryUsage().rss;
    for (let round = 0; round < 15; round += 1)
      await Promise.all(receivers.map(({ url }) => post(outbound, url)));
    const grownMb = (process.memoryUsage().rss - before) / 1_000_000;
    assert.ok(grownMb < 120, `grew by ${grownMb} MB`);
  });

  it("an answer sent before the request was read is taken or the connection is lost, and nothing is sent twice", async () => {
    const receiver = await receive({ onConnection: (socket) => void socket.write(answerBytes(200)) });
    for (let time = 0; time < 5; time += 1)
      assert.match(told(await post(open(), receiver.url)), /^(answered 200|connection_lost)$/);
    assert.ok(receiver.requests.length <= 5);
  });

  it("the second answer of a receiver is not taken for the next request", async () => {
    const receiver = await receive({
      onRequest: (socket, { connection }) => {
        socket.write(answerBytes(200, `first on ${connection}`));
        setTimeout(
          () => socket.destroyed || socket.write(answerBytes(500, "stale")),
          connection === 1 ? 0 : 20,
        );
      },
    });
    const outbound = open();
    for (let time = 0; time < 6; time += 1) {
      const result = await post(outbound, receiver.url);
      assert.ok(result.kind === "answered" && result.status === 200, told(result));
      await new Promise((done) => setTimeout(done, 60));
    }
    assert.equal(new Set(receiver.requests.map(({ connection }) => connection)).size, 6);
  });

  it("a late answer is not taken for the next request", async () => {
    const receiver = await receive({
      onRequest: (socket, { connection }) =>
        void setTimeout(
          () => socket.destroyed || socket.write(answerBytes(200, connection === 1 ? "late" : "in time")),
          connection === 1 ? 300 : 0,
        ),
    });
    const outbound = open();
    assert.equal(told(await post(outbound, receiver.url, 100)), "timeout");
    const second = await post(outbound, receiver.url);
    assert.ok(second.kind === "answered");
    assert.equal(second.body.toString(), "in time");
  });

  it("only one of two answers in a split response is believed", async () => {
    const hidden = answerBytes(200, SUCCESS_BODY);
    const receiver = await receive({
      onRequest: (socket, { connection }) =>
        void socket.write(
          connection === 1 ? Buffer.concat([answerBytes(503, "", ["x-split: a"]), hidden]) : answerBytes(202),
        ),
    });
    const outbound = open();
    assert.equal(told(await post(outbound, receiver.url)), "answered 503");
    assert.equal(told(await post(outbound, receiver.url)), "answered 202");
  });

  it("a request is not repeated when the receiver closes an idle connection meanwhile", async () => {
    const receiver = await receive({
      onRequest: (socket, { number }) => {
        if (number > 1) socket.resetAndDestroy();
        else socket.write(answerBytes(200));
      },
    });
    const outbound = open();
    const results = [];
    for (let time = 0; time < 40; time += 1) results.push(told(await post(outbound, receiver.url)));
    assert.equal(receiver.requests.length, 40);
    assert.deepEqual([...new Set(results)].toSorted(), ["answered 200", "connection_lost"]);
  });

  it("a receiver that is not there is told from one that hangs up", async () => {
    const gone = await startHostileReceiver({});
    await gone[Symbol.asyncDispose]();
    assert.equal(told(await post(open(), gone.url)), "connect_refused");
  });
});

describe("exchange over TLS", () => {
  const authority = createAuthority();
  setDefaultCACertificates([...rootCertificates, authority.certificate]);
  const hosts = ["127.0.0.1"];
  const answering: Behaviour = { onRequest: (socket) => void socket.write(answerBytes(200)) };

  it("a receiver with a certificate for its address is reached, and connections are reused", async () => {
    const receiver = await receive(answering, { tls: authority.issue({ hosts }) });
    const outbound = open();
    for (let time = 0; time < 10; time += 1)
      assert.equal(told(await post(outbound, receiver.url)), "answered 200");
    assert.ok(new Set(receiver.requests.map(({ connection }) => connection)).size <= 2);
  });

  const REFUSED = {
    tls_expired: authority.issue({ hosts, until: new Date(Date.now() - DAY_MS / 2) }),
    tls_wrong_host: authority.issue({ hosts: ["other.example", "127.0.0.2"] }),
    tls_untrusted: selfSigned({ hosts }),
  };
  for (const [cause, tls] of Object.entries(REFUSED)) {
    it(`a TLS exchange ends as ${cause} before anything is sent`, async () => {
      const receiver = await receive(answering, { tls });
      assert.equal(told(await post(open(), receiver.url)), cause);
      assert.deepEqual(receiver.requests, []);
      await allClosed(receiver);
    });
  }

  it("a TLS exchange ends as tls_expired when the certificate is not yet valid", async () => {
    const tls = authority.issue({ hosts, from: new Date(Date.now() + DAY_MS / 2) });
    assert.equal(told(await post(open(), (await receive(answering, { tls })).url)), "tls_expired");
  });

  it("a TLS exchange ends as tls_untrusted with a certificate of another authority", async () => {
    const tls = createAuthority().issue({ hosts });
    assert.equal(told(await post(open(), (await receive(answering, { tls })).url)), "tls_untrusted");
  });

  it("a TLS exchange ends as tls_failed when no TLS is spoken or the handshake is cut off", async () => {
    const plain = await receive({ onConnection: (socket) => void socket.write("220 ready\r\n") });
    const rude = await receive({
      onConnection: (socket) => void socket.once("data", () => socket.destroy()),
    });
    for (const { url } of [plain, rude])
      assert.equal(told(await post(open(), url.replace("http:", "https:"))), "tls_failed");
  });

  for (const { what, behaviour, cause, status } of HOSTILE.filter(({ what: name }) =>
    /drips its body|10 GB|gzip bomb|1 MB|103|hangs up after/.test(name),
  )) {
    it(`a TLS exchange with a receiver that ${what} is bounded as one without TLS`, async () => {
      const receiver = await receive(behaviour, { tls: authority.issue({ hosts }) });
      const result = await post(open(), receiver.url, DEADLINE_MS);
      assert.equal(told(result), status === undefined ? cause : `answered ${status}`);
      if (cause !== undefined) await allClosed(receiver);
    });
  }
});

describe("outbound HTTP client", () => {
  it("busy connections are renewed without losing a request", async () => {
    const receiver = await receive({ onRequest: (socket) => void socket.write(answerBytes(200)) });
    const outbound = open(150);
    const endAt = performance.now() + 700;
    let posts = 0;
    while (performance.now() < endAt) {
      const results = await Promise.all(Array.from({ length: 5 }, () => post(outbound, receiver.url)));
      posts += results.length;
      assert.deepEqual([...new Set(results.map(told))], ["answered 200"]);
    }
    assert.equal(receiver.requests.length, posts);
    const lives = Map.groupBy(receiver.requests, ({ connection }) => connection).values();
    for (const requests of lives) {
      const lifeMs = (requests.at(-1)?.arrivedAt ?? 0) - (requests[0]?.arrivedAt ?? 0);
      atMost(lifeMs, 400, "a connection is used");
    }
  });

  it("a slow webhook does not hold up another at the same host", async () => {
    const receiver = await receive({
      onRequest: (socket, { head }) => void (head.includes("/slow") || socket.write(answerBytes(200))),
    });
    const outbound = open();
    const slow = Array.from({ length: 300 }, () =>
      post(outbound, receiver.url.replace("/hook", "/slow"), 4_000),
    );
    await new Promise((done) => setTimeout(done, 300));
    assert.equal(told(await post(outbound, receiver.url, 2_000)), "answered 200");
    assert.deepEqual([...new Set((await Promise.all(slow)).map(told))], ["timeout"]);
    await allClosed(receiver, 1);
  });

  it("a URL with credentials, of another scheme or malformed is refused", async () => {
    for (const url of [
      "ftp://127.0.0.1/",
      "file:///etc/passwd",
      "data:,x",
      "//127.0.0.1",
      "x",
      "",
      "http://a:b@127.0.0.1/",
    ])
      assert.equal(told(await post(open(), url)), "invalid_request", url);
  });

  it("a header that cannot be written is refused", async () => {
    const receiver = await receive({});
    for (const value of ["a\r\nx: y", "a\u0000", "\u4f60"]) {
      const headers = { authorization: value };
      const given = { url: receiver.url, headers, body: Buffer.from("{}"), timeoutMs: 1_000 };
      assert.equal(told(await open().post(given)), "invalid_request", JSON.stringify(value));
    }
    assert.deepEqual(receiver.requests, []);
  });

  it("plain http is not called where only https is allowed, and the reason is given", async () => {
    const receiver = await receive({ onRequest: (socket) => void socket.write(answerBytes(200)) });
    const forbidden: unknown[] = [];
    const outbound = openOutbound({
      allowedHosts: [],
      allowedRanges: [{ range: "127.0.0.1", port: "*" }],
      httpsOnly: true,
      onForbidden: (refused) => forbidden.push(refused),
      connectionLifeMs: 60_000,
    });
    assert.equal(told(await post(outbound, receiver.url)), "forbidden_address");
    await outbound.close();
    const { hostname, port } = new URL(receiver.url);
    assert.deepEqual(forbidden, [{ host: hostname, port: Number(port), reason: "only https may be called" }]);
  });

  it("the outbound client closes only after running requests have ended", async () => {
    const receiver = await receive({
      onRequest: (socket) => void setTimeout(() => socket.write(answerBytes(200)), 200),
    });
    const outbound = openOutbound({
      allowedHosts: [],
      allowedRanges: [{ range: "127.0.0.1", port: "*" }],
      connectionLifeMs: 60_000,
    });
    const posted = post(outbound, receiver.url);
    await new Promise((done) => setTimeout(done, 50));
    await outbound.close();
    assert.equal(told(await posted), "answered 200");
  });
});
