import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { API_KEY_SCOPES, ROUTE_NAMES, routes } from "@signalbox/contract";
import type { Auth, Route, RouteName } from "@signalbox/contract";
import { callerOf, makeAgent, operatorOf, refusal } from "../support/agents.ts";
import { openBed } from "../support/bed.ts";
import type { Bed } from "../support/bed.ts";
import { eventually } from "../support/processes.ts";
import { sampleRequest, UNKNOWN_IDS } from "../support/sample-requests.ts";
import { bearer, sendRequest } from "../support/wire.ts";
import type { WireAnswer } from "../support/wire.ts";

describe("5 scopes of keys and tokens", () => {
  let bed: Bed;
  before(async () => {
    bed = await openBed({ apis: 2, workers: 1 });
  });
  after(() => bed[Symbol.asyncDispose]());

  const send = (name: RouteName, credentials: Record<string, string>) => {
    const sample = sampleRequest(name, UNKNOWN_IDS);
    return sendRequest(bed.baseUrl, { ...sample, headers: { ...sample.headers, ...credentials } });
  };

  describe("scopes", () => {
    const scoped = ROUTE_NAMES.filter((name) => (routes[name] as Route).scopes?.length);
    const isOutOfScope = ({ status, body }: WireAnswer) =>
      status === 403 && (body as { code: number }).code === 40300;
    /** Compares with the table which routes of this kind of credential a credential with these scopes alone may call. */
    const walk = async (auths: Auth[], credentials: Record<string, string>) => {
      const problems: string[] = [];
      for (const [scope, credential] of Object.entries(credentials)) {
        for (const name of scoped.filter((route) => auths.includes(routes[route].auth))) {
          const answer = await send(name, bearer(credential));
          const isNamed = (routes[name] as Route).scopes?.some((wanted) => wanted === scope) ?? false;
          if (isOutOfScope(answer) === isNamed) problems.push(`${name} with ${scope}: ${answer.text}`);
        }
      }
      return problems;
    };

    it("the scopes of an API key open the routes that name them; every other answers 40300", async () => {
      const { agentId: agent_id } = await makeAgent(bed, { webhook: false });
      const keys: Record<string, string> = {};
      for (const scope of API_KEY_SCOPES) {
        const made = await operatorOf(bed).keys.create({ agent_id, name: scope, scopes: [scope] });
        assert.deepEqual(made.scopes, [scope]);
        keys[scope] = made.api_key;
        await callerOf(bed, made.api_key).keys.verify();
      }
      assert.deepEqual(await walk(["apiKey", "humanService"], keys), []);
      const refused = await refusal(callerOf(bed, keys["read"] ?? "").knowledge.createBase({ name: "no" }));
      assert.match(refused.message, /^Permission denied: this API key has the scopes read, .+ knowledge;/);
    });

    it("the scopes of an operator token open the routes that name them; every other answers 40300", async () => {
      const tokens: Record<string, string> = {};
      for (const scope of ["read", "metrics"] as const) {
        const made = await operatorOf(bed).tokens.create({ name: scope, scopes: [scope] });
        assert.match(made.operator_token, /^sbo_[A-Za-z0-9]{40}$/);
        tokens[scope] = made.operator_token;
      }
      assert.deepEqual(await walk(["operator"], tokens), []);
      for (const { baseUrl } of [bed.api(), bed.worker()]) {
        const ask = (token = "") => sendRequest(baseUrl, { path: "/metrics", headers: bearer(token) });
        assert.equal((await ask(tokens["metrics"])).status, 200);
        assert.ok(isOutOfScope(await ask(tokens["read"])));
      }
    });

    it("a key created without scopes has all of them", async () => {
      const agent = await makeAgent(bed, { webhook: false });
      const { list } = await operatorOf(bed).keys.list({ agent_id: agent.agentId });
      assert.deepEqual(list[0]?.scopes, [...API_KEY_SCOPES]);
    });
  });

  describe("named operator tokens", () => {
    // Last in this file: from here on the bed's own token opens nothing.
    let manage: { token_id: string; operator_token: string };
    const as = (operatorToken: string) => operatorOf(bed, { operatorToken });
    const isIn = (operatorToken: string, baseUrl = bed.baseUrl) =>
      operatorOf(bed, { operatorToken, baseUrl })
        .tokens.list()
        .then(
          () => true,
          () => false,
        );
    const refusedSoon = (token: string) =>
      eventually("the token is refused on both nodes", async () => {
        const found = await Promise.all(bed.apis.map(({ baseUrl }) => isIn(token, baseUrl)));
        return found.every((is) => !is);
      });

    it("the first named token with manage replaces OPERATOR_TOKEN", async () => {
      const made = await operatorOf(bed).tokens.create({ name: "ann", scopes: ["manage"] });
      manage = made;
      assert.ok(await isIn(made.operator_token), "the new one works at once");
      await refusedSoon(bed.operatorToken);
      const { message } = await refusal(operatorOf(bed).agents.list());
      assert.match(message, /the OPERATOR_TOKEN setting can only create the first named token/);
    });

    it("the audit names tokens and API keys with address and request, also for reads of bodies", async () => {
      const operator = as(manage.operator_token);
      const { reply: agent, requestId } = await operator.agents.create({ name: "audited" }).withResponse();
      const { agent_id } = agent;
      const key = await operator.keys.create({ agent_id, name: "robot", scopes: ["knowledge"] });
      const added = await callerOf(bed, key.api_key)
        .knowledge.add({ purpose: "QA_TEXT", name: "Known", qaList: [{ question: "q", answer: "a" }] })
        .withResponse();
      await operator.unanswered.list({ agent_id });
      const { list } = await operator.audit.list({ agent_id });
      const entry = (action: string) => list.find((found) => found.action === action);
      const byAnn = { actor: "operator_token", actor_id: manage.token_id, actor_name: "ann" };
      assert.partialDeepStrictEqual(entry("agent.create"), {
        ...byAnn,
        address: "127.0.0.1",
        request_id: requestId,
      });
      assert.partialDeepStrictEqual(entry("document.add"), {
        actor: "api_key",
        actor_id: key.key_id,
        actor_name: "robot",
        subject_id: added.reply.doc[0]?.doc_id,
        request_id: added.requestId,
      });
      assert.partialDeepStrictEqual(entry("unanswered_questions.read"), byAnn);
      const { list: own } = await operator.audit.list({ limit: 100 });
      const first = own.find(({ subject_id }) => subject_id === manage.token_id);
      assert.partialDeepStrictEqual(first, { action: "operator_token.create", actor: "bootstrap_token" });
    });

    it("a rotated operator token works beside its successor during the overlap", async () => {
      const operator = as(manage.operator_token);
      const old = await operator.tokens.create({ name: "ci", scopes: ["read"] });
      const { token_id } = old;
      const successor = await operator.tokens.rotate({ token_id, overlap_seconds: 3 });
      assert.deepEqual([successor.name, successor.scopes], ["ci", ["read"]]);
      assert.deepEqual([await isIn(old.operator_token), await isIn(successor.operator_token)], [true, true]);
      await refusedSoon(old.operator_token);
      assert.ok(await isIn(successor.operator_token));
    });

    it("a revoked operator token ends on both nodes, but the last one that manages cannot be revoked", async () => {
      const operator = as(manage.operator_token);
      const lent = await operator.tokens.create({ name: "lent", scopes: ["manage", "read"] });
      assert.ok(await isIn(lent.operator_token));
      await operator.tokens.revoke({ token_id: lent.token_id });
      await refusedSoon(lent.operator_token);
      const last = await refusal(operator.tokens.revoke({ token_id: manage.token_id }));
      assert.equal(last.code, 40900);
    });

    it("operator tokens are stored as hashes and expire", async () => {
      const operator = as(manage.operator_token);
      const expire_time = Date.now() + 1_000;
      const brief = await operator.tokens.create({ name: "brief", scopes: ["read"], expire_time });
      await refusedSoon(brief.operator_token);
      const rows = await bed.database.query<{ stored: string }>(
        "select operator_token::text as stored from operator_token",
      );
      assert.equal(
        rows.some(({ stored }) => stored.includes(brief.operator_token.slice(8))),
        false,
      );
    });
  });
});
