import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { judgeLoad, prepareLoad, startLoad } from "../support/load.ts";
import { eventually } from "../support/processes.ts";
import { now, startReceiver } from "../support/receiver.ts";
import type { Docker } from "./docker.ts";

const root = join(import.meta.dirname, "../..");
const { version } = JSON.parse(readFileSync(join(root, "packages/server/package.json"), "utf8")) as {
  version: string;
};
const TAG = `signalbox:${version}`;
/** The network `outside` of deploy/compose.yaml has it. */
const GATEWAY = "172.31.251.1";
const BASE_URL = "http://127.0.0.1:8080";
const CONVERSATIONS = 10;
const PROJECT_NAME = "signalbox-containers";
const PROJECT = ["compose", "--project-name", PROJECT_NAME];
const CRASHES = 3;
/** A busy machine is no failure. */
const WITHIN_MS = 600_000;
const SETTLED_MS = 3_000;

export type Deployment = {
  docker: Docker;
  directory: string;
  /** Images other than those that deploy/ names, by the variable. */
  images: Record<string, string>;
  messages: number;
  say: (line: string) => void;
};

export type Figures = {
  built: boolean;
  build_s: number;
  /** What it adds to its base image. */
  image_mb: number;
  dead_engine_refused: boolean;
  up_s: number;
  sent: number;
  delivered: number;
  lost: number;
  /** A crash of Restate may repeat a call that was under way: delivery is at least once. */
  twice: number;
  twice_without_fault: number;
  disordered: number;
  engine_killed: number;
  longest_gap_s: number;
};

/** Builds the image, brings the deployment up, sends numbered messages through it, and takes it down. */
export async function tryDeployment(deployment: Deployment): Promise<Figures> {
  const { docker, directory, images, say } = deployment;
  const secrets = join(directory, "secrets.env");
  const compose = (...words: string[]) =>
    docker(
      [...PROJECT, "--file", join(root, "deploy/compose.yaml"), "--env-file", secrets, ...words],
      images,
    );
  say("building the image …");
  const image = await build(deployment);
  const made = await docker(["run", "--rm", TAG, "secrets"]);
  const [, operatorToken = ""] = /^OPERATOR_TOKEN=(.+)$/m.exec(made) ?? [];
  await writeFile(secrets, `${made}\nWEBHOOK_ALLOWED_IPS=${GATEWAY}:*\n`, { mode: 0o600 });
  try {
    say("bringing up a deployment whose Restate cannot start …");
    const dead_engine_refused = await refusesDeadEngine(deployment, secrets);
    say("bringing the deployment up …");
    const beganAt = performance.now();
    await compose("up", "--detach", "--build", "--wait", "app");
    const up_s = secondsSince(beganAt);
    return {
      ...image,
      dead_engine_refused,
      up_s,
      ...(await sendThrough(deployment, operatorToken, compose)),
    };
  } catch (error) {
    say(await compose("logs", "--tail", "40").catch(String));
    throw error;
  } finally {
    say("taking it down …");
    await compose("down", "--volumes");
  }
}

/** With BuildKit, as Docker does by itself since version 23. */
async function build({
  docker,
  images,
}: Deployment): Promise<Pick<Figures, "built" | "build_s" | "image_mb">> {
  const { NODE_IMAGE: base } = images;
  const pinned = base === undefined ? [] : ["--build-arg", `NODE_IMAGE=${base}`];
  const beganAt = performance.now();
  await docker(["build", "--file", join(root, "deploy/Dockerfile"), "--tag", TAG, ...pinned, root], {
    DOCKER_BUILDKIT: "1",
  });
  const build_s = secondsSince(beganAt);
  // Newest first: what the last stage added ends with its first instruction that makes a layer.
  const history = await docker([
    "history",
    "--human=false",
    "--no-trunc",
    "--format",
    "{{.Size}} {{.CreatedBy}}",
    TAG,
  ]);
  const layers = history.split("\n");
  const ours = layers.slice(0, 1 + layers.findLastIndex((layer) => layer.includes("WORKDIR /signalbox")));
  const added = ours.reduce((sum, layer) => sum + Number.parseInt(layer, 10), 0);
  return { built: true, build_s, image_mb: Math.round(added / 100_000) / 10 };
}

