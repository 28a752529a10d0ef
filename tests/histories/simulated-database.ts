import { Kysely, PostgresDialect, type PostgresPool, type PostgresPoolClient } from "kysely";
import pg from "pg";
import type { Database } from "../../packages/server/src/platform/index.ts";
import { Crash, type Schedule } from "./schedule.ts";

const INT8 = 20;

/** A real database whose clock is set by hand, and whose statements wait for their turn. */
export interface SimulatedDatabase extends AsyncDisposable {
  db: Database;
  /** As superuser, beside the schedule. */
  query<Row extends pg.QueryResultRow>(sql: string, values?: unknown[]): Promise<Row[]>;
  /** Milliseconds since 1970, by the database. */
  now(): Promise<number>;
  setOffset(ms: number): Promise<void>;
  /** Whose turn it is to say. */
  follow(schedule: Schedule | undefined): void;
}

/** What now() means in every statement of ours and in every default, and what is written down for the judge. */
const SIMULATION = `
  create schema sim;
  create table sim.clock (offset_ms bigint not null);
  insert into sim.clock values (0);
  create function sim.now() returns timestamptz language sql stable
    as $$ select pg_catalog.now() + offset_ms * interval '1 millisecond' from sim.clock $$;
  do $$ declare found record; begin
    for found in select c.relname, a.attname, pg_get_expr(d.adbin, d.adrelid) as expression
      from pg_attrdef d join pg_class c on c.oid = d.adrelid join pg_attribute a on a.attrelid = c.oid and a.attnum = d.adnum
      where c.relnamespace = 'public'::regnamespace and not c.relispartition and pg_get_expr(d.adbin, d.adrelid) like '%now()%'
    loop
      execute format('alter table public.%I alter column %I set default %s', found.relname, found.attname,
        replace(found.expression, 'now()', 'sim.now()'));
    end loop;
  end $$;

  create table sim.control (at bigserial, conversation_id uuid, control text, last_seq bigint);
  create function sim.note_control() returns trigger language plpgsql security definer as $$ begin
    insert into sim.control (conversation_id, control, last_seq) values (new.id, new.control, new.last_seq); return null; end $$;
  create trigger sim_control after update on conversation for each row
    when (old.control is distinct from new.control) execute function sim.note_control();

  create table sim.violation (conversation_id uuid, what text);
  create function sim.judge_message() returns trigger language plpgsql security definer as $$
  declare is_open boolean; begin
    select exists (select from handoff h where h.agent_id = new.agent_id and h.conversation_id = new.conversation_id
      and h.state in ('requested', 'connecting', 'active')) into is_open;
    if new.sender = 'ai' and is_open then
      insert into sim.violation values (new.conversation_id, 'the bot spoke while a handoff was open'); end if;
    if new.sender = 'human' and not is_open then
      insert into sim.violation values (new.conversation_id, 'a human spoke without a handoff'); end if;
    return null; end $$;
  create trigger sim_message after insert on message for each row execute function sim.judge_message();

  create function sim.judge_turn() returns trigger language plpgsql security definer as $$ begin
    if new.epoch <> (select epoch from conversation where agent_id = new.agent_id and id = new.conversation_id) then
      insert into sim.violation values (new.conversation_id, 'a turn was committed in another epoch than it began in'); end if;
    return null; end $$;
  create trigger sim_turn after update on turn for each row
    when (new.state = 'answered' and old.state <> 'answered') execute function sim.judge_turn();

  create function sim.judge_end() returns trigger language plpgsql security definer as $$ begin
    if sim.now() < old.timer_due_at then
      insert into sim.violation values (new.conversation_id, 'a timer fired before it was due'); end if;
    if sim.now() > old.timer_due_at + interval '31 seconds' and not old.timer_graced then
      insert into sim.violation values (new.conversation_id, 'an outage of ours ended in a timeout'); end if;
    return null; end $$;
  create trigger sim_end after update on handoff for each row
    when (new.reason in ('first_reply', 'human_idle', 'user_idle') and old.reason is null) execute function sim.judge_end();

  create function sim.judge_ends() returns trigger language plpgsql security definer as $$ begin
    insert into sim.violation values (new.conversation_id, 'a handoff that had ended changed'); return null; end $$;
  create trigger sim_ends after update on handoff for each row
    when (old.state in ('busy', 'closed') and (new.state <> old.state or new.reason <> old.reason)) execute function sim.judge_ends();
  grant usage on schema sim to public;
  grant select on sim.clock to public;`;

export async function openSimulatedDatabase(superuserUrl: string): Promise<SimulatedDatabase> {
  const beside = new pg.Pool({ connectionString: superuserUrl, max: 2 });
  beside.on("error", () => undefined);
  await beside.query(SIMULATION);
  let schedule: Schedule | undefined;
  const pool = new pg.Pool({
    connectionString: superuserUrl,
    max: 12,
    types: {
      getTypeParser: (oid, format) => (oid === INT8 ? Number : pg.types.getTypeParser(oid, format)),
    },
    // Named before pg_catalog, so that now() is ours.
    options: "-c search_path=sim,public,pg_catalog -c statement_timeout=15s -c plan_cache_mode=force_generic_plan",
  });
  pool.on("error", () => undefined);
  const scheduled: PostgresPool = {
    connect: async () => scheduledClient(await pool.connect(), () => schedule),
    end: () => pool.end(),
    options: pool.options,
  };
  const db: Database = new Kysely({ dialect: new PostgresDialect({ pool: scheduled }) });
  const query = async <Row extends pg.QueryResultRow>(text: string, values: unknown[] = []) =>
    (await beside.query<Row>(text, values)).rows;
  return {
    db,
    query,
    async now() {
      const [row] = await query<{ now: Date }>("select sim.now() as now");
      return row?.now.getTime() ?? 0;
    },
    setOffset: async (ms) => void (await beside.query("update sim.clock set offset_ms = $1", [ms])),
    follow: (next) => void (schedule = next),
    async [Symbol.asyncDispose]() {
      await db.destroy();
      await beside.end();
    },
  };
}

/** A crash takes its connection along, as the death of a process does. */
function scheduledClient(client: pg.PoolClient, schedule: () => Schedule | undefined): PostgresPoolClient {
  let crashed = false;
  client.on("error", () => undefined);
  const query = async (text: string, values: unknown[]) => {
    const send = () => client.query(text, values);
    if (crashed) throw new Crash("its connection is gone");
    try {
      return await (schedule()?.step(send) ?? send());
    } catch (error) {
      if (error instanceof Crash) crashed = true;
      throw error;
    }
  };
  return {
    // Kysely asks with a text and its values, and never with a cursor here.
    query: query as unknown as PostgresPoolClient["query"],
    release: () => client.release(crashed),
  };
}
