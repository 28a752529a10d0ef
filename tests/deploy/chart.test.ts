import assert from "node:assert/strict";
import { execFile, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { describe, it } from "node:test";
import { promisify } from "node:util";
import { parse, parseAllDocuments } from "yaml";
import { installed, without } from "../clients/installed.ts";
import { chartSeal, chartVariants, renderedPath } from "../support/chart.ts";

// No Kubernetes runs here. What helm makes of the chart is committed, and checked as far as that goes.

const run = promisify(execFile);
const root = join(import.meta.dirname, "../..");
const clients = join(root, "tests/clients");

interface Container {
  name: string;
  image: string;
  args?: string[];
  env: { name: string; value?: string; valueFrom?: { secretKeyRef?: { key: string; optional?: boolean } } }[];
  ports?: { name: string; containerPort: number }[];
  securityContext: object;
}
interface PodSpec {
  containers: Container[];
  securityContext: object;
  automountServiceAccountToken: boolean;
}
interface KubernetesObject {
  apiVersion: string;
  kind: string;
  metadata: { name: string };
  spec: {
    selector?: Record<string, unknown> & { matchLabels?: Labels };
    podSelector?: { matchLabels: Labels };
    ports?: { targetPort: string }[];
    ingress?: { ports?: { port: string }[] }[];
    template?: { metadata: { labels: Labels }; spec: PodSpec };
  };
}
type Labels = Record<string, string>;

const objectsOf = new Map<string, KubernetesObject[]>();
for (const variant of chartVariants) {
  const documents = parseAllDocuments(await readFile(renderedPath(variant), "utf8"));
  objectsOf.set(
    variant,
    documents.map((document) => document.toJS() as KubernetesObject),
  );
}
/** A process that took its settings tries to reach its database; one that did not names the mistakes. */
const CLOSED_PORT = "postgres://signalbox:word@127.0.0.1:1/signalbox";

async function firstWords(role: string, env: Record<string, string>): Promise<string> {
  const child = spawn(process.execPath, ["packages/server/src/main.ts", role], { cwd: root, env });
  const words = await Promise.race([
    once(child.stdout, "data"),
    once(child.stderr, "data"),
    once(child, "exit"),
  ]);
  child.kill("SIGKILL");
  return words.join(" ");
}

const everyObject = [...objectsOf.values()].flat();
const podOf = ({ spec }: KubernetesObject) => (spec.template === undefined ? [] : [spec.template]);

describe("Helm chart", () => {
  it("what is committed of the chart was rendered from it", async () => {
    for (const variant of chartVariants) {
      const [seal] = (await readFile(renderedPath(variant), "utf8")).split("\n", 1);
      assert.equal(seal, chartSeal(variant), "render it anew: npm run write-chart -- HELM");
    }
  });

  it(
    "every object of the chart has the fields that Kubernetes knows, with values of their types, and no other",
    { skip: without("kubernetes-models") },
    async () => {
      const folder = await mkdtemp(join(clients, "chart-"));
      try {
        const lines = everyObject.map((object, index) => {
          const type = `I${object.kind}`;
          const module = `kubernetes-models/${object.apiVersion}/${object.kind}`;
          return `import type { ${type} as T${index} } from "${module}";\nexport const o${index}: T${index} = ${JSON.stringify(object, null, 1)};`;
        });
        await writeFile(join(folder, "objects.ts"), lines.join("\n"));
        const settings = [
          "--noEmit",
          "--strict",
          "--skipLibCheck",
          "--module",
          "nodenext",
          "--target",
          "es2022",
        ];
        const tsc = installed("typescript/bin/tsc");
        await run(process.execPath, [tsc, ...settings, join(folder, "objects.ts")]).catch(
          (error: Error & { stdout?: string }) => assert.fail(error.stdout ?? error.message),
        );
      } finally {
        await rm(folder, { recursive: true });
      }
      for (const object of everyObject) {
        const file = installed(`kubernetes-models/${object.apiVersion}/${object.kind}.js`);
        const module = (await import(file)) as Record<string, new (data: object) => { validate(): void }>;
        const Model = module[object.kind];
        assert.ok(Model, object.kind);
        new Model(object).validate();
      }
    },
  );

  it("services, budgets and policies of the chart select one workload and ports that it has", () => {
    for (const objects of objectsOf.values()) {
      const pods = objects.flatMap(podOf);
      for (const { kind, metadata, spec } of objects.filter(({ kind }) => kind !== "Ingress")) {
        const labels =
          (spec.podSelector ?? spec.selector)?.matchLabels ?? (spec.selector as Labels | undefined);
        if (labels === undefined) continue;
        const selected = pods.filter((pod) =>
          Object.entries(labels).every(([name, value]) => pod.metadata.labels[name] === value),
        );
        assert.equal(selected.length, 1, `${kind} ${metadata.name}`);
        const named = selected[0]?.spec.containers.flatMap(({ ports = [] }) => ports.map(({ name }) => name));
        const wanted = [
          ...(kind === "Service" ? (spec.ports ?? []).map(({ targetPort }) => targetPort) : []),
          ...(spec.ingress ?? []).flatMap(({ ports = [] }) => ports.map(({ port }) => port)),
        ];
        assert.deepEqual(
          wanted.filter((name) => named?.includes(name) !== true),
          [],
          `${kind} ${metadata.name}`,
        );
      }
    }
  });

  it("each process of the chart starts with its environment: settings that exist, and secrets that are made or documented", async () => {
    const documented = await readFile(join(root, "docs/reference/configuration.md"), "utf8");
    const made = await run(process.execPath, ["packages/server/src/main.ts", "secrets"], { cwd: root });
    const secrets: Record<string, string> = {
      ...(parse(made.stdout.replaceAll(/^(\w+)=/gm, "$1: ")) as Record<string, string>),
      DATABASE_URL: CLOSED_PORT,
      MIGRATION_DATABASE_URL: CLOSED_PORT,
    };
    const containers = everyObject.flatMap(podOf).flatMap(({ spec }) => spec.containers);
    const ours = containers.filter(({ name }) => name !== "restate");
    assert.ok(ours.length >= 3 * chartVariants.length);
    for (const { name, args, env } of ours) {
      assert.deepEqual(args, [name]);
      const given = env.map((one) => [
        one.name,
        one.value ?? secrets[one.valueFrom?.secretKeyRef?.key ?? ""],
      ]);
      for (const [setting, value] of given) {
        assert.ok(documented.includes(`| \`${setting}\` |`), `${setting} is no setting`);
        assert.notEqual(value, undefined, `${setting} has no value`);
      }
      assert.match(await firstWords(name, Object.fromEntries(given)), /database|ECONNREFUSED/, name);
    }
  });

  it("each variable that the chart sets for Restate changes its configuration", () => {
    const require = createRequire(join(root, "packages/dev/package.json"));
    const wrapper = require.resolve("@restatedev/restate-server/package.json");
    const platform = `@restatedev/restate-server-${process.platform}-${process.arch}`;
    const program = createRequire(wrapper).resolve(`${platform}/bin/restate-server`);
    const configWith = (env: Record<string, string>) =>
      execFileSync(program, ["--dump-config"], { env, cwd: dirname(program), encoding: "utf8" });
    const unset = configWith({});
    const restate = everyObject.flatMap(podOf).flatMap(({ spec }) => spec.containers);
    const variables = new Map(
      restate.flatMap(({ env }) =>
        env.map(({ name, value = "" }) => [name, value.replace("$(POD_NAME)", "n-0")] as const),
      ),
    );
    const ignored = [...variables].filter(
      ([name, value]) => name.startsWith("RESTATE_") && configWith({ [name]: value }) === unset,
    );
    assert.deepEqual(
      ignored.map(([name]) => name),
      [],
    );
  });

  it("no container of the chart has privileges, a writable root or a token of the cluster", () => {
    for (const { spec } of everyObject.flatMap(podOf)) {
      assert.equal(spec.automountServiceAccountToken, false);
      assert.deepEqual(spec.securityContext, {
        runAsNonRoot: true,
        runAsUser: 1000,
        runAsGroup: 1000,
        fsGroup: 1000,
        seccompProfile: { type: "RuntimeDefault" },
      });
      for (const { securityContext } of spec.containers)
        assert.deepEqual(securityContext, {
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ["ALL"] },
        });
    }
  });

  it("the chart has the version of the service, and the Restate that is tested", async () => {
    const chart = parse(await readFile(join(root, "deploy/helm/signalbox/Chart.yaml"), "utf8")) as Record<
      string,
      string
    >;
    const versionIn = async (path: string) =>
      JSON.parse(await readFile(join(root, path), "utf8")) as {
        version: string;
        dependencies?: Record<string, string>;
      };
    const { version } = await versionIn("packages/server/package.json");
    assert.deepEqual([chart["version"], chart["appVersion"]], [version, version]);
    const restate = (await versionIn("packages/dev/package.json")).dependencies?.[
      "@restatedev/restate-server"
    ];
    const images = everyObject
      .flatMap(podOf)
      .flatMap(({ spec }) => spec.containers)
      .map(({ image }) => image);
    assert.ok(images.includes(`docker.restate.dev/restatedev/restate:${restate}`), images.join(", "));
  });
});
