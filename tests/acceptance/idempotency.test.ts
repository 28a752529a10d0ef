import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { ROUTE_NAMES, routes, takesIdempotencyKey } from "@signalbox/contract";
import type { RouteName } from "@signalbox/contract";
import { makeAgent, operatorOf } from "../support/agents.ts";
import type { MadeAgent } from "../support/agents.ts";
import { openBed } from "../support/bed.ts";
import type { Bed } from "../support/bed.ts";
import { withClient } from "../support/postgres.ts";
import { joinAs } from "../support/members.ts";
import { eventually } from "../support/processes.ts";
import { credentialsFor, deliveredIdsOf, sampleRequest } from "../support/sample-requests.ts";
import type { SampleIds } from "../support/sample-requests.ts";
import { bearer, sendRequest } from "../support/wire.ts";
import type { WireAnswer, WireRequest } from "../support/wire.ts";

/** The sample has no import that is held back and no answer of a human, and each can be decided once; a token has no presence. */
const DECIDED_ONCE: readonly RouteName[] = ["publishRevision", "acceptHumanAnswer", "setPresence"];

const WRITES = ROUTE_NAMES.filter(
  (name) => takesIdempotencyKey(routes[name]) && !DECIDED_ONCE.includes(name),
);

/** All that a write leaves behind; a second effect of any kind shows as one row more. */
const TABLES = [
  "agent",
  "api_key",
  "operator_token",
  "webhook",
  "audit",
  "knowledge_base",
  "document",
  "document_revision",
  "upload",
  "qa_pair",
  "conversation",
  "message",
  "conversation_rating",
  "replay",
  "erasure",
  "account_invitation",
];

/**
 * Writes that leave no row behind here: a check and a search store nothing, the sample's destination is not disabled, its alternate is approved once, its chat is taken and closed once, the pair has the sample's texts and tags already and the upload its part, a token is kept by its user alone, the sample is rated already, and what becomes of a handoff, with the words of humans and notices, is not counted.
 */
const LEAVES_NOTHING: readonly RouteName[] = [
  "checkWebhooks",
  "diagnoseWebhooks",
  "sendTestEvent",
  "enableDestination",
  "approveProposedAlternate",
  "matchKnowledge",
  "changePair",
  "tagPairs",
  "restorePair",
  "addUploadPart",
  "requestHandoff",
  "leaveHandoff",
  "receiveHumanMessage",
  "closeByHuman",
  "mintChatToken",
  "askForPerson",
  "leavePerson",
  "rateChat",
  "takeTalk",
  "replyInTalk",
  "closeTalk",
  "markTalkSeen",
  "markChatSeen",
];

const COMMIT_LOCK = 4_712;

