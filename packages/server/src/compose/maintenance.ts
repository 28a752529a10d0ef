import { resealTotp } from "../accounts/index.ts";
import { resealModels } from "../agents/index.ts";
import type { Config } from "../config.ts";
import * as platform from "../platform/index.ts";
import { resealWebhooks } from "../webhooks/index.ts";

/** The two logins of an installation: the owner's migrates, the service's owns nothing. */
export interface Logins {
  ownerUrl: string;
  serviceUrl: string | undefined;
}

export async function migrateDatabase(
  { ownerUrl, serviceUrl }: Logins,
  print: (line: string) => void,
): Promise<true> {
  const applied = await platform.migrate(ownerUrl, await platform.readMigrations(), {
    log: print,
    serviceLogin: loginOf(serviceUrl),
  });
  print(
    applied.length === 0
      ? "Nothing to do: the schema is up to date."
      : `Applied ${applied.length} migrations.`,
  );
  return true;
}

/** What `migrate` would do to a database, with the locks it takes on tables that are there, and whether it may. */
export async function planMigration({ ownerUrl }: Logins, print: (line: string) => void): Promise<boolean> {
  const applied = await platform.readApplied(ownerUrl);
  const { pending, newer, mismatch } = platform.planMigrations(await platform.readMigrations(), applied);
  const planned = pending.map(({ name, text }) => ({ name, steps: platform.stepsOf(text) }));
  const tables = planned.flatMap(({ steps }) => steps.map(({ table }) => table));
  const rows = await platform.readRows(ownerUrl, [...new Set(tables)]);
  for (const { name, steps } of planned) {
    print(`pending ${name}`);
    for (const step of steps) {
      const count = rows.get(step.table);
      if (count !== undefined) print(`  ${platform.describeStep(step, count)}`);
    }
  }
  if (newer.length > 0 && mismatch === undefined) print(platform.newerSchema(newer));
  print(
    mismatch ??
      (pending.length === 0
        ? "Nothing to do: the schema is up to date."
        : `${pending.length} migrations to apply.`),
  );
  return mismatch === undefined;
}

/** Whether the schema of a database, with its roles, rights and policies, is the one this version needs. */
export async function verifySchema({ ownerUrl }: Logins, print: (line: string) => void): Promise<boolean> {
  const known = await platform.readMigrations();
  const applied = await platform.readApplied(ownerUrl);
  const mismatch = platform.schemaMismatch(known, applied);
  const { newer } = platform.planMigrations(known, applied);
  const problems =
    mismatch === undefined
      ? await platform.verifyAccess(ownerUrl, { mayHaveMore: newer.length > 0 })
      : [mismatch];
  for (const problem of problems) print(problem);
  if (problems.length === 0 && newer.length > 0) print(platform.newerSchema(newer));
  else if (problems.length === 0)
    print(
      `The schema matches this version: all ${known.length} migrations are applied, and roles, grants and policies are correct.`,
    );
  return problems.length === 0;
}

function loginOf(url: string | undefined): string | undefined {
  const login = url === undefined || !URL.canParse(url) ? "" : decodeURIComponent(new URL(url).username);
  return login === "" ? undefined : login;
}

/** Seals stored secrets with the newest key; says how many webhooks, models and second factors were touched. */
export async function resealSecrets(config: Config): Promise<number> {
  const log = platform.createLog(config.logLevel, { role: "reseal" });
  const onError = (error: Error) => log.warn("database_connection_lost", { err: error });
  const work = platform.openWorkDatabase({ url: config.database.directUrl, poolSize: 2, onError });
  try {
    const sealer = platform.createSealer(config.sealingKeys);
    const counts = [
      await resealWebhooks(work.db, sealer),
      await resealModels(work.db, sealer),
      await resealTotp(work.db, sealer),
    ];
    return counts.reduce((sum, count) => sum + count, 0);
  } finally {
    await work.close();
  }
}
