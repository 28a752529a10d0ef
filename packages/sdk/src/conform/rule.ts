import type { Prober } from "./probing.ts";
import type { Finding } from "./report.ts";

export interface Rule {
  id: string;
  section: string;
  title: string;
  /** What must be known to judge it. */
  needs?: keyof Prober["has"];
  /** Only for one kind of receiver. */
  only?: "message" | "human-service";
  check: (prober: Prober) => Promise<Finding | undefined>;
}
