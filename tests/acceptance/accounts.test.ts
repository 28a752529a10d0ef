import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Role, Session } from "@signalbox/contract";
import { makeAgent, operatorOf } from "../support/agents.ts";
import { openBed, type Bed } from "../support/bed.ts";
import {
  accept,
  cookieOf,
  fromPage,
  joinAs,
  memberOf,
  ORIGIN,
  PASSWORD,
  signIn,
} from "../support/members.ts";
import { eventually } from "../support/processes.ts";
import { UNKNOWN_IDS } from "../support/sample-requests.ts";
import { sendRequest, type WireAnswer } from "../support/wire.ts";
import { accountsWithARole, codeOf } from "./account-roles.ts";

describe("accounts", () => {
  let bed: Bed;
  before(async () => {
    bed = await openBed({ apis: 1, workers: 1 });
  });
  after(() => bed[Symbol.asyncDispose]());

  const session = (cookie: string, headers: Record<string, string> = {}) =>
    sendRequest(bed.baseUrl, { path: "/admin/v1/session", headers: { cookie, ...headers } });
  const isOver = (cookie: string) =>
    eventually("the session has ended", async () => codeOf(await session(cookie)) === 40127);

  // Before any other account is made.
  it("the link printed at start creates one owner and no second", async () => {
    const line = await eventually("the link is printed", () =>
      bed
        .api()
        .logs()
        .split("\n")
        .find((text) => text.includes("first_account_link")),
    );
    const { link } = JSON.parse(line) as { link: string };
    const { pathname, hash } = new URL(link);
    assert.equal(pathname, "/console/join");
    const token = hash.slice(1);
    const offer = await fromPage(bed, "/admin/v1/invitations/look", { token });
    assert.equal((offer.body as { role: string }).role, "owner");
    const answers = await Promise.all(
      ["first@example.org", "second@example.org"].map((email) => accept(bed, { token, email })),
    );
    const [made, late] = answers.toSorted((a, b) => a.status - b.status);
    assert.deepEqual([made?.status, late?.status], [200, 404]);
    assert.equal(codeOf(await fromPage(bed, "/admin/v1/invitations/look", { token })), 40401);
    assert.partialDeepStrictEqual(made?.body, { roles: [{ role: "owner", agent_id: null }] });
  });

  it("an invitation creates one account, and a used, withdrawn, expired or foreign one is 40401", async () => {
    const operator = operatorOf(bed);
    const invite = async (more: { email?: string; expire_time?: number } = {}) =>
      operator.invitations.create({ role: "viewer", ...more });
    const used = await invite();
    assert.equal((await accept(bed, { token: used.invitation_token, email: "ada@example.org" })).status, 200);
    const withdrawn = await invite();
    await operator.invitations.revoke({ invitation_id: withdrawn.invitation_id });
    const expired = await invite({ expire_time: Date.now() - 1_000 });
    const bound = await invite({ email: "Grace@Example.org" });
    for (const { invitation_token: token } of [used, withdrawn, expired, bound])
      assert.equal(codeOf(await accept(bed, { token, email: "eve@example.org" })), 40401);
    const token = bound.invitation_token;
    assert.equal((await accept(bed, { token, email: "grace@example.org" })).status, 200);
    const again = (await invite()).invitation_token;
    assert.equal(codeOf(await accept(bed, { token: again, email: "ada@example.org" })), 40900);
    const { list } = await operator.invitations.list();
    const stateOf = (id: string) => list.find(({ invitation_id }) => invitation_id === id)?.state;
    assert.deepEqual(
      [used, withdrawn, expired, bound].map(({ invitation_id }) => stateOf(invitation_id)),
      ["accepted", "withdrawn", "expired", "accepted"],
    );
  });

  const join = (token: string, cookie: string, headers: Record<string, string> = {}) =>
    fromPage(bed, "/admin/v1/account/invitations", { token }, { cookie, ...headers });

  it("an invitation accepted with an existing account adds its role, once", async () => {
    const operator = operatorOf(bed);
    const [{ agentId: mine }, { agentId: other }] = [
      await makeAgent(bed, { webhook: false }),
      await makeAgent(bed, { webhook: false }),
    ];
    const bob = await joinAs(bed, { role: "viewer", agentId: mine });
    const eve = await joinAs(bed, { role: "viewer" });
    const { invitation_id, invitation_token: token } = await operator.invitations.create({
      role: "developer",
      agent_id: other,
      email: bob.email,
    });
    const offer = await fromPage(bed, "/admin/v1/invitations/look", { token });
    assert.equal((offer.body as { has_account: boolean }).has_account, true);
    assert.equal(codeOf(await join(token, "")), 40127);
    assert.equal(codeOf(await join(token, eve.cookie)), 40401, "it is for another address");
    assert.equal(codeOf(await join(token, bob.cookie, { origin: "https://evil.example" })), 40300);

    const answers = await Promise.all([join(token, bob.cookie), join(token, bob.cookie)]);
    const [made, late] = answers.toSorted((a, b) => a.status - b.status);
    assert.deepEqual([made?.status, codeOf(late as WireAnswer)], [200, 40401]);
    const { roles } = (made as WireAnswer).body as Session;
    assert.deepEqual(
      new Set(roles.map(({ role, agent_id }) => `${role} ${agent_id}`)),
      new Set([`viewer ${mine}`, `developer ${other}`]),
    );
    const ids = { ...UNKNOWN_IDS, agentId: other };
    await eventually("the role holds", async () => (await bob.call("listApiKeys", ids)).status === 200);
    const [newest] = (await operator.audit.list({ agent_id: other })).list;
    assert.deepEqual(
      [newest?.action, newest?.actor_name, newest?.detail],
      ["account.accept_invitation", `Ann <${bob.email}>`, { invitation: invitation_id, role: "developer" }],
    );
  });

  it("an invitation takes no access away from an account that accepts it, and then stays open", async () => {
    const operator = operatorOf(bed);
    const { agentId } = await makeAgent(bed, { webhook: false });
    const owner = await joinAs(bed, { role: "owner", agentId });
    const invite = async (role: Role) =>
      (await operator.invitations.create({ role, agent_id: agentId })).invitation_token;
    const token = await invite("viewer");
    assert.equal(codeOf(await join(token, owner.cookie)), 40900);
    const editor = await joinAs(bed, { role: "editor", agentId });
    assert.equal(codeOf(await join(await invite("editor"), editor.cookie)), 40900);
    const added = await join(await invite("support"), editor.cookie);
    const both = ["editor", "support"].map((role) => ({ role, agent_id: agentId }));
    assert.partialDeepStrictEqual(added.body, { roles: both });
    const raised = await join(await invite("developer"), editor.cookie);
    assert.partialDeepStrictEqual(raised.body, { roles: [{ role: "developer", agent_id: agentId }] });
    assert.equal((await accept(bed, { token, email: "late@example.org" })).status, 200);
  });

  it("signing in sets an HttpOnly same-site cookie, and signing out ends it", async () => {
    const { email } = await joinAs(bed, { role: "viewer" });
    const answer = await signIn(bed, { email: email.toUpperCase() });
    assert.equal(answer.status, 200, answer.text);
    assert.match(
      answer.headers["set-cookie"] ?? "",
      /^signalbox_session=sbs_\w{40}; Path=\/; HttpOnly; SameSite=Strict; /,
    );
    assert.equal(answer.text.includes("sbs_"), false);
    const cookie = cookieOf(answer);
    assert.equal((await session(cookie)).status, 200);
    const behindTls = await fromPage(
      bed,
      "/admin/v1/session",
      { email, password: PASSWORD },
      {
        "x-forwarded-proto": "https",
      },
    );
    assert.match(behindTls.headers["set-cookie"] ?? "", /^__Host-signalbox_session=.+; Secure$/);
    const out = { method: "DELETE", path: "/admin/v1/session", headers: { cookie, ...ORIGIN } };
    assert.equal((await sendRequest(bed.baseUrl, out)).status, 200);
    await isOver(cookie);
    assert.equal((await session(cookieOf(behindTls), { "x-forwarded-proto": "https" })).status, 200);
  });

  it("each sign-in creates a new session and ends one planted before it", async () => {
    const [eve, ada] = [await joinAs(bed, { role: "viewer" }), await joinAs(bed, { role: "viewer" })];
    const answer = await signIn(bed, { email: ada.email, cookie: eve.cookie });
    assert.notEqual(cookieOf(answer), eve.cookie);
    await isOver(eve.cookie);
    const planted = `signalbox_session=sbs_${"A".repeat(40)}`;
    assert.notEqual(cookieOf(await signIn(bed, { email: ada.email, cookie: planted })), planted);
    assert.equal(codeOf(await session(planted)), 40127);
  });

  it("members see and end their own sessions, and a new password ends all others", async () => {
    const { email, ...first } = await joinAs(bed, { role: "viewer" });
    const [second, third] = [await signIn(bed, { email }), await signIn(bed, { email })];
    const here = memberOf(bed, email, third);
    const { list } = (await here.call("listSessions", UNKNOWN_IDS)).body as {
      list: { session_id: string; is_current: boolean }[];
    };
    assert.equal(list.length, 3);
    assert.deepEqual(
      list.filter(({ is_current }) => is_current).map(({ session_id }) => session_id),
      [here.session.session_id],
    );
    const ended = { ...UNKNOWN_IDS, sessionId: first.session.session_id };
    assert.equal((await here.call("revokeSession", ended)).status, 200);
    await isOver(first.cookie);
    const other = await joinAs(bed, { role: "viewer" });
    const theirs = { ...UNKNOWN_IDS, sessionId: other.session.session_id };
    assert.equal(codeOf(await here.call("revokeSession", theirs)), 40401);

    const change = (current_password: string) =>
      fromPage(
        bed,
        "/admin/v1/account/password",
        { current_password, password: "a new and longer password" },
        { cookie: here.cookie },
      );
    assert.equal(codeOf(await change("not my password")), 40010);
    assert.equal((await change(PASSWORD)).status, 200);
    await isOver(cookieOf(second));
    assert.equal((await session(here.cookie)).status, 200);
    assert.equal(codeOf(await signIn(bed, { email })), 40127);
  });

  it("a request from another site changes nothing, with a cookie or without", async () => {
    const owner = await joinAs(bed, { role: "owner" });
    const create = (headers: Record<string, string>) =>
      sendRequest(bed.baseUrl, {
        method: "POST",
        path: "/admin/v1/agents",
        headers: { "content-type": "application/json", cookie: owner.cookie, ...headers },
        body: JSON.stringify({ name: "Forged" }),
      });
    for (const headers of [{}, { origin: "https://evil.example" }, { origin: "null" }])
      assert.equal(codeOf(await create(headers)), 40300);
    assert.equal((await create(ORIGIN)).status, 200);
    const elsewhere = { origin: "https://evil.example" };
    const body = { email: owner.email, password: PASSWORD };
    assert.equal(codeOf(await fromPage(bed, "/admin/v1/session", body, elsewhere)), 40300);
  });

  it("an account allows ten wrong passwords in ten minutes, even for the right one then", async () => {
    const { email } = await joinAs(bed, { role: "viewer" });
    // At once: on a busy machine some may wait too long to be judged, and count all the same.
    const guesses = await Promise.all(
      Array.from({ length: 10 }, (_, at) => signIn(bed, { email, password: `guess number ${at}` })),
    );
    const codes = new Set(guesses.map(codeOf));
    assert.ok(codes.delete(40127));
    assert.deepEqual([...codes.add(42900)], [42900]);
    const answer = await signIn(bed, { email });
    assert.equal(codeOf(answer), 42900);
    assert.ok(Number(answer.headers["retry-after"]) >= 1);
    const wrong = await signIn(bed, { email: "nobody@example.org", password: PASSWORD });
    assert.match(wrong.text, /wrong email or password/);
  });

  it("a stolen session allows ten wrong current passwords in ten minutes, even for the right one then", async () => {
    const { cookie } = await joinAs(bed, { role: "viewer" });
    const change = (current_password: string) =>
      fromPage(
        bed,
        "/admin/v1/account/password",
        { current_password, password: "a new and longer password" },
        { cookie },
      );
    const guesses = await Promise.all(Array.from({ length: 10 }, (_, at) => change(`guess number ${at}`)));
    const codes = new Set(guesses.map(codeOf));
    assert.ok(codes.delete(40010));
    assert.deepEqual([...codes.add(42900)], [42900]);
    assert.equal(codeOf(await change(PASSWORD)), 42900);
  });

  it("sign-in is limited to thirty tries a minute per address, for whichever account", async () => {
    const from = (address: string, number: number) =>
      fromPage(
        bed,
        "/admin/v1/invitations/look",
        { token: `sbi_${String(number).padStart(40, "0")}` },
        { "x-forwarded-for": address },
      );
    const codes: (number | undefined)[] = [];
    for (let tries = 0; tries < 31; tries += 1) codes.push(codeOf(await from("203.0.113.7", tries)));
    assert.deepEqual([...new Set(codes.slice(0, 30))], [40401]);
    assert.equal(codes[30], 42900);
    assert.equal(codeOf(await from("203.0.113.8", 0)), 40401);
  });

  it("members are named in the audit and lose all access when deleted, except the last owner", async () => {
    const operator = operatorOf(bed);
    const { agentId } = await makeAgent(bed, { webhook: false });
    const ann = await joinAs(bed, { role: "owner" });
    const ids = { ...UNKNOWN_IDS, agentId };
    assert.equal((await ann.call("updateAgent", ids)).status, 200);
    const { list } = await operator.audit.list({ agent_id: agentId });
    assert.deepEqual(
      [list[0]?.action, list[0]?.actor, list[0]?.actor_id, list[0]?.actor_name],
      ["agent.update", "account", ann.session.account.account_id, `Ann <${ann.email}>`],
    );
    await operator.accounts.delete({ account_id: ann.session.account.account_id });
    await isOver(ann.cookie);
    assert.equal(codeOf(await signIn(bed, { email: ann.email })), 40127);
    const owners = (await operator.accounts.list({ limit: 100 })).list.filter(({ roles }) =>
      roles.some(({ role, agent_id }) => role === "owner" && agent_id === null),
    );
    const codes: (number | undefined)[] = [];
    for (const { account_id } of owners)
      codes.push(
        await operator.accounts.setRoles({ account_id, roles: [] }).then(
          () => 200,
          (error: { code?: number }) => error.code,
        ),
      );
    assert.equal(codes.at(-1), 40900);
  });

  describe("roles", () =>
    accountsWithARole({
      bedOf: () => bed,
      before: (run) => before(run),
      it: (title, run) => void it(title, run),
    }));
});
