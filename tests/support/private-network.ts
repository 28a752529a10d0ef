import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { openBedDirectory } from "./bed-directory.ts";
import { startProcess } from "./processes.ts";
import { CLUSTER_VARIABLE } from "./shared-cluster.ts";

const INSIDE = "SIGNALBOX_TEST_PRIVATE_NETWORK";
const UNSHARE = "unshare";

/** A whole file runs in one test. */
export const NETWORK_TIMEOUT = { timeout: 600_000 };

/** Where the name server of a private network is asked for. */
export const NAME_SERVER = "127.0.0.53";

/** Both routes make every address one of this machine's own, so that every connection is seen. */
const ENTER = `set -e
ip link set lo up
ip route add local 0.0.0.0/0 dev lo
ip -6 route add local ::/0 dev lo
mount --bind "$1" /etc/resolv.conf
shift
exec "$@"`;

/** Whether this process runs in such a network; the tests of the file are then its own. */
export const isInsideNetwork = process.env[INSIDE] === "1";

/**
 * Runs a test file once more in a network of its own, where nothing leads outside and every address leads back, with
 * a name server of the test's own. Needs root and iproute2; without them the test counts as skipped, never as passed.
 */
export function enterNetwork(file: string): (test: TestContext) => Promise<void> {
  return async (test) => {
    const probe = spawnSync(UNSHARE, ["--net", "--mount", "ip", "link", "set", "lo", "up"]);
    if (probe.status !== 0) return test.skip("needs root, unshare and ip (iproute2)");
    await using directory = await openBedDirectory();
    const resolvConf = join(directory.path, "resolv.conf");
    writeFileSync(
      resolvConf,
      `nameserver ${NAME_SERVER}\noptions timeout:2 attempts:2\nsearch corp.example\n`,
    );
    const inside = startProcess({
      name: "private network",
      command: UNSHARE,
      args: ["--net", "--mount", "--", "sh", "-c", ENTER, "sh", resolvConf, process.execPath, file],
      env: environmentInside({ [INSIDE]: "1" }),
      cwd: process.cwd(),
      logFile: join(directory.path, "inside.log"),
    });
    const { code } = await inside.exited;
    const said = `failed inside its network (exit ${code})\n${inside.logs()}`;
    assert.ok(code === 0 || !/AssertionError/.test(said), said);
    if (code !== 0) throw new Error(said);
  };
}

/** Its own runner, and its own cluster: that of the run is out of reach. */
export function environmentInside(added: Record<string, string>): Record<string, string> {
  const environment = { ...process.env, ...added };
  const left = ["NODE_TEST_CONTEXT", CLUSTER_VARIABLE];
  return Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) =>
      value === undefined || left.includes(name) ? [] : [[name, value]],
    ),
  );
}
