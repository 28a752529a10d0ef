import assert from "node:assert/strict";
import { ROLE_SCOPES, ROLES, ROUTE_NAMES, routes, type Route, type RouteName } from "@signalbox/contract";
import { makeAgent, operatorOf, type MadeAgent } from "../support/agents.ts";
import type { Bed } from "../support/bed.ts";
import { fromPage, joinAs, ORIGIN } from "../support/members.ts";
import { eventually } from "../support/processes.ts";
import { deliveredIdsOf, UNKNOWN_IDS, type SampleIds } from "../support/sample-requests.ts";
import { sendRequest, type WireAnswer } from "../support/wire.ts";

export const codeOf = ({ body }: WireAnswer) => (body as { code?: number }).code;
/** From the contract, so that no new route is forgotten. */
const OPERATOR_ROUTES = ROUTE_NAMES.filter(
  // A stream goes on; it has a test of its own.
  (name) => routes[name].auth === "operator" && !("events" in routes[name]),
);
const OWN_LOOKS = ["getAgent", "getDelivery", "getReplay", "getConversation", "searchConversations"] as const;

/** Hooks and tests are added by the file that is reported, to its own bed. */
interface Suite {
  bedOf: () => Bed;
  before: (run: () => Promise<void>) => void;
  it: (title: string, run: () => Promise<void>) => void;
}

