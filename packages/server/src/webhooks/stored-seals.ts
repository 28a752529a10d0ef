import { sql } from "kysely";
import type { Database, StoredSeal } from "../platform/index.ts";
import { sealingContext, type SealedColumn } from "./destination.ts";

/** One stored secret for each column and each key it is sealed with. */
export async function sampleWebhookSeals(db: Database): Promise<StoredSeal[]> {
  const { rows } = await sql<{ agent_id: string; id: string; column: SealedColumn; sealed: Buffer }>`
    select distinct on (s.column, substring(s.sealed for 2 + get_byte(s.sealed, 1))) w.agent_id, w.id, s.column, s.sealed
    from webhook w, lateral (values
      ('username_sealed', username_sealed), ('secret_sealed', secret_sealed),
      ('signing_secret_sealed', signing_secret_sealed),
      ('previous_signing_secret_sealed', previous_signing_secret_sealed),
      ('asymmetric_key_sealed', asymmetric_key_sealed),
      ('previous_asymmetric_key_sealed', previous_asymmetric_key_sealed)
    ) s ("column", sealed)
    where s.sealed is not null`.execute(db);
  return rows.map(({ agent_id, id, column, sealed }) => ({
    place: `webhook.${column}`,
    sealed,
    context: sealingContext(agent_id, id, column),
  }));
}
