import {
  oldestProgramOf,
  readMigrations,
  skeletonOf,
  statementsOf,
  stepsOf,
} from "../packages/server/src/platform/index.ts";

/** Migrations up to this one were written apart from the rules. No version before them was released. */
const LAST_UNCHECKED = "0068";

/** They grow with agents and people. Every other table may have ten million rows. */
const SMALL_TABLES = new Set([
  "account",
  "account_identity",
  "account_invitation",
  "account_passkey",
  "account_role",
  "account_totp",
  "agent",
  "agent_model",
  "api_key",
  "canned_reply",
  "inbox_team",
  "inbox_team_member",
  "knowledge_base",
  "operator_token",
  "schema_migration",
  "webhook",
  "worker",
]);

/** What an older program may still use: nothing but the program that knows the migration runs on it. */
const TAKES_AWAY =
  /^drop (?:table|function|procedure|type|view|policy|trigger)|^revoke|^alter table .*(?:drop column|drop not null|rename|set not null| type )|^alter (?:function|type) .* rename/;

/** Blocks are opaque: what they lock cannot be read. This procedure alone is known, and meant for new tables. */
const OPAQUE = /^(?:do|call)\b(?! ?signalbox_isolate)/;

/** Why a new migration may not be applied beside traffic, each with what to write instead. */
export function problemsOf({ name, text }: { name: string; text: string }): string[] {
  const number = name.slice(0, 4);
  if (number <= LAST_UNCHECKED) return [];
  const oldest = oldestProgramOf({ text });
  const statements = statementsOf(text).map(skeletonOf);
  const problems: string[] = [];
  if (oldest === undefined || oldest > number)
    problems.push(
      `${name}: begin with the line "-- Oldest program that runs on this: NNNN", the newest migration of the oldest version that runs on this schema; ${number} if none does`,
    );
  const removal = statements.find((statement) => TAKES_AWAY.test(statement));
  if (removal !== undefined && oldest !== undefined && oldest < number)
    problems.push(
      `${name}: "${removal.slice(0, 80)}" takes away what version ${oldest} may use: stop using it first and drop it a version later, or name ${number} as the oldest program`,
    );
  for (const statement of statements.filter((one) => OPAQUE.test(one)))
    problems.push(
      `${name}: the locks of "${statement.slice(0, 40)}" cannot be read: write its statements out`,
    );
  for (const { table, lock, work, instead } of stepsOf(text))
    if (instead !== undefined && !SMALL_TABLES.has(table))
      problems.push(
        `${name}: ${work} of ${table} under ${lock}, which stops traffic for more than a second at ten million rows: ${instead}`,
      );
  return problems;
}

if (import.meta.main) {
  const problems = (await readMigrations()).flatMap(problemsOf);
  for (const problem of problems) console.error(problem);
  process.exitCode = problems.length === 0 ? 0 : 1;
}
