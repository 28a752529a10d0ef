import assert from "node:assert/strict";
import dns from "node:dns";
import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import { syncBuiltinESMExports } from "node:module";
import net, { type AddressInfo } from "node:net";
import { after, before, beforeEach, describe, it, mock } from "node:test";
import { gzipSync } from "node:zlib";
import { openOutbound, type Outbound, type OutboundResult } from "./outbound-http.ts";

const REPLY_BYTES_MAX = 65_536;

/** Every way to write loopback that a URL can hold. */
const LOOPBACK = [
  "127.0.0.1",
  "127.1",
  "127.0.1",
  "2130706433",
  "0x7f000001",
  "0x7f.1",
  "0x7f.0x0.0x0.0x1",
  "0177.0.0.1",
  "017700000001",
  "127.000.000.001",
  "127.0.0.1.",
  "①②⑦.⓪.⓪.①",
  "１２７。０。０。１",
  "127%2e0%2e0%2e1",
  "127.0.0.2",
  "user:password@127.0.0.1",
  "a@127.1",
  "0",
  "0.0.0.0",
  "[::]",
  "[::1]",
  "[0:0:0:0:0:0:0:1]",
  "[::ffff:127.0.0.1]",
  "[::ffff:7f00:1]",
  "localhost",
];
const ELSEWHERE = [
  "[::127.0.0.1]",
  "[::ffff:0:7f00:1]",
  "[64:ff9b::7f00:1]",
  "[64:ff9b:1::1]",
  "[2002:7f00:1::1]",
  "[2001:0:7f00:1::1]",
  "[fe80::1]",
  "[fec0::1]",
  "[fd00:ec2::254]",
  "[ff02::1]",
  "10.0.0.1",
  "172.16.0.1",
  "192.168.0.1",
  "198.18.0.1",
  "255.255.255.255",
  "169.254.169.254",
  "0xA9FEA9FE",
  "2852039166",
  "169.254.43518",
  "100.100.100.200",
  "192.0.0.192",
  "168.63.129.16",
];
const NO_URL = [
  "425.510.425.510",
  "256.256.256.256",
  "4294967296",
  "a%0d%0ab",
  "a%00b",
  "[fe80::1%25eth0]",
  "",
];
const TWISTED = ["http:\\\\127.0.0.1", "http:///127.0.0.1", "http:127.0.0.1", "ht\ntp://127.0\t.0.1"];

let connections = 0;
/** Counts whoever connects to this machine, on every address it has. */
const sentinel = net.createServer((socket) => {
  connections += 1;
  socket.destroy();
});
let port = 0;
const closing: (() => Promise<unknown>)[] = [];

function open(rules: { allowedHosts?: string[]; allowedRanges?: string[] } = {}): Outbound {
  const outbound = openOutbound({ allowedHosts: [], allowedRanges: [], ...rules });
  closing.push(() => outbound.close());
  return outbound;
}

function post(outbound: Outbound, url: string, timeoutMs = 3_000): Promise<OutboundResult> {
  const headers = { "content-type": "application/json" };
  return outbound.post({ url, headers, body: Buffer.from("{}"), timeoutMs });
}

async function serve(listener: RequestListener): Promise<{ url: string; server: Server }> {
  const server = createServer(listener);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  closing.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, server };
}

