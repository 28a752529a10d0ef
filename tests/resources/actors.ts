import {
  isInScope,
  ROLES,
  ROLE_SCOPES,
  ROUTE_NAMES,
  routes,
  type Auth,
  type Route,
  type RouteName,
} from "@signalbox/contract";
import type fc from "fast-check";
import { validRequests, type FuzzRequest } from "../fuzz/requests.ts";
import { fieldsOf } from "../fuzz/values.ts";
import { createWorld } from "../fuzz/world.ts";
import type { Bed } from "../support/bed.ts";
import { joinAs, ORIGIN } from "../support/members.ts";

/** Who calls, and all they may ask. */
export interface Actor {
  name: string;
  routes: readonly RouteName[];
  requests: fc.Arbitrary<FuzzRequest>;
  only: (route: RouteName) => fc.Arbitrary<FuzzRequest>;
}

/** The shapes of one route's requests. The number of requests follows from how its inputs can be combined. */
export interface Probe {
  route: RouteName;
  requests: fc.Arbitrary<FuzzRequest>;
}

/** It ends the session that the next requests need. */
const ENDS_THE_ACTOR: ReadonlySet<RouteName> = new Set(["signOut"]);
const READ_WEIGHT = 4;

/** Fewer optional fields make few combinations. */
const FIELDS_OF_A_FILTER = 2;

/** A probe of each read that takes filters or words, by the first actor who may call it. */
export function probesOf(actors: readonly Actor[]): Probe[] {
  const seen = new Set<RouteName>();
  return actors.flatMap(({ routes: names, only }) =>
    names.flatMap((route) => {
      const { query, body, events }: Route = routes[route];
      const fields = fieldsOf(query).length + fieldsOf(body).length;
      if (seen.has(route) || !isRead(route) || events !== undefined || fields < FIELDS_OF_A_FILTER) return [];
      seen.add(route);
      return { route, requests: only(route) };
    }),
  );
}

/** A person of each role, a key, a visitor, and nobody: each with the routes that the contract's table lets them call. */
export async function createActors(bed: Bed): Promise<Actor[]> {
  // Before the world: with it the environment's token ends.
  const cookies = await Promise.all(ROLES.map(async (role) => (await joinAs(bed, { role })).cookie));
  const world = await createWorld(bed);
  const people = ROLES.map((role, at) => {
    const headers = { cookie: cookies[at] ?? "", ...ORIGIN };
    const may = (route: Route) => route.auth === "operator" && isInScope(route.scopes, ROLE_SCOPES[role]);
    return actorOf(role, may, () => headers);
  });
  const withAuth =
    (...auths: Auth[]) =>
    ({ auth }: Route) =>
      auths.includes(auth);
  return [
    ...people,
    actorOf("key", withAuth("apiKey", "humanService")),
    actorOf("visitor", withAuth("chatToken")),
    actorOf("nobody", withAuth("none", "browser")),
  ];

  function actorOf(
    name: string,
    may: (route: Route) => boolean,
    headersOf: typeof world.headersOf = (route, caller) => world.headersOf(route, caller),
  ): Actor {
    const names = ROUTE_NAMES.filter((route) => may(routes[route]) && !ENDS_THE_ACTOR.has(route));
    // Reads are what filters and words make large.
    const weighted = names.flatMap((route) =>
      isRead(route) ? Array<RouteName>(READ_WEIGHT).fill(route) : route,
    );
    const of = (wanted: readonly RouteName[]) => validRequests({ ...world, headersOf }, wanted);
    return { name, routes: names, requests: of(weighted), only: (route) => of([route]) };
  }
}

function isRead(name: RouteName): boolean {
  const { method, safe }: Route = routes[name];
  return method === "GET" || safe === true;
}
