import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { blocksOf, pageOf } from "../documents/page-programs.ts";
import { callerOf, makeAgent } from "../support/agents.ts";
import { openBed, type Bed } from "../support/bed.ts";
import { withClient } from "../support/postgres.ts";
import { eventually, freePorts } from "../support/processes.ts";
import { startService, type Service } from "../support/service.ts";

const CONVERSATIONS = 6;
/** Requests come all the time, and leave the cores to the processes that stop and start. */
const PAUSE_MS = 40;
const page = await pageOf("docs/how-to/self-host.md");

/** The block of the page that contains the text. */
function statementsWith(text: string): string {
  const found = blocksOf(page, "sql").filter((block) => block.includes(text));
  assert.equal(found.length, 1, text);
  return found[0] ?? "";
}

describe("change of the database password", () => {
  const open = new AsyncDisposableStack();
  // The names of the page, as this run's own: other tests share the cluster.
  const mark = randomBytes(4).toString("hex");
  const [first, second] = [`login_${mark}_1`, `login_${mark}_2`];
  let bed: Bed;
  let urlOfService: string;
  const apis: Service[] = [];
  const workers: Service[] = [];

  const asOwner = (statements: string) =>
    withClient(bed.database.ownerUrl, (client) =>
      client.query(
        statements.replaceAll("signalbox_service_2", second).replaceAll("signalbox_service", first),
      ),
    );
  const urlOf = (login: string, password: string) => {
    const url = new URL(bed.database.url);
    [url.username, url.password] = [login, password];
    return url.href;
  };
  const connectionsOf = async (login: string) =>
    (await bed.database.query("select 1 from pg_stat_activity where usename = $1", [login])).length;

  before(async () => {
    bed = open.use(await openBed({ apis: 0, workers: 0 }));
    open.defer(() =>
      withClient(bed.cluster.superuserUrl("postgres"), async (client) => {
        await client.query(`drop role if exists ${first}, ${second}`);
      }),
    );
    await asOwner(`create role signalbox_service login noinherit password 'first-password';
      grant signalbox_api, signalbox_work to signalbox_service`);
    urlOfService = urlOf(first, "first-password");
    const [enginePort = 0, ...ports] = await freePorts(5);
    for (const [index, port] of ports.entries()) {
      const role = index < 2 ? "api" : "worker";
      const service = await startService({
        role,
        name: `${role}-${index}`,
        port,
        directory: bed.directory,
        environment: {
          ...bed.environment,
          ENGINE_SERVICE_PORT: String(enginePort),
          ENGINE_SERVICE_URI: `http://127.0.0.1:${enginePort}`,
          // Faster machines ask more often; limits are not what is tried here.
          RATE_LIMIT_PER_SECOND: "10000",
          ADDRESS_RATE_LIMIT_PER_SECOND: "10000",
          // Read at each start, as a supervisor reads its environment file.
          get DATABASE_URL() {
            return urlOfService;
          },
        },
      });
      open.use(service);
      (role === "api" ? apis : workers).push(service);
    }
  });
  after(() => open.disposeAsync());

  it("changing the database password by a second login fails no request and loses no delivery", async () => {
    const baseUrl = apis[0]?.baseUrl ?? "";
    const agent = await makeAgent(
      { baseUrl, operatorToken: bed.operatorToken, receiver: bed.receiver },
      { qaList: [{ question: "When do you open?", answer: "At nine." }] },
    );
    /** Whom a balancer sends to: a node leaves before it is stopped, and is back once it is ready. */
    const serving = new Set(apis);
    const failures: unknown[] = [];
    let accepted = 0;
    let done = false;
    const talk = async () => {
      const conversationId = await agent.converse();
      while (!done) {
        const [node] = [...serving].toSorted(() => Math.random() - 0.5);
        await callerOf(bed, agent.apiKey, node?.baseUrl)
          .conversations.sendMessage({
            conversation_id: conversationId,
            response_mode: "webhook",
            messages: [{ role: "user", content: "When do you open?" }],
          })
          .then(() => (accepted += 1))
          .catch((error: unknown) => failures.push(error));
        await sleep(PAUSE_MS);
      }
    };
    const talks = Array.from({ length: CONVERSATIONS }, talk);
    const acceptsMore = async () => {
      const until = accepted + 10;
      await eventually("messages are accepted", () => accepted >= until || failures.length > 0, {
        timeoutMs: 60_000,
      });
    };
    try {
      await acceptsMore();
      await asOwner(statementsWith("create role signalbox_service_2"));
      urlOfService = urlOf(second, "choose-another");
      for (const service of [...apis, ...workers]) {
        serving.delete(service);
        assert.equal(await service.stop(), 0);
        await service.start();
        if (apis.includes(service)) serving.add(service);
        await acceptsMore();
      }
      await eventually("nobody is logged in as the first", async () => (await connectionsOf(first)) === 0);
      assert.ok((await connectionsOf(second)) > 0);
      await asOwner(statementsWith("drop role signalbox_service;"));
      await acceptsMore();
    } finally {
      done = true;
      await Promise.all(talks);
    }
    assert.deepEqual(failures, []);
    const idsOf = () => new Set(agent.arrived().map(({ headers }) => headers["webhook-id"]));
    await eventually("every answer arrived", () => idsOf().size === accepted, { timeoutMs: 60_000 });
    await assert.rejects(
      withClient(urlOf(first, "first-password"), async () => undefined),
      { code: "28P01" },
    );
  });
});
