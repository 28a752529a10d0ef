import { runsOutside, skeletonOf, statementsOf } from "./migration-statements.ts";

/** What a statement does to the rows of a table that is there already, from the least to the most. */
export type Work =
  | "changes no row"
  | "reads every row"
  | "changes rows"
  | "indexes every row"
  | "rewrites every row";

/** What somebody who runs a migration beside traffic has to know of one statement. */
export interface Step {
  table: string;
  lock: string;
  work: Work;
  /** How to write it so that the lock is short; undefined where it is. */
  instead: string | undefined;
}

type Found = Omit<Step, "table">;

/** What a table's name follows. */
const BEFORE_NAME = /^(?:if (?:not )?exists )?(?:only )?/;
const EXCLUSIVE = "ACCESS EXCLUSIVE";
const BATCHES =
  "change the rows in batches, in the worker, and not in a migration: every row stays locked until the migration commits";

/** One line for each thing that may be wanted of `alter table`, the worst first. */
const ALTERATIONS: readonly [RegExp, Found][] = [
  [
    /^alter (?:column )?\S+ (?:set data )?type /,
    rewrite("add a column of the new type, fill it in batches, and drop the old one a version later"),
  ],
  [/^set (?:tablespace|logged|unlogged|access method)/, rewrite("make a new table and fill it in batches")],
  [
    /^add (?:column )?.*(?: generated (?:always|by default) as | (?:small|big)?serial\b)/,
    rewrite("add a plain column, fill it in batches, and set its default afterwards"),
  ],
  [
    /^add (?:column )?.* default (?!(?:now|current_date) ?\()[\w.]+ ?\(/,
    rewrite(
      "add the column without this default, which is computed for each row, and set the default afterwards",
    ),
  ],
  [/^add (?:constraint \S+ )?(?:unique|primary key) using index/, brief(EXCLUSIVE)],
  [
    /^add (?:constraint \S+ )?(?:unique|primary key|exclude)/,
    {
      lock: EXCLUSIVE,
      work: "indexes every row",
      instead:
        'build the index in a migration "Outside a transaction" with create unique index concurrently, then add the constraint using index',
    },
  ],
  [/^add .* not valid$/, brief("SHARE ROW EXCLUSIVE")],
  [
    /^add (?:constraint \S+ )?(?:check|foreign key|not null)|^add (?:column )?.* (?:check ?\(|references )/,
    scan("add the constraint not valid, and validate it in a migration of its own"),
  ],
  [
    /^alter (?:column )?\S+ set not null/,
    scan("add a check (… is not null) not valid, and validate it in a migration of its own"),
  ],
  [
    /^attach partition/,
    scan("give the partition a check constraint with its bounds first, validated in a migration of its own"),
  ],
  [/^validate constraint/, { lock: "SHARE UPDATE EXCLUSIVE", work: "reads every row", instead: undefined }],
];

function rewrite(instead: string): Found {
  return { lock: EXCLUSIVE, work: "rewrites every row", instead };
}

function scan(instead: string): Found {
  return { lock: EXCLUSIVE, work: "reads every row", instead };
}

const WORKS: readonly Work[] = [
  "changes no row",
  "reads every row",
  "changes rows",
  "indexes every row",
  "rewrites every row",
];

/** What a migration does to tables that were there before it, read from its text. Its own new tables are nobody's yet. */
export function stepsOf(migration: string): Step[] {
  const statements = statementsOf(migration).map(skeletonOf);
  const made = new Set(statements.flatMap((text) => tableAfter(/^create (?:unlogged )?table /, text) ?? []));
  const steps = statements.flatMap(stepOf).filter(({ table }) => !made.has(table));
  if (runsOutside(migration)) return steps;
  return steps.map((step) => {
    // Locks are kept until the commit: what is harmless alone is not so behind another statement.
    const isBehind = steps.some((other) => other.table === step.table && other.lock === EXCLUSIVE);
    if (step.instead !== undefined || step.work === "changes no row" || !isBehind) return step;
    return {
      ...step,
      lock: EXCLUSIVE,
      instead: "move it to a migration of its own: here it reads under the lock of another statement",
    };
  });
}

function stepOf(text: string): Step[] {
  const altered = tableAfter(/^alter table /, text);
  if (altered !== undefined) return [{ table: altered, ...alterationOf(text) }];
  const isIndex = /^create (?:unique )?index /.test(text);
  if (isIndex || /^create (?:or replace )?(?:constraint )?trigger /.test(text)) {
    const table = tableAfter(/^ on /, text.slice(text.indexOf(" on ")));
    const found: Found = isIndex ? indexing(text) : brief("SHARE ROW EXCLUSIVE");
    return table === undefined ? [] : [{ table, ...found }];
  }
  const changed = tableAfter(/^(?:update|delete from) /, text);
  if (changed !== undefined)
    return [{ table: changed, lock: "ROW EXCLUSIVE", work: "changes rows", instead: BATCHES }];
  const rewritten = tableAfter(/^(?:cluster|vacuum full|reindex table) /, text);
  if (rewritten !== undefined)
    return [{ table: rewritten, ...rewrite("leave it out: maintenance is not a migration") }];
  const locked = tableAfter(/^lock (?:table )?/, text);
  if (locked !== undefined) return [{ table: locked, ...brief(EXCLUSIVE), instead: "leave it out" }];
  const dropped = tableAfter(/^(?:truncate table|truncate|drop table) /, text);
  return dropped === undefined ? [] : [{ table: dropped, ...brief(EXCLUSIVE) }];
}

function brief(lock: string): Found {
  return { lock, work: "changes no row", instead: undefined };
}

function indexing(text: string): Found {
  if (text.includes(" concurrently "))
    return { lock: "SHARE UPDATE EXCLUSIVE", work: "indexes every row", instead: undefined };
  if (text.slice(text.indexOf(" on ")).startsWith(" on only "))
    return { lock: "SHARE", work: "changes no row", instead: undefined };
  return {
    lock: "SHARE",
    work: "indexes every row",
    instead:
      'use concurrently, in a migration with the line "-- Outside a transaction" (for a partitioned table: on only, then concurrently on each partition, then attach)',
  };
}

/** A statement may have several actions: the one that takes longest counts. */
function alterationOf(text: string): Found {
  const rest = text
    .replace(/^alter table /, "")
    .replace(BEFORE_NAME, "")
    .replace(/^\S+ /, "");
  const found = splitActions(rest).map(
    (action) => ALTERATIONS.find(([form]) => form.test(action))?.[1] ?? brief(EXCLUSIVE),
  );
  const sorted = found.toSorted(
    (a, b) =>
      Number(b.instead !== undefined) - Number(a.instead !== undefined) ||
      WORKS.indexOf(b.work) - WORKS.indexOf(a.work),
  );
  return sorted[0] ?? brief(EXCLUSIVE);
}

/** At commas outside brackets. */
function splitActions(text: string): string[] {
  const actions: string[] = [];
  let depth = 0;
  let from = 0;
  for (const [at, sign] of [...text].entries()) {
    if (sign === "(") depth += 1;
    else if (sign === ")") depth -= 1;
    else if (sign === "," && depth === 0) {
      actions.push(text.slice(from, at).trim());
      from = at + 1;
    }
  }
  return [...actions, text.slice(from).trim()];
}

/** The table that a statement of this form names; undefined where it is of another. */
function tableAfter(form: RegExp, text: string): string | undefined {
  if (!form.test(text)) return undefined;
  const [name] = /^[\w."]+/.exec(text.replace(form, "").replace(BEFORE_NAME, "")) ?? [];
  return name?.replaceAll('"', "").replace(/^public\./, "");
}

/** On one busy core, rounded down: what an estimate has to be good for is telling seconds from hours. */
const ROWS_PER_SECOND: Record<Work, number> = {
  "changes no row": Infinity,
  "reads every row": 1_000_000,
  "changes rows": 50_000,
  "indexes every row": 200_000,
  "rewrites every row": 200_000,
};

export function describeStep({ table, lock, work }: Step, rows: number): string {
  const seconds = rows / ROWS_PER_SECOND[work];
  const time = seconds < 1 ? "under a second" : `about ${Math.round(seconds).toLocaleString("en")} s`;
  return `${table}: ${lock} lock, ${work} (${rows.toLocaleString("en")} rows, ${time})`;
}
