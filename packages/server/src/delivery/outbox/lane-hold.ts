import { sql } from "kysely";

/** The lease of a call on a lane: a worker that is silent for this long has lost what it held. */
export const HOLD_MS = 15_000;
export const HOLD = sql`${sql.lit(HOLD_MS)} * interval '1 millisecond'`;

/** When a hold that begins now ends. */
export const HOLD_END = sql<Date>`now() + ${HOLD}`;
