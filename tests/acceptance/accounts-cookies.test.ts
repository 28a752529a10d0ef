import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { ROUTE_NAMES, routes, type Route, type Session } from "@signalbox/contract";
import { openBed, type Bed } from "../support/bed.ts";
import { cookieOf, fromPage, joinAs, ORIGIN, PASSWORD } from "../support/members.ts";
import { enrol, oneTimeCode } from "../support/one-time-codes.ts";
import { sampleRequest, UNKNOWN_IDS } from "../support/sample-requests.ts";
import { sendRequest, type WireAnswer } from "../support/wire.ts";
import { codeOf } from "./account-roles.ts";

const SIGNED_OUT = 40127;
const TLS = { "x-forwarded-proto": "https" };

/** The token in a Set-Cookie, and the two cookies that could carry it. */
function cookiesOf(answer: WireAnswer) {
  const [name = "", token = ""] = cookieOf(answer).split("=");
  const bare = name.replace(/^__Host-/, "");
  return { name, bare: `${bare}=${token}`, host: `__Host-${bare}=${token}` };
}

describe("cookies of accounts", () => {
  const closing = new AsyncDisposableStack();
  let plain: Bed;
  let hidden: Bed;
  before(async () => {
    [plain, hidden] = await Promise.all([
      openBed({ apis: 1, workers: 0 }),
      // Its proxy ends TLS and does not say so.
      openBed({ apis: 1, workers: 0, environment: { PUBLIC_URL: "https://console.example.com" } }),
    ]);
    closing.use(plain);
    closing.use(hidden);
  });
  after(() => closing.disposeAsync());

  const whoIs = async (bed: Bed, cookie: string, headers: Record<string, string>) => {
    const answer = await sendRequest(bed.baseUrl, {
      path: "/admin/v1/session",
      headers: { cookie, ...headers },
    });
    return answer.status === 200 ? (answer.body as Session).account.email : codeOf(answer);
  };
  const signInOver = (bed: Bed, email: string, headers: Record<string, string>) =>
    fromPage(bed, "/admin/v1/session", { email, password: PASSWORD }, headers);

  it("with TLS only a __Host- cookie signs in, in whichever order a site next to ours plants another", async () => {
    for (const [bed, headers] of [
      [plain, TLS],
      [hidden, {}],
    ] as const) {
      const [eve, ada] = [await joinAs(bed, { role: "viewer" }), await joinAs(bed, { role: "owner" })];
      const planted = cookiesOf(await signInOver(bed, eve.email, headers));
      const answer = await signInOver(bed, ada.email, headers);
      const own = cookiesOf(answer);
      assert.equal(own.name, "__Host-signalbox_session");
      assert.match(answer.headers["set-cookie"] ?? "", /; Path=\/; HttpOnly; SameSite=Strict; .*; Secure$/);
      assert.equal(await whoIs(bed, `${planted.bare}; ${own.host}`, headers), ada.email);
      assert.equal(await whoIs(bed, `${own.host}; ${planted.bare}`, headers), ada.email);
      assert.equal(await whoIs(bed, planted.bare, headers), SIGNED_OUT);
    }
  });

  it("with TLS only a __Host- cookie continues a sign-in that waits for its code", async () => {
    const ada = await joinAs(plain, { role: "viewer" });
    const { secret } = await enrol(plain, ada);
    const { bare, host } = cookiesOf(await signInOver(plain, ada.email, TLS));
    const confirm = (cookie: string) =>
      fromPage(
        plain,
        "/admin/v1/session/second-factor",
        { one_time_code: oneTimeCode(secret, 1) },
        { ...TLS, cookie },
      );
    assert.equal(codeOf(await confirm(bare)), 40110);
    assert.equal((await confirm(host)).status, 200);
  });

  it("without TLS the cookie has no prefix, and one with the prefix does not count", async () => {
    const { email } = await joinAs(plain, { role: "viewer" });
    const { name, bare, host } = cookiesOf(await signInOver(plain, email, {}));
    assert.equal(name, "signalbox_session");
    assert.equal(await whoIs(plain, bare, {}), email);
    assert.equal(await whoIs(plain, host, {}), SIGNED_OUT);
  });

  it("no cache keeps an answer of the admin API and no browser guesses its type, also where it is refused", async () => {
    const { cookie } = await joinAs(plain, { role: "owner" });
    const reads = ROUTE_NAMES.filter((name) => {
      const { method, path, auth }: Route = routes[name];
      return method === "GET" && auth === "operator" && path.startsWith("/admin/v1/");
    });
    for (const name of reads) {
      const sample = sampleRequest(name, UNKNOWN_IDS);
      for (const headers of [{ ...sample.headers, ...ORIGIN, cookie }, {}]) {
        const answer = await sendRequest(plain.baseUrl, { ...sample, headers });
        assert.equal(answer.headers["cache-control"], "no-store", `${name}: ${answer.status}`);
        assert.equal(answer.headers["x-content-type-options"], "nosniff", name);
      }
    }
    assert.ok(reads.length > 40, `${reads.length} routes`);
  });
});
