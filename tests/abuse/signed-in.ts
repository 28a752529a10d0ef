import {
  isInScope,
  ROLE_SCOPES,
  ROUTE_NAMES,
  routes,
  type Role,
  type Route,
  type RouteName,
} from "@signalbox/contract";
import fc from "fast-check";
import { validRequests, type FuzzRequest } from "../fuzz/requests.ts";
import { fieldsOf } from "../fuzz/values.ts";
import type { World } from "../fuzz/world.ts";
import type { MadeAgent } from "../support/agents.ts";
import type { Bed } from "../support/bed.ts";
import { joinAs, ORIGIN } from "../support/members.ts";
import { deliveredIdsOf, sampleRequest, type SampleIds } from "../support/sample-requests.ts";
import { bearer } from "../support/wire.ts";

/** One request as an abuser sends it, again and again. */
export type Call = { method: string; path: string; headers: Record<string, string>; body?: string };

/** What those ask for who may: each a kind of read that the contract's routes allow them. */
export type SignedIn = {
  viewerSearches: Call[];
  viewerReads: Call[];
  viewerExports: Call[];
  viewerStreams: Call[];
  supportReads: Call[];
  keyReads: Call[];
};

const CALLS_PER_ROUTE = 24;
const SEED = 1;

/** A viewer, somebody of support and a key, all of one agent. */
export async function signIn(bed: Bed, agent: MadeAgent): Promise<SignedIn> {
  const ids = await deliveredIdsOf(bed, agent);
  const cookieOf = async (role: Role) => {
    const { cookie } = await joinAs(bed, { role, agentId: agent.agentId });
    return { cookie, ...ORIGIN };
  };
  const [viewer, support] = [await cookieOf("viewer"), await cookieOf("support")];
  const readsOf = (role: Role) => (route: Route) =>
    route.auth === "operator" && isInScope(route.scopes, ROLE_SCOPES[role]) && isRead(route);
  const callsOf = (wanted: (route: Route) => boolean, headers: Record<string, string>): Call[] => {
    const names = ROUTE_NAMES.filter((name) => wanted(routes[name]));
    return shuffled(names.flatMap((name) => callsTo(name, ids, headers)));
  };
  const viewerReads = readsOf("viewer");
  return {
    viewerSearches: callsOf((route) => viewerReads(route) && searchesText(route), viewer),
    viewerReads: callsOf((route) => viewerReads(route) && isAnsweredAtOnce(route), viewer),
    viewerExports: callsOf((route) => viewerReads(route) && route.file !== undefined, viewer),
    viewerStreams: callsOf((route) => viewerReads(route) && route.events !== undefined, viewer),
    supportReads: callsOf((route) => readsOf("support")(route) && isAnsweredAtOnce(route), support),
    keyReads: callsOf(
      (route) => route.auth === "apiKey" && isRead(route) && route.limit === undefined,
      bearer(agent.apiKey),
    ),
  };
}

function isRead({ method, safe }: Route): boolean {
  return method === "GET" || safe === true;
}

function isAnsweredAtOnce({ events, file }: Route): boolean {
  return events === undefined && file === undefined;
}

function searchesText({ body, query }: Route): boolean {
  return fieldsOf(body).includes("text") || fieldsOf(query).includes("text");
}

/** The route's sample, and what its schema takes beside it. */
function callsTo(name: RouteName, ids: SampleIds, headers: Record<string, string>): Call[] {
  const world: World = { idOf: (_, field) => idOf(field, ids), headersOf: () => headers };
  const generated = fc.sample(validRequests(world, [name]), { seed: SEED, numRuns: CALLS_PER_ROUTE });
  const sample = sampleRequest(name, ids);
  const body = sample.body?.toString();
  return [
    {
      method: sample.method,
      path: sample.path ?? "/",
      headers: { ...sample.headers, ...headers },
      ...(body === undefined ? {} : { body }),
    },
    ...generated.map((request) => ofAgent(name, request, ids.agentId)),
  ];
}

/** A role for one agent reads nothing that does not name it. */
function ofAgent(name: RouteName, { method, path, headers, body }: FuzzRequest, agentId: string): Call {
  const route: Route = routes[name];
  const text = body?.toString();
  if (fieldsOf(route.body).includes("agent_id")) {
    const named = { ...(JSON.parse(text ?? "{}") as object), agent_id: agentId };
    return { method, path, headers, body: JSON.stringify(named) };
  }
  const url = new URL(path, "http://localhost");
  if (fieldsOf(route.query).includes("agent_id")) url.searchParams.set("agent_id", agentId);
  return {
    method,
    path: `${url.pathname}${url.search}`,
    headers,
    ...(text === undefined ? {} : { body: text }),
  };
}

/** By the field's name on the wire, where the samples call it otherwise. */
const OTHER_NAMES: Readonly<Record<string, keyof SampleIds>> = {
  doc_id: "documentId",
  data_ids: "documentId",
  group_ids: "knowledgeBaseId",
};

function idOf(field: string, ids: SampleIds): string {
  const name = field.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
  const found = ids[OTHER_NAMES[field] ?? (name as keyof SampleIds)] as string | undefined;
  return found ?? crypto.randomUUID();
}

/** Every route's turn comes early, also in a short run. */
function shuffled(calls: Call[]): Call[] {
  return calls
    .map((call, at) => ({ call, place: (at * 7919) % 9973 }))
    .toSorted((one, other) => one.place - other.place)
    .map(({ call }) => call);
}
