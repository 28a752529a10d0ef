import { sql, type RawBuilder } from "kysely";
import type { Database } from "../platform/index.ts";

/** A page reads no more messages than this that contain the words; several may be of one conversation. */
export const MESSAGES_FOUND_MAX = 500;

interface Found {
  conversation_id: string;
}

/** What every message that is found contains; of one shape, however many words were asked for. */
interface Conditions {
  /** A tsquery. */
  terms: string;
  /** Patterns for LIKE, for text as it is and for text in lower case. */
  as_written: string[];
  in_lower_case: string[];
}

/**
 * Messages with all of the words, newest conversation first: by the index of words or, for a frequent word, along the primary
 * key until there are enough, as the planner finds cheaper once it knows the words. So it belongs behind `planForValues`.
 */
export async function findMessages(
  db: Database,
  agentId: string,
  text: string,
  before: string,
): Promise<Found[]> {
  const { rows: conditions } = await conditionsOf(text).execute(db);
  const [wanted] = conditions;
  if (wanted === undefined) return [];
  return (await messagesWith(wanted, agentId, before).execute(db)).rows;
}

export function messagesWith(
  { terms, as_written, in_lower_case }: Conditions,
  agentId: string,
  before: string,
): RawBuilder<Found> {
  return sql`
    select conversation_id from message
    where agent_id = ${agentId} and conversation_id < ${before}::uuid
      and signalbox_search_terms(text) @@ ${terms}::tsquery
      and text like all(${as_written}::text[])
      and (cardinality(${in_lower_case}::text[]) = 0 or lower(text) like all(${in_lower_case}::text[]))
    order by conversation_id desc limit ${MESSAGES_FOUND_MAX}`;
}

/**
 * A word by its beginning; one that PostgreSQL takes apart, such as an address, is a phrase. In a script without blanks, its
 * terms in any order: the index knows no positions, so for a phrase PostgreSQL would make the terms of every candidate
 * anew, at some 40 µs each. That they stand together is a test of the text, which costs little and is made first.
 */
export function conditionsOf(text: string): RawBuilder<Conditions> {
  const words = text.trim().split(/\s+/u);
  // Punctuation between two Chinese words parts them as a blank does.
  const runs = words.filter(hasUnspaced).flatMap((word) => word.match(/[\p{L}\p{M}\p{N}]+/gu) ?? [word]);
  const prefixes = words.filter((word) => !hasUnspaced(word));
  const isWhole = (run: string) => hasUnspaced(run.slice(-1));
  const hasNoCase = (run: string) => run.toLowerCase() === run.toUpperCase();
  return sql`
    select coalesce(string_agg(case when is_whole then terms else terms || ':*' end, ' & '), '') as terms,
      ${runs.filter(hasNoCase).map(patternOf)}::text[] as as_written,
      array(select lower(pattern) from unnest(${runs.filter((run) => !hasNoCase(run)).map(patternOf)}::text[]) pattern)
        as in_lower_case
    from (
      select phraseto_tsquery('simple', word)::text as terms, false as is_whole
      from unnest(${prefixes}::text[]) word
      union all
      select plainto_tsquery('simple', run)::text, is_whole
      from unnest(${runs.map(spaced)}::text[], ${runs.map(isWhole)}::boolean[]) asked(run, is_whole)) asked
    where terms <> ''`;
}

function patternOf(run: string): string {
  return `%${run.replaceAll(/[\\%_]/g, "\\$&")}%`;
}

/** Characters that are terms of their own, as signalbox_search_terms has them. */
const UNSPACED = /[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]/gu;

function hasUnspaced(word: string): boolean {
  return word.search(UNSPACED) !== -1;
}

function spaced(word: string): string {
  return word.replaceAll(UNSPACED, " $& ");
}
