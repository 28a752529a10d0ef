import type { Bed } from "../../support/bed.ts";
import type { CutMoment } from "../../support/database-proxy.ts";
import type { EngineCutMoment } from "../../support/engine-proxy.ts";
import { proven, type Fault } from "./fault.ts";

/** One after another, each on whatever connection comes next. */
const CUTS = [3, 6] as const;
/** Let through first, so that any statement may be hit. */
const SKIPPED_MAX = 12;

/** Single connections are cut while both sides are well; the proxies between them saw at which moment. */
export function cutFaults(bed: Bed): Fault[] {
  return [
    cutPostgres(bed, "before", 5),
    cutPostgres(bed, "after", 5),
    cutPostgres(bed, "commit", 15),
    cutEngine(bed, "before", 4),
    cutEngine(bed, "after", 4),
  ];
}

function cutPostgres(bed: Bed, moment: CutMoment, weight: number): Fault {
  return {
    kind: `cut_postgres_${moment}`,
    part: "postgres",
    weight,
    async strike(random) {
      const wanted = random.between(...CUTS);
      let [cuts, answers] = [0, 0];
      while (cuts < wanted) {
        const cut = await bed.proxies().database.cutNext({ moment, skip: random.between(0, SKIPPED_MAX) });
        cuts += 1;
        if (cut.isAnswerLost) answers += 1;
      }
      proven(moment !== "commit" || answers === cuts, "each commit was made, and its answer lost");
      return { cuts, answers };
    },
  };
}

function cutEngine(bed: Bed, moment: EngineCutMoment, weight: number): Fault {
  return {
    kind: `cut_engine_${moment}`,
    part: "engine",
    weight,
    async strike(random) {
      const { path, bytes } = await bed.proxies().engine.cutNext(moment, random.pick(["ingress", "service"]));
      return { path, bytes };
    },
  };
}
