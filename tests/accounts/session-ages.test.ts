import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Role, Session } from "@signalbox/contract";
import { makeAgent, operatorOf } from "../support/agents.ts";
import { openBed, type Bed } from "../support/bed.ts";
import { joinAs, signIn, type Member } from "../support/members.ts";
import { sendRequest } from "../support/wire.ts";
import { codeOf } from "../acceptance/account-roles.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

describe("the age of a session", () => {
  let bed: Bed;
  let agentId: string;
  before(async () => {
    bed = await openBed({ apis: 1, workers: 0 });
    await joinAs(bed, { role: "owner" });
    ({ agentId } = await makeAgent(bed, { webhook: false }));
  });
  after(() => bed[Symbol.asyncDispose]());

  /** What the session answers once it began and was last used so long ago. */
  async function codeAt({ cookie, session }: Member, age: string, idle = "0 seconds") {
    await bed.database.query(
      `update account_session set created_at = now() - $2::interval, expires_at = expires_at - $2::interval,
        last_used_at = now() - $3::interval where id = $1`,
      [session.session_id, age, idle],
    );
    const answer = await sendRequest(bed.baseUrl, { path: "/admin/v1/session", headers: { cookie } });
    return codeOf(answer) ?? answer.status;
  }

  for (const [role, isForAgent] of [
    ["owner", false],
    ["owner", true],
    ["developer", false],
    ["developer", true],
  ] as const)
    it(`a session of ${isForAgent ? "an agent's" : "the installation's"} ${role} ends after 12 hours, however busy`, async () => {
      const member = await joinAs(bed, { role, agentId: isForAgent ? agentId : undefined });
      const left = member.session.expire_time - Date.now();
      assert.ok(Math.abs(left - 12 * HOUR_MS) < 60_000, `${left / HOUR_MS} hours`);
      assert.equal(await codeAt(member, "11 hours 59 minutes"), 200);
      assert.equal(await codeAt(await joinAs(bed, { role, agentId }), "12 hours"), 40127);
    });

  for (const role of ["editor", "support", "viewer"] as const satisfies Role[])
    it(`a session of a ${role} ends after 30 days, and after 7 days without use`, async () => {
      const member = await joinAs(bed, { role });
      const left = member.session.expire_time - Date.now();
      assert.ok(Math.abs(left - 30 * DAY_MS) < 60_000, `${left / DAY_MS} days`);
      assert.equal(await codeAt(member, "6 days 23 hours", "6 days 23 hours"), 200);
      assert.equal(await codeAt(await joinAs(bed, { role }), "8 days", "7 days"), 40127);
      assert.equal(await codeAt(await joinAs(bed, { role }), "30 days"), 40127);
    });

  it("an older session ends at once when its account becomes an owner, and signing in again opens it", async () => {
    const ann = await joinAs(bed, { role: "viewer" });
    assert.equal(await codeAt(ann, "13 hours"), 200);
    const roles = [{ role: "owner" as const, agent_id: null }];
    await operatorOf(bed).accounts.setRoles({ account_id: ann.session.account.account_id, roles });
    assert.equal(await codeAt(ann, "13 hours"), 40127);
    const again = await signIn(bed, { email: ann.email });
    assert.partialDeepStrictEqual((again.body as Session).roles, roles);
  });
});
