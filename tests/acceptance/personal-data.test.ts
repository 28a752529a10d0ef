import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { UserExport, type Erasure } from "@signalbox/contract";
import { type BlockingMessageRequest, createClient, type Client } from "@signalbox/sdk";
import { makeAgent, operatorOf, refusal, type MadeAgent } from "../support/agents.ts";
import { openBed, type Bed } from "../support/bed.ts";
import { makeDesk, type Desk } from "../support/desk.ts";
import { followChat } from "../support/followed-chat.ts";
import { startModelServer, type ModelServer } from "../support/model-server.ts";
import { eventually } from "../support/processes.ts";
import type { Reply } from "../support/receiver.ts";
import { createSearch, newCanary, type Canary } from "./canaries.ts";
import { placesByCanary, searchDatabase, tablesOf } from "./whole-database.ts";

const FAILING = { status: 503, body: "away" };
/** How the developer answers what is said to each user. */
const answers = new Map<string, Reply>();

describe("personal data", () => {
  const open = new AsyncDisposableStack();
  let bed: Bed;
  let operator: Client;
  let model: ModelServer;

  before(async () => {
    model = open.use(await startModelServer());
    const environment = { PUBLIC_URL: "https://signalbox.example" };
    bed = open.use(await openBed({ apis: 1, workers: 2, environment }));
    operator = operatorOf(bed);
  });
  after(() => open.disposeAsync());

  async function erased(started: Erasure): Promise<Erasure> {
    let last = started;
    const isFinished = async () => {
      last = await operator.users.getErasure({ erasure_id: started.erasure_id });
      return last.state === "finished";
    };
    await eventually("the erasure is finished", isFinished, { timeoutMs: 30_000, everyMs: 50 });
    return last;
  }

  const rowsOf = async (table: string, agentId: string) => {
    const column = table === "agent" ? "id" : "agent_id";
    const [row] = await bed.database.query<{ n: number }>(
      `select count(*)::integer as n from ${table} where ${column} = $1`,
      [agentId],
    );
    return row?.n ?? 0;
  };

  /** What a user can leave behind, in every place there is. */
  async function plantUser(desk: Desk, name: string) {
    const { agent } = desk;
    const canaries: Canary[] = [];
    const person = (what: string) => {
      const canary = newCanary(`${name}'s ${what}`);
      canaries.push(canary);
      return canary.value;
    };
    const user_id = person("user id");
    const anonymous_id = person("anonymous id");
    const user = { user_id, anonymous_id, email: person("email"), phone: person("phone") };
    await agent.client.users.bind({
      user_id,
      anonymous_ids: [{ anonymous_id: person("bound anonymous id"), conversation_type: "WIDGET" }],
    });

    const answer = { said: person("words in the developer's answer") };
    answers.set(user_id, { status: 200, body: answer });
    agent.respond(({ body }) => answers.get((body as { user_id: string }).user_id));
    const arrivedBefore = agent.arrived().length;
    const { conversation_id: told } = await agent.client.conversations.create(user);
    await agent.ask(told, `I live at ${person("words")}`);
    await agent.arrivals(arrivedBefore + 1);
    const isAnswered = async () =>
      (await operator.deliveries.list({ agent_id: agent.agentId, conversation_id: told, state: "delivered" }))
        .list;
    const [delivered] = await eventually("the reply is delivered", async () => {
      const list = await isAnswered();
      return list.length > 0 ? list : undefined;
    });
    await operator.deliveries.replay({ delivery_id: delivered?.delivery_id ?? "" });
    await agent.arrivals(arrivedBefore + 2);

    const { conversation_id: blocking } = await agent.client.conversations.create(user);
    const asked: BlockingMessageRequest = {
      conversation_id: blocking,
      response_mode: "blocking",
      messages: [
        { role: "user", content: `I am ${person("words said elsewhere before")}` },
        {
          role: "user",
          content: [
            { type: "text", text: `Call me ${person("words to a caller who waits")}` },
            { type: "image", image: { url: "https://files.example/1", name: person("file name") } },
          ],
        },
      ],
    };
    const idempotencyKey = randomUUID();
    await agent.client.conversations.sendMessage(asked, { idempotencyKey });

    const { token } = await agent.client.chatTokens.mint(user, { idempotencyKey: randomUUID() });
    const browser = { baseUrl: bed.baseUrl, chatToken: token };
    const chatter = createClient({ ...browser, retries: 0 });
    const { conversation_id: chat } = await chatter.chats.begin();
    const stream = await followChat(browser, chat);
    const said = { text: person("words in the widget"), client_id: person("id in the widget") };
    await chatter.chats.say({ conversation_id: chat, ...said });
    await stream.heard(`user: ${said.text}`);
    await chatter.chats.rate({ conversation_id: chat, rating: "bad", comment: person("rating") });

    const { conversation_id: handed } = await agent.client.conversations.create(user);
    const handoffId = await desk.connect(handed);
    await desk.reply(handoffId, `Dear ${person("words of a human")}`);
    // From here on what is sent waits: neither the developer nor the desk answers.
    answers.set(user_id, FAILING);
    desk.answer("chat", () => FAILING);
    await agent.ask(handed, `My card is ${person("words to a human")}`);
    await desk.reply(handoffId, `Thank you, ${person("words that wait for the developer")}`);
    return { user, canaries, asked, idempotencyKey, chat, chatter, stream, handoffId };
  }

  it("a user's data is exported whole, then erased from every table, and nobody else's is touched", async () => {
    const desk = await makeDesk(bed);
    const { agent } = desk;
    const { agentId: agent_id } = agent;
    const speech = { agent_id, url: model.url, model: "speaker", voice: "ada", api_key: "sk-test" };
    await operator.models.setSpeech(speech);
    const other = await plantUser(desk, "Grace");
    desk.answer("chat", () => undefined);
    const ours = await plantUser(desk, "Ada");
    const { user_id } = ours.user;

    const planted = placesByCanary(await searchDatabase(bed, ours.canaries));
    assert.deepEqual(Object.keys(planted).toSorted(), ours.canaries.map(({ name }) => name).toSorted());
    const places = new Set(Object.values(planted).flat());
    const tables =
      "attempt conversation conversation_rating delivery message unanswered_question user_binding";
    for (const table of tables.split(" "))
      assert.ok(places.has(table), `something of the user is in ${table}`);
    const theirs = placesByCanary(await searchDatabase(bed, other.canaries));
    const exported = await operator.users.export({ agent_id, user_id });
    assert.deepEqual(UserExport.parse(exported), exported, "as the contract says");
    const inExport = createSearch([...ours.canaries, ...other.canaries])(
      "export",
      Buffer.from(JSON.stringify(exported)),
    );
    assert.deepEqual(Object.keys(placesByCanary(inExport)).toSorted(), Object.keys(planted).toSorted());
    assert.deepEqual([exported.conversations.length, exported.bindings.length], [4, 1]);
    assert.ok(
      exported.conversations.some(({ speech }) => speech.length > 0),
      "what was spoken",
    );

    const finished = await erased(await operator.users.erase({ agent_id, user_id }));
    assert.deepEqual(placesByCanary(await searchDatabase(bed, ours.canaries)), {});
    assert.deepEqual(placesByCanary(await searchDatabase(bed, other.canaries)), theirs);
    const counts = finished.erased;
    assert.deepEqual([counts.conversations, counts.handoffs, counts.bindings], [4, 1, 1]);
    for (const name of ["messages", "deliveries", "attempts", "unanswered_questions", "speech"] as const)
      assert.ok(counts[name] > 0, name);
    assert.ok(counts.deliveries_stopped >= 2, "what waited for the developer and for the desk");
    assert.ok(counts.remembered_answers >= 2, "a blocking answer and a token's user");
    const empty = await operator.users.export({ agent_id, user_id });
    assert.deepEqual([empty.conversations, empty.bindings], [[], []]);

    await ours.stream.ended;
    const say = { conversation_id: ours.chat, text: "Is anybody there?" };
    const code = async () => (await refusal(ours.chatter.chats.say(say))).code;
    assert.match(String(await code()), /40356|40127/);
    await eventually("the token is refused", async () => (await code()) === 40127);
    const again = agent.client.conversations.sendMessage(ours.asked, { idempotencyKey: ours.idempotencyKey });
    assert.equal((await refusal(again)).code, 40356, "no remembered answer");
    assert.equal((await refusal(desk.reply(ours.handoffId, "Hello?"))).code, 40356);
    await desk.arrived("close");
    const closes = desk.calls().filter(({ call }) => call === "close");
    assert.deepEqual(
      closes.map(({ handoffId, said }) => [handoffId, said]),
      [[ours.handoffId, "USER_CLOSED"]],
    );
    const stopped = await operator.deliveries.list({ agent_id, cause: "erased" });
    assert.equal(stopped.list.length, counts.deliveries_stopped);
    for (const { delivery_id } of stopped.list) {
      const { state, body, attempts } = await operator.deliveries.get({ delivery_id });
      assert.deepEqual([state, body, attempts], ["dead", "", []]);
      assert.equal((await refusal(operator.deliveries.replay({ delivery_id }))).code, 40900);
    }
    const replay = { filter: { agent_id, cause: "erased" }, dry_run: true } as const;
    assert.equal((await operator.replays.start(replay)).matched, 0);
    const { list: audited } = await operator.audit.list({ agent_id });
    const actions = audited
      .map(({ action }) => action)
      .filter((action) => /^user\.(erase|export)$/.test(action));
    assert.deepEqual(actions.toSorted(), ["user.erase", "user.export", "user.export"]);
    await other.stream.leave();
  });

  it("a user's data is erased by anonymous id too, with the signed-in user who wrote under it", async () => {
    const agent = await makeAgent(bed);
    const [visitor, shared] = [newCanary("visitor"), newCanary("words")];
    const ids = [{ anonymous_id: visitor.value }, { anonymous_id: visitor.value, user_id: "ada" }];
    for (const given of ids) {
      const conversation_id = await agent.converse({ user_id: undefined, ...given });
      await agent.ask(conversation_id, `I am ${shared.value}`);
    }
    const kept = await agent.converse({ user_id: "ada", anonymous_id: undefined });
    await agent.arrivals(2);
    const started = await operator.users.erase({ agent_id: agent.agentId, anonymous_id: visitor.value });
    assert.equal((await erased(started)).erased.conversations, 2);
    assert.deepEqual(placesByCanary(await searchDatabase(bed, [visitor, shared])), {});
    assert.deepEqual(await agent.client.conversations.listMessages({ conversation_id: kept }), {
      total: 0,
      conversation_content: [],
    });
  });

  it("an unanswered question that several users asked is erased with the last of them", async () => {
    const agent = await makeAgent(bed);
    const asked = newCanary("question").value;
    const questions = async () => (await operator.unanswered.list({ agent_id: agent.agentId })).list;
    for (const user_id of ["ada", "ada", "grace"])
      await agent.ask(await agent.converse({ user_id }), `${asked}?`);
    await agent.arrivals(3);
    const erase = async (user_id: string) =>
      erased(await operator.users.erase({ agent_id: agent.agentId, user_id }));
    assert.deepEqual(
      (await questions()).map(({ asked }) => asked),
      [3],
    );
    await erase("ada");
    assert.deepEqual(
      (await questions()).map(({ asked }) => asked),
      [1],
    );
    await erase("grace");
    assert.deepEqual(await questions(), []);
  });

  /** Makes conversations as they would be after this many days without a message. */
  async function age(agent: MadeAgent, conversationIds: string[], days: number): Promise<void> {
    for (const [table, column] of [
      ["conversation", "id"],
      ["message", "conversation_id"],
    ])
      await bed.database.query(
        `update ${table} set created_at = created_at - make_interval(days => $3) where agent_id = $1 and ${column} = any($2)`,
        [agent.agentId, conversationIds, days],
      );
  }

  async function converseAndAge(desk: Desk) {
    const { agent } = desk;
    const ids = await Promise.all(
      Array.from({ length: 5 }, () => agent.converse({ email: "ada@example.com" })),
    );
    const [old = "", young = "", revived = "", handed = "", silent = ""] = ids;
    for (const id of [old, young, revived, handed]) await agent.ask(id, "Where is my order?");
    await agent.arrivals(4);
    const isIdle = async () =>
      (await bed.database.query("select from lane where agent_id = $1 and state <> 'idle'", [agent.agentId]))
        .length === 0;
    await eventually("nothing waits", isIdle);
    await age(
      agent,
      ids.filter((id) => id !== young),
      100,
    );
    await agent.ask(revived, "And now?");
    await agent.arrivals(5);
    await desk.connect(handed);
    await age(agent, [handed], 1);
    return { old, young, revived, handed, silent };
  }

  it("a conversation past its retention is deleted, unless it is young, resumed or open", async () => {
    const desk = await makeDesk(bed);
    const { agent } = desk;
    const { old, young, revived, handed, silent } = await converseAndAge(desk);
    const set = await operator.agents.setRetention({ agent_id: agent.agentId, days: 90 });
    assert.deepEqual(set, { days: 90, action: null, effective: { days: 90, action: "delete" } });
    assert.deepEqual(await operator.agents.getRetention({ agent_id: agent.agentId }), set);
    const left = async () =>
      (
        await bed.database.query<{ id: string }>("select id from conversation where agent_id = $1", [
          agent.agentId,
        ])
      ).map(({ id }) => id);
    await eventually("the old ones are gone", async () => (await left()).length === 3, { everyMs: 50 });
    assert.deepEqual((await left()).toSorted(), [young, revived, handed].toSorted());
    for (const table of ["message", "lane", "turn", "unanswered_question_asker"]) {
      const rows = await bed.database.query<{ conversation_id: string }>(
        `select distinct conversation_id from ${table} where agent_id = $1`,
        [agent.agentId],
      );
      const found = rows.map(({ conversation_id }) => conversation_id);
      assert.ok(found.length > 0 && !found.includes(old) && !found.includes(silent), table);
    }
    const [deliveries] = await bed.database.query<{ n: number }>(
      `select count(*)::integer as n from delivery d where agent_id = $1
       and not exists (select from lane l where l.agent_id = d.agent_id and l.id = d.lane_id)`,
      [agent.agentId],
    );
    assert.equal(deliveries?.n, 0, "no delivery is left without its lane");
    assert.equal((await refusal(agent.ask(old, "Hello?"))).code, 40356);
  });

  it("a conversation past its retention is redacted where set: times and counts stay, texts and names do not", async () => {
    const desk = await makeDesk(bed);
    const { agent } = desk;
    const { old, young } = await converseAndAge(desk);
    await operator.agents.setRetention({ agent_id: agent.agentId, days: 90, action: "redact" });
    const isRedacted = async () =>
      (await bed.database.query("select from conversation where id = $1 and redacted_at is not null", [old]))
        .length === 1;
    await eventually("the old one is redacted", isRedacted, { everyMs: 50 });
    const { conversations } = agent.client;
    const { total, conversation_content } = await conversations.listMessages({ conversation_id: old });
    assert.deepEqual([total, JSON.stringify(conversation_content).includes("order")], [2, false]);
    assert.match(JSON.stringify(await conversations.listMessages({ conversation_id: young })), /order/);
    const of = (conversation_id: string) =>
      operator.deliveries.list({ agent_id: agent.agentId, conversation_id });
    const [redacted] = (await of(old)).list;
    assert.equal((await operator.deliveries.get({ delivery_id: redacted?.delivery_id ?? "" })).body, "");
    const [kept] = (await of(young)).list;
    assert.match(
      (await operator.deliveries.get({ delivery_id: kept?.delivery_id ?? "" })).body,
      /conversation_id/,
    );
    const [row] = await bed.database.query("select user_id, email from conversation where id = $1", [old]);
    assert.deepEqual(row, { user_id: null, email: null });
    assert.equal((await refusal(agent.ask(old, "Hello?"))).code, 40356);
    assert.equal((await refusal(desk.request(old))).code, 40356);
  });

  it("the data of a deleted agent is gone after its grace period, and an erasure resumes after a killed worker", async () => {
    const gone = await makeDesk(bed);
    await gone.agent.client.knowledge.add({
      purpose: "QA_TEXT",
      name: "Known",
      qaList: [{ question: "When do you open?", answer: "At nine." }],
    });
    await plantUser(gone, "Mary").then(({ stream }) => stream.leave());
    const goneId = gone.agent.agentId;
    const staying = await makeAgent(bed);
    await operator.agents.delete({ agent_id: goneId });
    const isRefused = async () =>
      (await refusal(gone.agent.client.keys.verify()).catch(() => undefined))?.code;
    await eventually("its key is refused", async () => (await isRefused()) === 40378);
    await bed.database.query("update agent set deleted_at = deleted_at - interval '30 days' where id = $1", [
      goneId,
    ]);

    const { agentId } = staying;
    await bed.database.query(
      `with made as (
         insert into conversation (agent_id, id, channel, user_id, last_seq)
         select $1, gen_random_uuid(), 'api', 'ada', 40 from generate_series(1, 600) returning id)
       insert into message (agent_id, conversation_id, seq, id, sender, text)
       select $1, made.id, n, gen_random_uuid(), 'user', 'words' from made, generate_series(1, 40) n`,
      [agentId],
    );
    const started = await operator.users.erase({ agent_id: agentId, user_id: "ada" });
    const read = () => operator.users.getErasure({ erasure_id: started.erasure_id });
    await eventually("it has begun", async () => (await read()).erased.conversations > 0, { everyMs: 5 });
    await Promise.all(bed.workers.map((worker) => worker.kill9()));
    const { state, erased: counts, conversations_left } = await read();
    assert.equal(state, "running", `${counts.conversations} of 600 were erased before the kill`);
    assert.ok(conversations_left > 0);
    await Promise.all(bed.workers.map((worker) => worker.start()));
    const finished = await erased(started);
    assert.deepEqual([finished.erased.conversations, finished.erased.messages], [600, 600 * 40]);

    const isGone = async () => (await rowsOf("agent", goneId)) === 0;
    await eventually("the agent is gone", isGone, { timeoutMs: 30_000 });
    const left: string[] = [];
    for (const table of await tablesOf(bed)) {
      const [column] = await bed.database.query(
        "select from pg_attribute where attrelid = $1::regclass and attname = 'agent_id'",
        [table],
      );
      if (column !== undefined && (await rowsOf(table, goneId)) > 0) left.push(table);
    }
    assert.deepEqual(left.toSorted(), ["audit", "erasure"], "only that it happened");
    await eventually("its key is unknown", async () => (await isRefused()) === 40127);
    const { list } = await operator.users.listErasures({ agent_id: goneId });
    assert.deepEqual(
      list.map(({ scope, state }) => [scope, state]),
      [["agent", "finished"]],
    );
    const { list: audited } = await operator.audit.list({ agent_id: goneId });
    assert.ok(audited.some(({ action }) => action === "agent.erase"));
    assert.equal((await operator.agents.get({ agent_id: agentId })).agent_id, agentId, "others stay");
  });
});
