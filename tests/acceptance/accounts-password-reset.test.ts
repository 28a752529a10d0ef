import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { CreatedPasswordReset } from "@signalbox/contract";
import { operatorOf } from "../support/agents.ts";
import { openBed, type Bed } from "../support/bed.ts";
import { cookieOf, fromPage, joinAs, PASSWORD, signIn } from "../support/members.ts";
import { enrol } from "../support/one-time-codes.ts";
import { eventually } from "../support/processes.ts";
import { UNKNOWN_IDS } from "../support/sample-requests.ts";
import { sendRequest } from "../support/wire.ts";
import { codeOf } from "./account-roles.ts";

const NEW_PASSWORD = "a new and longer password";

describe("password reset of accounts", () => {
  let bed: Bed;
  before(async () => {
    bed = await openBed({ apis: 1, workers: 1 });
  });
  after(() => bed[Symbol.asyncDispose]());

  const session = (cookie: string) =>
    sendRequest(bed.baseUrl, { path: "/admin/v1/session", headers: { cookie } });
  const look = (token: string) => fromPage(bed, "/admin/v1/password-resets/look", { token });
  const use = (token: string, password = NEW_PASSWORD, headers: Record<string, string> = {}) =>
    fromPage(bed, "/admin/v1/password-resets/use", { token, password }, headers);
  const create = (account_id: string) => operatorOf(bed).passwordResets.create({ account_id });

  it("a password reset sets a new password once and ends all sessions", async () => {
    const [owner, ann] = [await joinAs(bed, { role: "owner" }), await joinAs(bed, { role: "viewer" })];
    const elsewhere = cookieOf(await signIn(bed, { email: ann.email }));
    const ids = { ...UNKNOWN_IDS, accountId: ann.session.account.account_id };
    const created = await owner.call("createPasswordReset", ids);
    const { reset_token: token, path, expire_time } = created.body as CreatedPasswordReset;
    assert.equal(path, `/console/reset#${token}`);
    assert.ok(Math.abs(expire_time - Date.now() - 3_600_000) < 30_000);
    assert.deepEqual((await look(token)).body, { email: ann.email, expire_time });

    assert.equal(codeOf(await use(token, NEW_PASSWORD, { origin: "https://evil.example" })), 40300);
    assert.equal(codeOf(await use(token, "short")), 40000);
    const answers = await Promise.all([use(token), use(token, "another and longer password")]);
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200, 404]));
    assert.equal(
      answers.some(({ headers }) => "set-cookie" in headers),
      false,
      "nobody is signed in by it",
    );
    const password = answers[0]?.status === 200 ? NEW_PASSWORD : "another and longer password";
    for (const again of [await look(token), await use(token)]) assert.equal(codeOf(again), 40401);
    for (const cookie of [ann.cookie, elsewhere])
      await eventually("the session ends", async () => codeOf(await session(cookie)) === 40127);
    assert.equal(codeOf(await signIn(bed, { email: ann.email })), 40127, "the old password is gone");
    assert.equal((await signIn(bed, { email: ann.email, password })).status, 200);

    const { list } = await operatorOf(bed).audit.list({ limit: 10 });
    const resets = list.filter(({ action }) => action.includes("password"));
    const named = resets.map(({ action, actor_name }) => [action, actor_name]);
    assert.deepEqual(named.slice(0, 2), [
      ["account.reset_password", `Ann <${ann.email}>`],
      ["account.create_password_reset", `Ann <${owner.email}>`],
    ]);
  });

  it("a password reset that is expired, replaced or of a deleted account is 40401", async () => {
    const ann = await joinAs(bed, { role: "viewer" });
    const { account_id } = ann.session.account;
    const replaced = await create(account_id);
    const expired = await create(account_id);
    await bed.database.query("update account_password_reset set expires_at = now() where account_id = $1", [
      account_id,
    ]);
    for (const { reset_token } of [replaced, expired]) {
      assert.equal(codeOf(await look(reset_token)), 40401);
      assert.equal(codeOf(await use(reset_token)), 40401);
    }
    const last = await create(account_id);
    await operatorOf(bed).accounts.delete({ account_id });
    assert.equal(codeOf(await use(last.reset_token)), 40401);
    assert.equal((await signIn(bed, { email: ann.email, password: PASSWORD })).status, 401);
  });

  it("a password reset leaves the second factor on", async () => {
    const ann = await joinAs(bed, { role: "viewer" });
    await enrol(bed, ann);
    const { reset_token } = await create(ann.session.account.account_id);
    assert.equal((await use(reset_token)).status, 200);
    const answer = await signIn(bed, { email: ann.email, password: NEW_PASSWORD });
    assert.equal((answer.body as { second_factor?: string }).second_factor, "totp");
  });

  it("an owner creates no password reset for themselves, and stores only the hash of others", async () => {
    const owner = await joinAs(bed, { role: "owner" });
    const own = { ...UNKNOWN_IDS, accountId: owner.session.account.account_id };
    assert.equal(codeOf(await owner.call("createPasswordReset", own)), 40900);
    const ann = await joinAs(bed, { role: "viewer" });
    const { reset_token } = await create(ann.session.account.account_id);
    const rows = await bed.database.query<{ row: string }>(
      "select encode(token_hash, 'escape') as row from account_password_reset",
    );
    assert.ok(rows.length > 0);
    assert.equal(
      rows.some(({ row }) => row.includes(reset_token.slice(4))),
      false,
    );
    assert.equal(
      JSON.stringify(await operatorOf(bed).audit.list({ limit: 100 })).includes(reset_token),
      false,
    );
  });
});
