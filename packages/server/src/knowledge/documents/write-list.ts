import { once, type AgentCaller, type Database, type Refusal } from "../../platform/index.ts";
import type { ImportParts } from "./import-ticket.ts";

/** A list of pairs that an agent's caller sends: in its turn, in one transaction, once for each Idempotency-Key. */
export function writeList<Result>(
  { agents, writes, sealer }: Pick<ImportParts, "agents" | "writes" | "sealer">,
  caller: AgentCaller,
  write: (db: Database) => Promise<Result | Refusal>,
): Promise<Result | Refusal> {
  const { agentId } = caller;
  return writes(agentId, () => agents.asAgent(agentId, (db) => once(db, sealer, caller, write)));
}
