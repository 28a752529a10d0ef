import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Session } from "@signalbox/contract";
import { makeAgent, operatorOf } from "../support/agents.ts";
import { openBed, type Bed } from "../support/bed.ts";
import { cookieOf, fromPage, joinAs, signIn } from "../support/members.ts";
import { startOidcProvider, type OidcClaims, type OidcTestProvider } from "../support/oidc-provider.ts";
import { enrol } from "../support/one-time-codes.ts";
import { eventually } from "../support/processes.ts";
import { sendRequest } from "../support/wire.ts";
import { codeOf } from "./account-roles.ts";

describe("accounts at an identity provider", () => {
  const closing = new AsyncDisposableStack();
  let provider: OidcTestProvider;
  let bed: Bed;
  before(async () => {
    provider = closing.use(await startOidcProvider());
    const environment = { ...provider.environment, OIDC_LABEL: "Example ID" };
    bed = closing.use(await openBed({ apis: 1, workers: 1, environment }));
  });
  after(() => closing.disposeAsync());

  const session = (cookie: string) =>
    sendRequest(bed.baseUrl, { path: "/admin/v1/session", headers: { cookie } });
  const start = (headers: Record<string, string> = {}) => fromPage(bed, "/admin/v1/oidc/start", {}, headers);
  /** The browser goes to the provider, where somebody is signed in, and comes back. */
  const comeBack = async () => {
    const started = await start();
    assert.equal(started.status, 200, started.text);
    const { authorization_url } = started.body as { authorization_url: string };
    const away = await fetch(authorization_url, { redirect: "manual" });
    const { origin, pathname, searchParams } = new URL(away.headers.get("location") ?? "");
    assert.equal(`${origin}${pathname}`, "http://localhost/console/oidc");
    return {
      cookie: cookieOf(started),
      answer: {
        authorization_code: searchParams.get("code") ?? "",
        oidc_state: searchParams.get("state") ?? "",
        oidc_issuer: searchParams.get("iss") ?? "",
      },
    };
  };
  const finish = (answer: object, headers: Record<string, string>) =>
    fromPage(bed, "/admin/v1/oidc/finish", answer, headers);
  const signInAs = async (claims: OidcClaims, more: object = {}) => {
    provider.claims = claims;
    const { cookie, answer } = await comeBack();
    return finish({ ...answer, ...more }, { cookie });
  };
  const verified = (email: string): OidcClaims => ({
    sub: `sub of ${email}`,
    email,
    email_verified: true,
    name: "Ann of the Provider",
  });

  it("the sign-in page learns the name of the identity provider", async () => {
    const ways = await sendRequest(bed.baseUrl, { path: "/admin/v1/sign-in-ways" });
    assert.deepEqual(ways.body, { oidc_label: "Example ID", passkeys: false });
  });

  it("an identity is matched by its verified email at first, and by issuer and subject from then on", async () => {
    const ann = await joinAs(bed, { role: "developer" });
    const first = await signInAs(verified(ann.email.toUpperCase()));
    assert.equal(first.status, 200, first.text);
    assert.equal((first.body as Session).account.account_id, ann.session.account.account_id);
    assert.equal((await session(cookieOf(first))).status, 200);
    const { list } = await operatorOf(bed).audit.list({ limit: 2 });
    assert.deepEqual(
      list.map(({ action, actor_name }) => [action, actor_name]),
      ["account.sign_in", "account.link_identity"].map((action) => [action, `Ann <${ann.email}>`]),
    );
    const moved = await signInAs({ sub: `sub of ${ann.email.toUpperCase()}`, email: "moved@example.org" });
    assert.equal((moved.body as Session).account.account_id, ann.session.account.account_id);
    const other = await signInAs({ ...verified(ann.email), sub: "another subject" });
    assert.equal(codeOf(other), 40111, "another person who was given the address later");
  });

  it("nobody gets in without an account or an invitation, nor by an email that is not verified", async () => {
    const ann = await joinAs(bed, { role: "owner" });
    assert.equal(codeOf(await signInAs(verified("stranger@example.org"))), 40111);
    for (const email_verified of [false, undefined, "true" as unknown as boolean]) {
      const claims = { ...verified(ann.email), ...(email_verified !== undefined && { email_verified }) };
      if (email_verified === undefined) delete claims.email_verified;
      assert.equal(codeOf(await signInAs(claims)), 40111);
    }
    const rows = await bed.database.query("select 1 from account where email = 'stranger@example.org'");
    assert.equal(rows.length, 0);
  });

  it("an invitation to the verified email, or its link, creates an account without a password", async () => {
    const operator = operatorOf(bed);
    const { agentId } = await makeAgent(bed, { webhook: false });
    const invited = { role: "support", agent_id: agentId } as const;
    const { invitation_id } = await operator.invitations.create({ ...invited, email: "new@example.org" });
    const made = await signInAs(verified("new@example.org"));
    assert.partialDeepStrictEqual(made.body, {
      account: { email: "new@example.org", name: "Ann of the Provider" },
      roles: [{ role: "support", agent_id: agentId }],
    });
    const { list } = await operator.invitations.list();
    assert.equal(list.find((one) => one.invitation_id === invitation_id)?.state, "accepted");
    assert.equal(codeOf(await signIn(bed, { email: "new@example.org", password: "anything at all" })), 40127);
    assert.equal((await operator.audit.list({ agent_id: agentId })).list[0]?.action, "account.create");

    const { invitation_token } = await operator.invitations.create(invited);
    const byLink = await signInAs(verified("link@example.org"), { invitation_token });
    assert.equal(byLink.status, 200, byLink.text);
    assert.equal(codeOf(await signInAs(verified("late@example.org"), { invitation_token })), 40111);
    const foreign = await operator.invitations.create({ ...invited, email: "grace@example.org" });
    const stolen = { invitation_token: foreign.invitation_token };
    assert.equal(codeOf(await signInAs(verified("eve@example.org"), stolen)), 40111);
  });

  it("a sign-in at the identity provider is bound to its browser, state, nonce, audience, time and keys", async () => {
    const ann = await joinAs(bed, { role: "viewer" });
    provider.claims = verified(ann.email);
    const [mine, evil] = [await comeBack(), await comeBack()];
    assert.equal(codeOf(await finish(mine.answer, {})), 40110, "another browser");
    assert.equal(codeOf(await finish(evil.answer, { cookie: mine.cookie })), 40110, "another state");
    const mixed = { ...mine.answer, authorization_code: evil.answer.authorization_code };
    assert.equal(codeOf(await finish(mixed, { cookie: mine.cookie })), 40127, "a code for another verifier");
    const elsewhere = { cookie: mine.cookie, origin: "https://evil.example" };
    assert.equal(codeOf(await finish(mine.answer, elsewhere)), 40300);
    assert.equal(codeOf(await start({ origin: "https://evil.example" })), 40300);
    assert.equal((await finish(mine.answer, { cookie: mine.cookie })).status, 200);
    assert.equal(codeOf(await finish(mine.answer, { cookie: mine.cookie })), 40127, "a code is used once");

    const past = Math.floor(Date.now() / 1000) - 3_600;
    for (const wrong of [
      { nonce: "another" },
      { aud: "another" },
      { iss: "https://evil.example" },
      { exp: past, iat: past - 60 },
    ])
      assert.equal(codeOf(await signInAs({ ...verified(ann.email), ...wrong })), 40127);
    provider.forges = true;
    assert.equal(codeOf(await signInAs(verified(ann.email))), 40127, "a key that is not the provider's");
    provider.forges = false;
    assert.equal((await signInAs(verified(ann.email))).status, 200);
  });

  it("signing in at the identity provider ends a planted session and asks for a second factor all the same", async () => {
    const [eve, ann] = [await joinAs(bed, { role: "viewer" }), await joinAs(bed, { role: "viewer" })];
    provider.claims = verified(ann.email);
    const { cookie, answer } = await comeBack();
    const done = await finish(answer, { cookie: `${cookie}; ${eve.cookie}` });
    assert.notEqual(cookieOf(done), eve.cookie);
    await eventually("the planted one ends", async () => codeOf(await session(eve.cookie)) === 40127);
    await enrol(bed, { cookie: cookieOf(done) });
    const next = await signInAs(verified(ann.email));
    assert.equal((next.body as { second_factor?: string }).second_factor, "totp");
    await operatorOf(bed).accounts.delete({ account_id: ann.session.account.account_id });
    assert.equal(codeOf(await signInAs(verified(ann.email))), 40111, "a deleted account");
  });

  it("a provider that does not answer is 50300 and names no secret in the log", async () => {
    const lost = await openBed({
      apis: 1,
      workers: 0,
      environment: {
        OIDC_ISSUER: "http://127.0.0.1:9",
        OIDC_CLIENT_ID: "signalbox",
        OIDC_CLIENT_SECRET: "planted-oidc-secret",
      },
    });
    await using _ = lost;
    assert.equal(codeOf(await fromPage(lost, "/admin/v1/oidc/start", {})), 50300);
    assert.match(lost.logs(), /oidc_sign_in_failed/);
    assert.equal(lost.logs().includes("planted-oidc-secret"), false);
  });
});
