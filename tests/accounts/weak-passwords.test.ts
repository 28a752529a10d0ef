import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { operatorOf } from "../support/agents.ts";
import { openBed, type Bed } from "../support/bed.ts";
import { fromPage, joinAs, PASSWORD } from "../support/members.ts";
import { codeOf } from "../acceptance/account-roles.ts";

const EMAIL = "wilhelmina@harbourlight.example";
const NAME = "Wilhelmina Oakenshaw";

/** Each is long enough. */
const WEAK = {
  "a common password": "password1234",
  "a common password with other letters for some": "P@ssw0rd!2026",
  "two common words": "dragonmonkey1",
  "a common word twice": "LetmeinLetmein",
  "a row of the keyboard": "qwertyuiop[]",
  "a walk over the keyboard": "1q2w3e4r5t6y",
  "digits in order": "123456789012",
  "letters in order": "abcdefghijklmn",
  "one character": "aaaaaaaaaaaaaaaa",
  "a few characters again and again": "xk7xk7xk7xk7xk7",
  "season and year": "Summer2026!!!",
  "the name of the product": "signalbox-2026",
  "its own address": EMAIL,
  "the name before the @": "Wilhelmina2026",
  "the host of its address": "harbourlight12",
  "its own name": "oakenshaw.1234",
};
const STRONG = [
  "correct horse battery staple",
  "a new and longer password",
  "vK2#pq9Lw7xz",
  "茶碗の底に月がある夜更けかな",
  "Tt9ZrM4uQe1yXo0sHn",
  "my summer began on the late boat",
];

describe("weak passwords", () => {
  let bed: Bed;
  before(async () => {
    bed = await openBed({ apis: 1, workers: 0 });
    await joinAs(bed, { role: "owner" });
  });
  after(() => bed[Symbol.asyncDispose]());

  const invite = async (email?: string) =>
    (await operatorOf(bed).invitations.create({ role: "viewer", ...(email && { email }) })).invitation_token;
  const join = async (token: string, email: string, password: string) =>
    fromPage(bed, "/admin/v1/invitations/accept", { token, email, name: NAME, password });

  for (const [what, password] of Object.entries(WEAK))
    it(`no account is made with ${what} for a password`, async () => {
      const answer = await join(await invite(EMAIL), EMAIL, password);
      assert.equal(codeOf(answer), 40000, answer.text);
      assert.match(answer.text, /password .*guess/);
    });

  it("a password without such a pattern is taken, whatever its characters are", async () => {
    for (const [at, password] of STRONG.entries()) {
      const email = `strong-${at}@example.org`;
      assert.equal((await join(await invite(email), email, password)).status, 200, password);
    }
  });

  it("a password is 12 to 200 characters long", async () => {
    const token = await invite();
    for (const password of ["vK2#pq9Lw7x", "vK2#pq9Lw7xz".repeat(17)])
      assert.equal(codeOf(await join(token, "long@example.org", password)), 40000);
    const long = Array.from({ length: 200 }, (_, at) => String.fromCodePoint(0x4e00 + at * 7)).join("");
    assert.equal((await join(token, "long@example.org", long)).status, 200);
  });

  it("a password is changed or reset to no weak one, and the link stays good for another", async () => {
    const ann = await joinAs(bed, { role: "viewer", name: NAME });
    const change = (password: string) =>
      fromPage(
        bed,
        "/admin/v1/account/password",
        { current_password: PASSWORD, password },
        { cookie: ann.cookie },
      );
    const { account_id } = ann.session.account;
    const { reset_token: token } = await operatorOf(bed).passwordResets.create({ account_id });
    const reset = (password: string) => fromPage(bed, "/admin/v1/password-resets/use", { token, password });
    for (const password of ["password1234", "oakenshaw.1234"]) {
      assert.equal(codeOf(await change(password)), 40000);
      assert.equal(codeOf(await reset(password)), 40000);
    }
    assert.equal((await change("vK2#pq9Lw7xz")).status, 200);
    assert.equal((await reset("vK2#pq9Lw7xy")).status, 200);
  });
});
