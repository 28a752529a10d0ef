import type { UserOfAgent } from "@signalbox/contract";
import { sql, type RawBuilder } from "kysely";
import { aboutUser } from "../platform/index.ts";

/** Whose data is meant: a user whom the developer named, or somebody who never signed in. */
export interface Subject {
  agentId: string;
  scope: "user_id" | "anonymous_id";
  id: string;
}

export function subjectOf(agentId: string, { user_id, anonymous_id }: UserOfAgent): Subject {
  return user_id === undefined
    ? { agentId, scope: "anonymous_id", id: anonymous_id ?? "" }
    : { agentId, scope: "user_id", id: user_id };
}

/** For conversations and bindings alike: both have a column of either name. */
export function isAbout({ agentId, scope, id }: Subject): RawBuilder<boolean> {
  return sql`agent_id = ${agentId} and ${sql.ref(scope)} = ${id}`;
}

/** As answers remembered for an Idempotency-Key name the user. */
export function rememberedAs({ agentId, scope, id }: Subject): string[] {
  return aboutUser(agentId, scope === "user_id" ? { userId: id } : { anonymousIds: [id] });
}
