import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Account, SecondFactor, TotpEnrolment } from "@signalbox/contract";
import { operatorOf } from "../support/agents.ts";
import { openBed, type Bed } from "../support/bed.ts";
import { cookieOf, fromPage, joinAs, ORIGIN, PASSWORD, signIn, type Member } from "../support/members.ts";
import { enrol, oneTimeCode } from "../support/one-time-codes.ts";
import { eventually } from "../support/processes.ts";
import { UNKNOWN_IDS } from "../support/sample-requests.ts";
import { sendRequest } from "../support/wire.ts";
import { codeOf } from "./account-roles.ts";

describe("accounts with a second factor", () => {
  let bed: Bed;
  before(async () => {
    bed = await openBed({ apis: 1, workers: 1 });
  });
  after(() => bed[Symbol.asyncDispose]());

  const session = (cookie: string) =>
    sendRequest(bed.baseUrl, { path: "/admin/v1/session", headers: { cookie } });
  const confirm = (cookie: string, one_time_code: string, headers: Record<string, string> = {}) =>
    fromPage(bed, "/admin/v1/session/second-factor", { one_time_code }, { cookie, ...headers });
  const totp = (cookie: string, step: "" | "/confirm" | "/disable", body: object) =>
    fromPage(bed, `/admin/v1/account/totp${step}`, body, { cookie });
  const stateOf = async (member: Member) =>
    (await member.call("getSecondFactor", UNKNOWN_IDS)).body as SecondFactor;
  /** As if no code had been used yet. */
  const laterFor = ({ session }: Member) =>
    bed.database.query("update account_totp set last_step = 0 where account_id = $1", [
      session.account.account_id,
    ]);
  const auditOf = async ({ session }: Member) => {
    const { list } = await operatorOf(bed).audit.list({ limit: 100 });
    return list.filter(({ actor_id }) => actor_id === session.account.account_id);
  };

  it("one-time codes are turned on with the password and a code, and end other sessions", async () => {
    const ann = await joinAs(bed, { role: "viewer" });
    const elsewhere = cookieOf(await signIn(bed, { email: ann.email }));
    assert.equal(codeOf(await totp(ann.cookie, "/confirm", { one_time_code: "000000" })), 40900);
    assert.equal(codeOf(await totp(ann.cookie, "", { password: "not my password" })), 40010);
    const started = await totp(ann.cookie, "", { password: PASSWORD });
    const { totp_secret: secret, otpauth_uri } = started.body as TotpEnrolment;
    assert.match(secret, /^[A-Z2-7]{32}$/);
    const uri = new URL(otpauth_uri);
    assert.deepEqual(
      [uri.protocol, decodeURIComponent(uri.pathname), uri.searchParams.get("secret")],
      ["otpauth:", `/Signalbox:${ann.email}`, secret],
    );
    assert.equal((await stateOf(ann)).enable_time, null, "nothing is on before the first code");
    assert.equal((await signIn(bed, { email: ann.email })).text.includes("second_factor"), false);

    assert.equal(
      codeOf(await totp(ann.cookie, "/confirm", { one_time_code: oneTimeCode(secret, -5) })),
      40000,
    );
    const confirmed = await totp(ann.cookie, "/confirm", { one_time_code: oneTimeCode(secret) });
    const { recovery_codes } = confirmed.body as { recovery_codes: string[] };
    assert.equal(new Set(recovery_codes).size, 10);
    assert.equal((await stateOf(ann)).recovery_codes_left, 10);
    await eventually("other sessions end", async () => codeOf(await session(elsewhere)) === 40127);
    assert.equal((await session(ann.cookie)).status, 200);
    assert.equal(codeOf(await totp(ann.cookie, "", { password: PASSWORD })), 40900, "they are on already");
    assert.equal((await auditOf(ann))[0]?.action, "account.enable_totp");
  });

  it("signing in with one-time codes opens nothing before the code, in the same browser alone", async () => {
    const bob = await joinAs(bed, { role: "owner" });
    const { secret } = await enrol(bed, bob);
    await laterFor(bob);
    const first = await signIn(bed, { email: bob.email });
    assert.equal(first.status, 200);
    assert.deepEqual(Object.keys(first.body as object), ["second_factor", "expire_time"]);
    const [name, token] = cookieOf(first).split("=");
    assert.equal(name, "signalbox_sign_in");
    assert.match(first.headers["set-cookie"] ?? "", /; Path=\/; HttpOnly; SameSite=Strict; Expires=/);
    assert.equal(first.text.includes(token ?? ""), false);
    for (const cookie of [cookieOf(first), `signalbox_session=${token}`])
      assert.equal(codeOf(await session(cookie)), 40127);

    const code = oneTimeCode(secret);
    assert.equal(codeOf(await confirm("", code)), 40110, "another browser");
    const evil = { origin: "https://evil.example" };
    assert.equal(codeOf(await confirm(cookieOf(first), code, evil)), 40300);
    assert.equal(codeOf(await confirm(cookieOf(first), oneTimeCode(secret, 7))), 40127);
    const done = await confirm(cookieOf(first), code);
    assert.equal(done.status, 200, done.text);
    assert.match(cookieOf(done), /^signalbox_session=sbs_\w{40}$/);
    assert.equal((await session(cookieOf(done))).status, 200);
    assert.equal(codeOf(await confirm(cookieOf(first), oneTimeCode(secret, 1))), 40110, "it is done");
    const [newest] = await auditOf(bob);
    assert.deepEqual(
      [newest?.action, newest?.actor_name, newest?.detail],
      ["account.sign_in", `Ann <${bob.email}>`, { confirmed_by: "totp" }],
    );
  });

  it("confirming a sign-in ends a session that was planted in the browser before", async () => {
    const [eve, ada] = [await joinAs(bed, { role: "viewer" }), await joinAs(bed, { role: "viewer" })];
    const { secret } = await enrol(bed, ada);
    await laterFor(ada);
    const first = cookieOf(await signIn(bed, { email: ada.email, cookie: eve.cookie }));
    assert.equal((await session(eve.cookie)).status, 200, "the password alone changes nothing");
    const done = await confirm(`${first}; ${eve.cookie}`, oneTimeCode(secret));
    assert.notEqual(cookieOf(done), eve.cookie);
    await eventually("the planted one ends", async () => codeOf(await session(eve.cookie)) === 40127);
  });

  it("a one-time code and a recovery code are accepted once, also when two use them at the same time", async () => {
    const ann = await joinAs(bed, { role: "viewer" });
    const { secret, code: used, recoveryCodes } = await enrol(bed, ann);
    const [recovery = ""] = recoveryCodes;
    const pending = async () => cookieOf(await signIn(bed, { email: ann.email }));
    assert.equal(codeOf(await confirm(await pending(), used)), 40127, "used to turn them on");
    for (const code of [() => oneTimeCode(secret), () => recovery.toUpperCase().replaceAll("-", " ")]) {
      await laterFor(ann);
      const browsers = [await pending(), await pending()];
      const same = code();
      const answers = await Promise.all(browsers.map((cookie) => confirm(cookie, same)));
      assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200, 401]));
    }
    assert.equal((await stateOf(ann)).recovery_codes_left, 9);
    assert.deepEqual((await auditOf(ann))[0]?.detail, { confirmed_by: "recovery_code" });
  });

  it("a sign-in allows five codes, even if the sixth is right", async () => {
    const ann = await joinAs(bed, { role: "viewer" });
    const { secret } = await enrol(bed, ann);
    await laterFor(ann);
    const cookie = cookieOf(await signIn(bed, { email: ann.email }));
    const guesses = await Promise.all(Array.from({ length: 5 }, (_, at) => confirm(cookie, `guess ${at}`)));
    assert.deepEqual(new Set(guesses.map(codeOf)), new Set([40127]));
    const late = await confirm(cookie, oneTimeCode(secret));
    assert.equal(codeOf(late), 40110, late.text);
    assert.match(late.text, /too many tries; sign in again/);
    assert.equal(
      (await confirm(cookieOf(await signIn(bed, { email: ann.email })), oneTimeCode(secret))).status,
      200,
    );
  });

  it("an account allows ten wrong one-time codes an hour, even for the right one", async () => {
    const ann = await joinAs(bed, { role: "viewer" });
    const { secret } = await enrol(bed, ann);
    await laterFor(ann);
    for (let round = 0; round < 2; round += 1) {
      const cookie = cookieOf(await signIn(bed, { email: ann.email }));
      for (let tries = 0; tries < 5; tries += 1) await confirm(cookie, `${round} ${tries}`);
    }
    const cookie = cookieOf(await signIn(bed, { email: ann.email }));
    const answer = await confirm(cookie, oneTimeCode(secret));
    assert.equal(codeOf(answer), 42900, answer.text);
    assert.ok(Number(answer.headers["retry-after"]) >= 1);
    await bed.database.query("update account_guess set resets_at = now()");
    assert.equal((await confirm(cookie, oneTimeCode(secret))).status, 200);
  });

  it("a sign-in that waits for its code ends after five minutes and with a new password", async () => {
    const ann = await joinAs(bed, { role: "viewer" });
    const { secret } = await enrol(bed, ann);
    await laterFor(ann);
    const [slow, known] = [await signIn(bed, { email: ann.email }), await signIn(bed, { email: ann.email })];
    const { expire_time } = slow.body as { expire_time: number };
    assert.ok(Math.abs(expire_time - Date.now() - 300_000) < 30_000);
    await bed.database.query("update account_sign_in set expires_at = now() where account_id = $1", [
      ann.session.account.account_id,
    ]);
    assert.equal(codeOf(await confirm(cookieOf(slow), oneTimeCode(secret))), 40110);
    await bed.database.query("update account_sign_in set expires_at = now() + interval '5 minutes'");
    const change = { current_password: PASSWORD, password: "a new and longer password" };
    const changed = await fromPage(bed, "/admin/v1/account/password", change, { cookie: ann.cookie });
    assert.equal(changed.status, 200);
    assert.equal(codeOf(await confirm(cookieOf(known), oneTimeCode(secret))), 40110);
  });

  it("one-time codes are turned off with password and code", async () => {
    const ann = await joinAs(bed, { role: "viewer" });
    const { secret, recoveryCodes } = await enrol(bed, ann);
    await laterFor(ann);
    const one_time_code = oneTimeCode(secret);
    const off = (body: object) => totp(ann.cookie, "/disable", body);
    assert.equal(codeOf(await off({ password: "not my password", one_time_code })), 40010);
    assert.equal(codeOf(await off({ password: PASSWORD, one_time_code: "guess" })), 40000);
    assert.equal((await off({ password: PASSWORD, one_time_code })).status, 200);
    assert.deepEqual(await stateOf(ann), { enable_time: null, recovery_codes_left: 0 });
    assert.equal(cookieOf(await signIn(bed, { email: ann.email })).startsWith("signalbox_session="), true);
    const again = { password: PASSWORD, one_time_code: recoveryCodes[0] };
    assert.equal(codeOf(await off(again)), 40000, "its recovery codes are gone");
    const recorded = (await auditOf(ann)).map(({ action }) => action);
    assert.ok(recorded.includes("account.disable_totp"), recorded.join(" "));
  });

  it("an owner resets the second factor of somebody else, who is then signed out, and not their own", async () => {
    const [owner, ann] = [await joinAs(bed, { role: "owner" }), await joinAs(bed, { role: "viewer" })];
    await enrol(bed, ann);
    await enrol(bed, owner);
    const accountId = ann.session.account.account_id;
    const listed = async () => {
      const { list } = (await owner.call("listAccounts", UNKNOWN_IDS, { limit: "100" })).body as {
        list: Account[];
      };
      return list.find(({ account_id }) => account_id === accountId)?.has_second_factor;
    };
    assert.equal(await listed(), true);
    const reset = (id: string) => owner.call("resetSecondFactor", { ...UNKNOWN_IDS, accountId: id });
    assert.equal(codeOf(await reset(owner.session.account.account_id)), 40900);
    const forged = await sendRequest(bed.baseUrl, {
      method: "DELETE",
      path: `/admin/v1/accounts/${accountId}/second-factor`,
      headers: { cookie: owner.cookie, ...ORIGIN, origin: "https://evil.example" },
    });
    assert.equal(codeOf(forged), 40300);
    assert.equal((await reset(accountId)).status, 200);
    assert.equal(codeOf(await reset(accountId)), 40900, "there is none any more");
    assert.equal(await listed(), false);
    await eventually("she is signed out", async () => codeOf(await session(ann.cookie)) === 40127);
    assert.equal(cookieOf(await signIn(bed, { email: ann.email })).startsWith("signalbox_session="), true);
    const [newest] = await auditOf(owner);
    assert.deepEqual(
      [newest?.action, newest?.subject_id, newest?.actor_name],
      ["account.reset_second_factor", accountId, `Ann <${owner.email}>`],
    );
  });

  it("secrets of one-time codes are stored encrypted and recovery codes as hashes", async () => {
    const ann = await joinAs(bed, { role: "viewer" });
    const { secret, recoveryCodes } = await enrol(bed, ann);
    const rows = await bed.database.query<{ row: string }>(
      `select encode(secret_sealed, 'escape') as row from account_totp
        union all select encode(code_hash, 'escape') from account_recovery_code`,
    );
    assert.ok(rows.length >= 11);
    const stored = rows.map(({ row }) => row).join("\n");
    for (const shown of [secret, ...recoveryCodes, ...recoveryCodes.map((code) => code.replaceAll("-", ""))])
      assert.equal(stored.includes(shown), false);
    const { list } = await operatorOf(bed).audit.list({ limit: 100 });
    assert.equal(JSON.stringify(list).includes(secret), false);
    await operatorOf(bed).accounts.delete({ account_id: ann.session.account.account_id });
    const left = await bed.database.query(
      "select 1 from account_totp where account_id = $1 union all select 1 from account_recovery_code where account_id = $1",
      [ann.session.account.account_id],
    );
    assert.equal(left.length, 0, "nothing is left of a deleted account");
  });
});
