import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Passkey, PasskeyList, PasskeyOptions, SignInWays } from "@signalbox/contract";
import { operatorOf } from "../support/agents.ts";
import { openBed, type Bed } from "../support/bed.ts";
import { cookieOf, fromPage, joinAs, ORIGIN, PASSWORD, type Member } from "../support/members.ts";
import { enrol } from "../support/one-time-codes.ts";
import { createPasskeyDevice, type Deviation, type PasskeyDevice } from "../support/passkey-device.ts";
import { withClient } from "../support/postgres.ts";
import { eventually } from "../support/processes.ts";
import { UNKNOWN_IDS } from "../support/sample-requests.ts";
import { JSON_TYPE, sendRequest } from "../support/wire.ts";
import { codeOf } from "./account-roles.ts";

const OWN = "/admin/v1/account/passkeys";
const SIGN_IN = "/admin/v1/session/passkey";
const REFUSED = 40127;
const LIES: Record<string, Deviation> = {
  "another origin": { origin: "https://evil.example" },
  "another relying party": { rpId: "evil.example" },
  "a device that nobody unlocked": { unverified: true },
};

describe("accounts with passkeys", () => {
  let bed: Bed;
  before(async () => {
    bed = await openBed({ apis: 1, workers: 1, environment: { PUBLIC_URL: ORIGIN.origin } });
  });
  after(() => bed[Symbol.asyncDispose]());

  const session = (cookie: string) =>
    sendRequest(bed.baseUrl, { path: "/admin/v1/session", headers: { cookie } });
  const newDevice = () => createPasskeyDevice({ origin: ORIGIN.origin, rpId: "localhost" });
  const startAdding = async ({ cookie }: Member, password = PASSWORD) =>
    fromPage(bed, `${OWN}/start`, { password }, { cookie });
  const optionsOf = ({ body }: { body: unknown }) => (body as PasskeyOptions).passkey_options;
  const finishAdding = ({ cookie }: Member, credential: object) =>
    fromPage(bed, OWN, { name: "Laptop", credential }, { cookie });

  async function add(member: Member, device: PasskeyDevice): Promise<Passkey> {
    const answer = await finishAdding(member, device.create(optionsOf(await startAdding(member))));
    assert.equal(answer.status, 200, answer.text);
    return answer.body as Passkey;
  }

  /** As a browser would. */
  async function startSigningIn(cookies = "") {
    const started = await fromPage(bed, SIGN_IN, {}, cookies === "" ? {} : { cookie: cookies });
    assert.equal(started.status, 200, started.text);
    return { cookie: cookieOf(started), options: optionsOf(started), reply: started.body as PasskeyOptions };
  }
  const finishSigningIn = (cookie: string, credential: object) =>
    fromPage(bed, `${SIGN_IN}/finish`, { credential }, { cookie });
  async function signInWith(device: PasskeyDevice, told: Deviation = {}) {
    const { cookie, options } = await startSigningIn();
    return finishSigningIn(cookie, device.signIn(options, told));
  }
  const auditOf = async ({ session: { account } }: Member) => {
    const { list } = await operatorOf(bed).audit.list({ limit: 100 });
    return list.filter(({ actor_id }) => actor_id === account.account_id);
  };

  it("a passkey is added with the password, and signs in without password and one-time code", async () => {
    const ann = await joinAs(bed, { role: "viewer" });
    await enrol(bed, ann);
    assert.equal(codeOf(await startAdding(ann, "not my password")), 40010);
    const device = newDevice();
    const { passkey_id, name, last_used_time } = await add(ann, device);
    assert.deepEqual([name, last_used_time], ["Laptop", null]);

    const { cookie, options, reply } = await startSigningIn();
    assert.ok(Math.abs(reply.expire_time - Date.now() - 300_000) < 30_000, "five minutes");
    assert.deepEqual(
      [options["rpId"], options["userVerification"], options["allowCredentials"]],
      ["localhost", "required", undefined],
    );
    const done = await finishSigningIn(cookie, device.signIn(options));
    assert.equal(done.status, 200, done.text);
    const opened = (done.headers["set-cookie"] ?? "").match(/signalbox_session=sbs_\w{40}/)?.[0] ?? "";
    assert.equal((await session(opened)).status, 200);
    const { list } = (await ann.call("listPasskeys", UNKNOWN_IDS)).body as PasskeyList;
    assert.ok(list[0]?.last_used_time !== null);
    const [signedIn, , added] = await auditOf(ann);
    assert.deepEqual(
      [signedIn?.action, signedIn?.detail],
      ["account.sign_in", { by: "passkey", passkey: passkey_id }],
    );
    assert.ok(added !== undefined);
    assert.ok((await auditOf(ann)).some(({ action }) => action === "account.add_passkey"));
  });

  it("a challenge for signing in with a passkey is answered once, in the browser that asked for it", async () => {
    const ann = await joinAs(bed, { role: "viewer" });
    const device = newDevice();
    await add(ann, device);
    const { cookie, options } = await startSigningIn();
    const credential = device.signIn(options);
    assert.equal(codeOf(await finishSigningIn("", credential)), REFUSED, "another browser");
    assert.equal((await finishSigningIn(cookie, credential)).status, 200);
    assert.equal(codeOf(await finishSigningIn(cookie, credential)), REFUSED, "replayed");
    assert.equal(codeOf(await finishSigningIn(cookie, device.signIn(options))), REFUSED, "signed again");
    const wrong = await startSigningIn();
    await finishSigningIn(wrong.cookie, device.signIn(wrong.options, { origin: "https://evil.example" }));
    assert.equal(
      codeOf(await finishSigningIn(wrong.cookie, device.signIn(wrong.options))),
      REFUSED,
      "a wrong answer uses it up too",
    );
  });

  it("a challenge of a passkey expires after five minutes", async () => {
    const ann = await joinAs(bed, { role: "viewer" });
    const device = newDevice();
    await add(ann, device);
    const { cookie, options } = await startSigningIn();
    await bed.database.query("update account_passkey_challenge set expires_at = now()");
    assert.equal(codeOf(await finishSigningIn(cookie, device.signIn(options))), REFUSED);
    const adding = optionsOf(await startAdding(ann));
    await bed.database.query("update account_passkey_challenge set expires_at = now()");
    assert.equal(codeOf(await finishAdding(ann, newDevice().create(adding))), 40000);
  });

  for (const [what, told] of Object.entries(LIES))
    it(`a passkey is neither added nor accepted from ${what}`, async () => {
      const ann = await joinAs(bed, { role: "viewer" });
      const lying = newDevice().create(optionsOf(await startAdding(ann)), told);
      assert.equal(codeOf(await finishAdding(ann, lying)), 40000);
      const device = newDevice();
      await add(ann, device);
      assert.equal(codeOf(await signInWith(device, told)), REFUSED);
      assert.equal((await signInWith(device)).status, 200);
    });

  it("a passkey whose counter does not grow is refused, as a copy would be", async () => {
    const ann = await joinAs(bed, { role: "viewer" });
    const device = newDevice();
    await add(ann, device);
    assert.equal((await signInWith(device, { counter: 9 })).status, 200);
    for (const counter of [9, 8]) assert.equal(codeOf(await signInWith(device, { counter })), REFUSED);
    assert.equal((await signInWith(device, { counter: 10 })).status, 200);
  });

  it("of two signatures with one counter, as of a passkey and its copy, one signs in, also at the same time", async () => {
    const ann = await joinAs(bed, { role: "viewer" });
    const device = newDevice();
    const { passkey_id } = await add(ann, device);
    const answers = await withClient(bed.database.superuserUrl, async (holder) => {
      await holder.query("begin");
      await holder.query("select from account_passkey where id = $1 for update", [passkey_id]);
      const both = Promise.all([signInWith(device, { counter: 9 }), signInWith(device, { counter: 9 })]);
      await eventually("both wait for the row", async () => {
        const waiting = await bed.database.query(
          "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
        );
        return waiting.length === 2;
      });
      await holder.query("rollback");
      return both;
    });
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200, 401]));
  });

  it("a passkey of a device that does not count signs in again and again", async () => {
    const ann = await joinAs(bed, { role: "viewer" });
    const device = newDevice();
    const created = device.create(optionsOf(await startAdding(ann)), { counter: 0 });
    assert.equal((await finishAdding(ann, created)).status, 200);
    for (let times = 0; times < 2; times += 1)
      assert.equal((await signInWith(device, { counter: 0 })).status, 200);
    assert.equal((await signInWith(device, { counter: 5 })).status, 200);
    assert.equal(codeOf(await signInWith(device, { counter: 0 })), REFUSED, "it counted before");
  });

  it("a passkey that names another account signs nobody in", async () => {
    const [ann, eve] = [await joinAs(bed, { role: "viewer" }), await joinAs(bed, { role: "viewer" })];
    const device = newDevice();
    await add(ann, device);
    const userHandle = Buffer.from(eve.session.account.account_id).toString("base64url");
    assert.equal(codeOf(await signInWith(device, { userHandle })), REFUSED);
    assert.equal((await signInWith(device)).status, 200);
  });

  it("a challenge to add a passkey is answered once, and signs nobody in", async () => {
    const ann = await joinAs(bed, { role: "viewer" });
    const adding = optionsOf(await startAdding(ann));
    const lying = newDevice().create(adding, { origin: "https://evil.example" });
    assert.equal(codeOf(await finishAdding(ann, lying)), 40000);
    assert.equal(codeOf(await finishAdding(ann, newDevice().create(adding))), 40000, "it is used up");
    const device = newDevice();
    await add(ann, device);
    const other = optionsOf(await startAdding(ann));
    const { cookie } = await startSigningIn();
    assert.equal(codeOf(await finishSigningIn(cookie, device.signIn(other))), REFUSED);
  });

  it("a passkey that was removed, reset by an owner, or whose account was deleted signs nobody in", async () => {
    const operator = operatorOf(bed);
    const remove = async (ann: Member, { passkey_id }: Passkey) => {
      const path = `${OWN}/${passkey_id}`;
      const headers = { ...ORIGIN, cookie: ann.cookie };
      assert.equal((await sendRequest(bed.baseUrl, { method: "DELETE", path, headers })).status, 200);
      assert.equal((await auditOf(ann))[0]?.action, "account.remove_passkey");
    };
    const ways: ((ann: Member, passkey: Passkey) => Promise<unknown>)[] = [
      remove,
      ({ session: { account } }) => operator.accounts.resetSecondFactor({ account_id: account.account_id }),
      ({ session: { account } }) => operator.accounts.delete({ account_id: account.account_id }),
    ];
    for (const end of ways) {
      const ann = await joinAs(bed, { role: "viewer" });
      const device = newDevice();
      const passkey = await add(ann, device);
      assert.equal((await signInWith(device)).status, 200);
      await end(ann, passkey);
      const refused = await signInWith(device);
      assert.equal(codeOf(refused), 40111, refused.text);
    }
  });

  it("a challenge to add a passkey belongs to one session, and a passkey to one account", async () => {
    const [ann, eve] = [await joinAs(bed, { role: "viewer" }), await joinAs(bed, { role: "owner" })];
    const started = optionsOf(await startAdding(ann));
    assert.equal(codeOf(await finishAdding(eve, newDevice().create(started))), 40000);
    const device = newDevice();
    const { passkey_id } = await add(ann, device);
    const again = device.create(optionsOf(await startAdding(eve)));
    assert.equal(codeOf(await finishAdding(eve, again)), 40900, "it is Ann's already");
    const path = `${OWN}/${passkey_id}`;
    const change = (cookie: string, method: "PUT" | "DELETE") =>
      sendRequest(bed.baseUrl, {
        method,
        path,
        headers: { ...JSON_TYPE, ...ORIGIN, cookie },
        ...(method === "PUT" && { body: JSON.stringify({ name: "Phone" }) }),
      });
    for (const method of ["PUT", "DELETE"] as const)
      assert.equal((await change(eve.cookie, method)).status, 404);
    assert.equal(((await change(ann.cookie, "PUT")).body as Passkey).name, "Phone");
    assert.equal((await signInWith(device)).status, 200);
  });

  it("signing in with a passkey ends a session that was planted in the browser before", async () => {
    const [eve, ada] = [await joinAs(bed, { role: "viewer" }), await joinAs(bed, { role: "viewer" })];
    const device = newDevice();
    await add(ada, device);
    const { cookie, options } = await startSigningIn(eve.cookie);
    assert.equal((await finishSigningIn(`${cookie}; ${eve.cookie}`, device.signIn(options))).status, 200);
    assert.equal(codeOf(await session(eve.cookie)), REFUSED);
  });

  it("the sign-in page is told that passkeys work here, and accounts show how many there are", async () => {
    const ann = await joinAs(bed, { role: "viewer" });
    await add(ann, newDevice());
    const ways = await sendRequest(bed.baseUrl, { path: "/admin/v1/sign-in-ways" });
    assert.equal((ways.body as SignInWays).passkeys, true);
    const { list } = await operatorOf(bed).accounts.list({ limit: 100 });
    assert.equal(list.find(({ email }) => email === ann.email)?.passkeys, 1);
  });
});
