import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { copyFile, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, describe, it } from "node:test";
import {
  ARROWS,
  mustOnlyReexport,
  placeOf,
  refuseEnvironment,
  refuseImport,
  refuseName,
  refusePlace,
} from "./rooms.ts";

const server = "packages/server/src";
const root = dirname(import.meta.dirname);

describe("table of arrows", () => {
  it("the arrows have no cycle", () => {
    const reach = (place: string, path: readonly string[]): void => {
      assert.ok(!path.includes(place), `a circle: ${[...path, place].join(" -> ")}`);
      for (const next of ARROWS[place] ?? []) reach(next, [...path, place]);
    };
    for (const place of Object.keys(ARROWS)) reach(place, []);
  });

  it("every arrow points at a place with a row of its own", () => {
    for (const targets of Object.values(ARROWS))
      for (const target of targets) assert.ok(Object.hasOwn(ARROWS, target), target);
  });
});

describe("place of a file", () => {
  it("the place of a file is its room, its package or its top folder, at any depth", () => {
    assert.equal(placeOf(`${server}/knowledge/intake/read-csv.ts`), "knowledge");
    assert.equal(placeOf(`${server}/compose.ts`), "compose");
    assert.equal(placeOf(`${server}/config.test.ts`), "config");
    assert.equal(placeOf("packages/sdk/src/client.ts"), "sdk");
    assert.equal(placeOf("tests/support/receiver.ts"), "tests");
    assert.equal(placeOf("examples/receivers/express/server.ts"), "examples");
    assert.equal(placeOf("oxlint.config.ts"), undefined);
  });

  it("a file outside every room is refused", () => {
    assert.match(refusePlace(`${server}/billing/price.ts`) ?? "", /billing is not a room/);
    assert.match(refusePlace(`${server}/price.ts`) ?? "", /holds only main\.ts, compose\.ts and config\.ts/);
    assert.match(refusePlace("packages/billing/src/price.ts") ?? "", /billing has no arrows/);
    assert.equal(refusePlace(`${server}/compose.test.ts`), undefined);
    assert.equal(refusePlace(`${server}/delivery/lane.ts`), undefined);
  });
});

describe("allowed imports", () => {
  const allowed: [from: string, specifier: string][] = [
    ["packages/cli/src/documents/dry-run.ts", "@signalbox/server/dry-run"],
    [`${server}/main.ts`, "./compose.ts"],
    [`${server}/main.ts`, "./config.ts"],
    [`${server}/compose.ts`, "./http/index.ts"],
    [`${server}/compose.ts`, "./config.ts"],
    [`${server}/compose.ts`, "./compose/delivery.ts"],
    [`${server}/compose/delivery.ts`, "../delivery/index.ts"],
    [`${server}/handoff/transitions.ts`, "../delivery/index.ts"],
    [`${server}/handoff/transitions.ts`, "./states.ts"],
    [`${server}/knowledge/documents/add.ts`, "../intake/read-csv.ts"],
    [`${server}/knowledge/documents/add.ts`, "../../platform/index.ts"],
    [`${server}/delivery/lane.ts`, "@signalbox/contract"],
    [`${server}/delivery/lane.ts`, "undici"],
    [`${server}/platform/database.ts`, "node:crypto"],
    [`${server}/platform/database.test.ts`, "@signalbox/tests/support/database.ts"],
    [`${server}/delivery/lane.test.ts`, "@signalbox/sdk"],
    [`${server}/delivery/lane.test.ts`, "../conversations/index.ts"],
    ["packages/contract/src/bodies.ts", "zod"],
    ["packages/contract/src/bodies.ts", "./failures.ts"],
    ["packages/contract/src/bodies.test.ts", "node:test"],
    ["packages/sdk/src/client.ts", "@signalbox/contract"],
    ["tests/acceptance/4.4-health.test.ts", "../support/service.ts"],
    ["tests/acceptance/4.4-health.test.ts", "@signalbox/sdk"],
    ["bench/lanes.ts", "../tests/support/service.ts"],
    ["tools/check-docs.ts", "../packages/server/src/config.ts"],
    ["tools/check-docs.ts", "../packages/contract/src/index.ts"],
    ["oxlint.config.ts", "oxlint"],
  ];
  for (const [from, specifier] of allowed) {
    it(`the import ${from} -> ${specifier} is allowed`, () =>
      assert.equal(refuseImport(from, specifier), undefined));
  }
});

