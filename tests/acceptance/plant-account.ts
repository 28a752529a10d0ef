import { operatorOf } from "../support/agents.ts";
import type { Bed } from "../support/bed.ts";
import { joinAs, PASSWORD } from "../support/members.ts";
import { enrol } from "../support/one-time-codes.ts";
import type { Canary } from "./canaries.ts";

/** All that an account is entered with. */
export async function plantAccount(bed: Bed): Promise<Canary[]> {
  const operator = operatorOf(bed);
  const { invitation_token } = await operator.invitations.create({ role: "viewer" });
  const { cookie, session } = await joinAs(bed, { role: "viewer" });
  const { secret, recoveryCodes } = await enrol(bed, { cookie });
  const { account_id } = session.account;
  const { reset_token } = await operator.passwordResets.create({ account_id });
  return [
    { name: "token of a password reset", value: reset_token },
    { name: "invitation token", value: invitation_token },
    { name: "password of an account", value: PASSWORD },
    { name: "session token", value: cookie.split("=")[1] ?? "" },
    { name: "secret of one-time codes", value: secret },
    ...recoveryCodes.map((value, at) => ({ name: `recovery code ${at}`, value })),
  ];
}
