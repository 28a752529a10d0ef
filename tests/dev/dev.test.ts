import assert from "node:assert/strict";
import { type ChildProcess, execFile, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chown, mkdtemp, readdir, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { promisify } from "node:util";
import { eventually } from "@signalbox/tests/support/processes.ts";

const PROGRAM = join(import.meta.dirname, "../../packages/cli/src/main.ts");
const BUNDLER = join(import.meta.dirname, "../../packages/widget/bundle.ts");
const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;

interface Started {
  url: string;
  /** Another than was asked for, where root asks for one that nobody else may enter. */
  directory: string;
  operator_token: string;
  agents: { language: string; agent_id: string; api_key: string }[];
}

describe("signalbox dev", { timeout: 600_000 }, () => {
  let directory = "";
  const children: ChildProcess[] = [];
  const taken = createServer();
  before(async () => {
    execFileSync(process.execPath, [BUNDLER]);
    directory = await mkdtemp(join(tmpdir(), "signalbox-dev-"));
    if (isRoot) await chown(directory, NOBODY, NOBODY);
    // Its first choice, if nobody else has it already.
    taken.on("error", () => undefined).listen(8080, "127.0.0.1");
  });
  after(async () => {
    taken.close();
    for (const child of children) child.kill("SIGKILL");
    await rm(directory, { recursive: true, force: true });
  });

  async function start(name: string, owner: { uid?: number; gid?: number } = {}) {
    const child = spawn(process.execPath, [PROGRAM, "dev", "--directory", join(directory, name), "--json"], {
      cwd: directory,
      env: { PATH: process.env["PATH"] },
      stdio: ["ignore", "pipe", "pipe"],
      ...owner,
    });
    children.push(child);
    let out = "";
    let error = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => (out += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (error += text));
    await eventually("everything runs", () => out.trimEnd().endsWith("}") || child.exitCode !== null, {
      timeoutMs: 120_000,
    });
    assert.equal(child.exitCode, null, out + error);
    return { child, started: JSON.parse(out) as Started };
  }

  async function ask({ url, operator_token, agents }: Started, language: string, question: string) {
    const env = {
      PATH: process.env["PATH"],
      SIGNALBOX_URL: url,
      SIGNALBOX_OPERATOR_TOKEN: operator_token,
      SIGNALBOX_API_KEY: agents.find((agent) => agent.language === language)?.api_key ?? "",
    };
    const { stdout } = await promisify(execFile)(process.execPath, [PROGRAM, "ask", question], { env });
    return stdout.trim();
  }

  async function end(child: ChildProcess): Promise<void> {
    const ended = once(child, "exit");
    child.kill("SIGINT");
    assert.deepEqual(await ended, [0, null]);
  }

  it("signalbox dev answers in both languages although a port is taken, and continues after it was killed or stopped", async () => {
    const first = await start("own");
    assert.notEqual(new URL(first.started.url).port, "8080");
    assert.equal(
      await ask(first.started, "en", "When do you open?"),
      "We open at nine, every day but Sunday.",
    );
    assert.equal(await ask(first.started, "zh-CN", "你们几点开门？"), "每天上午九点开门，周日休息。");
    first.child.kill("SIGKILL");

    const second = await start("own");
    assert.deepEqual(second.started.agents, first.started.agents);
    assert.equal(
      await ask(second.started, "en", "Do you deliver?").then((answer) => answer.slice(0, 4)),
      "Yes:",
    );
    await end(second.child);
    const left = await readdir(second.started.directory);
    await rm(second.started.directory, { recursive: true });
    assert.deepEqual(
      left.filter((name) => name.endsWith(".running")),
      [],
    );
  });

  it("signalbox dev runs twice on one machine, also when both start at once", async () => {
    const both = await Promise.all([start("one"), start("other")]);
    for (const { started } of both)
      assert.equal(await ask(started, "en", "When do you open?"), "We open at nine, every day but Sunday.");
    for (const { child, started } of both) {
      await end(child);
      await rm(started.directory, { recursive: true, force: true });
    }
  });

  it("signalbox dev runs without root", { skip: !isRoot && "this is how the other test ran" }, async () => {
    const { child, started } = await start("user", { uid: NOBODY, gid: NOBODY });
    assert.equal(await ask(started, "en", "When do you open?"), "We open at nine, every day but Sunday.");
    await end(child);
  });
});