describe("refused imports", () => {
  const refused: [from: string, specifier: string, because: RegExp][] = [
    [`${server}/platform/clock.ts`, "../agents/index.ts", /platform may not import agents/],
    [`${server}/delivery/lane.ts`, "../knowledge/index.ts", /delivery may not import knowledge .* argument/],
    [`${server}/agents/keys.ts`, "../http/index.ts", /agents may not import http/],
    [
      `${server}/delivery/lane.ts`,
      "../webhooks/credentials.ts",
      /through packages\/server\/src\/webhooks\/index\.ts/,
    ],
    [`${server}/compose.ts`, "./platform/database.ts", /through packages\/server\/src\/platform\/index\.ts/],
    [`${server}/platform/log.ts`, "../config.ts", /platform may not import config/],
    [`${server}/http/mount.ts`, "../compose.ts", /http may not import compose/],
    [`${server}/main.ts`, "./platform/index.ts", /main may not import platform/],
    [`${server}/delivery/lane.ts`, "@signalbox/sdk", /delivery may not import sdk/],
    [`${server}/delivery/lane.ts`, "@signalbox/tests/support/receiver.ts", /delivery may not import tests/],
    [
      `${server}/delivery/lane.test.ts`,
      "../conversations/message-log.ts",
      /through .*conversations\/index\.ts/,
    ],
    [`${server}/delivery/lane.ts`, "../../../contract/src/index.ts", /import from @signalbox\/contract/],
    ["packages/contract/src/bodies.ts", "node:crypto", /no library but zod/],
    ["packages/contract/src/bodies.ts", "@signalbox/sdk", /contract may not import sdk/],
    ["packages/sdk/src/client.ts", "../../server/src/platform/index.ts", /sdk may not import platform/],
    [
      "tests/faults/kill.test.ts",
      "../../packages/server/src/delivery/index.ts",
      /tests may not import delivery .* sockets/,
    ],
    ["tests/faults/kill.test.ts", "@signalbox/server", /tests may not import server/],
    ["packages/cli/src/run.ts", "@signalbox/server/program", /cli may not import server\/program/],
    ["bench/lanes.ts", "../packages/server/src/engine/index.ts", /bench may not import engine/],
    ["bench/lanes.ts", "../tests/acceptance/4.4-health.test.ts", /@signalbox\/tests\/support/],
    ["packages/sdk/src/client.ts", "../../../vendor/thing.ts", /outside the rooms/],
  ];
  for (const [from, specifier, because] of refused) {
    it(`the import ${from} -> ${specifier} is refused`, () =>
      assert.match(refuseImport(from, specifier) ?? "", because));
  }
});

describe("names and the environment", () => {
  it("only main.ts, tests and tools may read the environment", () => {
    assert.match(refuseEnvironment(`${server}/platform/log.ts`) ?? "", /only the main\.ts/);
    assert.match(refuseEnvironment("packages/cli/src/run.ts") ?? "", /only the main\.ts/);
    assert.match(refuseEnvironment(`${server}/config.ts`) ?? "", /describe the setting/);
    assert.match(refuseEnvironment("packages/sdk/src/client.ts") ?? "", /argument/);
    for (const path of [
      `${server}/main.ts`,
      "packages/cli/src/main.ts",
      `${server}/config.test.ts`,
      "tools/test.ts",
      "tests/support/service.ts",
      "bench/lanes.ts",
    ]) {
      assert.equal(refuseEnvironment(path), undefined, path);
    }
  });

  it("a file or folder name that says nothing is refused", () => {
    for (const path of [
      `${server}/http/utils.ts`,
      `${server}/http/helpers/mount.ts`,
      "tests/support/common.ts",
      "packages/sdk/src/types.test.ts",
    ]) {
      assert.match(refuseName(path) ?? "", /says nothing/, path);
    }
    assert.equal(refuseName(`${server}/platform/tables.generated.ts`), undefined);
    assert.equal(refuseName(`${server}/http/content-types.ts`), undefined);
  });

  it("every index.ts of a package must hold re-exports only", () => {
    assert.ok(mustOnlyReexport(`${server}/http/index.ts`));
    assert.ok(mustOnlyReexport("packages/contract/src/index.ts"));
    assert.ok(!mustOnlyReexport(`${server}/http/mount.ts`));
  });
});

