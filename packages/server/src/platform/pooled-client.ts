import pg from "pg";
import { BEGIN, ONLY_ONE, PreparingClient, WAIT_FOR_COMMIT } from "./preparing-client.ts";

export interface PoolerOptions {
  Client: typeof pg.Client;
  pipeline: true;
}

/** What a pool needs to open connections that lead through a pooler, with settings that hold in each transaction. */
export function throughPooler(settings: Record<string, string>): PoolerOptions {
  const begin = Object.entries(settings).map(([name, value]) => `set local ${name} = '${value}'`);
  return {
    Client: class extends PooledClient {
      constructor(config?: string | pg.ClientConfig) {
        super(config);
        this.settings = begin.join("; ");
      }
    },
    pipeline: true,
  };
}

const END = /^(?:commit|rollback)$/;

/**
 * A pooler may hand each transaction to another connection of PostgreSQL. So the role and the other settings are set anew with
 * each BEGIN, a statement outside a transaction gets one of its own, and no statement has a name. The login itself may read
 * nothing: what would run without its settings fails.
 */
class PooledClient extends PreparingClient {
  protected settings = "";
  #isInTransaction = false;

  protected override keepsNames(): boolean {
    return false;
  }

  // pg declares a dozen overloads; Kysely uses this one.
  override query(...given: unknown[]): never {
    const [text] = given;
    if (typeof text !== "string") return super.query(...given);
    if (text.startsWith(ONLY_ONE) || BEGIN.test(text)) {
      this.#isInTransaction = true;
      return super.query(`${text}; ${this.settings}`);
    }
    const isOver = END.test(text) || text === WAIT_FOR_COMMIT.sql;
    if (!this.#isInTransaction && !isOver) return this.#queryAlone(given) as never;
    if (isOver) this.#isInTransaction = false;
    return super.query(...given);
  }

  /** With its BEGIN and COMMIT in one round trip; over once it is committed, as it would be without them. */
  async #queryAlone(given: unknown[]): Promise<unknown> {
    const send = (...statement: unknown[]): Promise<unknown> => super.query(...statement);
    await send(`${ONLY_ONE}begin; ${this.settings}`);
    const [done, committed] = await Promise.allSettled([send(...given), send(WAIT_FOR_COMMIT.sql)]);
    if (done.status === "rejected") throw done.reason;
    if (committed.status === "rejected") throw committed.reason;
    return done.value;
  }
}

/** The pooler's own words, if it refuses our startup options: it does so with the code of a broken connection, but waiting mends nothing. */
export function refusalOfOptions(error: unknown): string | undefined {
  const isRefused =
    error instanceof pg.DatabaseError &&
    error.code === "08P01" &&
    error.message.startsWith("unsupported startup parameter");
  return isRefused ? error.message : undefined;
}
