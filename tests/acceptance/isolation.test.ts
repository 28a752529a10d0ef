import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { ROUTE_NAMES, routes, type Route, type RouteName } from "@signalbox/contract";
import { createClient } from "@signalbox/sdk";
import { openBed, type Bed } from "../support/bed.ts";
import { eventually } from "../support/processes.ts";
import { GOOD, QUESTION, type ApiKeyRoute, type Tenant } from "./good-requests.ts";
import { placesOf, withId, type Json } from "./id-places.ts";

const API_KEY_ROUTES = ROUTE_NAMES.filter((name) => routes[name].auth === "apiKey") as ApiKeyRoute[];

interface Reply {
  status: number;
  body: string;
  headers: Record<string, string>;
}

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const isUuid = (value: unknown): value is string =>
  typeof value === "string" && new RegExp(`^${UUID.source}$`).test(value);
/** Headers of one answer that say nothing of what was asked for. */
const OF_THE_MOMENT = /^(date|signalbox-request-id|ratelimit-.*|keep-alive|connection)$/;

describe("isolation of agents", () => {
  let bed: Bed;
  let attacker: Tenant;
  let victim: Tenant;

  before(async () => {
    // Two connections a pool, so that requests of both agents keep taking each other's.
    bed = await openBed({ environment: { DATABASE_POOL_SIZE: "2", RATE_LIMIT_PER_SECOND: "100000" } });
    [attacker, victim] = [await addTenant("attacker"), await addTenant("victim")];
    await settled();
  });
  after(() => bed[Symbol.asyncDispose]());

  async function addTenant(name: string): Promise<Tenant> {
    const operator = createClient({ baseUrl: bed.baseUrl, operatorToken: bed.operatorToken });
    const { agent_id, default_knowledge_base_id } = await operator.agents.create({ name });
    const { api_key } = await operator.keys.create({ agent_id, name });
    await operator.webhooks.set({ agent_id, url: `${bed.receiver.url}/${name}`, username: name });
    await operator.desks.create({ agent_id, name, url: `${bed.receiver.url}/${name}/desk` });
    const client = createClient({ baseUrls: bed.apis.map(({ baseUrl }) => baseUrl), apiKey: api_key });
    const pair = { question: QUESTION, answer: `the word of ${name}` };
    await client.knowledge.add({ purpose: "QA_TEXT", name, qaList: [pair] });
    const { doc } = await client.knowledge.add({
      purpose: "QA_TEXT",
      name: `other of ${name}`,
      qaList: [pair],
    });
    const { conversation_id } = await client.conversations.create({
      user_id: name,
      email: `${name}@example.com`,
    });
    const tenant = { name, agentId: agent_id, baseId: default_knowledge_base_id, apiKey: api_key, client };
    const made = { ...tenant, conversationId: conversation_id, documentId: doc[0]?.doc_id ?? "" };
    const message = { ...GOOD.sendMessage({ ...made, messageId: "" }), response_mode: "webhook" as const };
    const { message_id } = await client.conversations.sendMessage(message);
    return { ...made, messageId: message_id };
  }

  /** Nothing is under way any more, so that what changes from here on was changed by a test. */
  function settled(): Promise<true> {
    return eventually(
      "every turn and lane is at rest",
      async () => {
        const [row] = await bed.database.query<{ busy: boolean }>(
          "select exists (select from conversation where turn_awake) or exists (select from lane where state <> 'idle') or exists (select from api_key where last_used_at is null) as busy",
        );
        return row?.busy === false;
      },
      { timeoutMs: 30_000 },
    );
  }

  async function call(
    node: number,
    apiKey: string,
    name: RouteName,
    input: object,
    idempotencyKey?: string,
  ): Promise<Reply> {
    const route: Route = routes[name];
    const rest: Json = { ...input };
    const path = route.path.replaceAll(/:(\w+)/g, (_, parameter: string) => {
      const value = rest[parameter] as string;
      delete rest[parameter];
      return value;
    });
    const query = new URLSearchParams();
    for (const parameter of Object.keys(route.query?.shape ?? {}))
      for (const value of [rest[parameter]].flat())
        if (typeof value === "string" || typeof value === "number") query.append(parameter, `${value}`);
    const target = query.size === 0 ? path : `${path}?${query.toString()}`;
    const response = await fetch(bed.api(node).baseUrl + target, {
      method: route.method,
      headers: {
        authorization: `Bearer ${apiKey}`,
        ...(route.body === undefined ? {} : { "content-type": "application/json" }),
        ...(idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey }),
      },
      ...(route.body === undefined ? {} : { body: JSON.stringify(rest) }),
    });
    const headers = Object.fromEntries(
      [...response.headers].filter(([header]) => !OF_THE_MOMENT.test(header)),
    );
    return { status: response.status, body: await response.text(), headers };
  }

  async function tenantTables(): Promise<{ table: string; column: string }[]> {
    return bed.database.query(`
      select c.relname as table, case c.relname when 'agent' then 'id' else 'agent_id' end as column from pg_class c
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
        and (c.relname = 'agent' or exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'agent_id'))
      order by 1`);
  }

  async function rowsOf({ agentId }: Tenant): Promise<Record<string, string[]>> {
    const rows: Record<string, string[]> = {};
    for (const { table, column } of await tenantTables()) {
      // A worker counts on its own time what happened before.
      if (table.startsWith("numbers_")) continue;
      const found = await bed.database.query<{ row: string }>(
        `select row_to_json(t)::text as row from ${table} t where ${column} = $1 order by 1`,
        [agentId],
      );
      rows[table] = found.map(({ row }) => row);
    }
    return rows;
  }

  /** One value for each column of each table that holds an id of this tenant's. */
  function idsIn(rows: Record<string, string[]>): { where: string; id: string }[] {
    const found = new Map<string, string>();
    for (const [table, [first = "{}"]] of Object.entries(rows))
      for (const [column, value] of Object.entries(JSON.parse(first) as Json))
        if (isUuid(value)) found.set(`${table}.${column}`, value);
    return [...found].map(([where, id]) => ({ where, id }));
  }

  it("an id of another agent is answered like an unknown id, and nothing changes there", async () => {
    const before = await rowsOf(victim);
    const received = bed.receiver.requests.length;
    const victimIds = idsIn(before);
    const own = new Set(
      Object.values(await rowsOf(attacker))
        .flat()
        .flatMap((row) => row.match(UUID) ?? []),
    );
    const textual = [
      { where: "user_id", id: "victim" },
      { where: "email", id: "victim@example.com" },
    ];
    const differences: string[] = [];
    const leaks: string[] = [];
    let compared = 0;
    for (const name of API_KEY_ROUTES) {
      for (const place of placesOf(routes[name])) {
        const good = GOOD[name](attacker);
        const say = ({ status, body, headers }: Reply, sent: string) =>
          JSON.stringify([
            status,
            body
              .replaceAll(UUID, (id) => (id === sent ? "<sent>" : own.has(id) ? id : "<new>"))
              .replaceAll(`"${sent}"`, '"<sent>"')
              // A token is another each time, and says nothing to who cannot open it.
              .replace(/"token":"[^"]+"/, '"token":"<new>"')
              .replace(/"widget:[A-Za-z0-9]{22}"/, '"<new>"')
              .replace(/"expire_time":\d+/, '"expire_time":<now>'),
            { ...headers, "content-length": undefined },
          ]);
        for (const [index, { where, id }] of [...victimIds, ...textual].entries()) {
          const nobodys = isUuid(id) ? crypto.randomUUID() : `nobody-${index}`;
          const [theirs, unknown] = await Promise.all([
            call(index % 2, attacker.apiKey, name, withId(good, place, id)),
            call((index + 1) % 2, attacker.apiKey, name, withId(good, place, nobodys)),
          ]);
          compared += 1;
          const what = `${name} with ${place.join(".")} = ${where} of the victim`;
          if (say(theirs, id) !== say(unknown, nobodys))
            differences.push(`${what}: ${say(theirs, id)}, ${say(unknown, nobodys)}`);
          if (
            victimIds.some((other) => other.id !== id && theirs.body.includes(other.id)) ||
            /word of victim/.test(theirs.body)
          )
            leaks.push(`${what}: ${theirs.body}`);
        }
      }
    }
    assert.deepEqual(differences.slice(0, 10), []);
    assert.deepEqual(leaks.slice(0, 10), []);
    assert.ok(compared > 100, `${compared} compared`);
    await settled();
    assert.deepEqual(await rowsOf(victim), before);
    const toVictim = bed.receiver.requests.slice(received).filter(({ path }) => path.startsWith("/victim"));
    assert.deepEqual(toVictim, []);
  });

  it("the id fields of every route are known to the isolation test", () => {
    const places = Object.fromEntries(
      API_KEY_ROUTES.map((name) => [name, placesOf(routes[name]).map((path) => path.join("."))]),
    );
    assert.deepEqual(places["sendMessage"], [
      "conversation_id",
      "conversation_config.knowledge.data_ids.0",
      "conversation_config.knowledge.group_ids.0",
    ]);
    assert.ok(places["addQa"]?.includes("knowledge_base_id"));
    assert.deepEqual(places["createConversation"], ["user_id", "anonymous_id"]);
  });

  it("an API key opens no operator endpoint and learns nothing of what exists there", async () => {
    const operatorRoutes = ROUTE_NAMES.filter((name) => routes[name].auth === "operator");
    assert.ok(operatorRoutes.length > 10);
    const replies = new Set<string>();
    for (const name of operatorRoutes) {
      for (const agent_id of [victim.agentId, attacker.agentId, crypto.randomUUID()]) {
        const ids = { agent_id, key_id: agent_id, component_id: agent_id };
        const { status, body } = await call(0, attacker.apiKey, name, ids);
        replies.add(`${status} ${body}`);
      }
    }
    assert.equal(replies.size, 1, [...replies].join("\n"));
    assert.match([...replies][0] ?? "", /^401 \{"code":40127,/);
  });

  it("an API key does not get another agent's answer by its Idempotency-Key", async () => {
    const same = { user_id: "the same for both" };
    const [first, second, again] = [
      await call(0, victim.apiKey, "createConversation", same, "a shared key"),
      await call(1, attacker.apiKey, "createConversation", same, "a-shared-key"),
      await call(0, victim.apiKey, "createConversation", same, "a-shared-key"),
    ];
    assert.equal(first.status, 400, "blanks are not allowed in a key");
    assert.deepEqual([second.status, again.status], [200, 200]);
    assert.notEqual(second.body, again.body);
  });

  it("hundreds of concurrent requests of two agents on both nodes find only their own data", async () => {
    const [before, received] = [await countsOf(), bed.receiver.requests.length];
    const made = {
      attacker: { conversations: 0, messages: 0, documents: 0 },
      victim: { conversations: 0, messages: 0, documents: 0 },
    };
    const wrong: string[] = [];
    const expect = (what: string, reply: Reply, status: number, body: RegExp) => {
      if (reply.status !== status || !body.test(reply.body))
        wrong.push(`${what}: ${reply.status} ${reply.body}`);
    };
    const work = async (index: number) => {
      const [us, them] = index % 2 === 0 ? [attacker, victim] : [victim, attacker];
      const count = made[us.name as keyof typeof made];
      const node = (index >> 1) % 2;
      const send = (name: ApiKeyRoute, input: object) => call(node, us.apiKey, name, input);
      switch ((index >> 2) % 6) {
        case 0:
          expect("verify", await send("verifyApiKey", {}), 200, new RegExp(us.agentId));
          break;
        case 1:
          count.conversations += 1;
          expect(
            "create",
            await send("createConversation", GOOD.createConversation(us)),
            200,
            /conversation_id/,
          );
          break;
        case 2:
          count.messages += 1;
          expect("send", await send("sendMessage", GOOD.sendMessage(us)), 200, new RegExp(us.conversationId));
          break;
        case 3:
          expect("send to theirs", await send("sendMessage", GOOD.sendMessage(them)), 403, /"code":40356,/);
          break;
        case 4:
          count.documents += 1;
          expect("add", await send("addQa", GOOD.addQa(us)), 200, /doc_id/);
          break;
        default:
          expect(
            "add to theirs",
            await send("addQa", GOOD.addQa(them)),
            400,
            /knowledge_base_id is not a knowledge base/,
          );
      }
    };
    const waiting = Array.from({ length: 600 }, (_, index) => index);
    const caller = async () => {
      for (let index = waiting.shift(); index !== undefined; index = waiting.shift()) await work(index);
    };
    await Promise.all(Array.from({ length: 40 }, caller));
    assert.deepEqual(wrong.slice(0, 10), []);
    await settled();
    const now = await countsOf();
    for (const tenant of ["attacker", "victim"] as const)
      for (const thing of ["conversations", "messages", "documents"] as const)
        assert.equal(
          now[tenant][thing] - before[tenant][thing],
          made[tenant][thing],
          `${thing} of ${tenant}`,
        );

    for (const { path, body } of bed.receiver.requests.slice(received)) {
      const tenant = path === "/victim" ? victim : attacker;
      const { conversation_id, output } = body as {
        conversation_id: string;
        output: { content: { text: string } }[];
      };
      assert.equal(conversation_id, tenant.conversationId);
      assert.equal(output[0]?.content.text, `the word of ${tenant.name}`);
    }
    assert.equal(bed.receiver.requests.length - received, made.attacker.messages + made.victim.messages);
  });

  async function countsOf() {
    const count = async ({ agentId }: Tenant) => {
      const [row] = await bed.database.query<{ conversations: number; messages: number; documents: number }>(
        `select (select count(*) from conversation where agent_id = $1)::integer as conversations,
           (select count(*) from message where agent_id = $1 and sender = 'user')::integer as messages,
           (select count(*) from document where agent_id = $1)::integer as documents`,
        [agentId],
      );
      return row ?? assert.fail("no counts");
    };
    return { attacker: await count(attacker), victim: await count(victim) };
  }

  it("a row planted in the database sends nothing to another agent's webhook", async () => {
    const [hook] = await bed.database.query<{ id: string }>(
      "select id from webhook where agent_id = $1 and kind = 'message'",
      [victim.agentId],
    );
    const planted = crypto.randomUUID();
    await bed.database.as("signalbox_api", attacker.agentId, async (client) => {
      await client.query(
        "insert into lane (agent_id, id, destination_id, conversation_id, state, tail_seq, beat_at) values ($1, $2, $3, $2, 'awake', 1, now() - interval '1 hour')",
        [attacker.agentId, planted, hook?.id],
      );
      await client.query(
        "insert into delivery (agent_id, lane_id, seq, id, event, sender, body) values ($1, $2, 1, $2, 'message', 'ai', 'planted')",
        [attacker.agentId, planted],
      );
    });
    const state = await eventually(
      "the planted delivery is given up",
      async () => {
        const [row] = await bed.database.query<{ state: string }>(
          "select state from delivery where id = $1",
          [planted],
        );
        return row?.state === "pending" ? undefined : row?.state;
      },
      { timeoutMs: 30_000 },
    );
    assert.equal(state, "dead");
    assert.deepEqual(
      bed.receiver.requests.filter(({ bodyBytes }) => bodyBytes.includes("planted")),
      [],
    );
  });
});