/** Whether the service waits when Restate crashes at every start, instead of being called healthy. */
async function refusesDeadEngine(
  { docker, images, directory }: Deployment,
  secrets: string,
): Promise<boolean> {
  const file = join(directory, "dead-engine.yaml");
  await writeFile(file, "services: { restate: { command: [--no-such-option] } }\n");
  const files = ["--file", join(root, "deploy/compose.yaml"), "--file", file, "--env-file", secrets];
  const ending = new AbortController();
  const up = docker([...PROJECT, ...files, "up", "--detach", "--wait", "app"], images, ending.signal).then(
    () => false,
    () => true,
  );
  const stateOf = (part: string, format: string) =>
    docker(["inspect", "--format", format, `${PROJECT_NAME}-${part}-1`]).catch(() => "");
  const isNeverStarted = async () => {
    await eventually(
      "Restate crashed again and again, and the schema is there",
      async () => {
        const migrated = await stateOf("migrate", "{{.State.Status}} {{.State.ExitCode}}");
        return migrated === "exited 0" && Number(await stateOf("restate", "{{.RestartCount}}")) >= CRASHES;
      },
      { timeoutMs: WITHIN_MS, everyMs: 250 },
    );
    await sleep(SETTLED_MS);
    return (await stateOf("app", "{{.State.Status}}")) === "created";
  };
  const isRefused = await Promise.race([up, isNeverStarted()]);
  ending.abort();
  await up;
  return isRefused;
}

type Compose = (...words: string[]) => Promise<string>;

async function sendThrough({ messages, docker, say }: Deployment, operatorToken: string, compose: Compose) {
  await using receiver = await startReceiver({ host: GATEWAY });
  const bed = { baseUrl: BASE_URL, operatorToken, receiver, apis: [{ baseUrl: BASE_URL }] };
  const messagesEach = Math.ceil(messages / CONVERSATIONS);
  const target = await prepareLoad(bed, { conversations: CONVERSATIONS, messagesEach });
  const sent = messagesEach * CONVERSATIONS;
  const engine = await findEngine(docker, await compose("ps", "--quiet", "restate"));
  say(`sending ${sent} messages, and killing Restate after half of them …`);
  const load = startLoad(bed, target, sent / 2);
  try {
    await load.acceptedCount(sent / 2, WITHIN_MS);
    load.allow(sent);
    const from = now();
    await engine.crash();
    const until = now() + SETTLED_MS;
    await load.acceptedCount(sent, WITHIN_MS);
    const delivered = () =>
      new Set(receiver.ledger().map(({ conversationId, key }) => `${conversationId} ${key}`));
    await eventually("everything is delivered", () => delivered().size >= sent, {
      timeoutMs: WITHIN_MS,
    }).catch((error: unknown) => say(String(error)));
    // What is sent twice comes soon after.
    await sleep(SETTLED_MS);
    const verdict = judgeLoad(bed, load, { faults: [{ from, until }] });
    const times = receiver.ledger().map(({ arrivedAt }) => arrivedAt);
    const gaps = times.slice(1).map((at, index) => at - (times[index] ?? at));
    return {
      sent,
      delivered: delivered().size,
      lost: verdict.lost.length + verdict.stuck.length,
      twice: verdict.duplicates.length,
      twice_without_fault: verdict.duplicatesWithoutFault.length,
      disordered: verdict.reordered.length,
      engine_killed: 1,
      longest_gap_s: Math.round(Math.max(0, ...gaps) / 10) / 100,
    };
  } finally {
    await load.stop();
  }
}

async function findEngine(docker: Docker, id: string) {
  const inspect = async () => {
    const format = "{{.State.Pid}} {{.RestartCount}} {{.State.Health.Status}}";
    const [pid = "", restarts = "", health] = (await docker(["inspect", "--format", format, id])).split(" ");
    return { pid: Number(pid), restarts: Number(restarts), health };
  };
  const before = await inspect();
  return {
    /** Its own restart policy starts it again. */
    async crash() {
      process.kill(before.pid, "SIGKILL");
      const isBack = async () => {
        const { pid, restarts, health } = await inspect();
        return restarts > before.restarts && pid !== before.pid && health === "healthy";
      };
      await eventually("Restate is back", isBack, { timeoutMs: WITHIN_MS, everyMs: 250 });
    },
  };
}

const secondsSince = (at: number) => Math.round((performance.now() - at) / 100) / 10;
