import { isInScope, ROLE_SCOPES, type Route } from "@signalbox/contract";
import { refuse, type Refusal } from "../platform/index.ts";
import type { OperatorHolder } from "./authenticate.ts";

/** Ids that lead to one agent, though a call does not name it. */
export type OwnedId = "delivery_id" | "replay_id" | "erasure_id" | "invitation_id";

/** Undefined: there is no such thing, or it belongs to no single agent. */
export type FindOwner = (field: OwnedId, id: string) => Promise<string | undefined>;

const OWNED_IDS: readonly OwnedId[] = ["delivery_id", "replay_id", "erasure_id", "invitation_id"];

/** The agents for which somebody may use a route; undefined: for all, and for the installation. Tokens have no roles: theirs is all. */
export function reachOf(route: Route, { roles }: OperatorHolder): readonly string[] | undefined {
  const fitting = roles?.filter(({ role }) => isInScope(route.scopes ?? [], ROLE_SCOPES[role]));
  if (fitting === undefined || fitting.some(({ agent_id }) => agent_id === null)) return undefined;
  return fitting.flatMap(({ agent_id }) => agent_id ?? []);
}

/** The one place where a role for an agent is held to that agent. What names no agent is about the installation. */
export async function refuseReach(
  route: Route,
  holder: OperatorHolder,
  input: object,
  findOwner: FindOwner,
): Promise<Refusal | undefined> {
  const reach = reachOf(route, holder);
  if (reach === undefined || (route.auth === "operator" && route.about !== undefined)) return undefined;
  const named = namedAgent(input);
  const owned = OWNED_IDS.find((field) => field in input);
  if (named === undefined && owned === undefined)
    return refuse(
      "missingScope",
      "your role is for certain agents: give the agent_id of one of them, or ask an owner of the installation",
    );
  const agentId = owned === undefined ? named : await findOwner(owned, idIn(input, owned));
  if (agentId !== undefined && reach.includes(agentId) && (named ?? agentId) === agentId) return undefined;
  const isMember = agentId !== undefined && holder.roles?.some((role) => role.agent_id === agentId);
  return isMember === true
    ? refuse("missingScope", "your role for this agent does not allow this; ask its owner")
    : refuse(
        "notFound",
        "there is no such thing for your account: it may belong to an agent you have no role for",
      );
}

function namedAgent(input: object): string | undefined {
  if ("agent_id" in input && typeof input.agent_id === "string") return input.agent_id;
  if ("filter" in input && typeof input.filter === "object" && input.filter !== null)
    return namedAgent(input.filter);
  return undefined;
}

function idIn(input: object, field: OwnedId): string {
  return String((input as Record<OwnedId, unknown>)[field]);
}
