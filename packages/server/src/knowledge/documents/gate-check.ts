import type { Database } from "../../platform/index.ts";
import type { RevisionKey } from "./pair-store.ts";

/** Looks at a content before readers do. */
export interface PublicationGate {
  /** Undefined where nothing of this agent is held. Asked before the content is switched. */
  open(agentId: string): Promise<GateCheck | undefined>;
}

export interface GateCheck {
  /** On the connection that sees the content as published. */
  judge(db: Database, key: RevisionKey, trigger: "import" | "restore"): Promise<Verdict>;
}

export interface Verdict {
  /** The questions that fail with this content and pass without it. */
  worse: string[];
  /** Keeps what was found, in the transaction that publishes the content or holds it. */
  record(db: Database): Promise<void>;
}
