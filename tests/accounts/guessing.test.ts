import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { operatorOf } from "../support/agents.ts";
import { openBed, type Bed } from "../support/bed.ts";
import { FROM_PAGE, joinAs, PASSWORD, type Member } from "../support/members.ts";
import { enrol, oneTimeCode } from "../support/one-time-codes.ts";
import { sendRequest, type WireAnswer } from "../support/wire.ts";
import { codeOf } from "../acceptance/account-roles.ts";

const WRONG = 40127;
const LIMITED = 42900;
/** As docs/reference/limits.md says. */
const OF_ACCOUNT = 10;
const OF_ADDRESS = 30;

describe("guessing", () => {
  let bed: Bed;
  before(async () => {
    bed = await openBed({ apis: 2, workers: 0 });
    // The service keeps its last owner.
    await joinAs(bed, { role: "owner" });
  });
  after(() => bed[Symbol.asyncDispose]());

  let addresses = 0;
  /** One that nobody used yet. */
  const newAddress = () => `198.19.${Math.floor((addresses += 1) / 250)}.${addresses % 250}`;

  interface Sent {
    from?: string;
    node?: number;
    cookie?: string;
  }
  const post = (path: string, body: object, { from = newAddress(), node = 0, cookie }: Sent = {}) =>
    sendRequest(bed.api(node).baseUrl, {
      method: "POST",
      path,
      headers: { ...FROM_PAGE, "x-forwarded-for": from, ...(cookie !== undefined && { cookie }) },
      body: JSON.stringify(body),
    });
  const signIn = (email: string, password: string, sent?: Sent) =>
    post("/admin/v1/session", { email, password }, sent);
  const confirm = (one_time_code: string, sent: Sent) =>
    post("/admin/v1/session/second-factor", { one_time_code }, sent);

  /** Four at once, first on one node and then on the other. */
  async function guess(times: number, attempt: (number: number, node: number) => Promise<WireAnswer>) {
    const codes: (number | undefined)[] = [];
    for (let number = 0; number < times; number += 4) {
      const some = [0, 1, 2, 3].map((more) => attempt(number + more, number < times / 2 ? 0 : 1));
      codes.push(...(await Promise.all(some)).map(codeOf));
    }
    return codes;
  }
  const judged = (codes: readonly (number | undefined)[]) => codes.filter((code) => code !== LIMITED).length;

  /** The cookies of a browser in which somebody just signed in. */
  async function cookiesOf({ email }: Member, secret?: string): Promise<string> {
    const first = await signIn(email, PASSWORD);
    assert.equal(first.status, 200, first.text);
    if (secret === undefined) return first.cookies;
    await bed.database.query("update account_totp set last_step = 0");
    const done = await confirm(oneTimeCode(secret), { cookie: first.cookies });
    assert.equal(done.status, 200, done.text);
    return done.cookies;
  }

  it("an account has ten wrong passwords in ten minutes, from however many addresses and on all nodes", async () => {
    const ann = await joinAs(bed, { role: "viewer" });
    const codes = await guess(2 * OF_ACCOUNT, (number, node) =>
      signIn(ann.email, `guess number ${number}`, { node }),
    );
    assert.equal(judged(codes), OF_ACCOUNT);
    assert.equal(codeOf(await signIn(ann.email, PASSWORD)), LIMITED, "also for the right one");
  });

  it("an address without an account has no more tries than one with an account", async () => {
    const codes = await guess(2 * OF_ACCOUNT, (number, node) =>
      signIn("nobody-at-all@example.org", `guess number ${number}`, { node }),
    );
    assert.equal(judged(codes), OF_ACCOUNT);
  });

  it("tries at once are no more than tries one after another", async () => {
    const ann = await joinAs(bed, { role: "viewer" });
    const answers = await Promise.all(
      Array.from({ length: 2 * OF_ACCOUNT }, (_, at) => signIn(ann.email, `guess ${at}`, { node: at % 2 })),
    );
    assert.ok(answers.filter((answer) => codeOf(answer) === WRONG).length <= OF_ACCOUNT);
  });

  it("a browser that an account has signed in from stays open to it while others guess", async () => {
    const ann = await joinAs(bed, { role: "viewer" });
    const cookie = await cookiesOf(ann);
    await guess(2 * OF_ACCOUNT, (number, node) => signIn(ann.email, `guess number ${number}`, { node }));
    assert.equal(codeOf(await signIn(ann.email, PASSWORD)), LIMITED, "a browser it does not know");
    assert.equal((await signIn(ann.email, PASSWORD, { cookie })).status, 200);
  });

  it("a known browser has ten wrong passwords of its own, and none for other accounts", async () => {
    const [ann, bob] = [await joinAs(bed, { role: "viewer" }), await joinAs(bed, { role: "viewer" })];
    const cookie = await cookiesOf(ann);
    const own = await guess(2 * OF_ACCOUNT, (number, node) =>
      signIn(ann.email, `guess number ${number}`, { node, cookie }),
    );
    assert.equal(judged(own), OF_ACCOUNT);
    assert.equal((await signIn(ann.email, PASSWORD)).status, 200, "others are not locked out by it");
    const others = await guess(2 * OF_ACCOUNT, (number, node) =>
      signIn(bob.email, `guess number ${number}`, { node, cookie: number % 2 === 0 ? cookie : "" }),
    );
    assert.equal(judged(others), OF_ACCOUNT);
  });

  it("a password reset leaves no browser known", async () => {
    const ann = await joinAs(bed, { role: "viewer" });
    const cookie = await cookiesOf(ann);
    const { account_id } = ann.session.account;
    const { reset_token: token } = await operatorOf(bed).passwordResets.create({ account_id });
    const password = "chosen by Ann, after the theft";
    assert.equal((await post("/admin/v1/password-resets/use", { token, password })).status, 200);
    await guess(OF_ACCOUNT + 2, (number, node) => signIn(ann.email, `guess number ${number}`, { node }));
    assert.equal(codeOf(await signIn(ann.email, password, { cookie })), LIMITED);
  });

  it("an account has ten wrong one-time and recovery codes an hour, on all nodes, and its browser ten of its own", async () => {
    const ann = await joinAs(bed, { role: "viewer" });
    const { secret } = await enrol(bed, ann);
    const known = await cookiesOf(ann, secret);
    const pending = async (cookie = "") =>
      [cookie, (await signIn(ann.email, PASSWORD, { cookie })).cookies]
        .filter((one) => one !== "")
        .join("; ");
    const codes: (number | undefined)[] = [];
    for (let round = 0; round < 4; round += 1) {
      const cookie = await pending();
      for (let tries = 0; tries < 5; tries += 1)
        codes.push(codeOf(await confirm(`aaaa-bbbb-cccc-${round}${tries}`, { cookie, node: round % 2 })));
    }
    assert.equal(judged(codes), 10);
    await bed.database.query("update account_totp set last_step = 0");
    assert.equal(codeOf(await confirm(oneTimeCode(secret), { cookie: await pending() })), LIMITED);
    const own = await confirm(oneTimeCode(secret), { cookie: await pending(known) });
    assert.equal(own.status, 200, own.text);
  });

  for (const [what, attempt] of Object.entries<(number: number, sent: Sent) => Promise<WireAnswer>>({
    "passwords, for whichever account": (number, sent) =>
      signIn(`spray-${number}@example.org`, "one password for all of them", sent),
    "links of a password reset": (number, sent) =>
      post("/admin/v1/password-resets/look", { token: `sbr_${String(number).padStart(40, "0")}` }, sent),
    "links of an invitation": (number, sent) =>
      post("/admin/v1/invitations/look", { token: `sbi_${String(number).padStart(40, "0")}` }, sent),
  }))
    it(`a client address has thirty wrong tries in ten minutes at ${what}, on all nodes`, async () => {
      const from = newAddress();
      const codes = await guess(40, (number, node) => attempt(number, { from, node }));
      assert.equal(judged(codes), OF_ADDRESS);
      assert.equal(judged([codeOf(await attempt(100, {}))]), 1, "another address");
    });
});
