import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { after, before, describe, it } from "node:test";
import { makeAgent, type MadeAgent } from "../support/agents.ts";
import { openBed, type Bed } from "../support/bed.ts";
import { eventually, freePort } from "../support/processes.ts";
import { blocksOf, openProject, pageOf } from "./page-programs.ts";

const PAGE = "docs/how-to/embed-the-widget.md";
const isThere = (command: string) => spawnSync(command, ["--version"]).status === 0;

const PROGRAMS = [
  { language: "ts", file: "server.ts", path: "/chat-token", command: process.execPath, options: () => [] },
  { language: "python", file: "server.py", path: "/chat-token", command: "python3", options: () => [] },
  {
    language: "php",
    file: "chat-token.php",
    path: "/chat-token.php",
    command: "php",
    options: (port: number) => ["-S", `127.0.0.1:${port}`],
  },
] as const;

describe(`programs in ${PAGE}`, () => {
  let bed: Bed;
  let agent: MadeAgent;
  let project: Awaited<ReturnType<typeof openProject>>;
  before(async () => {
    [bed, project] = await Promise.all([openBed({ apis: 1, workers: 1 }), openProject()]);
    agent = await makeAgent(bed);
  });
  after(async () => {
    await project?.[Symbol.asyncDispose]();
    await bed?.[Symbol.asyncDispose]();
  });
  const programOf = async (language: string) => blocksOf(await pageOf(PAGE), language)[0] ?? "";

  it("the Node.js token endpoint in embed-the-widget.md type-checks", async () => {
    await project.checkTypes([await project.write("typed.ts", await programOf("ts"))]);
  });

  for (const { language, file, path, command, options } of PROGRAMS) {
    const skip = isThere(command) ? false : `${command} is not installed`;
    it(
      `the ${language} token endpoint in embed-the-widget.md mints a visitor's token, and the same visitor's again`,
      { skip },
      async () => {
        const program = await project.write(file, await programOf(language));
        const port = await freePort();
        const child = spawn(command, [...options(port), ...(language === "php" ? [] : [program])], {
          cwd: project.directory,
          stdio: "ignore",
          env: {
            ...process.env,
            PORT: String(port),
            SIGNALBOX_URL: bed.baseUrl,
            SIGNALBOX_API_KEY: agent.apiKey,
          },
        });
        const mint = (anonymous_id: string | null) =>
          fetch(`http://127.0.0.1:${port}${path}`, {
            method: "POST",
            headers: { "content-type": "application/json" },
            body: JSON.stringify({ anonymous_id }),
          });
        try {
          const first = await eventually("the server listens", () => mint(null).catch(() => undefined), {
            timeoutMs: 60_000,
          });
          const visitor = (await first.json()) as { token: string; anonymous_id: string };
          assert.match(visitor.anonymous_id, /^widget:/);
          const again = (await (await mint(visitor.anonymous_id)).json()) as typeof visitor;
          assert.equal(again.anonymous_id, visitor.anonymous_id);
          const begun = await fetch(`${bed.baseUrl}/chat/v1/conversations`, {
            method: "POST",
            headers: { authorization: `Bearer ${again.token}` },
          });
          assert.equal(begun.status, 200);
        } finally {
          child.kill();
        }
      },
    );
  }
});
