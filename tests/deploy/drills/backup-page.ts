import { blocksOf, pageOf } from "../../documents/page-programs.ts";

const [dump = "", archive = "", baseBackup = "", restoreDump = "", verify = "", untilThen = ""] = blocksOf(
  await pageOf("docs/how-to/back-up-and-restore.md"),
  "sh",
);

/** The commands of docs/how-to/back-up-and-restore.md, as they stand there. */
export const BACKUP_PAGE = { dump, archive, baseBackup, restoreDump, verify, untilThen };