describe("Idempotency-Key", () => {
  let bed: Bed;
  let agent: MadeAgent;
  let ids: SampleIds;
  before(async () => {
    bed = await openBed({
      apis: 2,
      workers: 1,
      environment: {
        CHECK_RATE_LIMIT_PER_MINUTE: "1000",
        VISITOR_RATE_LIMIT_PER_SECOND: "1000",
        VISITOR_MESSAGES_PER_MINUTE: "1000",
      },
    });
    agent = await makeAgent(bed);
    ids = await deliveredIdsOf(bed, agent);
    const { session } = await joinAs(bed, { role: "viewer", agentId: agent.agentId });
    ids = { ...ids, accountId: session.account.account_id };
  });
  after(() => bed[Symbol.asyncDispose]());

  const requestOf = (name: RouteName, key: string, apiKey = agent.apiKey): WireRequest => {
    const sample = sampleRequest(name, ids);
    const credentials = credentialsFor(name, bed, { ...ids, apiKey });
    return { ...sample, headers: { ...sample.headers, ...credentials, "idempotency-key": key } };
  };
  const sendTo = (node: number, request: WireRequest) => sendRequest(bed.api(node).baseUrl, request);

  /** The same request saying something else. */
  const changed = (request: WireRequest): WireRequest => {
    const body = String(request.body)
      .replace("Sample", "Other")
      .replace("Desk", "Other")
      .replace("user-1", "user-2")
      .replace("When do you open?", "Where are you?")
      .replace(":60}", ":61}")
      .replace(":3600}", ":3601}")
      .replace(":3}", ":4}")
      .replace(":90}", ":91}")
      .replace('"version":1}', '"version":2}')
      .replace('"revision":1}', '"revision":2}')
      .replace("somebody-else", "another")
      .replace('"viewer"', '"support"')
      .replace("1763180000000", "1763180000001")
      .replace(ids.conversationId, ids.agentId)
      .replace('"account_id":null', `"account_id":"${ids.accountId}"`)
      .replace("V2hlbj8s", "V2hvPyws")
      .replace("/hooks/", "/other/");
    assert.notEqual(body, request.body, `${request.path} needs a change of its own here`);
    return { ...request, body };
  };

  const COUNTS: Record<string, string> = {
    // Answers of the agent come on their own time.
    message: "select count(*)::int from message where sender = 'user'",
    // A revision holds all pairs of the one before it, which is swept on its own time.
    qa_pair: "select count(distinct (document_id, ordinal))::int from qa_pair",
  };
  const rowCounts = async (): Promise<number[]> => {
    const counts = TABLES.map(
      (table) => `(${COUNTS[table] ?? `select count(*)::int from ${table}`}) as ${table}`,
    );
    const [row] = await bed.database.query<Record<string, number>>(`select ${counts.join(", ")}`);
    return TABLES.map((table) => row?.[table] ?? 0);
  };
  const effectOf = async (act: () => Promise<unknown>): Promise<number[]> => {
    // A waiting run is given to every caller that asks for one, so the last one has to be over.
    await eventually("no run of saved questions waits", async () => {
      const [row] = await bed.database.query<{ waiting: number }>(
        "select count(*)::int as waiting from saved_question_run where state = 'waiting'",
      );
      return row?.waiting === 0;
    });
    const before = await rowCounts();
    await act();
    return (await rowCounts()).map((count, at) => count - (before[at] ?? 0));
  };
  /** Everybody may look whether the key is known, and nobody may write that it is, until all that can wait do wait. */
  const onceAllHaveLooked = <T>(start: () => Promise<T>[]): Promise<T[]> =>
    withClient(bed.database.superuserUrl, async (holder) => {
      await holder.query("begin");
      await holder.query("lock table idempotency in share mode");
      const started = Promise.all(start());
      await eventually("they wait", async () => {
        const [row] = await bed.database.query<{ waiting: number }>(
          "select count(*)::int as waiting from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
        );
        return (row?.waiting ?? 0) > 1;
      });
      await sleep(200);
      await holder.query("rollback");
      return started;
    });
  const NOTHING = TABLES.map(() => 0);

  /** A secret that is shown once is not stored, so a repeat cannot show it again. */
  const SHOWN_ONCE = /"(?:api_key|operator_token|signing_secret|invitation_token|reset_token)":"[^"]+"/;
  const isRefusedRepeat = ({ status, text }: WireAnswer) =>
    status === 409 && /^\{"code":40900,"message":"State conflict: .+ shown once/.test(text);
  /** A token is sealed anew for each answer; everything it stands for is the same. */
  const withoutToken = (text: string) => text.replace(/"token":"[^"]+"/, '"token":"…"');

  it("every route that writes honours an Idempotency-Key", () => {
    assert.ok(WRITES.length >= 9, WRITES.join());
  });

  for (const name of WRITES) {
    it(`a repeated Idempotency-Key returns the same answer, or says that a secret was shown, on either node without a second effect: ${name}`, async () => {
      const request = requestOf(name, randomUUID());
      const first = await sendTo(0, request);
      assert.equal(first.status, 200, first.text);
      const effect = await effectOf(async () => {
        for (const node of [1, 0]) {
          const again = await sendTo(node, request);
          if (SHOWN_ONCE.test(first.text)) assert.ok(isRefusedRepeat(again), again.text);
          else assert.deepEqual([again.status, withoutToken(again.text)], [200, withoutToken(first.text)]);
        }
      });
      assert.deepEqual(effect, NOTHING);
    });

    if ("body" in routes[name])
      it(`an Idempotency-Key with another body is refused and does nothing: ${name}`, async () => {
        const request = requestOf(name, randomUUID());
        assert.equal((await sendTo(0, request)).status, 200);
        const effect = await effectOf(async () => {
          const answer = await sendTo(1, changed(request));
          assert.deepEqual(
            [answer.status, (answer.body as { code: number }).code],
            [409, 40900],
            answer.text,
          );
        });
        assert.deepEqual(effect, NOTHING);
      });

    it(`twenty concurrent requests with one Idempotency-Key on both nodes have one effect: ${name}`, async () => {
      const single = await effectOf(() => sendTo(0, requestOf(name, randomUUID())));
      if (!LEAVES_NOTHING.includes(name)) assert.notDeepEqual(single, NOTHING);
      const request = requestOf(name, randomUUID());
      const answers: WireAnswer[] = [];
      const twenty = await effectOf(async () => {
        const all = await onceAllHaveLooked(() =>
          Array.from({ length: 20 }, (_, at) => sendTo(at % 2, request)),
        );
        answers.push(...all);
      });
      assert.deepEqual(twenty, single);
      const done = answers.filter(({ status }) => status === 200);
      const texts = new Set(done.map(({ text }) => withoutToken(text)));
      assert.equal(texts.size, 1, [...texts].join("\n"));
      if (!SHOWN_ONCE.test([...texts].join())) assert.equal(done.length, 20);
      else assert.deepEqual([done.length, answers.filter(isRefusedRepeat).length], [1, 19]);
    });
  }

  it("a refusal does not use up an Idempotency-Key", async () => {
    const other = await makeAgent(bed, { webhook: false });
    const conversationId = await other.converse();
    const sample = sampleRequest("sendMessage", { ...ids, conversationId });
    const request = {
      ...sample,
      headers: { ...sample.headers, ...bearer(other.apiKey), "idempotency-key": "mended" },
    };
    assert.equal((await sendTo(0, request)).status, 400, "no webhook is configured yet");
    await operatorOf(bed).webhooks.set({ agent_id: other.agentId, url: other.webhookUrl });
    assert.equal((await sendTo(0, request)).status, 200);
    await other.arrivals(1);
  });

  it("an Idempotency-Key is separate for each agent and for operators", async () => {
    const other = await makeAgent(bed);
    const key = randomUUID();
    const mine = await sendTo(0, requestOf("createConversation", key));
    const theirs = await sendTo(0, requestOf("createConversation", key, other.apiKey));
    assert.deepEqual([mine.status, theirs.status], [200, 200]);
    assert.notEqual(mine.text, theirs.text);
    assert.equal((await sendTo(0, requestOf("createAgent", key))).status, 200);
  });

  it("an Idempotency-Key is separate for each API key of an agent", async () => {
    const { api_key } = await operatorOf(bed).keys.create({ agent_id: agent.agentId, name: "another" });
    const key = randomUUID();
    const first = await sendTo(0, requestOf("createConversation", key));
    const second = await sendTo(0, requestOf("createConversation", key, api_key));
    assert.deepEqual([first.status, second.status], [200, 200]);
    assert.notEqual(first.text, second.text);
  });

  it("an Idempotency-Key is separate for each user of an agent", async () => {
    const key = randomUUID();
    const begin = async (user: { user_id?: string }) => {
      const { token } = await agent.client.chatTokens.mint(user);
      const headers = { ...bearer(token), "idempotency-key": key };
      return sendTo(0, { ...sampleRequest("beginChat", ids), headers });
    };
    const began = [await begin({ user_id: "ada" }), await begin({ user_id: "bob" }), await begin({})];
    assert.deepEqual(
      began.map(({ status }) => status),
      [200, 200, 200],
    );
    assert.equal(new Set(began.map(({ text }) => text)).size, 3);
    assert.equal((await begin({ user_id: "ada" })).text, began[0]?.text, "with a new token of the same user");
  });

  it("an Idempotency-Key at another path is refused", async () => {
    const key = randomUUID();
    assert.equal((await sendTo(0, requestOf("createConversation", key))).status, 200);
    assert.equal((await sendTo(0, requestOf("addQa", key))).status, 409);
  });

  it("an Idempotency-Key is remembered for 24 hours and no longer", async () => {
    const request = requestOf("createConversation", randomUUID());
    const first = await sendTo(0, request);
    const age = (interval: string) =>
      bed.database.query(
        `update idempotency set created_at = now() - $1::interval
          where created_at = (select max(created_at) from idempotency where agent_id = $2) returning 1`,
        [interval, agent.agentId],
      );
    // Just after midnight, 24 hours and a minute ago is a day for which no partition was ever made.
    await bed.database.query(
      `do $$ begin execute format('create table idempotency_earlier partition of idempotency for values from (%L) to (%L)',
        date_trunc('day', now(), 'utc') - interval '3 days', date_trunc('day', now(), 'utc') - interval '1 day'); end $$`,
    );
    assert.equal((await age("23 hours 59 minutes")).length, 1);
    assert.equal((await sendTo(1, request)).text, first.text);
    await bed.database.query(
      "update idempotency set created_at = created_at - interval '2 minutes' where created_at < now() - interval '23 hours'",
    );
    const later = await sendTo(1, request);
    assert.equal(later.status, 200);
    assert.notEqual(later.text, first.text);
  });

  it("an Idempotency-Key stores no secret that is shown once, and a repeat says what was created", async () => {
    const request = requestOf("createApiKey", randomUUID());
    const { key_id } = (await sendTo(0, request)).body as { key_id: string };
    const [kept] = await bed.database.query<{ result_sealed: Buffer | null; refusal: string | null }>(
      "select result_sealed, refusal from idempotency order by created_at desc limit 1",
    );
    assert.equal(kept?.result_sealed, null);
    const { message } = (await sendTo(1, request)).body as { message: string };
    assert.match(message, new RegExp(`the API key ${key_id} was created.+ shown once.+ create another`));
  });

  it("the stored answers of Idempotency-Keys are encrypted", async () => {
    const rows = await bed.database.query<{ result_sealed: Buffer | null }>(
      "select result_sealed from idempotency",
    );
    assert.ok(rows.length > 20);
    assert.equal(
      rows.some(({ result_sealed }) => result_sealed?.includes("conversation_id")),
      false,
    );
  });

  it("an Idempotency-Key returns the committed answer when the node dies before answering", async () => {
    const other = await makeAgent(bed);
    const conversationId = await other.converse();
    const sample = sampleRequest("sendMessage", { ...ids, conversationId });
    const request = {
      ...sample,
      headers: { ...sample.headers, ...bearer(other.apiKey), "idempotency-key": "crash" },
    };
    const messages = () =>
      bed.database.query<{ id: string }>(
        "select id from message where conversation_id = $1 and sender = 'user'",
        [conversationId],
      );
    // The commit itself is held open until the node stands still: it cannot see the commit it made.
    await withClient(bed.database.superuserUrl, async (session) => {
      await session.query(`
        create function hold() returns trigger language plpgsql as
          $$ begin perform pg_advisory_xact_lock_shared(${COMMIT_LOCK}); return null; end $$;
        create constraint trigger hold after insert on message deferrable initially deferred
          for each row execute function hold()`);
      await session.query("select pg_advisory_lock($1)", [COMMIT_LOCK]);
      const unanswered = sendTo(0, request);
      await eventually("the commit is held open", async () => {
        const waiting = await bed.database.query(
          "select 1 from pg_locks where locktype = 'advisory' and objid = $1 and not granted",
          [COMMIT_LOCK],
        );
        return waiting.length > 0;
      });
      await bed.api(0).pause();
      await session.query("select pg_advisory_unlock($1)", [COMMIT_LOCK]);
      await eventually("the message is committed", async () => (await messages()).length === 1);
      await bed.api(0).kill9();
      assert.equal((await unanswered).status, 0, "the caller was left without an answer");
      await session.query("drop function hold cascade");
    });
    const again = await sendTo(1, request);
    assert.equal(again.status, 200, again.text);
    const [only, ...more] = await messages();
    assert.deepEqual(more, []);
    assert.deepEqual(again.body, { conversation_id: conversationId, message_id: only?.id });
    await bed.api(0).start();
    assert.equal((await sendTo(0, request)).text, again.text);
    await other.arrivals(1);
    await sleep(1_500);
    assert.equal(other.arrived().length, 1, "and the user's message is answered once");
  });
});
