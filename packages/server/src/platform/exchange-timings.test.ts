import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { rootCertificates, setDefaultCACertificates } from "node:tls";
import { createAuthority, selfSigned } from "@signalbox/tests/support/certificates.ts";
import {
  answerBytes,
  startHostileReceiver,
  type Behaviour,
} from "@signalbox/tests/support/hostile-receivers.ts";
import type { Timings } from "./exchange-timings.ts";
import { openOutbound, type Outbound } from "./outbound-http.ts";

const WAIT_MS = 120;
/** A timer may fire a little early. */
const EARLY_MS = 5;

const closing = new AsyncDisposableStack();
after(() => closing.disposeAsync());

function open(): Outbound {
  const outbound = openOutbound({
    allowedHosts: [{ host: "localhost", port: "*" }],
    allowedRanges: [{ range: "127.0.0.1", port: "*" }],
    connectionLifeMs: 60_000,
  });
  return closing.adopt(outbound, (opened) => opened.close());
}

const receive = async (behaviour: Behaviour, options?: Parameters<typeof startHostileReceiver>[1]) =>
  closing.use(await startHostileReceiver(behaviour, options));

async function timed(outbound: Outbound, url: string, timeoutMs = 5_000): Promise<Timings> {
  const { timings } = await outbound.post({ url, headers: {}, body: Buffer.from("{}"), timeoutMs });
  return timings ?? {};
}

const namesOf = (timings: Timings) => Object.keys(timings).toSorted();

describe("timings of an exchange", () => {
  const authority = createAuthority();
  setDefaultCACertificates([...rootCertificates, authority.certificate]);
  const hosts = ["127.0.0.1", "localhost"];
  const slow: Behaviour = {
    onRequest: (socket) => void setTimeout(() => socket.write(answerBytes(200)), WAIT_MS),
  };

  it("a first exchange tells each step, and one on an open connection only its first byte", async () => {
    const { url } = await receive(slow, { tls: authority.issue({ hosts }) });
    const outbound = open();
    const named = url.replace("127.0.0.1", "localhost");
    const first = await timed(outbound, named);
    assert.deepEqual(namesOf(first), ["connectMs", "dnsMs", "firstByteMs", "tlsMs"]);
    // The pool may open a second connection before the first is free again, and not a third.
    await timed(outbound, named);
    const later = await timed(outbound, named);
    assert.deepEqual(namesOf(later), ["firstByteMs"]);
    for (const { firstByteMs = 0 } of [first, later]) assert.ok(firstByteMs >= WAIT_MS - EARLY_MS);
    for (const step of [first.dnsMs, first.connectMs, first.tlsMs])
      assert.ok(step !== undefined && step >= 0, `${step}`);
    const byAddress = await timed(open(), url);
    assert.deepEqual(
      namesOf(byAddress),
      ["connectMs", "firstByteMs", "tlsMs"],
      "an address is not looked up",
    );
  });

  it("an exchange that fails tells how far it came", async () => {
    const gone = await startHostileReceiver({});
    await gone[Symbol.asyncDispose]();
    assert.deepEqual(namesOf(await timed(open(), gone.url)), ["connectMs"]);
    const untrusted = await receive(slow, { tls: selfSigned({ hosts }) });
    assert.deepEqual(namesOf(await timed(open(), untrusted.url)), ["connectMs", "tlsMs"]);
    const silent = await receive({});
    assert.deepEqual(namesOf(await timed(open(), silent.url, 200)), ["connectMs"]);
    assert.deepEqual(await timed(open(), "http://10.0.0.1/"), {});
  });

  it("exchanges at the same time are not taken for one another", async () => {
    const waits = [10, 150, 300];
    const { url } = await receive({
      onRequest: (socket, { head }) => {
        const waitMs = Number(/\/hook\?(\d+)/.exec(head)?.[1]);
        setTimeout(() => socket.write(answerBytes(200)), waitMs);
      },
    });
    const outbound = open();
    for (let round = 0; round < 2; round += 1) {
      const all = await Promise.all(waits.map((waitMs) => timed(outbound, `${url}?${waitMs}`)));
      for (const [index, waitMs] of waits.entries()) {
        const firstByteMs = all[index]?.firstByteMs ?? 0;
        assert.ok(
          firstByteMs >= waitMs - EARLY_MS && firstByteMs < waitMs + 140,
          `${waitMs}: ${firstByteMs}`,
        );
      }
    }
  });
});
