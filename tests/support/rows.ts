import { randomUUID } from "node:crypto";
import pg from "pg";
import { cloneDatabase } from "./databases.ts";
import { eventually } from "./processes.ts";
import { borrowCluster } from "./shared-cluster.ts";

export type Row = Record<string, unknown>;

/** A migrated database without a service, for tests that stand beside a store and put its rows there by hand. */
export type Rows = AsyncDisposable & {
  /** As the service is given it. */
  url: string;
  /** As superuser, whom no policy binds. */
  query<Found extends pg.QueryResultRow = Row>(sql: string, parameters?: unknown[]): Promise<Found[]>;
  /** A session of its own, to hold locks and transactions open with. */
  session(): Promise<pg.PoolClient>;
  /** Keeps a row locked while the work is done. */
  whileLocked<Result>(
    table: "conversation" | "lane",
    id: string,
    work: () => Promise<Result>,
  ): Promise<Result>;
  insert(table: string, columns: Row): Promise<void>;
  /** The agent with its message webhook and one conversation. */
  addAgent(): Promise<{ agentId: string; webhookId: string; conversationId: string }>;
  addConversation(agentId: string, columns?: Row): Promise<string>;
  /** An API key of the agent; gives its id. */
  addApiKey(agentId: string): Promise<string>;
  /** When a statement that contains the text waits for a lock. */
  blocked(text: string): Promise<void>;
};

export async function openRows(): Promise<Rows> {
  await using opening = new AsyncDisposableStack();
  const { cluster } = opening.use(await borrowCluster());
  const clone = await cloneDatabase(cluster);
  opening.defer(() => clone.drop());
  const pool = new pg.Pool({ connectionString: clone.superuserUrl, max: 6 });
  pool.on("error", () => undefined);
  opening.defer(() => pool.end());

  const query = async <Found extends pg.QueryResultRow>(text: string, parameters: unknown[] = []) =>
    (await pool.query<Found>(text, parameters)).rows;
  const insert = async (table: string, columns: Row) => {
    const names = Object.keys(columns);
    const places = names.map((_, index) => `$${index + 1}`);
    await query(
      `insert into ${table} (${names.join(", ")}) values (${places.join(", ")})`,
      Object.values(columns),
    );
  };
  const addConversation = async (agentId: string, columns: Row = {}) => {
    const id = randomUUID();
    await insert("conversation", { agent_id: agentId, id, channel: "api", ...columns });
    return id;
  };

  const open = opening.move();
  return {
    url: clone.url,
    query,
    session: () => pool.connect(),
    async whileLocked(table, id, work) {
      const other = await pool.connect();
      await other.query("begin");
      await other.query(`select from ${table} where id = $1 for update`, [id]);
      try {
        return await work();
      } finally {
        await other.query("rollback");
        other.release();
      }
    },
    insert,
    addConversation,
    async addApiKey(agentId) {
      const id = randomUUID();
      await insert("api_key", {
        id,
        agent_id: agentId,
        key_hash: Buffer.from(id),
        prefix: "sbx_",
        name: "key",
      });
      return id;
    },
    async addAgent() {
      const [agentId, webhookId] = [randomUUID(), randomUUID()];
      await insert("agent", { id: agentId, name: "Agent" });
      await insert("webhook", {
        id: webhookId,
        agent_id: agentId,
        kind: "message",
        url: "http://127.0.0.1:9/hook",
        signing_secret_sealed: Buffer.from("sealed"),
      });
      return { agentId, webhookId, conversationId: await addConversation(agentId) };
    },
    async blocked(text) {
      await eventually(
        `a statement with "${text}" waits for a lock`,
        async () => {
          const waiting = await query(
            `select 1 from pg_stat_activity
             where datname = current_database() and wait_event_type = 'Lock' and position($1 in query) > 0`,
            [text],
          );
          return waiting.length > 0;
        },
        { everyMs: 10 },
      );
    },
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}
