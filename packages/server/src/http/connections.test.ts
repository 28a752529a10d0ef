import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type AddressInfo, type Socket } from "node:net";
import { after, describe, it } from "node:test";
import { eventually } from "@signalbox/tests/support/processes.ts";
import { createLog, createMetrics, refuse } from "../platform/index.ts";
import { createHttp } from "./server.ts";

const OF_ADDRESS = 3;
const OF_NODE = 6;

describe("connections of clients", () => {
  const closing = new AsyncDisposableStack();
  after(() => closing.disposeAsync());

  async function open(trustedProxies: string[]) {
    const metrics = createMetrics();
    const http = createHttp({
      health: { isNormal: async () => true, isReady: async () => true, examine: async () => [] },
      log: createLog("silent", {}),
      metrics,
      operator: async () => refuse("developerAuth"),
      keepAliveMs: 0,
      trustedProxies,
      addressRateLimitPerSecond: 1_000,
      connections: { ofNode: OF_NODE, ofAddress: OF_ADDRESS },
      api: undefined,
    });
    await http.listen({ host: "127.0.0.1", port: 0 });
    closing.defer(() => http.close());
    const { port } = http.server.address() as AddressInfo;
    const held = () =>
      new Promise<number>((resolve) => http.server.getConnections((_, count) => resolve(count)));
    /** A client that never closes its half. */
    const dial = async (localAddress = "127.0.0.1") => {
      const socket = connect({ host: "127.0.0.1", port, localAddress, allowHalfOpen: true });
      closing.defer(() => void socket.destroy());
      socket.on("error", () => undefined);
      await once(socket, "connect");
      return socket;
    };
    const refusals = async (limit: string) =>
      (await metrics.limitRefusals.get()).values.find(({ labels }) => labels.limit === limit)?.value ?? 0;
    return { held, dial, refusals };
  }

  async function answerOf(socket: Socket): Promise<string> {
    let text = "";
    for await (const piece of socket) text += String(piece);
    return text;
  }

  it("a connection that was refused is gone within seconds, though its client keeps its half open and never reads", async () => {
    const { held, dial } = await open([]);
    const silent = await dial();
    silent.write("this is not HTTP\r\n\r\n");
    const reading = await dial();
    reading.write("nor is this\r\n\r\n");
    assert.match(await answerOf(reading), /^HTTP\/1\.1 400 /);
    await eventually("no connection is held", async () => (await held()) === 0, {
      timeoutMs: 20_000,
      everyMs: 100,
    });
  });

  it("a client address gets its limit of connections, a refusal on the next, and another once one is closed", async () => {
    const { dial, refusals } = await open([]);
    const live = async (socket: Socket) => {
      socket.write("GET /livez HTTP/1.1\r\nhost: a\r\n\r\n");
      const [piece] = (await once(socket, "data")) as [Buffer];
      return Number(piece.toString().split(" ")[1]);
    };
    const kept: Socket[] = [];
    while (kept.length < OF_ADDRESS) kept.push(await dial());
    for (const socket of kept) assert.equal(await live(socket), 200);
    const refused = await answerOf(await dial());
    assert.match(refused, /^HTTP\/1\.1 429 [^]*\r\nretry-after: 10\r\n[^]*"code":42900[^]*open connections/);
    assert.equal(await refusals("address_connections"), 1);
    assert.equal(await live(await dial("127.0.0.2")), 200, "another address has its own");
    kept[0]?.destroy();
    await eventually("the address has room again", async () => {
      const socket = await dial();
      return (await live(socket)) === 200;
    });
  });

  it("connections beyond those of its address are closed at once, so that they take none of another address's", async () => {
    const { dial, held, refusals } = await open([]);
    for (let n = 0; n < OF_ADDRESS + 2 * OF_NODE; n += 1) await dial();
    await eventually("only those of the address are held", async () => (await held()) === OF_ADDRESS, {
      timeoutMs: 1_000,
      everyMs: 20,
    });
    assert.equal(await refusals("connections"), 0, "the node dropped none");
    const other = await dial("127.0.0.2");
    other.write("GET /livez HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n");
    assert.match(await answerOf(other), /^HTTP\/1\.1 200 /);
  });

  it("connections of a trusted proxy are counted for the node alone", async () => {
    const { dial, refusals, held } = await open(["127.0.0.0/8"]);
    for (let n = 0; n <= OF_NODE; n += 1) await dial();
    await eventually("one too many is dropped", async () => (await refusals("connections")) === 1);
    assert.equal(await refusals("address_connections"), 0);
    assert.equal(await held(), OF_NODE);
  });
});
