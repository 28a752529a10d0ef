import { normalTags, type InputOf, type Pair, type PairPage } from "@signalbox/contract";
import { sql, type RawBuilder } from "kysely";
import { refuse, type Database, type Refusal } from "../../platform/index.ts";
import { baseOf } from "../documents/document-store.ts";
import { taggedQuery, wordsQuery } from "../retrieval/lexemes.ts";
import { noPair, readPairId, writePairId, type PairPlace } from "./pair-id.ts";
import { authorOf, type PairTexts, type VersionRow } from "./pair-versions.ts";

interface PairRow extends PairTexts, Omit<VersionRow, "version" | "created_at"> {
  knowledge_base_id: string;
  document_id: string;
  document_name: string;
  revision: number;
  ordinal: number;
  version: number | null;
  created_at: Date | null;
}

/** The pairs that the agent answers from, in the order of their documents, page by page. */
export async function listPairs(
  { db }: { db: Database },
  { agent_id: agentId, knowledge_base_id, doc_id, text, tag, limit, cursor }: InputOf<"listPairs">,
): Promise<PairPage | Refusal> {
  const baseId = await baseOf(db, agentId, knowledge_base_id ?? undefined, doc_id ?? undefined);
  if (baseId === undefined)
    return refuse("badParameter", "doc_id or knowledge_base_id is unknown to this agent");
  if (cursor !== undefined && !PLACE.test(cursor))
    return refuse("badParameter", "cursor must be the next_cursor of an earlier page of this list");
  const scope = {
    agentId,
    baseId,
    documentId: doc_id ?? undefined,
    after: cursor === undefined ? undefined : readPairId(cursor),
    most: limit + 1,
  };
  const words = text ?? undefined;
  const isWhole = words === undefined && (tag ?? undefined) === undefined;
  const rows = isWhole
    ? await inOrder(db, scope)
    : await found(db, scope, queryOf(baseId, words, tag ?? undefined));
  const page = rows.slice(0, limit).map(describe);
  return { list: page, next_cursor: rows.length > limit ? (page.at(-1)?.pair_id ?? null) : null };
}

const PLACE = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}-\d{1,9}-\d{1,9}$/;

export async function getPair(
  { db }: { db: Database },
  { agent_id, pair_id }: InputOf<"getPair">,
): Promise<Pair | Refusal> {
  return (await readPair(db, agent_id, readPairId(pair_id))) ?? noPair();
}

/** Undefined unless readers see it. */
async function readPair(db: Database, agentId: string, place: PairPlace): Promise<Pair | undefined> {
  const { rows } = await sql<PairRow>`
    select ${columns()}
    from document d
      join qa_pair p on p.knowledge_base_id = d.knowledge_base_id and p.document_id = d.id and p.revision = d.current_revision
      ${lastVersion(agentId)}
    where d.agent_id = ${agentId} and d.id = ${place.documentId} and d.current_revision = ${place.revision}
      and d.deleted_at is null and p.ordinal = ${place.ordinal}`.execute(db);
  return rows[0] === undefined ? undefined : describe(rows[0]);
}

/** As a caller is told of it, after a change in the same transaction. */
export async function readWritten(db: Database, agentId: string, place: PairPlace): Promise<Pair> {
  const pair = await readPair(db, agentId, place);
  if (pair === undefined) throw new Error("a pair is gone that was just written");
  return pair;
}

interface ListScope {
  agentId: string;
  baseId: string;
  documentId: string | undefined;
  after: PairPlace | undefined;
  most: number;
}

function documentsIn({ agentId, baseId, documentId, after }: ListScope): RawBuilder<unknown> {
  return sql`d.agent_id = ${agentId} and d.knowledge_base_id = ${baseId} and d.deleted_at is null
    ${documentId === undefined ? sql`` : sql`and d.id = ${documentId}`}
    ${after === undefined ? sql`` : sql`and d.id >= ${after.documentId}`}`;
}

