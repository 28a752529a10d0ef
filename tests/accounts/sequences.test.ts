import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { PasskeyOptions, Session } from "@signalbox/contract";
import fc from "fast-check";
import { makeAgent, operatorOf } from "../support/agents.ts";
import { openBed, type Bed } from "../support/bed.ts";
import { cookieOf, fromPage, joinAs, ORIGIN } from "../support/members.ts";
import { startOidcProvider, type OidcTestProvider } from "../support/oidc-provider.ts";
import { createPasskeyDevice, type PasskeyDevice } from "../support/passkey-device.ts";
import { sendRequest, type WireAnswer } from "../support/wire.ts";

const RUNS = Number(process.env["SEQUENCES"] ?? 30);

/** Ann has the address. Eve works here and may register it by an open link. Zoe is given the address after Ann. */
type Person = "ann" | "eve" | "zoe";

/** One way into the account that somebody has set up. */
interface Key {
  holder: Person;
  what: string;
  /** Made before the first proof of the address, or before the newest reset. */
  isOld: boolean;
  open(): Promise<WireAnswer>;
}

/** What the test knows of one address and its account. */
interface World {
  email: string;
  agentId: string;
  keys: Key[];
  passwords: Map<Person, string>;
  cookies: Map<Person, string>;
  isProven: boolean;
  /** Who signed in at the identity provider first. */
  subject: Person | undefined;
}

/** An action as its name and who acts; what cannot be done at that moment is refused by the service, and changes nothing. */
type Action = [
  "open link" | "own link" | "oidc" | "password" | "passkey" | "reset" | "raise" | "remove",
  Person,
];

const ACTIONS = fc.oneof(
  fc.constantFrom<Action>(["open link", "eve"], ["passkey", "eve"], ["password", "eve"]),
  fc.constantFrom<Action>(["own link", "ann"], ["oidc", "ann"], ["passkey", "ann"], ["password", "ann"]),
  fc.constantFrom<Action>(["oidc", "zoe"], ["reset", "ann"], ["raise", "ann"], ["remove", "ann"]),
);

