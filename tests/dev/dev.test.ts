import assert from "node:assert/strict";
import { type ChildProcess, execFile, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chown, mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { promisify } from "node:util";
import { createClient } from "@signalbox/sdk";
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
  pages: { desk?: string };
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

  async function start(
    name: string,
    { words = [], ...owner }: { uid?: number; gid?: number; words?: string[] } = {},
  ) {
    const argv = [PROGRAM, "dev", "--directory", join(directory, name), "--json", ...words];
    const child = spawn(process.execPath, argv, {
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

  /** Where users of each agent go who ask for a person, the first to be asked first. */
  async function desksOf({ url, operator_token, agents }: Started): Promise<string[]> {
    const operator = createClient({ baseUrl: url, operatorToken: operator_token });
    const kinds: string[] = [];
    for (const { agent_id } of agents) {
      const { list } = await operator.desks.list({ agent_id });
      const inOrder = list.toSorted((one, other) => one.rule.priority - other.rule.priority);
      kinds.push(inOrder.map(({ kind }) => kind).join(" "));
    }
    return kinds;
  }

  async function end(child: ChildProcess): Promise<void> {
    const ended = once(child, "exit");
    child.kill("SIGINT");
    assert.deepEqual(await ended, [0, null]);
  }

  it("signalbox dev answers in both languages although a port is taken, and continues after it was killed or stopped, with the sample desk while it is asked for", async () => {
    const first = await start("own", { words: ["--desk"] });
    assert.notEqual(new URL(first.started.url).port, "8080");
    assert.equal(
      await ask(first.started, "en", "When do you open?"),
      "We open at nine, every day but Sunday.",
    );
    assert.equal(await ask(first.started, "zh-CN", "你们几点开门？"), "每天上午九点开门，周日休息。");
    assert.deepEqual(await desksOf(first.started), ["webhook inbox", "webhook inbox"]);
    assert.equal((await fetch(first.started.pages.desk ?? "")).status, 200);
    for (const name of await readdir(first.started.directory))
      if (/\.log$|^settings\.json$/.test(name)) {
        const { mode } = await stat(join(first.started.directory, name));
        assert.equal(
          (mode & 0o077).toString(8),
          "0",
          `${name} opens the installation to every user of the machine`,
        );
      }
    assert.equal((await stat(first.started.directory)).mode & 0o066, 0);
    first.child.kill("SIGKILL");

    const second = await start("own");
    assert.deepEqual(second.started.agents, first.started.agents);
    assert.deepEqual(await desksOf(second.started), ["inbox", "inbox"]);
    assert.equal(second.started.pages.desk, undefined);
    assert.equal(
      await ask(second.started, "en", "Do you deliver?").then((answer) => answer.slice(0, 4)),
      "Yes:",
    );
    assert.equal(await readFile(join(second.started.directory, ".gitignore"), "utf8"), "*\n");
    const again = [PROGRAM, "dev", "--directory", join(directory, "own"), "--json"];
    const { stdout } = await promisify(execFile)(process.execPath, again, { cwd: directory });
    assert.deepEqual(
      (JSON.parse(stdout) as Started).agents,
      second.started.agents,
      "a second one starts nothing",
    );
    assert.match(await ask(second.started, "en", "Do you deliver?"), /^Yes:/);
    await end(second.child);
    const left = await readdir(second.started.directory);
    await rm(second.started.directory, { recursive: true });
    assert.deepEqual(
      left.filter((name) => /\.running$|^holder/.test(name)),
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
