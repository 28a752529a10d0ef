import type { BedOf } from "../../support/bed.ts";
import type { ReachableEngine } from "../../support/engine.ts";
import type { ReceivedRequest } from "../../support/receiver.ts";
import type { EndlessLoad, LoadShape } from "./endless-load.ts";
import type { FaultChoice } from "./fault.ts";

/** What a campaign is fought on: the parts, how they are loaded, and what can break. */
export type Ground = AsyncDisposable & {
  bed: BedOf<ReachableEngine>;
  load: LoadShape;
  /** The developer makes trouble of his own. Without it, the time until messages flow again is the fault's alone. */
  isDeveloperTroublesome: boolean;
  choices(load: EndlessLoad): FaultChoice[];
};

export type OnEnded = (request: ReceivedRequest) => void;
