import { DatabaseSync } from "node:sqlite";
import { prepareExample, type RunningExample } from "@signalbox/tests/support/running-example.ts";

export type RunningDesk = RunningExample & {
  /** Everything it has stored of what was said, as text. */
  stored(): string;
};

export async function prepareDesk(): Promise<RunningDesk> {
  const example = await prepareExample("desk", "DESK_FILE");
  return {
    ...example,
    stored() {
      const database = new DatabaseSync(example.file, { readOnly: true });
      const entries = database.prepare("select * from entry order by id").all();
      database.close();
      return JSON.stringify(entries);
    },
  };
}
