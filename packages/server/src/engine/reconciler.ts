import { pause, type LeaderElection, type Log, type Metrics } from "../platform/index.ts";
import { isRegistered, register, type Registration } from "./registration.ts";

/** Looks for one kind of work that could have been forgotten, starts it again and says how many it found. */
export interface Sweep {
  name: string;
  /** Sweeps that read a lot run less often than the reconciler ticks. */
  everyMs?: number;
  run(): Promise<number>;
}

export interface ReconcilerOptions {
  election: LeaderElection;
  registration: Registration;
  sweeps: Sweep[];
  intervalMs: number;
  stopping: AbortSignal;
  log: Log;
  metrics: Metrics;
}

/** Runs on every worker, works on the one that leads. Returns when the process stops. */
export async function runReconciler(options: ReconcilerOptions): Promise<void> {
  const { election, registration, intervalMs, stopping, log, metrics } = options;
  const sweeps = [registrationSweep(registration), ...options.sweeps];
  // From 0: Prometheus sees no increase in a series that begins with its first event.
  for (const { name } of sweeps) metrics.reconciled.inc({ sweep: name }, 0);
  const lastRunAt = new Map<string, number>();
  while (!stopping.aborted) {
    const leads = await election.tryToLead();
    metrics.reconcilerLeads.set(leads ? 1 : 0);
    if (leads) {
      for (const sweep of sweeps) {
        if (stopping.aborted) break;
        const now = performance.now();
        if (now - (lastRunAt.get(sweep.name) ?? -Infinity) < (sweep.everyMs ?? 0)) continue;
        lastRunAt.set(sweep.name, now);
        await runOne(sweep, log, metrics);
      }
    }
    await pause(intervalMs, stopping);
  }
  await election.resign();
}

async function runOne(sweep: Sweep, log: Log, metrics: Metrics): Promise<void> {
  try {
    const found = await sweep.run();
    if (found === 0) return;
    metrics.reconciled.inc({ sweep: sweep.name }, found);
    log.info("stalled_work_resumed", { sweep: sweep.name, found });
  } catch (error) {
    log.warn("sweep_failed", { err: error, sweep: sweep.name });
  }
}

function registrationSweep(registration: Registration): Sweep {
  return {
    name: "registration",
    run: async () => ((await isRegistered(registration)) === false && (await register(registration)) ? 1 : 0),
  };
}
