import { execFile } from "node:child_process";
import { cp, mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { bundleProgram } from "../../support/bundled-program.ts";
import { PROGRAM, SOURCE_PROGRAM } from "../../support/service.ts";

const run = promisify(execFile);
const root = join(import.meta.dirname, "../../..");
const OURS = "@signalbox";

/** What a next version may bring: a column, a table with rights, an index, a function. The version before runs on it. */
const ADDITIVE = (oldest: string) => `-- Oldest program that runs on this: ${oldest}
alter table message add column drill_mood text, add column drill_count integer not null default 0;
create table drill (id uuid primary key, note text not null default '');
create index drill_by_note on drill (note);
grant select, insert on drill to signalbox_work;
create function drill_answer() returns integer language sql as $$ select 42 $$;
`;

export type TwoVersions = Disposable & { older: string; newer: string };

/**
 * Programs of two versions. Without a reference the older is this checkout, and the newer is the same code that knows one
 * migration more: that proves the upgrade itself, and not that two particular versions get along. With one, the older is
 * that commit's code and the newer is this checkout.
 */
export async function layOutTwoVersions(directory: string, reference?: string): Promise<TwoVersions> {
  using opening = new DisposableStack();
  const bundle = async (program: string) => opening.use(await bundleProgram(program)).path;
  const ours = PROGRAM === SOURCE_PROGRAM ? await bundle(SOURCE_PROGRAM) : PROGRAM;
  const other = await bundle(
    reference === undefined ? await layOutNext(directory) : await layOutCommit(directory, reference),
  );
  const open = opening.move();
  return {
    ...(reference === undefined ? { older: ours, newer: other } : { older: other, newer: ours }),
    [Symbol.dispose]: () => open.dispose(),
  };
}

async function layOutNext(directory: string): Promise<string> {
  const home = join(directory, "newer");
  const [from, to] = [join(root, "packages/server"), join(home, "packages/server")];
  await mkdir(to, { recursive: true });
  for (const part of ["src", "migrations"]) await cp(join(from, part), join(to, part), { recursive: true });
  await symlink(join(from, "encoder"), join(to, "encoder"));
  await symlink(join(root, "node_modules"), join(home, "node_modules"));
  const manifest = JSON.parse(await readFile(join(from, "package.json"), "utf8")) as object;
  await writeFile(join(to, "package.json"), JSON.stringify({ ...manifest, version: "999.0.0" }));
  const oldest = (await migrationsIn(root)).at(-1)?.slice(0, 4) ?? "";
  await writeFile(join(to, "migrations/9000_drill.sql"), ADDITIVE(oldest));
  return join(to, "src/main.ts");
}

async function layOutCommit(directory: string, reference: string): Promise<string> {
  const home = join(directory, "older");
  await mkdir(home, { recursive: true });
  await run("sh", ["-c", 'git archive "$1" packages | tar -x -C "$2"', "sh", reference, home], { cwd: root });
  await linkDependencies(home);
  return join(home, "packages/server/src/main.ts");
}

async function migrationsIn(home: string): Promise<string[]> {
  return (await readdir(join(home, "packages/server/migrations"))).toSorted();
}

/** Everybody else's packages are those of this checkout; ours are of the other version. */
async function linkDependencies(home: string): Promise<void> {
  await mkdir(join(home, "node_modules", OURS), { recursive: true });
  for (const name of await readdir(join(root, "node_modules")))
    if (name !== OURS) await symlink(join(root, "node_modules", name), join(home, "node_modules", name));
  for (const name of await readdir(join(home, "packages")))
    await symlink(join(home, "packages", name), join(home, "node_modules", OURS, name));
}
