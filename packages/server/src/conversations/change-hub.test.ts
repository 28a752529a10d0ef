import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { openRows, type Rows } from "@signalbox/tests/support/rows.ts";
import { changeEvents, type ChangeEvent } from "@signalbox/contract";
import { createLog, newId, openWorkDatabase, type Database } from "../platform/index.ts";
import { createChangeHub, type ChangeHubOptions } from "./change-hub.ts";

describe("change streams of a node", () => {
  const closing = new AsyncDisposableStack();
  let rows: Rows;
  let db: Database;
  before(async () => {
    rows = closing.use(await openRows());
    const opened = openWorkDatabase({ url: rows.url, poolSize: 2, onError: () => undefined });
    closing.defer(() => opened.close());
    ({ db } = opened);
  });
  after(() => closing.disposeAsync());

  const openHub = (options: ChangeHubOptions = {}) => {
    const hub = createChangeHub(db, createLog("silent", {}), { lookEveryMs: 20, ...options });
    closing.defer(() => hub.close());
    return hub;
  };
  type Chat = Awaited<ReturnType<Rows["addAgent"]>>;

  const say = ({ agentId, conversationId }: Chat, seq: number) =>
    rows.insert("message", {
      agent_id: agentId,
      conversation_id: conversationId,
      seq,
      id: newId(),
      sender: "ai",
      text: "said",
    });

  async function enqueue({ agentId, conversationId, webhookId }: Chat, count = 1): Promise<string[]> {
    const laneId = newId();
    await rows.insert("lane", {
      agent_id: agentId,
      id: laneId,
      destination_id: webhookId,
      conversation_id: conversationId,
      state: "idle",
      tail_seq: count,
    });
    const ids = Array.from({ length: count }, newId);
    await rows.query(
      `insert into delivery (agent_id, lane_id, seq, id, event, sender, body)
       select $1, $2, seq, id, 'message', 'ai', '\\x7b7d' from unnest($3::uuid[]) with ordinality given(id, seq)`,
      [agentId, laneId, ids],
    );
    return ids;
  }

  /** The next event that tells a change, read as a client reads it. */
  async function changed(stream: AsyncGenerator<string>): Promise<ChangeEvent<"changed">[]> {
    const { value } = (await stream.next()) as { value: string };
    return [...value.matchAll(/^event: changed\ndata: (.+)$/gm)].map(([, data = ""]) =>
      changeEvents.changed.parse(JSON.parse(data)),
    );
  }

  it("change streams report new deliveries, new states and messages, of one agent or of all", async () => {
    const [one, other] = [await rows.addAgent(), await rows.addAgent()];
    const hub = openHub();
    const left = new AbortController();
    const ofOne = hub.follow(one.agentId, left.signal);
    const ofAll = hub.follow(undefined, left.signal);
    for (const stream of [ofOne, ofAll]) assert.match(String((await stream.next()).value), /^event: ready\n/);

    await say(other, 1);
    const [first] = await changed(ofAll);
    assert.deepEqual(first, {
      agent_id: other.agentId,
      delivery_ids: [],
      conversation_ids: [other.conversationId],
      talk_ids: [],
    });
    const [id = ""] = await enqueue(one);
    const told = {
      agent_id: one.agentId,
      delivery_ids: [id],
      conversation_ids: [one.conversationId],
      talk_ids: [],
    };
    assert.deepEqual(await changed(ofOne), [told]);
    await rows.query("update delivery set state = 'delivered', attempts = 1 where id = $1", [id]);
    assert.deepEqual(await changed(ofOne), [told]);
    left.abort();
    await Promise.all([ofOne.return(undefined), ofAll.return(undefined)]);
    assert.equal(hub.count(), 0);
  });

  it("change streams report chats of the inbox at once when told, and by looking", async () => {
    const { agentId } = await rows.addAgent();
    const [told, found] = [newId(), newId()];
    let looks = 0;
    const watchTalks = () => async () => ((looks += 1) === 3 ? [{ agentId, talkId: found }] : []);
    const hub = openHub({ watchTalks });
    const left = new AbortController();
    const stream = hub.follow(agentId, left.signal);
    await stream.next();
    hub.talksChanged([{ agentId, talkId: told }]);
    const heard = new Set<string>();
    while (heard.size < 2)
      for (const { talk_ids } of await changed(stream)) for (const id of talk_ids) heard.add(id);
    assert.deepEqual(heard, new Set([told, found]));
    left.abort();
    await stream.return(undefined);
  });

  it("a change stream reports an announced change of a chat once, and the next one though nobody announced it", async () => {
    const { agentId } = await rows.addAgent();
    const [known, lost, end] = [newId(), newId(), newId()];
    const looks = [
      [],
      [
        { agentId, talkId: known, changedAt: 1 },
        { agentId, talkId: lost, changedAt: 2 },
      ],
      [{ agentId, talkId: end, changedAt: 3 }],
    ];
    const announced = Promise.withResolvers<void>();
    let look = 0;
    const watchTalks = () => async () => {
      if (look > 0) await announced.promise;
      return looks[look++] ?? [];
    };
    const hub = openHub({ watchTalks });
    const left = new AbortController();
    const stream = hub.follow(agentId, left.signal);
    await stream.next();
    hub.talksChanged([
      { agentId, talkId: known, changedAt: 1 },
      { agentId, talkId: lost, changedAt: 1 },
    ]);
    const idsOf = async () => (await changed(stream)).flatMap(({ talk_ids }) => talk_ids);
    assert.deepEqual(await idsOf(), [known, lost]);
    announced.resolve();
    const heard: string[] = [];
    while (!heard.includes(end)) heard.push(...(await idsOf()));
    assert.deepEqual(heard, [lost, end]);
    left.abort();
    await stream.return(undefined);
  });

  it("a change stream holds at most 100 ids for a client that does not read", async () => {
    const chat = await rows.addAgent();
    const hub = openHub();
    const left = new AbortController();
    const stream = hub.follow(chat.agentId, left.signal);
    const reader = hub.follow(chat.agentId, left.signal);
    for (const one of [stream, reader]) await one.next();
    const ids = new Set(await enqueue(chat, 130));
    // A stream that is read has heard of all of them once it gets the last.
    while (ids.size > 30)
      for (const { delivery_ids } of await changed(reader)) for (const id of delivery_ids) ids.delete(id);
    const [held] = await changed(stream);
    assert.equal(held?.delivery_ids.length, 100);
    left.abort();
    await Promise.all([stream.return(undefined), reader.return(undefined)]);
  });

  it("a change stream reports the end of a delivery that 400 newer ones followed", async () => {
    const chat = await rows.addAgent();
    const hub = openHub();
    const left = new AbortController();
    const stream = hub.follow(chat.agentId, left.signal);
    await stream.next();
    const tellsOf = async (id: string) => {
      for (;;) if ((await changed(stream)).some(({ delivery_ids }) => delivery_ids.includes(id))) return;
    };
    const [old = ""] = await enqueue(chat);
    await tellsOf(old);
    await enqueue(chat, 400);
    // Two looks later it is no longer among the newest.
    await changed(stream);
    const [last = ""] = await enqueue(chat);
    await tellsOf(last);
    await rows.query("update delivery set state = 'dead', attempts = 3 where id = $1", [old]);
    await tellsOf(old);
    left.abort();
    await stream.return(undefined);
  });

  it("a busy agent hides no message and no delivery of another agent", async () => {
    const [quiet, busy] = [await rows.addAgent(), await rows.addAgent()];
    // Long enough for all of it to come between two looks.
    const hub = openHub({ lookEveryMs: 1_000 });
    const left = new AbortController();
    const stream = hub.follow(quiet.agentId, left.signal);
    await stream.next();
    const told = new Set<string>();
    const hear = async (...wanted: string[]) => {
      while (wanted.some((id) => !told.has(id)))
        for (const { delivery_ids, conversation_ids } of await changed(stream))
          for (const id of [...delivery_ids, ...conversation_ids]) told.add(id);
    };
    await say(quiet, 1);
    await rows.query(
      `insert into message (agent_id, conversation_id, seq, id, sender, text)
       select $1, $2, n, id, 'ai', 'said' from unnest($3::uuid[]) with ordinality given(id, n)`,
      [busy.agentId, busy.conversationId, Array.from({ length: 400 }, newId)],
    );
    await hear(quiet.conversationId);
    const [mine = ""] = await enqueue(quiet);
    await enqueue(busy, 400);
    await hear(mine);
    left.abort();
    await stream.return(undefined);
  });

  it("a change stream ends after its maximum duration", async () => {
    const hub = openHub({ streamMaxMs: 200 });
    // The timer of a signal holds up no process that has nothing else to do.
    const awake = setInterval(() => undefined, 1_000);
    const frames = await Array.fromAsync(hub.follow(undefined, new AbortController().signal));
    clearInterval(awake);
    assert.match(frames.join(""), /^event: ready\n/);
    assert.equal(hub.count(), 0);
  });
});