/** Pairs of a content that replaced the one under the cursor are read from their beginning. */
function behind({ after }: ListScope): RawBuilder<unknown> {
  return after === undefined
    ? sql``
    : sql`and (p.document_id, p.revision, p.ordinal) > (${after.documentId}::uuid, ${after.revision}::integer, ${after.ordinal}::integer)`;
}

/** Each document is read by the key of its pairs, and no further than the page goes. */
async function inOrder(db: Database, scope: ListScope): Promise<PairRow[]> {
  const { agentId, baseId, most } = scope;
  const { rows } = await sql<PairRow>`
    select ${columns()}
    from document d
      cross join lateral (
        select * from qa_pair p
        where p.knowledge_base_id = ${baseId} and p.document_id = d.id and p.revision = d.current_revision ${behind(scope)}
        order by p.ordinal limit ${most}) p
      ${lastVersion(agentId)}
    where ${documentsIn(scope)}
    order by d.id, p.ordinal limit ${most}`.execute(db);
  return rows;
}

/** A tsquery for what has the words and the tag. Undefined: there is no word in the text, so nothing has it. */
function queryOf(baseId: string, text: string | undefined, tag: string | undefined): string | undefined {
  const worded = text === undefined ? undefined : wordsQuery(baseId, text);
  if (tag === undefined || (text !== undefined && worded === undefined)) return worded;
  const tagged = taggedQuery(baseId, normalTags([tag])[0] ?? "");
  return worded === undefined ? tagged : `${tagged} & ${worded}`;
}

/** The index of terms finds them all; only those of the page are read whole. */
async function found(db: Database, scope: ListScope, query: string | undefined): Promise<PairRow[]> {
  const { agentId, baseId, most } = scope;
  if (query === undefined) return [];
  const { rows } = await sql<PairRow>`
    with matched as materialized (
      select p.document_id, p.revision, p.ordinal from qa_pair p
      where p.agent_id = ${agentId} and p.knowledge_base_id = ${baseId} and p.terms @@ ${query}::tsquery ${behind(scope)}),
    page as (
      select d.id, d.name, m.revision, m.ordinal
      from matched m join document d on d.id = m.document_id and d.current_revision = m.revision
      where ${documentsIn(scope)}
      order by m.document_id, m.ordinal limit ${most})
    select ${columns()}
    from page d
      cross join lateral (
        select * from qa_pair p
        where p.knowledge_base_id = ${baseId} and p.document_id = d.id and p.revision = d.revision and p.ordinal = d.ordinal limit 1) p
      ${lastVersion(agentId)}
    order by p.document_id, p.ordinal`.execute(db);
  return rows;
}

/** Of `document d`, `qa_pair p` and its last version `v`. */
function columns(): RawBuilder<unknown> {
  return sql`p.knowledge_base_id, p.document_id, d.name as document_name, p.revision, p.ordinal, p.question, p.answer, p.alternates, p.tags,
    v.version, v.change, v.actor, v.actor_id, v.actor_name, v.created_at`;
}

function lastVersion(agentId: string): RawBuilder<unknown> {
  return sql`left join lateral (
    select * from qa_pair_version v
    where v.agent_id = ${agentId} and v.document_id = p.document_id and v.revision = p.revision and v.ordinal = p.ordinal
    order by v.version desc limit 1) v on true`;
}

function describe(row: PairRow): Pair {
  const {
    question,
    answer,
    alternates,
    tags,
    revision,
    ordinal,
    document_id: documentId,
    version,
    created_at,
  } = row;
  const isEdited = version !== null && created_at !== null;
  return {
    pair_id: writePairId({ documentId, revision, ordinal }),
    knowledge_base_id: row.knowledge_base_id,
    doc_id: documentId,
    doc_name: row.document_name,
    question,
    answer,
    alternates,
    tags,
    version: version ?? 1,
    author: isEdited ? authorOf({ ...row, version, created_at }) : null,
    update_time: isEdited ? created_at.getTime() : null,
  };
}
