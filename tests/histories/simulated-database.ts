import { Kysely, PostgresDialect, type PostgresPool, type PostgresPoolClient } from "kysely";
import { HANDOFF_WATCH } from "@signalbox/tests/support/handoff-watch.ts";
import pg from "pg";
import type { Database } from "../../packages/server/src/platform/index.ts";
import { AnswerLost, Crash, Fault, type Schedule } from "./schedule.ts";

const INT8 = 20;

/** A real database whose clock is set by hand, and whose statements wait for their turn. */
export interface SimulatedDatabase extends AsyncDisposable {
  db: Database;
  /** Beside the schedule too, over one connection: what is asked later is answered later. */
  unscheduled: Database;
  /** As superuser, beside the schedule. */
  query: <Row extends pg.QueryResultRow>(sql: string, values?: unknown[]) => Promise<Row[]>;
  setOffset(ms: number): Promise<void>;
  /** Whose turn it is to say. */
  follow(schedule: Schedule | undefined): void;
}

/** What now() and clock_timestamp() mean in every statement of ours and in every default; and when a timer may fire. */
const SIMULATION = `
  create schema sim;
  create table sim.clock (offset_ms bigint not null);
  insert into sim.clock values (0);
  create function sim.now() returns timestamptz language sql stable
    as $$ select pg_catalog.now() + offset_ms * interval '1 millisecond' from sim.clock $$;
  create function sim.clock_timestamp() returns timestamptz language sql volatile
    as $$ select pg_catalog.clock_timestamp() + offset_ms * interval '1 millisecond' from sim.clock $$;
  do $$ declare found record; begin
    for found in select c.relname, a.attname, pg_get_expr(d.adbin, d.adrelid) as expression
      from pg_attrdef d join pg_class c on c.oid = d.adrelid join pg_attribute a on a.attrelid = c.oid and a.attnum = d.adnum
      where c.relnamespace = 'public'::regnamespace and not c.relispartition and pg_get_expr(d.adbin, d.adrelid) like '%now()%'
    loop
      execute format('alter table public.%I alter column %I set default %s', found.relname, found.attname,
        replace(found.expression, 'now()', 'sim.now()'));
    end loop;
  end $$;

  create function sim.judge_end() returns trigger language plpgsql security definer as $$ begin
    if sim.now() < old.timer_due_at then
      insert into watch.violation values (new.conversation_id, 'a timer fired before it was due'); end if;
    if sim.now() > old.timer_due_at + interval '31 seconds' and not old.timer_graced then
      insert into watch.violation values (new.conversation_id, 'an outage of ours ended in a timeout'); end if;
    return null; end $$;
  create trigger sim_end after update on handoff for each row
    when (new.reason in ('first_reply', 'human_idle', 'user_idle') and old.reason is null) execute function sim.judge_end();

  grant usage on schema sim to public;
  grant select on sim.clock to public;`;

/** Who took over a chat of the inbox, and after which message. */
const HOLDERS = `
  create table watch.holder (conversation_id uuid, human text, after_seq bigint);
  create function watch.note_holder() returns trigger language plpgsql security definer as $$ begin
    insert into watch.holder select new.conversation_id, new.holder_name, last_seq from public.conversation
      where agent_id = new.agent_id and id = new.conversation_id;
    return null; end $$;
  create trigger watch_holder after update on inbox_talk for each row
    when (new.holder_name is distinct from old.holder_name and new.holder_name is not null) execute function watch.note_holder();`;

export async function openSimulatedDatabase(superuserUrl: string): Promise<SimulatedDatabase> {
  const beside = new pg.Pool({ connectionString: superuserUrl, max: 2 });
  beside.on("error", () => undefined);
  await beside.query(HANDOFF_WATCH);
  await beside.query(SIMULATION);
  await beside.query(HOLDERS);
  let schedule: Schedule | undefined;
  const pool = new pg.Pool({
    connectionString: superuserUrl,
    // Few, because each plans every statement for itself once.
    max: 6,
    types: {
      getTypeParser: (oid, format) => (oid === INT8 ? Number : pg.types.getTypeParser(oid, format)),
    },
    // Named before pg_catalog, so that both are ours.
    options:
      "-c search_path=sim,public,pg_catalog -c statement_timeout=15s -c plan_cache_mode=force_generic_plan -c synchronous_commit=off -c jit=off -c signalbox.maintenance=on",
  });
  pool.on("error", () => undefined);
  pool.on("connect", (client) => client.on("error", () => undefined));
  const scheduled: PostgresPool = {
    connect: async () => scheduledClient(await pool.connect(), () => schedule),
    end: () => pool.end(),
    options: pool.options,
  };
  const db: Database = new Kysely({ dialect: new PostgresDialect({ pool: scheduled }) });
  const query = async <Row extends pg.QueryResultRow>(text: string, values: unknown[] = []) =>
    (await beside.query<Row>(text, values)).rows;
  const one = new pg.Pool({ ...pool.options, max: 1 });
  one.on("error", () => undefined);
  const unscheduled: Database = new Kysely({ dialect: new PostgresDialect({ pool: one }) });
  return {
    db,
    unscheduled,
    query,
    setOffset: async (ms) => void (await beside.query("update sim.clock set offset_ms = $1", [ms])),
    follow: (next) => void (schedule = next),
    async [Symbol.asyncDispose]() {
      await db.destroy();
      await unscheduled.destroy();
      await beside.end();
    },
  };
}

/** Outside of a transaction, a statement that writes is its own commit. */
const WRITES = /\b(insert into|update|delete from)\b/;

const names = new Map<string, string>();

function nameOf(text: string): string {
  const name = names.get(text) ?? `s${names.size}`;
  names.set(text, name);
  return name;
}

/**
 * What a crash had not committed is undone, as the database does when a process dies. The connection itself is kept: a new one
 * would have to plan every statement again.
 */
function scheduledClient(client: pg.PoolClient, schedule: () => Schedule | undefined): PostgresPoolClient {
  let crashed = false;
  let isCutOff = false;
  let isBroken = false;
  let isInTransaction = false;
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = async (text: string, values: unknown[]) => {
    // Named, so that it is planned once a connection: over 64 partitions the plan costs more than the work.
    const name = values.length > 0 ? nameOf(text) : undefined;
    const send = () => client.query(name === undefined ? { text, values } : { name, text, values });
    if (crashed) throw new Crash("its connection is gone");
    if (isBroken) throw new Error("its connection is not queryable");
    try {
      const result = await (schedule()?.step(send) ?? send());
      const commits = text === "commit" || (!isInTransaction && WRITES.test(text));
      if (text === "begin" || text === "commit" || text === "rollback") isInTransaction = text === "begin";
      isBroken = commits && schedule()?.losesAnswer() === true;
      if (isBroken) throw new AnswerLost("the connection broke after the commit");
      return result;
    } catch (error) {
      if (error instanceof Crash) crashed = true;
      // PostgreSQL undoes a transaction whose end does not arrive when the connection is lost.
      if (error instanceof Fault) isCutOff ||= crashed || text === "commit" || text === "rollback";
      throw error;
    }
  };
  // Statements that are sent together run one after another, as on any connection.
  const query = (text: string, values: unknown[]) => {
    const result = last.then(() => inTurn(text, values));
    last = result.catch(() => undefined);
    return result;
  };
  return {
    // Kysely asks with a text and its values, and never with a cursor here.
    query: query as unknown as PostgresPoolClient["query"],
    release: () => {
      if (!isCutOff) client.release();
      else
        void client.query("rollback").then(
          () => client.release(),
          () => client.release(true),
        );
    },
  };
}
