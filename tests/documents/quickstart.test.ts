import assert from "node:assert/strict";
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { rm } from "node:fs/promises";
import { after, before, describe, it } from "node:test";
import { eventually } from "../support/processes.ts";
import { blocksOf, openProject, pageOf } from "./page-programs.ts";

const commandsOf = (page: string) => blocksOf(page, "sh").filter((block) => !block.startsWith("git clone"));

describe("docs/tutorial/quickstart.md, typed as written", { timeout: 600_000 }, () => {
  let project: Awaited<ReturnType<typeof openProject>>;
  let files = "";
  let blocks: string[] = [];
  let exported: Record<string, string> = {};
  const terminals: ChildProcess[] = [];

  before(async () => {
    project = await openProject();
    // The reader's checkout is this one.
    blocks = commandsOf(await pageOf("docs/tutorial/quickstart.md"));
  });
  after(async () => {
    for (const terminal of terminals.toReversed()) {
      if (terminal.exitCode !== null || terminal.signalCode !== null) continue;
      const ended = once(terminal, "exit");
      // Ctrl-C, which reaches all that a terminal runs.
      process.kill(-(terminal.pid ?? 0), "SIGINT");
      await ended;
    }
    if (files !== "") await rm(files, { recursive: true, force: true });
    await project[Symbol.asyncDispose]();
  });

  function type(commands: string, secret = "") {
    const { directory } = project;
    const terminal = spawn("bash", ["-c", commands.replaceAll("whsec_…", secret)], {
      cwd: directory,
      env: { HOME: directory, PATH: `${directory}/node_modules/.bin:${process.env["PATH"]}`, ...exported },
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    });
    terminals.push(terminal);
    let printed = "";
    let answered = "";
    terminal.stdout.setEncoding("utf8").on("data", (text: string) => (answered += text));
    for (const stream of [terminal.stdout, terminal.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => (printed += text));
    return {
      printed: () => printed,
      shows: (what: RegExp) =>
        eventually(
          `it prints ${what}`,
          () => {
            if (terminal.exitCode !== null) throw new Error(`it ended:\n${printed}`);
            return what.exec(printed) ?? undefined;
          },
          { timeoutMs: 120_000 },
        ),
      /** The answer; the rest of the output is for people. */
      async ends(): Promise<string> {
        if (terminal.exitCode === null) await once(terminal, "exit");
        assert.equal(terminal.exitCode, 0, printed);
        return answered;
      },
    };
  }

  it("the quickstart has every command of the README and begins with the tested install command", async () => {
    const [install = "", ...rest] = blocks[0]?.split("\n") ?? [];
    assert.ok((await pageOf(".ci/run")).includes(`\n${install} `), install);
    const dev = type(rest.join("\n"));
    [, files = ""] = await dev.shows(/Files and logs are in (\S+)/);
    const [, settings = ""] = await dev.shows(/^ *export (.*)$/m);
    exported = Object.fromEntries(settings.split(" ").map((pair) => pair.split(/=(.*)/s, 2)));
    for (const page of ["README.md", "README.zh-CN.md"]) {
      const [shown = "", answer = ""] = blocksOf(await pageOf(page), "text");
      for (const line of shown.trim().split("\n"))
        assert.match(
          dev.printed(),
          new RegExp(
            line
              .trim()
              .replaceAll(/[.+?()[\]]/g, "\\$&")
              .replaceAll("…", "\\S+"),
          ),
        );
      assert.equal(answer, blocksOf(await pageOf("docs/tutorial/quickstart.md"), "text")[0]);
      const own = commandsOf(await pageOf(page)).filter((block) => !block.startsWith("npm run check"));
      assert.deepEqual(
        own.filter((block) => !blocks.includes(block)),
        [],
      );
    }
  });

  it("the quickstart asks, imports and chats through the API", async () => {
    const [answer = "", taught = ""] = blocksOf(await pageOf("docs/tutorial/quickstart.md"), "text");
    assert.equal(await type(blocks[1] ?? "").ends(), answer);
    const importing = type(blocks[2] ?? "");
    assert.ok((await importing.ends()).endsWith(taught), importing.printed());
    assert.match(
      importing.printed(),
      /✖ shop\.csv: 2 of 3 rows imported.*\n +row 4, column 1: the question is missing/,
    );
    assert.match(await type(blocks[3] ?? "").ends(), /At the till, from 10 euros\./);
  });

  it("the quickstart receives messages on the reader's own server", async () => {
    const [receiver = ""] = blocksOf(await pageOf("README.md"), "ts");
    assert.ok(receiver.trim().split("\n").length <= 25);
    await project.write("receiver.ts", receiver);
    const listening = type(blocks[4] ?? "");
    const [secret = ""] = await listening.shows(/whsec_\S+/);
    const server = type(blocks[5] ?? "", secret);
    await server.shows(/receiving at port 3000/);
    await type(blocks[6] ?? "").ends();
    await server.shows(/ai says in \S+: We open at nine/);
    const [conform = "", deliveries = ""] = (blocks[7] ?? "").trim().split("\n");
    const held = await type(conform, secret).ends();
    assert.match(held, /answers-200/);
    assert.match(await type(deliveries).ends(), /delivered/);
  });
});
