import { resealModels } from "../agents/index.ts";
import type { Config } from "../config.ts";
import * as platform from "../platform/index.ts";
import { resealWebhooks } from "../webhooks/index.ts";

export async function migrateDatabase(url: string, print: (line: string) => void): Promise<void> {
  const applied = await platform.migrate(url, await platform.readMigrations(), print);
  print(applied.length === 0 ? "nothing to do" : `${applied.length} applied`);
}

/** Seals stored secrets with the newest key; says how many webhooks and models were touched. */
export async function resealSecrets(config: Config): Promise<number> {
  const log = platform.createLog(config.logLevel, { role: "reseal" });
  const onError = (error: Error) => log.warn({ err: error }, "a database connection was lost");
  const work = platform.openWorkDatabase({ url: config.database.url, poolSize: 2, onError });
  try {
    const sealer = platform.createSealer(config.sealingKeys);
    return (await resealWebhooks(work.db, sealer)) + (await resealModels(work.db, sealer));
  } finally {
    await work.close();
  }
}
