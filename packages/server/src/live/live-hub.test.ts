import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { openRows, type Rows } from "@signalbox/tests/support/rows.ts";
import { objectKey } from "../engine/index.ts";
import { createLog, openWorkDatabase, type ChatUser, type Database } from "../platform/index.ts";
import { createLiveHub, type LiveHub } from "./live-hub.ts";

describe("live hub", () => {
  const closing = new AsyncDisposableStack();
  let rows: Rows;
  let db: Database;
  let hub: LiveHub;
  before(async () => {
    rows = closing.use(await openRows());
    const opened = openWorkDatabase({ url: rows.url, poolSize: 2, onError: () => undefined });
    closing.defer(() => opened.close());
    ({ db } = opened);
    hub = createLiveHub(db, createLog("silent", {}));
    closing.defer(() => hub.close());
  });
  after(() => closing.disposeAsync());

  async function newChat() {
    const { agentId } = await rows.addAgent();
    const apiKeyId = await rows.addApiKey(agentId);
    const user: ChatUser = {
      agentId,
      apiKeyId,
      userId: "user-1",
      anonymousId: null,
      email: null,
      phone: null,
      issuedAt: Date.now(),
      expiresAt: Infinity,
    };
    const columns = { channel: "widget", user_id: user.userId };
    const conversationId = await rows.addConversation(agentId, columns);
    return { agentId, user, conversationId, afterSeq: 0 };
  }
  type Chat = Awaited<ReturnType<typeof newChat>>;

  const say = async ({ agentId, conversationId }: Chat, count: number) => {
    await rows.query(
      `with raised as (update conversation set last_seq = last_seq + $3 where agent_id = $1 and id = $2 returning last_seq)
       insert into message (agent_id, conversation_id, seq, id, sender, text)
       select $1, $2, last_seq - $3 + n, gen_random_uuid(), 'ai', 'said' from raised, generate_series(1, $3) n`,
      [agentId, conversationId, count],
    );
    hub.changed([objectKey(agentId, conversationId)]);
  };
  const idsIn = (frames: string) => [...frames.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id));
  const next = async (stream: AsyncGenerator<string>) => String((await stream.next()).value);

  it("the live hub buffers one page for a client that does not read, and loses no message", async () => {
    const chat = await newChat();
    await say(chat, 450);
    const stream = hub.follow(chat, new AbortController().signal);
    const first = await next(stream);
    assert.equal(idsIn(first).length, 100);
    for (let round = 0; round < 20; round += 1) await say(chat, 10);
    const ids = idsIn(first);
    let frames = first;
    while (!frames.includes("event: ready")) {
      frames = await next(stream);
      assert.ok(idsIn(frames).length <= 100, "a page at a time");
      ids.push(...idsIn(frames));
    }
    assert.deepEqual(
      ids,
      Array.from({ length: 650 }, (_, index) => index + 1),
    );
    await stream.return(undefined);
    assert.equal(hub.count(), 0);
  });

  it("the live hub sends each of many conversations its own messages, once", async () => {
    const chats = await Promise.all(Array.from({ length: 20 }, newChat));
    const leaving = new AbortController();
    const streams = chats.map((chat) => hub.follow(chat, leaving.signal));
    const opened = await Promise.all(streams.map(next));
    assert.ok(
      opened.every((frames) => frames === opened[0]),
      opened[0],
    );
    await Promise.all(chats.map((chat, index) => say(chat, index + 1)));
    const told = await Promise.all(streams.map(next));
    assert.deepEqual(
      told.map((frames) => idsIn(frames).length),
      chats.map((_, index) => index + 1),
    );
    leaving.abort();
    await Promise.all(streams.map((stream) => stream.next()));
    assert.equal(hub.count(), 0, "who has left is forgotten");
  });

  it("the live hub sends nothing for a conversation that does not exist", async () => {
    const leaving = new AbortController();
    const chat = await newChat();
    const stream = hub.follow({ ...chat, conversationId: chat.agentId }, leaving.signal);
    const read = stream.next();
    setTimeout(() => leaving.abort(), 100);
    assert.deepEqual(await read, { done: true, value: undefined });
  });
});
