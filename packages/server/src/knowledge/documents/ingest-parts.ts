import type { Engine } from "../../engine/index.ts";
import type {
  BulkDatabase,
  Database,
  FairSemaphore,
  Log,
  ModelQuota,
  Outbound,
  Sealer,
} from "../../platform/index.ts";
import type { Encoder } from "../encoder/encoder.ts";
import type { FileFailure, IntakeLimits } from "../intake/index.ts";
import type { PublicationGate } from "./gate-check.ts";

/** What the steps of an import need. */
export interface IngestParts {
  db: Database;
  bulk: BulkDatabase;
  engine: Engine;
  /** The way out to models, and the one to files: what may be called is not what may be read. */
  outbound: { models: Outbound; imports: Outbound };
  modelQuota: ModelQuota;
  /** Makes vectors for agents without a model of their own; undefined where it is switched off. */
  encoder: Encoder | undefined;
  sealer: Sealer;
  /** Files that are fetched, converted or embedded: such a call waits for others and holds little, so each agent has its own few. */
  calls: FairSemaphore;
  /** Files that are read: those need memory and processor, and agents take turns. */
  readings: FairSemaphore;
  limits: IntakeLimits;
  directory: string;
  fileBytesMax: number;
  downloadTimeoutMs: number;
  downloadBytesPerSecondMin: number;
  /** Tokens of a model that one document may cost. */
  documentTokensMax: number;
  log: Log;
  /** Looks at contents before they are published. */
  gate?: PublicationGate | undefined;
  /** A content is current, with the vectors it can have. */
  afterImport?: ((agentId: string, ingestId: string) => Promise<void>) | undefined;
  stopping: AbortSignal;
}

/** `held`: it waits for an editor. `interrupted`: somebody else goes on, or this process stops and the reconciler calls again. */
export type StepOutcome = "published" | "held" | "more" | "interrupted" | FileFailure;
