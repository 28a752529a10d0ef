import {
  type AccountRole,
  isInScope,
  ROLE_SCOPES,
  type Route,
  type RouteName,
  routes,
} from "@signalbox/contract";

/** What the signed-in person may do. The service decides; this only hides what it would refuse. */
export interface Access {
  /** With an agent: for that agent. Without: for the whole installation. */
  may: (name: RouteName, agentId?: string) => boolean;
  /** Has no role for the installation: every screen is about one of their agents. */
  isForAgentsOnly: boolean;
  /** Undefined with an operator token. */
  accountId: string | undefined;
}

export function accessOf(accountId: string, roles: readonly AccountRole[]): Access {
  return {
    may: (name, agentId) => {
      const { scopes = [] }: Route = routes[name];
      return roles.some(
        ({ role, agent_id }) =>
          (agent_id === null || agent_id === agentId) && isInScope(scopes, ROLE_SCOPES[role]),
      );
    },
    isForAgentsOnly: roles.every(({ agent_id }) => agent_id !== null),
    accountId,
  };
}
