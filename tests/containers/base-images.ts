import { execFile } from "node:child_process";
import { cp, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { existsSync, globSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import type { Docker } from "./docker.ts";

const run = promisify(execFile);
const root = join(import.meta.dirname, "../..");
const NPM = "npm@11.19.1";
const CACHE = "var/cache/npm";

/** Where the stand-ins of the base images lie as directories. */
export type Roots = { debian: string; postgres: string; node: string };

/** Names of the base images, in the variables in which deploy/ takes them. */
export type BaseImages = { NODE_IMAGE: string; POSTGRES_IMAGE: string; RESTATE_IMAGE: string };

const TREES = {
  debian: ["bookworm", "ca-certificates,curl"],
  postgres: ["trixie", "ca-certificates,gosu,postgresql-17,postgresql-17-pgvector"],
} as const;

const PATH = "ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
const DOCKERFILES = {
  node: `FROM stand-in/debian
${PATH}
COPY . /
RUN useradd --uid 1000 --user-group --create-home node
CMD ["node"]
`,
  restate: `FROM stand-in/debian
${PATH}
COPY restate-server /usr/local/bin/
WORKDIR /
ENTRYPOINT ["/usr/local/bin/restate-server"]
`,
  postgres: `FROM stand-in/postgres-packages
${PATH}:/usr/lib/postgresql/17/bin
ENV PGDATA=/var/lib/postgresql/data LANG=C.UTF-8
COPY postgres-entrypoint /usr/local/bin/docker-entrypoint.sh
VOLUME /var/lib/postgresql/data
ENTRYPOINT ["docker-entrypoint.sh"]
CMD ["postgres"]
`,
};

/** Two Debian systems from packages, kept in `directory` for the next run, and what a build takes from npm. */
export async function makeRoots(
  directory: string,
  scratch: string,
  say: (line: string) => void,
): Promise<Roots> {
  await mkdir(directory, { recursive: true });
  const rootOf = async (name: keyof typeof TREES) => {
    const [suite, packages] = TREES[name];
    const path = join(directory, `${name}-${packages.replaceAll(",", "+")}`);
    if (existsSync(path)) return path;
    say(`installing Debian ${suite} with ${packages} …`);
    const unfinished = `${path}.unfinished`;
    await rm(unfinished, { recursive: true, force: true });
    const wanted = ["--variant=minbase", `--include=${packages}`, suite, unfinished];
    await run("debootstrap", [...wanted, await debianMirror()]);
    await rename(unfinished, path);
    return path;
  };
  const debian = await rootOf("debian");
  const postgres = await rootOf("postgres");
  say("installing npm, and filling its cache with what the build installs …");
  return { debian, postgres, node: await nodeFiles(join(scratch, "node")) };
}

/** The mirror that apt uses here. */
async function debianMirror(): Promise<string> {
  const sources = await readFile("/etc/apt/sources.list.d/debian.sources", "utf8").catch(() => "");
  return /^URIs: *(\S+)/m.exec(sources)?.[1] ?? "http://deb.debian.org/debian";
}

/**
 * What the image of Node has beside Debian: Node and npm. A build without a network finds its packages in npm's
 * cache, so each `npm ci` of the Dockerfile runs here first and fills it.
 */
async function nodeFiles(path: string): Promise<string> {
  const node = join(root, `node_modules/node-linux-${process.arch}/bin/node`);
  await mkdir(join(path, "usr/local/bin"), { recursive: true });
  await mkdir(join(path, "usr/local/etc"));
  await cp(node, join(path, "usr/local/bin/node"));
  await run("npm", ["install", "--global", "--ignore-scripts", "--prefix", join(path, "usr/local"), NPM]);
  const { stdout: registry } = await run("npm", ["config", "get", "registry"]);
  const settings = [
    `registry=${registry.trim()}`,
    `cache=/${CACHE}`,
    "offline=true",
    "update-notifier=false",
  ];
  await writeFile(join(path, "usr/local/etc/npmrc"), `${settings.join("\n")}\n`);

  const workspace = join(dirname(path), "workspace");
  for (const file of [
    "package.json",
    "package-lock.json",
    ...globSync("packages/*/package.json", { cwd: root }),
  ])
    await cp(join(root, file), join(workspace, file));
  const dockerfile = await readFile(join(root, "deploy/Dockerfile"), "utf8");
  for (const [, install = ""] of dockerfile.matchAll(/^RUN (npm ci [^&|\n]*)/gm))
    await run("sh", ["-c", `${install} --cache ${join(path, CACHE)}`], {
      cwd: workspace,
      env: { ...process.env, PATH: `${join(path, "usr/local/bin")}:${process.env["PATH"]}` },
    });
  return path;
}

/** Each stand-in is one of the Debian systems and, above it, what its Dockerfile here says. */
export async function buildBaseImages(docker: Docker, roots: Roots, scratch: string): Promise<BaseImages> {
  await docker.importImage("stand-in/debian", roots.debian);
  await docker.importImage("stand-in/postgres-packages", roots.postgres);
  const folder = (path: string) => dirname(join(root, path));
  const contexts = {
    node: roots.node,
    restate: folder(`node_modules/@restatedev/restate-server-linux-${process.arch}/bin/restate-server`),
    postgres: import.meta.dirname,
  };
  for (const [name, context] of Object.entries(contexts)) {
    const file = join(scratch, `${name}.Dockerfile`);
    await writeFile(file, DOCKERFILES[name as keyof typeof contexts]);
    await docker(["build", "--file", file, "--tag", `stand-in/${name}`, context], { DOCKER_BUILDKIT: "1" });
  }
  return {
    NODE_IMAGE: "stand-in/node",
    POSTGRES_IMAGE: "stand-in/postgres",
    RESTATE_IMAGE: "stand-in/restate",
  };
}
