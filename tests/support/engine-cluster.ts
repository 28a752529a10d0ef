import { execFile } from "node:child_process";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { choosePorts, findProgram, PARTITIONS, startEngine, writeIdentity } from "./engine.ts";
import type { Engine, EnginePorts, ReachableEngine } from "./engine.ts";
import { eventually } from "./processes.ts";
import { openTcpSwitch } from "./tcp-switch.ts";

const run = promisify(execFile);
const NODES = 3;
/** Each record is on two nodes: one of them may be lost. */
const REPLICATION = 2;

export type EngineNode = Engine & { name: string };

export type EngineCluster = ReachableEngine & {
  nodes: EngineNode[];
  /** For a node whose disk was wiped: a node of another name takes its address, and no log counts on the lost one. */
  replace(index: number): Promise<EngineNode>;
};

/** Three nodes of Restate behind one address for their ingresses and one for their admin APIs. */
export async function startEngineCluster(directory: string): Promise<EngineCluster> {
  await using opening = new AsyncDisposableStack();
  const ingress = opening.use(await openTcpSwitch());
  const admin = opening.use(await openTcpSwitch());
  const identityFile = await writeIdentity(directory);
  const ports: EnginePorts[] = [];
  for (let index = 0; index < NODES; index += 1) ports.push(await choosePorts());
  const addresses = ports.map(({ node }) => `http://127.0.0.1:${node}`);
  const nodes: EngineNode[] = [];
  opening.defer(async () => void (await Promise.all(nodes.map((node) => node[Symbol.asyncDispose]()))));

  async function startNode(index: number, name: string): Promise<EngineNode> {
    const place = ports[index];
    if (place === undefined) throw new Error(`a cluster of ${NODES} nodes has no place ${index}`);
    const nodeDirectory = join(directory, name);
    await mkdir(nodeDirectory);
    const environment = {
      RESTATE_CLUSTER_NAME: "signalbox",
      RESTATE_ADVERTISED_ADDRESS: `http://127.0.0.1:${place.node}`,
      RESTATE_METADATA_CLIENT__ADDRESSES: JSON.stringify(addresses),
      RESTATE_AUTO_PROVISION: String(name === "n1"),
      RESTATE_DEFAULT_REPLICATION: String(REPLICATION),
      RESTATE_ROCKSDB_TOTAL_MEMORY_SIZE: "256 MB",
    };
    const options = { directory: nodeDirectory, nodeName: name, ports: place, identityFile, environment };
    const node = { ...(await startEngine(options)), name };
    nodes[index] = node;
    return node;
  }
  const first = await startNode(0, "n1");
  await Promise.all([startNode(1, "n2"), startNode(2, "n3")]);
  ingress.leadTo(ports.map((place) => place.ingress));
  admin.leadTo(ports.map((place) => place.admin));

  let named = NODES;
  const open = opening.move();
  return {
    nodes,
    ingressUrl: `http://127.0.0.1:${ingress.port}`,
    adminUrl: `http://127.0.0.1:${admin.port}`,
    identityKey: first.identityKey,
    isHealthy: async () => (await Promise.all(nodes.map((node) => node.isHealthy()))).every(Boolean),
    async replace(index) {
      const lost = nodes[index]?.name ?? "";
      named += 1;
      return replaceNode(controlOf(addresses), lost, () => startNode(index, `n${named}`));
    },
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

type Control = (...args: string[]) => Promise<string>;

/** What an operator types. While leaders move a command may be refused for a moment: it is given again. */
function controlOf(addresses: string[]): Control {
  const given = ["--yes", "--address", addresses.join(",")];
  return (...args) =>
    eventually(
      `restatectl ${args.join(" ")}`,
      async () => (await run(findProgram("restatectl"), [...given, ...args], { timeout: 20_000 })).stdout,
      { timeoutMs: 60_000, everyMs: 500 },
    );
}

/**
 * The lost node leaves the members of the metadata first: with it and the new one they would be four, of which three have to be
 * up. Then the logs leave it, or the next node that dies would take the last but one copy of what is written now.
 */
async function replaceNode(
  control: Control,
  lost: string,
  start: () => Promise<EngineNode>,
): Promise<EngineNode> {
  const [, id] = new RegExp(`(N\\d+)\\s+\\d+\\s+${lost}\\s`).exec(await control("nodes", "list")) ?? [];
  if (id === undefined) throw new Error(`the cluster does not know a node ${lost}`);
  await control("metadata-server", "remove-node", id);
  const node = await start();
  await control("nodes", "set-storage-state", "--nodes", id, "--storage-state", "read-only");
  await control("logs", "reconfigure", "--log-id", `0-${PARTITIONS - 1}`);
  await eventually(`no log counts on ${id}`, async () => {
    const nodesets = (await control("logs", "list")).match(/\[N[^\]]*\]/g) ?? [];
    return nodesets.length >= PARTITIONS && !nodesets.some((nodeset) => namesOf(nodeset).includes(id));
  });
  return node;
}

function namesOf(nodeset: string): string[] {
  return nodeset.match(/N\d+/g) ?? [];
}
