import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, it } from "node:test";
import { makeAgent } from "../support/agents.ts";
import { openBed } from "../support/bed.ts";
import { freePorts } from "../support/processes.ts";
import { blocksOf, openProject, pageOf } from "./page-programs.ts";

const SKILL = "skills/receive-signalbox-webhooks/SKILL.md";

describe(SKILL, () => {
  it("the skill for coding agents, followed step by step, ends with a receiver that passes every rule and gets a message", async () => {
    const page = await pageOf(SKILL);
    assert.match(page, /^---\nname: receive-signalbox-webhooks\ndescription: .{40,1024}\n---\n/);
    const [port = 0] = await freePorts(1);
    const here = (text: string) => text.replaceAll("3000", String(port));
    const [install = "", ...steps] = blocksOf(page, "sh");
    // The project has the SDK of this repository.
    assert.equal(install, "npm install @signalbox/sdk\n");
    await using bed = await openBed({ apis: 1, workers: 1 });
    const qaList = [{ question: "When do you open?", answer: "At nine." }];
    const agent = await makeAgent(bed, { webhook: false, qaList });
    await using project = await openProject();
    await project.write("receiver.ts", here(blocksOf(page, "ts")[0] ?? ""));
    const shell = spawn("bash", ["-euc", here(steps.join("\n"))], {
      cwd: project.directory,
      env: {
        HOME: project.directory,
        PATH: `${project.directory}/node_modules/.bin:${process.env["PATH"]}`,
        SIGNALBOX_URL: bed.baseUrl,
        SIGNALBOX_API_KEY: agent.apiKey,
        SIGNALBOX_OPERATOR_TOKEN: bed.operatorToken,
      },
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    });
    let printed = "";
    for (const stream of [shell.stdout, shell.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => (printed += text));
    try {
      await once(shell, "exit");
      assert.equal(shell.exitCode, 0, printed);
      assert.match(printed, /\d+ passed, 0 failed, 2 skipped\n– skipped: give a username/);
      assert.match(printed, /delivered/);
    } finally {
      // A step that failed leaves its receiver running.
      try {
        process.kill(-(shell.pid ?? 0), "SIGKILL");
      } catch {
        // All of it has ended.
      }
    }
  });
});
