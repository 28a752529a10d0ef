import pg from "pg";

/** Leader election by an advisory lock: one process leads, as long as its connection to PostgreSQL lives. */
export interface LeaderElection {
  tryToLead(): Promise<boolean>;
  resign(): Promise<void>;
}

const LOCK = 7_305_022;

/** A leader that is silent for `silentMs`, as when its process hangs, loses its connection and the leadership. */
export function joinLeaderElection(
  url: string,
  silentMs: number,
  onError: (error: Error) => void,
): LeaderElection {
  let client: pg.Client | undefined;
  let leads = false;

  function lose(): void {
    leads = false;
    const lost = client;
    client = undefined;
    lost?.end().catch(() => undefined);
  }

  return {
    async tryToLead() {
      try {
        if (client === undefined) {
          const opened = new pg.Client({
            connectionString: url,
            options: `-c role=signalbox_work -c statement_timeout=5s -c idle_session_timeout=${silentMs}`,
            application_name: "signalbox_leader",
            keepAlive: true,
            connectionTimeoutMillis: 5_000,
          });
          opened.on("error", (error) => {
            onError(error);
            lose();
          });
          await opened.connect();
          client = opened;
        }
        // A leader asks too: a dead connection is noticed here, before it acts.
        const answer = await client.query<{ locked: boolean }>(
          leads ? "select true as locked" : "select pg_try_advisory_lock($1) as locked",
          leads ? [] : [LOCK],
        );
        leads = answer.rows[0]?.locked ?? false;
        return leads;
      } catch (error) {
        if (error instanceof Error) onError(error);
        lose();
        return false;
      }
    },
    async resign() {
      leads = false;
      await client?.end().catch(() => undefined);
      client = undefined;
    },
  };
}