describe("linter with the rules of rooms", () => {
  let house: string;
  before(async () => {
    house = await mkdtemp(join(tmpdir(), "signalbox-rooms-"));
    await mkdir(join(house, "tools"));
    await symlink(join(root, "node_modules"), join(house, "node_modules"));
    for (const file of [
      "tools/rooms.ts",
      "tools/audited-writes.ts",
      "tools/table-owners.ts",
      "tools/test-titles.ts",
      "oxlint.config.ts",
      "tsconfig.json",
    ])
      await copyFile(join(root, file), join(house, file));
    await writeFile(join(house, "package.json"), `{ "type": "module" }\n`);
    await writeFile(join(house, ".gitignore"), "node_modules\n");
  });
  after(() => rm(house, { recursive: true, force: true }));

  async function lint(files: Record<string, string>): Promise<string[]> {
    await rm(join(house, "packages"), { recursive: true, force: true });
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(house, path)), { recursive: true });
      await writeFile(join(house, path), text);
    }
    const oxlint = join(root, "node_modules/oxlint/bin/oxlint");
    const { promise, resolve } = Promise.withResolvers<string>();
    execFile(process.execPath, [oxlint, "--format=json", "packages"], { cwd: house }, (_error, stdout) =>
      resolve(stdout),
    );
    const { diagnostics } = JSON.parse(await promise) as {
      diagnostics: { filename: string; code: string }[];
    };
    return diagnostics.map(({ filename, code }) => `${filename.slice(server.length + 1)} ${code}`).toSorted();
  }

  it("the linter reports each planted mistake", async () => {
    const found = await lint({
      [`${server}/delivery/index.ts`]: `export { lane } from "./lane.ts";\nexport const attempts = 3;\n`,
      [`${server}/delivery/lane.ts`]: `import { pair } from "../knowledge/index.ts";\nexport const lane = [pair, process.env["PORT"]];\n`,
      [`${server}/delivery/late.ts`]: `export const late = () => import("../knowledge/index.ts");\nexport type Pair = import("../knowledge/index.ts").Pair;\n`,
      [`${server}/delivery/sly.ts`]: `import { env } from "node:process";\nconst { env: other } = process;\nexport const all = [env, other];\n`,
      [`${server}/delivery/utils.ts`]: `export const one = 1;\n`,
      [`${server}/delivery/forgets.ts`]: `async function send() {}\nexport function drain() {\n  send();\n}\n`,
      [`${server}/knowledge/index.ts`]: `export { pair } from "./pair.ts";\nexport type { Pair } from "./pair.ts";\n`,
      [`${server}/knowledge/pair.ts`]: `export type Pair = { question: string };\nexport const pair: Pair = { question: "?" };\n`,
    });
    assert.deepEqual(found, [
      "delivery/forgets.ts typescript(no-floating-promises)",
      "delivery/index.ts rooms(file-names)",
      "delivery/lane.ts rooms(arrows)",
      "delivery/lane.ts rooms(one-env-reader)",
      "delivery/late.ts rooms(arrows)",
      "delivery/late.ts rooms(arrows)",
      "delivery/sly.ts rooms(one-env-reader)",
      "delivery/sly.ts rooms(one-env-reader)",
      "delivery/utils.ts rooms(file-names)",
    ]);
  });

  it("the linter reports nothing on clean code, tests included", async () => {
    const found = await lint({
      [`${server}/main.ts`]: `import { compose } from "./compose.ts";\nconsole.log(compose(process.env["PORT"]));\n`,
      [`${server}/compose.ts`]: `import { clock } from "./platform/index.ts";\nexport const compose = (port: string | undefined) => [clock(), port];\n`,
      [`${server}/platform/index.ts`]: `export { clock } from "./clock.ts";\n`,
      [`${server}/platform/clock.ts`]: `export const clock = () => Date.now();\n`,
      [`${server}/platform/clock.test.ts`]:
        `import assert from "node:assert/strict";\nimport { describe, it } from "node:test";\nimport { clock } from "./clock.ts";\n` +
        `describe("clock", () => {\n  it("the clock ticks", async () => {\n    assert.ok(clock() > 0);\n  });\n});\n`,
    });
    assert.deepEqual(found, []);
  });
});
