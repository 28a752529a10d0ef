import { execFileSync, spawnSync } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import type { Bed } from "../../support/bed.ts";
import { eventually } from "../../support/processes.ts";
import { proven } from "./fault.ts";
import type { Fault, FaultChoice } from "./fault.ts";
import { privateDirectory } from "../../support/private-machine.ts";

const TABLE = "inet signalbox_faults";
const LOSS_PERCENT = [10, 25, 50] as const;
const LOSS_MS = 2_000;
const DROPPED_MIN = 5;

/** Packets to and from one part are lost, in the run's own network. */
export function networkFaults(bed: Bed): FaultChoice {
  const lacks = whatIsMissing();
  const portsOf = {
    loss_developer: [bed.receiver.port],
    loss_postgres: [bed.cluster.port],
    loss_engine: [Number(new URL(bed.engine.ingressUrl).port), bed.engineServicePort],
  };
  if (lacks !== undefined)
    return { faults: [], notRun: Object.keys(portsOf).map((kind) => ({ kind, lacks })) };
  return {
    faults: Object.entries(portsOf).map(([kind, ports]) => lossOf(kind, ports)),
    notRun: [],
  };
}

function whatIsMissing(): string | undefined {
  if (privateDirectory() === undefined) return "needs a network of its own";
  return spawnSync("nft", ["list", "tables"]).status === 0 ? undefined : "needs nft (nftables)";
}

function lossOf(kind: string, ports: number[]): Fault {
  return {
    kind,
    // One set of rules at a time.
    part: "network",
    weight: 5,
    async strike(random) {
      const percent = random.pick(LOSS_PERCENT);
      const rule = (side: string) =>
        `add rule ${TABLE} lossy tcp ${side} { ${ports.join(", ")} } numgen random mod 100 < ${percent} counter drop`;
      nft(
        [
          `add table ${TABLE}`,
          `add chain ${TABLE} lossy { type filter hook input priority 0; }`,
          rule("dport"),
          rule("sport"),
        ].join("\n"),
      );
      try {
        await sleep(LOSS_MS);
        await eventually("packets are lost", () => dropped() >= DROPPED_MIN, { timeoutMs: 5_000 });
        return { percent, dropped: dropped() };
      } finally {
        nft(`delete table ${TABLE}`);
        proven(!nft("list tables").includes(TABLE), "the rules are gone");
      }
    },
  };
}

function nft(rules: string): string {
  return execFileSync("nft", ["-f", "-"], { input: rules, encoding: "utf8", stdio: "pipe" });
}

function dropped(): number {
  const counters = nft(`list table ${TABLE}`).matchAll(/counter packets (\d+)/g);
  return [...counters].reduce((sum, [, packets]) => sum + Number(packets), 0);
}
