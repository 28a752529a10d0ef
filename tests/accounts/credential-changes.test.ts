import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { PasskeyOptions, Session } from "@signalbox/contract";
import { operatorOf } from "../support/agents.ts";
import { openBed, type Bed } from "../support/bed.ts";
import { fromPage, joinAs, ORIGIN, PASSWORD, signIn, type Member } from "../support/members.ts";
import { enrol } from "../support/one-time-codes.ts";
import { createPasskeyDevice } from "../support/passkey-device.ts";
import { UNKNOWN_IDS } from "../support/sample-requests.ts";

describe("changes of credentials", () => {
  let bed: Bed;
  before(async () => {
    bed = await openBed({ apis: 1, workers: 0, environment: { PUBLIC_URL: ORIGIN.origin } });
    await joinAs(bed, { role: "owner" });
  });
  after(() => bed[Symbol.asyncDispose]());

  const idOf = ({ session }: Member) => session.account.account_id;

  it("a new account has changed no credential", async () => {
    const ann = await joinAs(bed, { role: "viewer" });
    assert.equal(ann.session.credentials_change_time, null);
    assert.equal(((await signIn(bed, { email: ann.email })).body as Session).credentials_change_time, null);
  });

  for (const [what, change] of Object.entries<(ann: Member) => Promise<unknown>>({
    "a new password": (ann) =>
      fromPage(
        bed,
        "/admin/v1/account/password",
        { current_password: PASSWORD, password: "a new and longer password" },
        { cookie: ann.cookie },
      ),
    "one-time codes": (ann) => enrol(bed, ann),
    "a passkey": async (ann) => {
      const { cookie } = ann;
      const path = "/admin/v1/account/passkeys";
      const started = await fromPage(bed, `${path}/start`, { password: PASSWORD }, { cookie });
      const device = createPasskeyDevice({ origin: ORIGIN.origin, rpId: "localhost" });
      const credential = device.create((started.body as PasskeyOptions).passkey_options);
      return fromPage(bed, path, { name: "k", credential }, { cookie });
    },
  }))
    it(`a session shows when ${what} changed the credentials of its account, and no other account's does`, async () => {
      const [ann, bob] = [await joinAs(bed, { role: "viewer" }), await joinAs(bed, { role: "viewer" })];
      const began = Date.now();
      await change(ann);
      const shown = async (member: Member) =>
        ((await member.call("getSession", UNKNOWN_IDS)).body as Session).credentials_change_time;
      const at = (await shown(ann)) ?? 0;
      assert.ok(at >= began - 1_000 && at <= Date.now() + 1_000, `${at}`);
      assert.equal(await shown(bob), null);
    });

  it("somebody who signs in after a reset of the password is shown when it was", async () => {
    const ann = await joinAs(bed, { role: "viewer" });
    const { reset_token: token } = await operatorOf(bed).passwordResets.create({ account_id: idOf(ann) });
    const password = "a new and longer password";
    await fromPage(bed, "/admin/v1/password-resets/use", { token, password });
    const { body } = await signIn(bed, { email: ann.email, password });
    assert.ok(Math.abs(((body as Session).credentials_change_time ?? 0) - Date.now()) < 30_000);
  });
});
