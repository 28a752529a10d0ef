import type * as agents from "../agents/index.ts";
import type * as answering from "../answering/index.ts";
import type * as engine from "../engine/index.ts";
import type * as platform from "../platform/index.ts";
import type { Foundation } from "./foundation.ts";

/** Both `knowledge` and `answering`: what is learned of a base while searching it is kept by the process. */
export type Retrieval = Parameters<typeof answering.createAnswering>[0];

/** What every room of an api node is handed. */
export interface RouteParts extends Foundation {
  retrieval: Retrieval;
  /** For what callers do, each within its agent. */
  caller: engine.AfterCommitParts & { agents: platform.AgentDatabase; sealer: platform.Sealer };
  /** For what operators do. */
  operator: agents.OperatorParts;
  /** The same for rooms that do not know the agents' room. */
  operating: engine.AfterCommitParts & { db: platform.Database; operator: platform.OperatorWriting };
  /** An endpoint of this agent is another now. */
  onChanged: (agentId: string) => Promise<void>;
  /** This agent, or an endpoint of it, is gone. */
  onDeleted: (agentId: string) => Promise<void>;
}

/** What every room of a worker is handed. */
export interface WorkerParts extends Foundation {
  retrieval: Retrieval;
  shared: engine.AfterCommitParts & {
    db: platform.Database;
    log: platform.Log;
    metrics: platform.Metrics;
    stopping: AbortSignal;
  };
  sweeping: engine.AfterCommitParts & { db: platform.Database; graceMs: number };
}
