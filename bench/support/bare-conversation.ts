// A process of its own: the same rows written for a message and its answer, by Fastify, PostgreSQL and one engine call, and
// nothing else: no keys, no search, no limits, no epochs, no signatures. What any service that keeps conversations pays.
import { randomUUID } from "node:crypto";
import { createServer } from "node:http2";
import { createEndpointHandler, handlers, object, type ObjectContext } from "@restatedev/restate-sdk";
import fastify from "fastify";
import pg from "pg";
import { Agent, Pool, request } from "undici";

const [port = "0", enginePort = "0", databaseUrl = "", ingressUrl = "", hookUrl = ""] = process.argv.slice(2);
const db = new pg.Pool({ connectionString: databaseUrl, max: 20 });
await db.query(`
  create schema bare;
  create table bare.conversation (id uuid primary key, last_seq bigint not null default 0);
  create table bare.message (conversation_id uuid, seq bigint, id uuid, sender text, text text,
    created_at timestamptz not null default now(), primary key (conversation_id, seq));
  create table bare.turn (id uuid primary key, conversation_id uuid, state text, finished_at timestamptz);
  create table bare.delivery (id uuid primary key, conversation_id uuid, body bytea, state text, finished_at timestamptz);
  create table bare.attempt (id uuid primary key, delivery_id uuid, status integer, at timestamptz not null default now());`);

const run = (name: string, text: string, values: unknown[]) => db.query({ name, text, values });
const ANSWER = "much ".repeat(20);

const say = (conversationId: string, sender: string, text: string) =>
  run(
    "say",
    `with raised as (update bare.conversation set last_seq = last_seq + 1 where id = $1 returning last_seq)
     insert into bare.message (conversation_id, seq, id, sender, text) select $1, last_seq, $2, $3, $4 from raised`,
    [conversationId, randomUUID(), sender, text],
  );
const openTurn = (id: string, conversationId: string) =>
  run("open", "insert into bare.turn (id, conversation_id, state) values ($1, $2, 'open')", [
    id,
    conversationId,
  ]);
const answer = (turnId: string, conversationId: string, body: string | undefined, deliveryId: string) =>
  run(
    body === undefined ? "answer" : "answer and enqueue",
    `with raised as (update bare.conversation set last_seq = last_seq + 1 where id = $2 returning last_seq),
     said as (insert into bare.message (conversation_id, seq, id, sender, text) select $2, last_seq, $3, 'ai', $4 from raised)
     ${body === undefined ? "" : ", owed as (insert into bare.delivery (id, conversation_id, body, state) values ($5, $2, $6, 'pending'))"}
     update bare.turn set state = 'answered', finished_at = now() where id = $1`,
    [
      turnId,
      conversationId,
      randomUUID(),
      ANSWER,
      ...(body === undefined ? [] : [deliveryId, Buffer.from(body)]),
    ],
  );

const hooks = new Agent({ connections: 128 });
const bareTurn = object({
  name: "bareTurn",
  handlers: {
    run: handlers.object.exclusive({}, async ({ key }: ObjectContext) => {
      const [turnId, deliveryId] = [randomUUID(), randomUUID()];
      await openTurn(turnId, key);
      const body = JSON.stringify({ conversation_id: key, text: "x".repeat(560) });
      await answer(turnId, key, body, deliveryId);
      const response = await request(hookUrl, {
        dispatcher: hooks,
        method: "POST",
        headers: { "content-type": "application/json" },
        body,
      });
      await response.body.dump();
      await run(
        "settle",
        `with settled as (update bare.delivery set state = 'delivered', finished_at = now() where id = $1)
         insert into bare.attempt (id, delivery_id, status) values ($2, $1, $3)`,
        [deliveryId, randomUUID(), response.statusCode],
      );
    }),
  },
  options: { journalRetention: 0, idempotencyRetention: 0 },
});
createServer(createEndpointHandler({ services: [bareTurn], logger: () => undefined })).listen(
  Number(enginePort),
  "127.0.0.1",
);

const ingress = new Pool(new URL(ingressUrl).origin, { connections: 32 });
const http = fastify();
http.post("/conversation", async () => {
  const id = randomUUID();
  await run("begin", "insert into bare.conversation (id) values ($1)", [id]);
  return { conversation_id: id };
});
http.post("/message", async ({ body }) => {
  const { conversation_id, response_mode, text } = body as Record<string, string>;
  await say(conversation_id ?? "", "user", text ?? "");
  if (response_mode === "blocking") {
    const turnId = randomUUID();
    await openTurn(turnId, conversation_id ?? "");
    await answer(turnId, conversation_id ?? "", undefined, "");
    return { conversation_id, output: [{ content: { text: ANSWER } }] };
  }
  const sent = await ingress.request({ method: "POST", path: `/bareTurn/${conversation_id}/run/send` });
  await sent.body.dump();
  return { conversation_id };
});
await http.listen({ port: Number(port), host: "127.0.0.1" });
console.log("ready");