/** Below HTTP; gives host and port. */
async function listen(onConnection: (socket: net.Socket) => void): Promise<string> {
  const sockets = new Set<net.Socket>();
  const server = net.createServer((socket) => {
    sockets.add(socket.on("error", () => undefined));
    onConnection(socket);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  closing.push(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function causeIn(result: OutboundResult): string {
  return result.kind === "unanswered" ? result.cause : `answered ${result.status}`;
}

before(async () => {
  sentinel.listen(0, process.platform === "linux" ? "::" : "0.0.0.0");
  await once(sentinel, "listening");
  port = (sentinel.address() as AddressInfo).port;
  closing.push(() => new Promise((resolve) => sentinel.close(resolve)));
});
after(async () => {
  // All at once: a way out that waits for a handshake ends with the server that owes it.
  await Promise.all(closing.map((close) => close()));
});
beforeEach(() => {
  connections = 0;
});

for (const scheme of ["http", "https"]) {
  describe(`the way out over ${scheme}`, () => {
    for (const host of [...LOOPBACK, ...ELSEWHERE]) {
      it(`does not lead to ${host}`, async () => {
        const result = await post(open(), `${scheme}://${host}:${port}/`);
        assert.equal(causeIn(result), "forbidden_address");
        assert.equal(connections, 0);
      });
    }

    it("leads to every one of these when an operator allows it, so the sentinel would have seen them", async () => {
      const outbound = open({ allowedRanges: ["127.0.0.0/8", "0.0.0.0/8", "::/127"] });
      for (const host of LOOPBACK) {
        connections = 0;
        const result = await post(outbound, `${scheme}://${host}:${port}/`);
        assert.notEqual(causeIn(result), "forbidden_address", host);
        assert.notEqual(connections, 0, `${host} did not reach the sentinel`);
      }
    });

    it("is closed to what is no host at all", async () => {
      for (const host of NO_URL) {
        const cause = causeIn(await post(open(), `${scheme}://${host}:${port}/`));
        assert.equal(cause, "invalid_request", host);
      }
      assert.equal(connections, 0);
    });
  });
}

describe("the way out", () => {
  it("is not misled by a URL with its parts in disguise, or of another scheme", async () => {
    for (const url of TWISTED)
      assert.equal(causeIn(await post(open(), `${url}:${port}/`)), "forbidden_address", url);
    for (const url of [`ftp://127.0.0.1:${port}/`, "file:///etc/passwd", "data:,x", "//127.0.0.1", "x"])
      assert.equal(causeIn(await post(open(), url)), "invalid_request", url);
    assert.equal(connections, 0);
  });

  it("never leads to a metadata service, whatever is allowed", async () => {
    const outbound = open({ allowedRanges: ["0.0.0.0/0", "::/0"], allowedHosts: ["169.254.169.254"] });
    for (const host of [
      "169.254.169.254",
      "0xA9FEA9FE",
      "100.100.100.200",
      "168.63.129.16",
      "[fd00:ec2::254]",
    ])
      assert.equal(causeIn(await post(outbound, `http://${host}:${port}/`)), "forbidden_address", host);
  });

  describe("with a name", () => {
    let answers: string[][] = [];
    let asked = 0;
    before(() => {
      mock.method(dns, "lookup", ((
        _name: string,
        _options: unknown,
        answer: (...given: unknown[]) => void,
      ) => {
        const addresses = answers[Math.min(asked, answers.length - 1)] ?? [];
        asked += 1;
        const found = addresses.map((address) => ({ address, family: net.isIP(address) }));
        setImmediate(() => answer(null, found));
      }) as typeof dns.lookup);
      syncBuiltinESMExports();
    });
    after(() => {
      mock.restoreAll();
      syncBuiltinESMExports();
    });
    function resolve(...given: string[][]): void {
      answers = given;
      asked = 0;
    }

    it("is closed when any of its addresses is forbidden, in any order", async () => {
      const outbound = open({ allowedRanges: ["127.0.0.2"] });
      for (const addresses of [
        ["127.0.0.1"],
        ["127.0.0.2", "127.0.0.1"],
        ["127.0.0.1", "127.0.0.2"],
        ["127.0.0.2", "::1"],
        ["::ffff:127.0.0.1"],
      ]) {
        resolve(addresses);
        for (const name of ["mixed.example", "LOCALHOST.", "127.0.0.1.nip.example"]) {
          const cause = causeIn(await post(outbound, `http://${name}:${port}/`));
          assert.equal(cause, "forbidden_address", `${name} at ${addresses.join()}`);
        }
        assert.equal(connections, 0, `${addresses.join()} was reached`);
      }
    });

    it("leads only to the addresses that were judged, also when the next answer is another", async () => {
      const outbound = open({ allowedRanges: ["127.0.0.2"] });
      resolve(["127.0.0.2"], ["127.0.0.1"]);
      await post(outbound, `http://rebinding.example:${port}/`);
      assert.deepEqual([asked, connections], [1, 1], "the name was asked for once and its answer used");
      const second = await post(outbound, `http://rebinding.example:${port}/`);
      assert.equal(causeIn(second), "forbidden_address");
      assert.equal(connections, 1);
    });

    it("leads to a private address when the name is allowed, and to no other name there", async () => {
      const outbound = open({ allowedHosts: ["desk.internal"] });
      resolve(["127.0.0.1"]);
      await post(outbound, `http://desk.internal:${port}/`);
      assert.equal(connections, 1);
      const other = await post(outbound, `http://other.internal:${port}/`);
      assert.equal(causeIn(other), "forbidden_address");
      assert.equal(causeIn(await post(outbound, `http://127.0.0.1:${port}/`)), "forbidden_address");
      assert.equal(connections, 1);
    });
  });
});

describe("a hostile receiver", () => {
  const outbound = () => open({ allowedRanges: ["127.0.0.1"] });

  /** Runs one exchange and says how long it took. */
  async function timed(url: string, timeoutMs: number): Promise<{ result: OutboundResult; tookMs: number }> {
    const begun = performance.now();
    const result = await post(outbound(), url, timeoutMs);
    return { result, tookMs: performance.now() - begun };
  }

  it("that drips its body ends with the deadline", async () => {
    const { url } = await serve((_request, response) => {
      response.writeHead(200);
      const drip = setInterval(() => response.write("x"), 20);
      response.on("close", () => clearInterval(drip));
    });
    const { result, tookMs } = await timed(url, 400);
    assert.equal(causeIn(result), "timeout");
    assert.ok(tookMs >= 390 && tookMs < 2_000, `${tookMs} ms`);
  });

  it("that drips its headers, says nothing or never shakes hands ends with the deadline", async () => {
    const dripping = await listen((socket) => {
      socket.write("HTTP/1.1 200 OK\r\n");
      const drip = setInterval(() => socket.write("x: y\r\n"), 20);
      socket.on("close", () => clearInterval(drip));
    });
    const mute = await listen(() => undefined);
    for (const url of [`http://${dripping}/`, `http://${mute}/`, `https://${mute}/`]) {
      const { result, tookMs } = await timed(url, 300);
      assert.equal(causeIn(result), "timeout", url);
      assert.ok(tookMs >= 290 && tookMs < 2_000, `${url} took ${tookMs} ms`);
    }
  });

  it("that never stops sending is cut off at the cap, its status counts, and memory stays flat", async () => {
    let sent = 0;
    let cutOff = 0;
    const chunk = Buffer.alloc(65_536, "x");
    const { url } = await serve((_request, response) => {
      response.writeHead(200, { "content-length": 10_000_000_000 });
      const more = () => {
        while (!response.destroyed && response.write(chunk)) sent += chunk.length;
      };
      response.on("drain", more);
      response.on("close", () => (cutOff += 1));
      more();
    });
    const one = outbound();
    const before = process.memoryUsage().rss;
    for (let exchange = 1; exchange <= 40; exchange += 1) {
      const result = await post(one, url);
      assert.ok(result.kind === "answered");
      assert.equal(result.status, 200);
      assert.equal(result.body.length, REPLY_BYTES_MAX);
    }
    const grownMb = (process.memoryUsage().rss - before) / 1_000_000;
    assert.ok(grownMb < 150, `grew by ${grownMb} MB`);
    assert.ok(sent < 40 * 32_000_000, `${sent} bytes were taken`);
    await new Promise((resolve) => setTimeout(resolve, 100));
    assert.equal(cutOff, 40, "a connection was left open");
  });

  it("that redirects is not followed", async () => {
    let followed = 0;
    const target = await serve((_request, response) => {
      followed += 1;
      response.end();
    });
    const { url } = await serve((request, response) => {
      response.writeHead(Number(request.url?.slice(1)), { location: target.url }).end();
    });
    for (const status of [301, 302, 303, 307, 308])
      assert.equal(causeIn(await post(outbound(), `${url}${status}`)), `answered ${status}`);
    assert.equal(followed, 0);
  });

  it("that sends a bomb finds it left packed", async () => {
    const bomb = gzipSync(Buffer.alloc(50_000_000));
    let encoding: string | string[] | undefined;
    const { url } = await serve((request, response) => {
      encoding = request.headers["accept-encoding"];
      response.writeHead(200, { "content-encoding": "gzip" }).end(bomb);
    });
    const result = await post(outbound(), url);
    assert.ok(result.kind === "answered");
    assert.deepEqual(result.body, bomb.subarray(0, REPLY_BYTES_MAX));
    assert.equal(encoding, "identity");
  });

  it("that is not there, hangs up or sends nonsense is told apart", async () => {
    const gone = await serve(() => undefined);
    await new Promise((resolve) => gone.server.close(resolve));
    assert.equal(causeIn(await post(outbound(), gone.url)), "connect_refused");
    const rude = await serve((request) => request.socket.destroy());
    assert.equal(causeIn(await post(outbound(), rude.url)), "connection_lost");
    const odd = await serve((request) => request.socket.end("I am a teapot\r\n\r\n"));
    assert.equal(causeIn(await post(outbound(), odd.url)), "connection_lost");
    const large = await serve((_request, response) => {
      for (let line = 0; line < 100; line += 1) response.setHeader(`x-${line}`, "y".repeat(1_000));
      response.end();
    });
    assert.equal(causeIn(await post(outbound(), large.url)), "connection_lost");
    assert.equal(causeIn(await post(outbound(), "http://name.invalid/")), "dns_not_found");
  });

  it("that answers late does not feed its answer to the next request", async () => {
    let count = 0;
    const { url } = await serve((_request, response) => {
      count += 1;
      if (count === 1) setTimeout(() => response.end("late"), 300);
      else response.end("second");
    });
    const one = outbound();
    assert.equal(causeIn(await post(one, url, 100)), "timeout");
    const second = await post(one, url);
    assert.ok(second.kind === "answered");
    assert.equal(second.body.toString(), "second");
  });
});
