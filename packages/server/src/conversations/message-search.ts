import { sql, type RawBuilder } from "kysely";

/** A page reads no more messages than this that contain the words; several may be of one conversation. */
export const MESSAGES_FOUND_MAX = 500;

type Sql = RawBuilder<unknown>;

/**
 * Messages with all of the words, newest conversation first: by the index of words or, for a frequent word, along the primary
 * key until there are enough, as the planner finds cheaper.
 */
export function findMessages(
  agentId: string,
  text: string,
  before: string,
): RawBuilder<{ conversation_id: string }> {
  const { terms, tests } = conditionsOf(text);
  return sql`
    select conversation_id from message
    where agent_id = ${agentId} and conversation_id < ${before}::uuid
      and signalbox_search_terms(text) @@ (${sql.join(terms, sql` && `)}) ${sql.join(tests, sql` `)}
    order by conversation_id desc limit ${MESSAGES_FOUND_MAX}`;
}

function conditionsOf(text: string): { terms: Sql[]; tests: Sql[] } {
  const words = text.trim().split(/\s+/u);
  // Punctuation between two Chinese words parts them as a blank does.
  const runs = words.filter(hasUnspaced).flatMap((word) => word.match(/[\p{L}\p{M}\p{N}]+/gu) ?? [word]);
  const prefixes = words.filter((word) => !hasUnspaced(word)).map(prefixOf);
  const terms = [...prefixes, ...runs.map(allTermsOf)];
  return { terms, tests: runs.map(contains) };
}

/** A word by its beginning; one that PostgreSQL takes apart, such as an address, is a phrase. */
function prefixOf(word: string): Sql {
  return sql`coalesce(nullif(phraseto_tsquery('simple', ${word})::text, '') || ':*', '')::tsquery`;
}

/**
 * The terms of a word in a script without blanks, in any order: the index knows no positions, so for a phrase PostgreSQL would
 * make the terms of every candidate anew, at some 40 µs each. That they stand together is a test of the text, which costs
 * little and is made first.
 */
function allTermsOf(run: string): Sql {
  const terms = sql`plainto_tsquery('simple', ${spaced(run)})`;
  return hasUnspaced(run.slice(-1)) ? terms : sql`coalesce(nullif(${terms}::text, '') || ':*', '')::tsquery`;
}

function contains(run: string): Sql {
  return run.toLowerCase() === run.toUpperCase()
    ? sql`and strpos(text, ${run}::text) > 0`
    : sql`and strpos(lower(text), lower(${run}::text)) > 0`;
}

/** Characters that are terms of their own, as signalbox_search_terms has them. */
const UNSPACED = /[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]/gu;

function hasUnspaced(word: string): boolean {
  return word.search(UNSPACED) !== -1;
}

function spaced(word: string): string {
  return word.replaceAll(UNSPACED, " $& ");
}
