import { execFileSync } from "node:child_process";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { openBedDirectory } from "../support/bed-directory.ts";
import { privateDirectory, runOnPrivateMachine, whyNoPrivateMachine } from "../support/private-machine.ts";
import { buildBaseImages, makeRoots, type Roots } from "./base-images.ts";
import { tryDeployment, type Figures } from "./deployment.ts";
import { DOCKER_MACHINE, dockerWith, startDocker } from "./docker.ts";

const USAGE = `usage: npm run containers -- [--base-images stand-ins|real] [--messages N] [--roots FOLDER] [--json]
Builds deploy/Dockerfile, brings deploy/compose.yaml up, sends numbered messages through it while Restate is killed, and takes
it down. Needs root, on Debian 12.
  --base-images  stand-ins: made of Debian's and npm's packages, in a Docker of its own that no network reaches;
                 real: those that deploy/ or NODE_IMAGE, POSTGRES_IMAGE and RESTATE_IMAGE name, pulled by the
                 machine's own Docker. stand-ins unless given
  --messages     how many; 300 unless given
  --roots        keeps the Debian systems of the stand-ins here for the next run
  --json         the last line is the figures as one JSON object`;

const ROOTS_VARIABLE = "SIGNALBOX_CONTAINERS_ROOTS";
const PINS = ["NODE_IMAGE", "POSTGRES_IMAGE", "RESTATE_IMAGE"];
const { values } = parseArgs({
  options: {
    "base-images": { type: "string", default: "stand-ins" },
    messages: { type: "string", default: "300" },
    roots: { type: "string" },
    json: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});
const messages = Number(values.messages);
const say = (line: string) => console.log(`${new Date().toISOString().slice(11, 19)} ${line}`);

/** In a Docker of its own, once the machine around it has prepared what comes from a network. */
async function runInside(directory: string): Promise<void> {
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));
  const docker = await startDocker(directory);
  say("building the stand-ins of the base images …");
  const roots = JSON.parse(process.env[ROOTS_VARIABLE] ?? "") as Roots;
  const images = await buildBaseImages(docker, roots, directory);
  conclude(await tryDeployment({ docker, directory, images, messages, say }));
}

async function runWithStandIns(): Promise<void> {
  const missing = whyNoPrivateMachine(DOCKER_MACHINE);
  if (missing !== undefined) {
    console.error(`Stand-ins of the base images cannot be made here: this ${missing}.`);
    process.exitCode = 1;
    return;
  }
  execFileSync("bash", [join(import.meta.dirname, "../../.ci/install-containers")], { stdio: "inherit" });
  await using scratch = await openBedDirectory();
  const kept = values.roots === undefined ? join(scratch.path, "roots") : resolve(values.roots);
  process.env[ROOTS_VARIABLE] = JSON.stringify(await makeRoots(kept, scratch.path, say));
  process.exitCode = await runOnPrivateMachine(
    fileURLToPath(import.meta.url),
    process.argv.slice(2),
    (line) => console.log(line),
    DOCKER_MACHINE,
  );
}

async function runWithRealImages(): Promise<void> {
  await using directory = await openBedDirectory();
  const pinned = Object.entries(process.env).filter(([name]) => PINS.includes(name));
  const images = Object.fromEntries(pinned.map(([name, image = ""]) => [name, image]));
  conclude(await tryDeployment({ docker: dockerWith(), directory: directory.path, images, messages, say }));
}

function conclude(figures: Figures): void {
  const { sent, delivered, lost, twice_without_fault, disordered, dead_engine_refused } = figures;
  const failed = [
    ...(delivered === sent && lost === 0
      ? []
      : [`${sent - delivered} of ${sent} messages were not delivered`]),
    ...(twice_without_fault === 0 ? [] : [`${twice_without_fault} messages came twice without a fault`]),
    ...(disordered === 0 ? [] : [`${disordered} messages came out of order`]),
    ...(dead_engine_refused ? [] : ["a deployment whose Restate cannot start was called healthy"]),
  ];
  for (const complaint of failed) console.log(`failed: ${complaint}`);
  if (values.json) console.log(JSON.stringify({ base_images: values["base-images"], ...figures, failed }));
  else console.table(figures);
  process.exitCode = failed.length === 0 ? 0 : 1;
}

const directory = privateDirectory();
if (values.help) {
  console.log(USAGE);
} else if (!["stand-ins", "real"].includes(values["base-images"]) || !(messages > 0)) {
  console.error(USAGE);
  process.exitCode = 2;
} else if (directory !== undefined) {
  await runInside(directory);
} else {
  await (values["base-images"] === "real" ? runWithRealImages() : runWithStandIns());
}