describe("sequences of account actions", () => {
  const closing = new AsyncDisposableStack();
  let provider: OidcTestProvider;
  let bed: Bed;
  let agentId: string;
  before(async () => {
    provider = closing.use(await startOidcProvider());
    const environment = { ...provider.environment, PUBLIC_URL: ORIGIN.origin };
    bed = closing.use(await openBed({ apis: 1, workers: 0, environment }));
    // The service keeps its last owner; this one is it.
    await joinAs(bed, { role: "owner" });
    ({ agentId } = await makeAgent(bed, { webhook: false }));
  });
  after(() => closing.disposeAsync());

  let posts = 0;
  /** Each from an address of its own: limits of guessing are not what is tested here. */
  const post = (path: string, body: object, cookie = "") => {
    posts += 1;
    const headers = {
      "x-forwarded-for": `198.18.${Math.floor(posts / 250) % 250}.${posts % 250}`,
      ...(cookie !== "" && { cookie }),
    };
    return fromPage(bed, path, body, headers);
  };
  const session = (cookie: string) =>
    sendRequest(bed.baseUrl, { path: "/admin/v1/session", headers: { cookie } });

  function keep(world: World, holder: Person, answer: WireAnswer): void {
    if (answer.status !== 200) return;
    const cookie = cookieOf(answer);
    world.cookies.set(holder, cookie);
    world.keys.push({ holder, what: "session", isOld: false, open: () => session(cookie) });
  }

  function keepPassword(world: World, holder: Person, password: string): void {
    world.passwords.set(holder, password);
    const open = () => post("/admin/v1/session", { email: world.email, password });
    world.keys.push({ holder, what: "password", isOld: false, open });
  }

  async function signInWith(device: PasskeyDevice): Promise<WireAnswer> {
    const started = await post("/admin/v1/session/passkey", {});
    const credential = device.signIn((started.body as PasskeyOptions).passkey_options);
    return post("/admin/v1/session/passkey/finish", { credential }, cookieOf(started));
  }

  async function accept(world: World, holder: Person, token: string): Promise<void> {
    const cookie = world.cookies.get(holder);
    if (cookie !== undefined) {
      const joined = await post("/admin/v1/account/invitations", { token }, cookie);
      if (joined.status === 200) return;
    }
    const password = `of ${holder}, for nobody else ${(posts += 1)}`;
    const made = await post("/admin/v1/invitations/accept", {
      token,
      email: world.email,
      name: holder,
      password,
    });
    if (made.status !== 200) return;
    keep(world, holder, made);
    keepPassword(world, holder, password);
  }

  function proven(world: World): void {
    if (world.isProven) return;
    world.isProven = true;
    for (const key of world.keys) key.isOld = true;
  }

  const accountOf = async (world: World) => {
    const { list } = await operatorOf(bed).accounts.list({ limit: 100 });
    return list.find(({ email }) => email === world.email);
  };

  const DO: Record<Action[0], (world: World, person: Person) => Promise<void>> = {
    async "open link"(world, person) {
      const { invitation_token } = await operatorOf(bed).invitations.create({
        role: "viewer",
        agent_id: agentId,
      });
      await accept(world, person, invitation_token);
    },
    async "own link"(world, person) {
      const invited = { role: "developer", agent_id: agentId, email: world.email } as const;
      const { invitation_token } = await operatorOf(bed).invitations.create(invited);
      const isNew = (await accountOf(world)) === undefined;
      if (isNew) world.isProven = true;
      await accept(world, person, invitation_token);
    },
    async oidc(world, person) {
      provider.claims = { sub: `${person} ${world.email}`, email: world.email, email_verified: true };
      const started = await post("/admin/v1/oidc/start", {});
      const { authorization_url } = started.body as { authorization_url: string };
      const away = await fetch(authorization_url, { redirect: "manual" });
      const query = new URL(away.headers.get("location") ?? "").searchParams;
      const answer = {
        authorization_code: query.get("code"),
        oidc_state: query.get("state"),
        oidc_issuer: query.get("iss"),
      };
      const done = await post("/admin/v1/oidc/finish", answer, cookieOf(started));
      if (done.status !== 200) return;
      world.subject ??= person;
      assert.equal(person, world.subject, "another person with the same address is let in");
      proven(world);
      keep(world, person, done);
    },
    async password(world, person) {
      const password = world.passwords.get(person);
      if (password !== undefined)
        keep(world, person, await post("/admin/v1/session", { email: world.email, password }));
    },
    async passkey(world, person) {
      const [cookie, password] = [world.cookies.get(person), world.passwords.get(person)];
      if (cookie === undefined || password === undefined) return;
      const started = await post("/admin/v1/account/passkeys/start", { password }, cookie);
      if (started.status !== 200) return;
      const device = createPasskeyDevice({ origin: ORIGIN.origin, rpId: "localhost" });
      const credential = device.create((started.body as PasskeyOptions).passkey_options);
      const added = await post("/admin/v1/account/passkeys", { name: "k", credential }, cookie);
      assert.equal(added.status, 200, added.text);
      world.keys.push({ holder: person, what: "passkey", isOld: false, open: () => signInWith(device) });
    },
    async reset(world, person) {
      const account = await accountOf(world);
      if (account === undefined) return;
      const { account_id } = account;
      const { reset_token: token } = await operatorOf(bed).passwordResets.create({ account_id });
      const password = `of ${person}, set anew ${(posts += 1)}`;
      const used = await post("/admin/v1/password-resets/use", { token, password });
      assert.equal(used.status, 200, used.text);
      for (const key of world.keys) key.isOld = true;
      world.isProven = true;
      keepPassword(world, person, password);
    },
    async raise(world) {
      const account = await accountOf(world);
      if (account === undefined) return;
      // By its address an owner knows somebody: this is meant for Ann.
      const roles = [{ role: "owner" as const, agent_id: null }];
      await operatorOf(bed)
        .accounts.setRoles({ account_id: account.account_id, roles })
        .catch(() => undefined);
    },
    async remove(world) {
      const account = await accountOf(world);
      if (account === undefined) return;
      await operatorOf(bed).accounts.delete({ account_id: account.account_id });
      for (const key of world.keys) key.isOld = true;
      Object.assign(world, { isProven: false, subject: undefined });
    },
  };

  /** Newest first and a few of each kind: passwords cost time, and tries at them are limited. */
  async function judge(world: World, done: string): Promise<void> {
    const tried = new Map<string, number>();
    for (const key of world.keys.toReversed()) {
      const name = `${key.holder} ${key.what} ${key.isOld}`;
      tried.set(name, (tried.get(name) ?? 0) + 1);
      if ((tried.get(name) ?? 0) > 2) continue;
      const answer = await key.open();
      if (key.isOld)
        assert.notEqual(answer.status, 200, `${done}: an older ${key.what} of ${key.holder} opens`);
      if (answer.status !== 200 || key.holder === "ann") continue;
      const { roles } = answer.body as Session;
      if (key.holder === "eve")
        assert.deepEqual(
          roles.filter(({ role }) => role !== "viewer"),
          [],
          `${done}: the ${key.what} of eve, who never proved the address, opens what is meant for ann`,
        );
    }
  }

  it("an address that nobody proved gives nobody anything, and after a reset no older way in works", async () => {
    let worlds = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(ACTIONS, { minLength: 2, maxLength: 9 }), async (actions) => {
        const world: World = {
          email: `ann-${(worlds += 1)}-${process.pid}@example.org`,
          agentId,
          keys: [],
          passwords: new Map(),
          cookies: new Map(),
          isProven: false,
          subject: undefined,
        };
        for (const [action, person] of actions) await DO[action](world, person);
        const done = actions.map((action) => action.join(" by ")).join(", ");
        await judge(world, done);
        await DO.remove(world, "ann");
      }),
      {
        numRuns: RUNS,
        examples: [
          [
            [
              ["open link", "eve"],
              ["passkey", "eve"],
              ["oidc", "ann"],
              ["own link", "ann"],
            ],
          ],
          [
            [
              ["open link", "eve"],
              ["raise", "ann"],
            ],
          ],
          [
            [
              ["own link", "ann"],
              ["passkey", "ann"],
              ["reset", "ann"],
            ],
          ],
          [
            [
              ["own link", "ann"],
              ["oidc", "ann"],
              ["oidc", "zoe"],
            ],
          ],
        ],
      },
    );
  });
});
