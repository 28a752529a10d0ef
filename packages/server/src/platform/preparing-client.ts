import { CompiledQuery } from "kysely";
import pg from "pg";

/** Ours, and that of Kysely where it is told an isolation level. */
export const BEGIN = /^(?:begin|start transaction)\b/;
export const BEGIN_AS_AGENT = "begin; set local signalbox.agent_id = ";
/** Said in front of it: the next statement is the only one, and is committed in the same round trip. */
export const ONLY_ONE = "/* only one */ ";
/** Sent to nobody: it is answered when that statement is committed. */
export const WAIT_FOR_COMMIT = CompiledQuery.raw("/* wait for commit */");
const NOTHING = { command: "", rowCount: null, rows: [] };

/** Says that the statements of this transaction depend on values in their shape as well: no name is kept of them. */
export const PLAN_FOR_VALUES = CompiledQuery.raw(
  "select set_config('plan_cache_mode', 'force_custom_plan', true), set_config('enable_seqscan', 'on', true)",
);
/** More than the service's statements of fixed shape. A connection that exceeds it is replaced: PostgreSQL forgets none. */
export const PREPARED_MAX = 400;

/**
 * Gives every parameterised statement a name, so that PostgreSQL parses and plans it once a connection and not once a
 * call: over all partitions the plan costs more than the work.
 */
export class PreparingClient extends pg.Client {
  /** Names of prepared statements, by their texts. */
  readonly #names = new Map<string, string>();
  #isPlannedForValues = false;
  #begin: string | undefined;
  #beginFailure: Error | undefined;
  /** What the last transaction was for is sent and committed: nothing more may come. */
  #isOver = false;
  #committing: Promise<unknown> | undefined;

  // pg declares a dozen overloads; Kysely uses this one.
  override query(...given: unknown[]): never {
    const [text, values, ...rest] = given;
    // Kysely sends one statement at a time, so a BEGIN that is to share a round trip waits here for the next statement.
    if (typeof text === "string" && (text.startsWith(BEGIN_AS_AGENT) || text.startsWith(ONLY_ONE))) {
      this.#begin = text;
      this.#beginFailure = undefined;
      this.#isOver = false;
      this.#committing = undefined;
      return Promise.resolve(NOTHING) as never;
    }
    // Another transaction, whatever became of the last.
    if (typeof text === "string" && BEGIN.test(text)) this.#isOver = false;
    if (text === WAIT_FOR_COMMIT.sql) return (this.#committing ?? Promise.resolve(NOTHING)) as never;
    if (this.#beginFailure !== undefined) return Promise.reject(this.#beginFailure) as never;
    if (this.#isOver) return Promise.reject(new Error("this transaction was for one statement")) as never;
    if (typeof text === "string" && !(Array.isArray(values) && values.length > 0))
      this.#isPlannedForValues = text === PLAN_FOR_VALUES.sql;
    const name = typeof text === "string" && Array.isArray(values) ? this.#nameFor(text, values) : undefined;
    const query = name === undefined ? given : [{ name, text, values }, ...rest];
    const send = () => super.query(...(query as Parameters<pg.Client["query"]>));
    return (this.#begin === undefined ? send() : this.#sendAfterBegin(this.#begin, send)) as never;
  }

  /** Names last as long as a connection: there are none where it may be another's the next time. */
  protected keepsNames(): boolean {
    return true;
  }

  get prepared(): number {
    return this.#names.size;
  }

  #nameFor(text: string, values: unknown[]): string | undefined {
    if (values.length === 0 || this.#isPlannedForValues || !this.keepsNames()) return undefined;
    const known = this.#names.get(text);
    if (known !== undefined || this.#names.size >= PREPARED_MAX) return known;
    const name = `s${this.#names.size}`;
    this.#names.set(text, name);
    return name;
  }

  /**
   * All in one pipeline. Should the BEGIN fail, the statement runs with no agent named: row security shows and takes nothing.
   * Should the statement fail, PostgreSQL makes a ROLLBACK of the COMMIT behind it. Answered before the COMMIT is.
   */
  async #sendAfterBegin(begin: string, send: () => unknown): Promise<unknown> {
    this.#begin = undefined;
    this.#isOver = begin.startsWith(ONLY_ONE);
    // Held back until all of it is there: one packet, which PostgreSQL reads at once, and not three.
    const { stream } = this.connection;
    stream.cork();
    const begun = super.query(begin);
    const sending = send();
    const committing = this.#isOver ? super.query("commit") : undefined;
    stream.uncork();
    this.#committing = committing;
    // The caller that waits for the commit gets the error.
    committing?.catch(() => undefined);
    const [, sent] = await Promise.allSettled([begun, sending]);
    // Every later statement fails with it too, until the next BEGIN.
    await begun.catch((error: Error) => {
      this.#beginFailure = error;
      throw error;
    });
    if (sent.status === "rejected") throw sent.reason;
    return sent.value;
  }
}
