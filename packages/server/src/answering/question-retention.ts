import { sql } from "kysely";
import type { Sweep } from "../engine/index.ts";
import type { Database } from "../platform/index.ts";

const QUESTIONS_KEPT_DAYS = 90;
const DECISIONS_KEPT_DAYS = 180;
const HOUR_MS = 3_600_000;

/** What there was to teach and nobody taught, and what was decided about human replies. */
export function questionRetentionSweep(db: Database): Sweep {
  return {
    name: "question_retention",
    everyMs: HOUR_MS,
    run: async () => {
      await sql`
        delete from unanswered_question where last_asked_at < now() - ${QUESTIONS_KEPT_DAYS} * interval '1 day'`.execute(
        db,
      );
      await sql`delete from question_offer where offered_at < now() - ${QUESTIONS_KEPT_DAYS} * interval '1 day'`.execute(
        db,
      );
      await sql`
        delete from human_answer_decision where decided_at < now() - ${DECISIONS_KEPT_DAYS} * interval '1 day'`.execute(
        db,
      );
      return 0;
    },
  };
}
