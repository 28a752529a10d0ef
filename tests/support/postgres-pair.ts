import { chmod, mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { reachCluster, startCluster, withClient } from "./postgres.ts";
import type { PostgresCluster, ReachableCluster } from "./postgres.ts";
import { eventually, processesUsing } from "./processes.ts";
import { openTcpSwitch } from "./tcp-switch.ts";

export type PostgresMachine = PostgresCluster & { name: string };

/** Two machines, one of which is the primary: the switch before them leads to no other. */
export type PostgresPair = ReachableCluster &
  AsyncDisposable & {
    primary(): PostgresMachine;
    standby(): PostgresMachine;
    /** From now on every commit is on both machines. Until then the standby follows as fast as it can: enough for migrations. */
    keepInStep(): Promise<void>;
    /** The standby becomes the primary and gets all connections. The other machine is dead by then, or the data would part. */
    promote(): Promise<void>;
    /** What the other machine holds is thrown away, and it follows the primary. */
    rebuildStandby(): Promise<void>;
    /** Connections that lead to a machine through the switch. */
    cut(machine: PostgresMachine): number;
  };

const SETTINGS = { wal_level: "replica", max_wal_senders: 5, wal_keep_size: "512MB", hot_standby: "on" };
const IN_STEP_MS = 120_000;

export async function startPostgresPair(directory: string): Promise<PostgresPair> {
  await using opening = new AsyncDisposableStack();
  const address = opening.use(await openTcpSwitch());
  const directoryOf = (name: string) => join(directory, name);
  for (const name of ["pg1", "pg2"]) {
    await mkdir(directoryOf(name));
    await chmod(directoryOf(name), 0o711);
  }
  let primary: PostgresMachine = {
    ...(await startCluster({ directory: directoryOf("pg1"), settings: SETTINGS })),
    name: "pg1",
  };
  opening.defer(() => primary[Symbol.asyncDispose]());
  const follow = async (name: string) => ({
    ...(await startCluster({ directory: directoryOf(name), standbyOf: { primary, name } })),
    name,
  });
  let standby: PostgresMachine = await follow("pg2");
  opening.defer(() => standby[Symbol.asyncDispose]());
  address.leadTo([primary.port]);

  const open = opening.move();
  return {
    ...reachCluster({ ...primary.address, port: address.port }),
    primary: () => primary,
    standby: () => standby,
    keepInStep: () => waitFor(primary, standby),
    async promote() {
      await withClient(standby.superuserUrl("postgres"), async (client) => {
        await client.query("select pg_promote(true, 60)");
        // It has no standby of its own yet: every commit would wait for one.
        await setSynchronous(client, "");
      });
      [primary, standby] = [standby, primary];
      address.leadTo([primary.port]);
      address.cut(standby.port);
    },
    async rebuildStandby() {
      if (processesUsing(standby.dataDirectory).length > 0) await killMachine(standby);
      await rm(standby.dataDirectory, { recursive: true });
      standby = await follow(standby.name);
      await waitFor(primary, standby);
    },
    cut: (machine) => address.cut(machine.port),
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

/** All of it at once, as when the power goes: backends of a dead postmaster would finish what they are at. */
export async function killMachine(machine: PostgresMachine): Promise<number> {
  const processes = processesUsing(machine.dataDirectory).filter(({ pid }) => pid !== machine.pid());
  await machine.kill9();
  for (const { pid } of processes) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It ended with its postmaster.
    }
  }
  await eventually(
    "every process of PostgreSQL is gone",
    () => processesUsing(machine.dataDirectory).length === 0,
  );
  return processes.length + 1;
}

/** From now on a commit is answered once it is on both machines. */
async function waitFor(primary: PostgresMachine, { name }: PostgresMachine): Promise<void> {
  await withClient(primary.superuserUrl("postgres"), async (client) => {
    await setSynchronous(client, name);
    await eventually(
      `${name} is in step with the primary`,
      async () => {
        const { rows } = await client.query(
          "select sync_state from pg_stat_replication where application_name = $1",
          [name],
        );
        return rows[0]?.sync_state === "sync";
      },
      { timeoutMs: IN_STEP_MS },
    );
  });
}

async function setSynchronous(
  client: { query(text: string): Promise<unknown> },
  names: string,
): Promise<void> {
  await client.query(`alter system set synchronous_standby_names = '${names}'`);
  await client.query("select pg_reload_conf()");
}