/** What each role may do. */
export function accountsWithARole({ bedOf, before, it }: Suite): void {
  let bed: Bed;
  let mine: MadeAgent, theirs: MadeAgent;
  let ofMine: SampleIds, ofTheirs: SampleIds;
  /** Ids of things of the other agent. */
  let hidden: string[];
  before(async () => {
    bed = bedOf();
    [mine, theirs] = [await makeAgent(bed), await makeAgent(bed)];
    [ofMine, ofTheirs] = [await deliveredIdsOf(bed, mine), await deliveredIdsOf(bed, theirs)];
    const operator = operatorOf(bed);
    const { agentId } = theirs;
    const { erasure_id: erasureId } = await operator.users.erase({ agent_id: agentId, user_id: "nobody" });
    const { session } = await joinAs(bed, { role: "viewer", agentId });
    const { invitation_id: invitationId } = await operator.invitations.create({
      role: "viewer",
      agent_id: agentId,
    });
    const { account_id: accountId } = session.account;
    ofTheirs = { ...ofTheirs, erasureId, accountId, invitationId };
    const known: string[] = Object.values(UNKNOWN_IDS);
    hidden = Object.values(ofTheirs).filter((id) => /^[0-9a-f-]{36}$/.test(id) && !known.includes(id));
    assert.ok(hidden.length >= 12, hidden.join(" "));
  });

  it("a role opens the routes that name one of its scopes, and every other answers 40300", async () => {
    const problems: string[] = [];
    for (const role of ROLES) {
      const member = await joinAs(bed, { role });
      for (const name of OPERATOR_ROUTES.filter((route) => route !== "signOut")) {
        const { scopes = [] }: Route = routes[name];
        const isNamed =
          scopes.length === 0 || scopes.some((scope) => ROLE_SCOPES[role].includes(scope as never));
        const answer = await member.call(name, UNKNOWN_IDS);
        if ((codeOf(answer) === 40300) === isNamed) problems.push(`${role} ${name}: ${answer.text}`);
      }
    }
    assert.deepEqual(problems, []);
  });

  for (const role of ["owner", "developer"] as const) {
    it(`a member with the role ${role} for one agent sees and changes nothing of another, on any route`, async () => {
      const member = await joinAs(bed, { role, agentId: mine.agentId });
      const problems: string[] = [];
      const walk = async (
        name: RouteName,
        ids: SampleIds,
        isFine: (answer: WireAnswer) => boolean,
        more: Record<string, string> = {},
      ) => {
        const answer = await member.call(name, ids, more);
        const isTold = hidden.some((id) => answer.text.includes(id));
        if (!isFine(answer) || isTold) problems.push(`${name} ${JSON.stringify(more)}: ${answer.text}`);
      };
      const isRefused = ({ status }: WireAnswer) => status === 403 || status === 404;
      for (const name of OPERATOR_ROUTES) {
        const { about, params, query }: Route & { about?: string } = routes[name];
        if (about === "self") continue;
        await walk(name, ofTheirs, about === "reach" ? ({ status }) => status === 200 : isRefused);
        if (query !== undefined && "agent_id" in query.shape) {
          await walk(name, ofTheirs, isRefused, { agent_id: theirs.agentId });
          await walk(name, UNKNOWN_IDS, ({ status }) => status < 500, { agent_id: mine.agentId });
        }
        // Something of theirs below an agent of mine.
        if (Object.keys(params?.shape ?? {}).length > 1)
          await walk(name, { ...ofTheirs, agentId: mine.agentId }, isRefused);
      }
      assert.deepEqual(problems, []);

      const { list } = (await member.call("listAgents", UNKNOWN_IDS)).body as {
        list: { agent_id: string }[];
      };
      assert.deepEqual(
        list.map(({ agent_id }) => agent_id),
        [mine.agentId],
      );
      for (const name of OWN_LOOKS) {
        const answer = await member.call(name, ofMine);
        assert.equal(answer.status, 200, `${name}: ${answer.text}`);
      }
    });
  }

  it("a viewer of one agent follows the changes of that agent alone, until the session ends", async () => {
    const member = await joinAs(bed, { role: "viewer", agentId: mine.agentId });
    const codeFor = async (query: string) => {
      const path = `/admin/v1/changes${query}`;
      return codeOf(await sendRequest(bed.baseUrl, { path, headers: { cookie: member.cookie } }));
    };
    assert.equal(await codeFor(""), 40300);
    assert.equal(await codeFor(`?agent_id=${theirs.agentId}`), 40401);

    const response = await fetch(`${bed.baseUrl}/admin/v1/changes?agent_id=${mine.agentId}`, {
      headers: { cookie: member.cookie },
    });
    assert.equal(response.status, 200);
    let heard = "";
    let isOver = false;
    const over = (async () => {
      const decoder = new TextDecoder();
      for await (const chunk of response.body ?? []) heard += decoder.decode(chunk, { stream: true });
      isOver = true;
    })();
    const wait = { timeoutMs: 30_000 };
    await eventually("it listens", () => heard.includes("event: ready"), wait);
    await theirs.converse().then((conversation) => theirs.ask(conversation, "When do you open?"));
    const conversation = await mine.converse();
    await mine.ask(conversation, "When do you open?");
    await eventually("the change is told", () => heard.includes(conversation), wait);
    assert.equal(
      hidden.some((id) => heard.includes(id)),
      false,
    );

    const out = {
      method: "DELETE",
      path: "/admin/v1/session",
      headers: { cookie: member.cookie, ...ORIGIN },
    };
    assert.equal((await sendRequest(bed.baseUrl, out)).status, 200);
    // By itself a stream ends after a minute.
    await eventually("the stream ends with its session", () => isOver, wait);
    await over;
    assert.equal(await codeFor(`?agent_id=${mine.agentId}`), 40127);
  });

  it("an owner of one agent invites to it, withdraws the invitation, and invites to nothing else", async () => {
    const member = await joinAs(bed, { role: "owner", agentId: mine.agentId });
    const answer = await member.call("createInvitation", ofMine);
    assert.equal(answer.status, 200, answer.text);
    const { invitation_id: invitationId } = answer.body as { invitation_id: string };
    assert.equal((await member.call("revokeInvitation", { ...ofMine, invitationId })).status, 200);
    assert.equal(codeOf(await member.call("createInvitation", ofTheirs)), 40401);
    const everywhere = await fromPage(
      bed,
      "/admin/v1/invitations",
      { role: "owner" },
      { cookie: member.cookie },
    );
    assert.equal(codeOf(everywhere), 40300);
    assert.equal(codeOf(await member.call("setAccountRoles", ofMine)), 40300);
  });

  it("an owner of one agent changes and removes its members at once, and no role for another agent", async () => {
    const owner = await joinAs(bed, { role: "owner", agentId: mine.agentId });
    const bob = await joinAs(bed, { role: "developer", agentId: mine.agentId });
    const { account_id } = bob.session.account;
    const ids = { ...ofMine, accountId: account_id };
    const elsewhere = { role: "developer" as const, agent_id: theirs.agentId };
    const here = { role: "developer" as const, agent_id: mine.agentId };
    await operatorOf(bed).accounts.setRoles({ account_id, roles: [here, elsewhere] });
    const keysOf = async (at: SampleIds) => codeOf(await bob.call("listApiKeys", at)) ?? 200;
    for (const at of [ofTheirs, ofMine]) assert.equal(await keysOf(at), 200);

    const answer = await owner.call("setMemberRoles", ids);
    assert.partialDeepStrictEqual(answer.body, { account_id, roles: [{ ...here, role: "viewer" }] });
    assert.equal(answer.text.includes(theirs.agentId), false);
    assert.equal(await keysOf(ofMine), 40300);
    assert.equal((await owner.call("removeMember", ids)).status, 200);
    assert.equal(await keysOf(ofMine), 40401);
    assert.equal(await keysOf(ofTheirs), 200);
    for (const name of ["setMemberRoles", "removeMember"] as const) {
      assert.equal(codeOf(await owner.call(name, ids)), 40401);
      assert.equal(codeOf(await owner.call(name, { ...ids, agentId: theirs.agentId })), 40401);
    }
    const { list } = await operatorOf(bed).audit.list({ agent_id: mine.agentId });
    assert.deepEqual(
      list.slice(0, 2).map(({ action, subject_id, actor_name }) => [action, subject_id, actor_name]),
      ["account.remove_role", "account.set_roles"].map((action) => [
        action,
        account_id,
        `Ann <${owner.email}>`,
      ]),
    );
  });

  it("several roles of a person for one agent add up, and an owner of the agent sets them", async () => {
    const owner = await joinAs(bed, { role: "owner", agentId: mine.agentId });
    const bob = await joinAs(bed, { role: "editor", agentId: mine.agentId });
    const { account_id } = bob.session.account;
    const can = async (name: RouteName) => codeOf(await bob.call(name, ofMine)) !== 40300;
    assert.deepEqual(await Promise.all([can("listPairs"), can("searchTalks")]), [true, false]);

    const path = `/admin/v1/agents/${mine.agentId}/members/${account_id}`;
    const set = (roles: string[]) =>
      sendRequest(bed.baseUrl, {
        method: "PUT",
        path,
        headers: { cookie: owner.cookie, "content-type": "application/json", ...ORIGIN },
        body: JSON.stringify({ roles }),
      });
    const answer = await set(["support", "editor"]);
    assert.partialDeepStrictEqual(answer.body, {
      roles: ["support", "editor"].map((role) => ({ role, agent_id: mine.agentId })),
    });
    assert.deepEqual(await Promise.all([can("listPairs"), can("searchTalks")]), [true, true]);
    assert.equal(codeOf(await set(["support", "support"])), 40000);
    assert.equal(codeOf(await set([])), 40000);

    const roles = (["viewer", "editor"] as const).map((role) => ({ role, agent_id: mine.agentId }));
    const { roles: stored } = await operatorOf(bed).accounts.setRoles({ account_id, roles });
    assert.deepEqual(stored, roles);
    assert.deepEqual(await Promise.all([can("searchTalks"), can("searchConversations")]), [false, true]);
  });

  it("lead, support and viewer get no secret from any route", async () => {
    const planted = { username: "planted-name", secret: "planted-secret" };
    const agent = await makeAgent(bed, { webhook: planted });
    const ids = { ...(await deliveredIdsOf(bed, agent)), componentId: await agent.component(planted) };
    const operator = operatorOf(bed);
    const model = {
      agent_id: agent.agentId,
      url: agent.webhookUrl,
      model: "sample",
      api_key: "planted-key",
    };
    await operator.models.setChat(model);
    await operator.models.setChatFallback(model);
    await operator.models.setEmbedding(model);
    await operator.models.setSpeech({ ...model, voice: "any" });
    const secret = /planted-|whsec_|sb[xoisrp]_/;
    const problems: string[] = [];
    for (const role of ["lead", "support", "viewer"] as const) {
      for (const agentId of [agent.agentId, undefined]) {
        const member = await joinAs(bed, { role, agentId });
        for (const name of OPERATOR_ROUTES.filter((route) => route !== "signOut")) {
          const answer = await member.call(name, ids);
          if (secret.test(answer.text)) problems.push(`${role} ${name}: ${answer.text}`);
        }
        const look = await member.call("getConversation", ids);
        assert.equal(look.status, 200, look.text);
      }
    }
    assert.deepEqual(problems, []);
  });

  it("a member is named in the audit of each read of what users wrote", async () => {
    const member = await joinAs(bed, { role: "developer", agentId: mine.agentId });
    for (const name of [
      "getConversation",
      "searchConversations",
      "getDelivery",
      "listUnansweredQuestions",
    ] as const)
      assert.equal((await member.call(name, ofMine)).status, 200, name);
    const { list } = await operatorOf(bed).audit.list({ agent_id: mine.agentId, limit: 100 });
    const reads = list.filter(({ actor_id }) => actor_id === member.session.account.account_id);
    assert.deepEqual(
      reads.map(({ action, actor_name }) => [action, actor_name]).toReversed(),
      [
        "account.create",
        "conversation.read",
        "conversations.read",
        "delivery.read",
        "unanswered_questions.read",
      ].map((action) => [action, `Ann <${member.email}>`]),
    );
  });
}
