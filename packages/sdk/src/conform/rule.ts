import type { Prober } from "./probing.ts";
import type { Finding, NotSeen } from "./report.ts";

export interface Rule {
  id: string;
  about: string;
  title: string;
  /** What must be known to judge it. */
  needs?: keyof Prober["has"];
  /** Only for one kind of receiver. */
  only?: "message" | "human-service";
  /** While this one fails, every other would fail of the same cause: they are not looked at. */
  first?: true;
  check: (prober: Prober) => Promise<Finding | NotSeen | undefined>;
}
