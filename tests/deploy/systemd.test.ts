import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { chmod, cp, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { promisify } from "node:util";
import { openBedDirectory } from "../support/bed-directory.ts";
import { findPostgres, startCluster } from "../support/postgres.ts";
import { eventually, freePorts, startProcess } from "../support/processes.ts";
import type { StartedProcess } from "../support/processes.ts";

const run = promisify(execFile);
const root = join(import.meta.dirname, "../..");
const INSTALLED = "/opt/signalbox/bin";
const PROGRAMS = join(root, "node_modules/.bin");
const COMMON = "signalbox-.service.d/common.conf";
/** From 0, the best, to 100. A Node service that talks to the network cannot come below 14. */
const EXPOSURE_MAX = 20;

const folder = join(root, "deploy/systemd");
const units = (await readdir(folder)).filter((name) => name.endsWith(".service"));

/** All values of a setting, the drop-in's first, as systemd reads them. */
async function settingsOf(unit: string): Promise<Map<string, string[]>> {
  const settings = new Map<string, string[]>();
  for (const file of [COMMON, unit]) {
    const text = await readFile(join(folder, file), "utf8");
    for (const [, name = "", value = ""] of text.matchAll(/^(\w+)=(.*)$/gm))
      settings.set(name, [...(settings.get(name) ?? []), value]);
  }
  return settings;
}

describe("units of systemd", () => {
  const open = new AsyncDisposableStack();
  let files: string;
  before(async () => {
    files = open.use(await openBedDirectory()).path;
    await cp(folder, join(files, "units"), { recursive: true });
    for (const unit of units) {
      const path = join(files, "units", unit);
      await writeFile(path, (await readFile(path, "utf8")).replaceAll(INSTALLED, PROGRAMS));
    }
  });
  after(() => open.disposeAsync());

  const analyze = (...words: string[]) =>
    run("systemd-analyze", words, {
      env: { PATH: process.env["PATH"] ?? "", SYSTEMD_UNIT_PATH: `${join(files, "units")}:` },
    });

  it("the units of systemd pass systemd-analyze verify without a warning", async () => {
    assert.equal(units.length, 5);
    const { stderr } = await analyze("verify", "--man=no", ...units);
    assert.equal(stderr, "");
  });

  for (const unit of units)
    it(`${unit} is confined: its exposure is at most ${EXPOSURE_MAX / 10} of 10`, async () => {
      const path = join(files, "units", unit);
      await analyze("security", "--offline=true", `--threshold=${EXPOSURE_MAX}`, path);
    });

  it("the commands of the units, with their environment and as an unprivileged user, serve", async (t) => {
    const user = await unprivilegedUser();
    if (user === undefined) t.diagnostic("run as the user of the tests: no other one can read this checkout");
    const cluster = open.use(await startCluster());
    const secrets = await makeSecrets(files);
    await run("sh", [join(root, "deploy/postgres-init.sh")], {
      env: {
        ...secrets,
        PATH: `${findPostgres()}:${process.env["PATH"]}`,
        PGHOST: "127.0.0.1",
        PGPORT: String(cluster.port),
        PGPASSWORD: cluster.address.superuserPassword,
      },
    });
    const ports = await choosePorts();
    const place = { files, user, environmentFiles: environmentFilesOf(secrets, cluster.port, ports) };
    await chmod(files, 0o777);
    await mkdir(join(files, "signalbox-restate"));
    await chmod(join(files, "signalbox-restate"), 0o777);
    const migrate = await startUnit("signalbox-migrate.service", place);
    const restate = await startUnit("signalbox-restate.service", place, {
      // Other ports than those of the machine's own Restate.
      RESTATE_INGRESS__BIND_PORT: ports.ingress,
      RESTATE_ADMIN__BIND_PORT: ports.admin,
      RESTATE_BIND_PORT: ports.node,
      TMPDIR: files,
    });
    open.defer(() => restate.end("SIGTERM", 20_000));
    await eventually("migrate ends", () => migrate.exit() !== undefined, { timeoutMs: 240_000 });
    assert.equal(migrate.exit()?.code, 0, migrate.logs());
    const all = await startUnit("signalbox-all.service", place);
    open.defer(() => all.end("SIGTERM", 40_000));
    const health = () =>
      fetch(`http://127.0.0.1:${ports.api}/v1/webhook/service/health`).then((response) => response.text());
    await eventually("it is normal", async () => (await health()).includes("service is normal"), {
      timeoutMs: 120_000,
      everyMs: 250,
    }).catch((error: unknown) => assert.fail(`${String(error)}\n${all.logs()}\n${restate.logs()}`));
  });
});

type EnvironmentFiles = Record<string, Record<string, string>>;
type Ports = Awaited<ReturnType<typeof choosePorts>>;

async function choosePorts() {
  const [api = "", ingress = "", admin = "", node = "", service = ""] = (await freePorts(5)).map(String);
  return { api, ingress, admin, node, service };
}

/** As the page makes them, Restate's key beside the directory of its data. */
async function makeSecrets(files: string): Promise<Record<string, string>> {
  const file = join(files, "all.env");
  await run(join(PROGRAMS, "signalbox"), ["secrets", "generate", "--file", file]);
  const secrets = Object.fromEntries(
    [...(await readFile(file, "utf8")).matchAll(/^(\w+)=(.*)$/gm)].map(
      ([, name = "", value = ""]) => [name, value] as const,
    ),
  );
  const identity = JSON.parse(secrets["ENGINE_IDENTITY_PRIVATE_KEY"] ?? "") as string;
  await writeFile(join(files, "identity"), identity);
  return secrets;
}

function environmentFilesOf(
  secrets: Record<string, string>,
  databasePort: number,
  ports: Ports,
): EnvironmentFiles {
  const url = (login: string, password = "") =>
    `postgres://${login}:${password}@127.0.0.1:${databasePort}/signalbox`;
  return {
    "/etc/signalbox/signalbox.env": {
      OPERATOR_TOKEN: secrets["OPERATOR_TOKEN"] ?? "",
      SEALING_KEYS: secrets["SEALING_KEYS"] ?? "",
      ENGINE_IDENTITY_KEYS: secrets["ENGINE_IDENTITY_KEYS"] ?? "",
      DATABASE_URL: url("signalbox_service", secrets["DATABASE_PASSWORD"]),
      PORT: ports.api,
      ENGINE_INGRESS_URL: `http://127.0.0.1:${ports.ingress}`,
      ENGINE_ADMIN_URL: `http://127.0.0.1:${ports.admin}`,
      ENGINE_SERVICE_PORT: ports.service,
      ENGINE_SERVICE_URI: `http://127.0.0.1:${ports.service}`,
    },
    "/etc/signalbox/migrate.env": {
      MIGRATION_DATABASE_URL: url("signalbox", secrets["MIGRATION_DATABASE_PASSWORD"]),
    },
  };
}

/** What systemd would run, without its sandbox. */
async function startUnit(
  unit: string,
  place: { files: string; user: string | undefined; environmentFiles: EnvironmentFiles },
  more: Record<string, string> = {},
): Promise<StartedProcess> {
  const settings = await settingsOf(unit);
  const inPlace = (text: string) =>
    text.replaceAll(INSTALLED, PROGRAMS).replaceAll(/%[dS]/g, place.files).replaceAll(/^"|"$/g, "");
  const [command = "", ...args] = inPlace(settings.get("ExecStart")?.[0] ?? "").split(" ");
  const pairs = (settings.get("Environment") ?? []).map((line) => inPlace(line).split(/=(.*)/s, 2));
  const fromFiles = (settings.get("EnvironmentFile") ?? []).map((path) => place.environmentFiles[path]);
  return startProcess({
    name: unit,
    command,
    args,
    env: Object.assign({}, Object.fromEntries(pairs), ...fromFiles, more) as Record<string, string>,
    cwd: "/",
    logFile: join(place.files, `${unit}.log`),
    user: place.user,
  });
}

/** As no user but the one of the tests may be able to read where a clone lies. */
async function unprivilegedUser(): Promise<string | undefined> {
  const asNobody = ["--reuid=daemon", "--regid=daemon", "--clear-groups", "--"];
  return run("setpriv", [...asNobody, "test", "-r", join(root, "package.json")]).then(
    () => "daemon",
    () => undefined,
  );
}
