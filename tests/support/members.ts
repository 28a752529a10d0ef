import type { Role, RouteName, Session } from "@signalbox/contract";
import { operatorOf } from "./agents.ts";
import type { Bed } from "./bed.ts";
import { sampleRequest, type SampleIds } from "./sample-requests.ts";
import { JSON_TYPE, sendRequest, type WireAnswer } from "./wire.ts";

export const PASSWORD = "correct horse battery staple";
/** As sendRequest names the host. */
export const ORIGIN = { origin: "http://localhost" };
/** As a page of the service sends a body. */
export const FROM_PAGE = { ...JSON_TYPE, ...ORIGIN };

/** Somebody with an account, in a browser that is signed in. */
export interface Member {
  email: string;
  session: Session;
  /** As a browser sends it back. */
  cookie: string;
  /** The sample of a route, sent with the cookie from a page of the service. */
  call(name: RouteName, ids: SampleIds, query?: Record<string, string>): Promise<WireAnswer>;
}

let members = 0;

export async function joinAs(
  bed: Bed,
  { role, agentId, name }: { role: Role; agentId?: string | undefined; name?: string },
): Promise<Member> {
  const email = `member-${(members += 1)}@example.org`;
  const { invitation_token: token } = await operatorOf(bed).invitations.create({
    role,
    agent_id: agentId ?? null,
    email,
  });
  return memberOf(bed, email, await accept(bed, { token, email, ...(name && { name }) }));
}

export function accept(
  bed: Bed,
  wanted: { token: string; email: string; name?: string },
): Promise<WireAnswer> {
  return fromPage(bed, "/admin/v1/invitations/accept", { name: "Ann", password: PASSWORD, ...wanted });
}

export function signIn(
  bed: Bed,
  { email, password = PASSWORD, cookie }: { email: string; password?: string; cookie?: string },
): Promise<WireAnswer> {
  return fromPage(bed, "/admin/v1/session", { email, password }, cookie === undefined ? {} : { cookie });
}

export function fromPage(
  bed: Bed,
  path: string,
  body: object,
  headers: Record<string, string> = {},
): Promise<WireAnswer> {
  const from = { ...FROM_PAGE, ...headers };
  return sendRequest(bed.baseUrl, { method: "POST", path, headers: from, body: JSON.stringify(body) });
}

export function cookieOf({ headers }: WireAnswer): string {
  return headers["set-cookie"]?.split(";")[0] ?? "";
}

export function memberOf(bed: Bed, email: string, answer: WireAnswer): Member {
  if (answer.status !== 200) throw new Error(`nobody was signed in: ${answer.text}`);
  const cookie = cookieOf(answer);
  return {
    email,
    session: answer.body as Session,
    cookie,
    call(name, ids, query = {}) {
      const sample = sampleRequest(name, ids);
      const { pathname, searchParams } = new URL(sample.path ?? "", bed.baseUrl);
      for (const [field, value] of Object.entries(query)) searchParams.set(field, value);
      const path = searchParams.size === 0 ? pathname : `${pathname}?${searchParams.toString()}`;
      return sendRequest(bed.baseUrl, { ...sample, path, headers: { ...sample.headers, ...ORIGIN, cookie } });
    },
  };
}
