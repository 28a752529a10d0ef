import assert from "node:assert/strict";
import { after, before, beforeEach, describe, it } from "node:test";
import { HEADERS, type AuditEntry, type PasskeyOptions } from "@signalbox/contract";
import { operatorOf } from "../support/agents.ts";
import { openBed, type Bed } from "../support/bed.ts";
import { FROM_PAGE, joinAs, ORIGIN, PASSWORD, type Member } from "../support/members.ts";
import { enrol, oneTimeCode } from "../support/one-time-codes.ts";
import { startOidcProvider, type OidcTestProvider } from "../support/oidc-provider.ts";
import { createPasskeyDevice } from "../support/passkey-device.ts";
import { eventually } from "../support/processes.ts";
import { UNKNOWN_IDS } from "../support/sample-requests.ts";
import { sendRequest } from "../support/wire.ts";

describe("the audit of sign-ins", () => {
  const closing = new AsyncDisposableStack();
  let provider: OidcTestProvider;
  let bed: Bed;
  before(async () => {
    provider = closing.use(await startOidcProvider());
    const environment = { ...provider.environment, PUBLIC_URL: ORIGIN.origin };
    bed = closing.use(await openBed({ apis: 1, workers: 0, environment }));
    await joinAs(bed, { role: "owner" });
  });
  after(() => closing.disposeAsync());

  /** Another for each test: the limits of guessing are not what is tested here. */
  let from = "";
  let tests = 0;
  beforeEach(() => {
    from = `203.0.113.${(tests += 1)}`;
  });

  const send = (method: string, path: string, body: object | undefined, cookie = "") =>
    sendRequest(bed.baseUrl, {
      method,
      path,
      headers: { ...FROM_PAGE, "x-forwarded-for": from, ...(cookie !== "" && { cookie }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  const post = (path: string, body: object, cookie = "") => send("POST", path, body, cookie);
  const idOf = ({ session }: Member) => session.account.account_id;
  const nameOf = ({ email }: Member) => `Ann <${email}>`;

  /** The audit rows of an action, oldest first. */
  async function recordedBy(doing: () => Promise<unknown>): Promise<AuditEntry[]> {
    const { list: before } = await operatorOf(bed).audit.list({ limit: 1 });
    await doing();
    const { list } = await operatorOf(bed).audit.list({ limit: 100 });
    const last = list.findIndex(({ audit_id }) => audit_id === before[0]?.audit_id);
    return list.slice(0, last).toReversed();
  }
  const shown = (entries: AuditEntry[]) =>
    entries.map(({ action, actor, subject_id, detail }) => [action, actor, subject_id, detail]);
  /** With the address and the request of each. */
  function assertFrom(entries: AuditEntry[]): void {
    for (const { action, address, request_id } of entries)
      assert.deepEqual([action, address, request_id === null], [action, from, false]);
  }

  it("a sign-in, a refused one and a sign-out are recorded with account and address", async () => {
    const ann = await joinAs(bed, { role: "viewer" });
    let cookie = "";
    const entries = await recordedBy(async () => {
      await post("/admin/v1/session", { email: ann.email, password: "not hers at all" });
      ({ cookies: cookie } = await post("/admin/v1/session", { email: ann.email, password: PASSWORD }));
      await send("DELETE", "/admin/v1/session", undefined, cookie);
    });
    const session = entries[1]?.subject_id;
    assert.deepEqual(shown(entries), [
      ["account.refuse_sign_in", "browser", idOf(ann), { by: "password" }],
      ["account.sign_in", "account", session, { by: "password" }],
      ["account.sign_out", "account", session, {}],
    ]);
    assert.deepEqual(
      entries.map(({ actor_name }) => actor_name),
      [null, nameOf(ann), nameOf(ann)],
    );
    assertFrom(entries);
  });

  it("a refused sign-in is recorded for an address that has no account, without the address of email", async () => {
    const entries = await recordedBy(() =>
      post("/admin/v1/session", { email: "secret-of-somebody@example.org", password: PASSWORD }),
    );
    assert.deepEqual(shown(entries), [["account.refuse_sign_in", "browser", null, { by: "password" }]]);
    assert.equal(JSON.stringify(entries).includes("secret-of-somebody"), false);
    assertFrom(entries);
  });

  it("an account that is made by an invitation is recorded with the sign-in that follows", async () => {
    const invited = { role: "viewer", email: "invited@example.org" } as const;
    const { invitation_token: token } = await operatorOf(bed).invitations.create(invited);
    const entries = await recordedBy(() =>
      post("/admin/v1/invitations/accept", { token, email: invited.email, name: "Ann", password: PASSWORD }),
    );
    assert.deepEqual(
      entries.map(({ action, detail }) => [action, detail["by"]]),
      [
        ["account.create", undefined],
        ["account.sign_in", "invitation"],
      ],
    );
    assertFrom(entries);
  });

  it("a wrong one-time code and the right one are recorded", async () => {
    const ann = await joinAs(bed, { role: "viewer" });
    const { secret } = await enrol(bed, ann);
    await bed.database.query("update account_totp set last_step = 0");
    const { cookies } = await post("/admin/v1/session", { email: ann.email, password: PASSWORD });
    const entries = await recordedBy(async () => {
      await post("/admin/v1/session/second-factor", { one_time_code: "not a code" }, cookies);
      await post("/admin/v1/session/second-factor", { one_time_code: oneTimeCode(secret) }, cookies);
    });
    assert.deepEqual(shown(entries), [
      ["account.refuse_sign_in", "browser", idOf(ann), { by: "one_time_code" }],
      ["account.sign_in", "account", entries[1]?.subject_id, { confirmed_by: "totp" }],
    ]);
    assertFrom(entries);
  });

  it("the try that closes an account to unknown browsers is recorded, once", async () => {
    const ann = await joinAs(bed, { role: "viewer" });
    const entries = await recordedBy(async () => {
      for (let at = 0; at < 14; at += 1)
        await post("/admin/v1/session", { email: ann.email, password: `guess number ${at}` });
    });
    const actions = entries.map(({ action }) => action);
    assert.equal(actions.filter((action) => action === "account.refuse_sign_in").length, 10);
    const locks = entries.filter(({ action }) => action === "account.lock");
    assert.deepEqual(shown(locks), [
      ["account.lock", "browser", idOf(ann), { by: "password", limited: "account", minutes: 10 }],
    ]);
    assertFrom(entries);
  });

  it("a wrong current password in a session is recorded", async () => {
    const ann = await joinAs(bed, { role: "viewer" });
    const change = { current_password: "not hers at all", password: "a new and longer password" };
    const entries = await recordedBy(async () => {
      await post("/admin/v1/account/password", change, ann.cookie);
      await post("/admin/v1/account/password", { ...change, current_password: PASSWORD }, ann.cookie);
    });
    assert.deepEqual(shown(entries), [
      ["account.refuse_password", "account", idOf(ann), { by: "password" }],
      ["account.change_password", "account", idOf(ann), {}],
    ]);
    assertFrom(entries);
  });

  it("a passkey that is added, refused, used, renamed or removed is recorded", async () => {
    const ann = await joinAs(bed, { role: "viewer" });
    const device = createPasskeyDevice({ origin: ORIGIN.origin, rpId: "localhost" });
    const signIn = async (answer: (options: PasskeyOptions["passkey_options"]) => object) => {
      const started = await post("/admin/v1/session/passkey", {});
      const credential = answer((started.body as PasskeyOptions).passkey_options);
      return post("/admin/v1/session/passkey/finish", { credential }, started.cookies);
    };
    const stranger = createPasskeyDevice({ origin: ORIGIN.origin, rpId: "localhost" });
    let passkey = "";
    const entries = await recordedBy(async () => {
      const started = await post("/admin/v1/account/passkeys/start", { password: PASSWORD }, ann.cookie);
      const { passkey_options } = started.body as PasskeyOptions;
      stranger.create(passkey_options);
      const credential = device.create(passkey_options);
      const added = await post("/admin/v1/account/passkeys", { name: "k", credential }, ann.cookie);
      ({ passkey_id: passkey } = added.body as { passkey_id: string });
      await signIn((options) => stranger.signIn(options));
      // Its answer to an older challenge.
      const old = device.signIn(passkey_options);
      await signIn(() => old);
      await signIn((options) => device.signIn(options));
      await send("PUT", `/admin/v1/account/passkeys/${passkey}`, { name: "key" }, ann.cookie);
      await send("DELETE", `/admin/v1/account/passkeys/${passkey}`, undefined, ann.cookie);
    });
    assert.deepEqual(shown(entries), [
      ["account.add_passkey", "account", idOf(ann), { passkey }],
      ["account.refuse_sign_in", "browser", null, { by: "passkey" }],
      ["account.refuse_sign_in", "browser", idOf(ann), { by: "passkey" }],
      ["account.sign_in", "account", entries[3]?.subject_id, { by: "passkey", passkey }],
      ["account.rename_passkey", "account", idOf(ann), { passkey }],
      ["account.remove_passkey", "account", idOf(ann), { passkey }],
    ]);
    assertFrom(entries);
  });

  it("a refused sign-in at the identity provider is recorded", async () => {
    provider.claims = { sub: "eve", email: "nobody-here@example.org", email_verified: true };
    const entries = await recordedBy(async () => {
      const started = await post("/admin/v1/oidc/start", {});
      const { authorization_url } = started.body as { authorization_url: string };
      const away = await fetch(authorization_url, { redirect: "manual" });
      const query = new URL(away.headers.get("location") ?? "").searchParams;
      const answer = {
        authorization_code: query.get("code"),
        oidc_state: query.get("state"),
        oidc_issuer: query.get("iss"),
      };
      await post("/admin/v1/oidc/finish", answer, started.cookies);
    });
    assert.deepEqual(shown(entries), [["account.refuse_sign_in", "browser", null, { by: "oidc" }]]);
    assertFrom(entries);
  });

  it("a password reset is recorded with what it removed, and role changes with the roles", async () => {
    const [owner, ann] = [await joinAs(bed, { role: "owner" }), await joinAs(bed, { role: "viewer" })];
    const ids = { ...UNKNOWN_IDS, accountId: idOf(ann) };
    const roles = [{ role: "editor", agent_id: null }];
    const entries = await recordedBy(async () => {
      const created = await owner.call("createPasswordReset", ids);
      const { reset_token: token } = created.body as { reset_token: string };
      await post("/admin/v1/password-resets/use", { token, password: "a new and longer password" });
      await send("PUT", `/admin/v1/accounts/${idOf(ann)}/roles`, { roles }, owner.cookie);
      await owner.call("deleteAccount", ids);
    });
    assert.deepEqual(shown(entries), [
      ["account.create_password_reset", "account", idOf(ann), {}],
      ["account.reset_password", "account", idOf(ann), { passkeys: false }],
      ["account.set_roles", "account", idOf(ann), { roles }],
      ["account.delete", "account", idOf(ann), {}],
    ]);
  });

  it("the log names account and address of a refused sign-in, and neither email nor password", async () => {
    const ann = await joinAs(bed, { role: "viewer" });
    const password = "nearly hers, with a typo";
    const answer = await post("/admin/v1/session", { email: ann.email, password });
    assert.equal(answer.status, 401, answer.text);
    const requestId = answer.headers[HEADERS.requestId];
    const found = await eventually("it is logged", () => {
      const lines = bed.api().logs().split("\n");
      return lines.find((line) => line.includes("sign_in_refused") && line.includes(`"${requestId}"`));
    });
    assert.partialDeepStrictEqual(JSON.parse(found), {
      address: from,
      accountId: idOf(ann),
      by: "password",
    });
    for (const secret of [ann.email, password]) assert.equal(bed.api().logs().includes(secret), false);
  });
});
