import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { promisify } from "node:util";
import { startHandwritten } from "./handwritten-receiver.ts";

const run = promisify(execFile);
const root = join(import.meta.dirname, "../..");

describe("the programs in docs/receive-webhooks.md", () => {
  let directory = "";
  const programs: string[] = [];
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), "signalbox-documents-"));
    // Where somebody's own project would have them.
    await mkdir(join(directory, "src"));
    await symlink(join(root, "node_modules"), join(directory, "node_modules"));
    await writeFile(join(directory, "package.json"), '{ "type": "module" }');
    const page = await readFile(join(root, "docs/receive-webhooks.md"), "utf8");
    for (const [, program = ""] of page.matchAll(/```ts\n(.*?)```/gs)) {
      const file = join(directory, "src", `${programs.length}.ts`);
      await writeFile(file, program);
      programs.push(file);
    }
  });
  after(() => rm(directory, { recursive: true, force: true }));

  it("have their types in order", async () => {
    assert.equal(programs.length, 2);
    const options = ["--noEmit", "--strict", "--skipLibCheck", "--module", "nodenext", "--target", "esnext"];
    const typescript = ["--allowImportingTsExtensions", "--types", "node", ...programs];
    await run(join(root, "node_modules/.bin/tsc"), [...options, ...typescript], { cwd: directory }).catch(
      ({ stdout }: { stdout: string }) => assert.fail(stdout),
    );
  });

  it("receive and send what they say", async () => {
    await using receiver = await startHandwritten("no credentials asked");
    const [receiving = "", sending = ""] = programs;
    const program = `
      process.env.SIGNALBOX_WEBHOOK_USERNAME = "signalbox";
      process.env.SIGNALBOX_WEBHOOK_SECRET = "s3cret";
      const { receiver } = await import(${JSON.stringify(receiving)});
      const { call } = await import(${JSON.stringify(`${sending}.run.ts`)});
      const response = await receiver.fetch(new Request(call.url, call));
      console.log(response.status, await response.text());`;
    const text = await readFile(sending, "utf8");
    const here = text.replace("http://127.0.0.1:3000/hooks", receiver.url);
    await writeFile(`${sending}.run.ts`, `${here}\nexport { call, result };\n`);
    const { stdout } = await run(process.execPath, ["--input-type=module", "-e", program], {
      cwd: directory,
    });
    assert.match(stdout, /Yes, please\.\n200 \{"code":200,"message":"success"\}/);
  });
});
