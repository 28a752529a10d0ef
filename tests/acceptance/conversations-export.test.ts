import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { promisify } from "node:util";
import { makeAgent, type MadeAgent, operatorOf } from "../support/agents.ts";
import { type Bed, openBed } from "../support/bed.ts";
import { bundleProgram, type BundledProgram } from "../support/bundled-program.ts";

const SOURCE = join(import.meta.dirname, "../../packages/cli/src/main.ts");
/** More than the command asks for at a time. */
const CONVERSATIONS = 23;

type Line = { conversation_id: string; list: { kind: string; text?: string }[] };

describe("signalbox conversations export", () => {
  const open = new AsyncDisposableStack();
  let program: BundledProgram;
  let bed: Bed;
  let agent: MadeAgent;
  let directory = "";
  const begun: string[] = [];
  before(async () => {
    program = open.use(await bundleProgram(SOURCE));
    bed = open.use(await openBed({ apis: 1, workers: 0 }));
    directory = await mkdtemp(join(tmpdir(), "signalbox-export-"));
    open.defer(() => rm(directory, { recursive: true }));
    agent = await makeAgent(bed);
    for (let count = 0; count < CONVERSATIONS; count += 1) begun.push(await agent.converse());
    await agent.ask(begun[0] ?? "", "When do you open?");
  });
  after(() => open.disposeAsync());

  async function exported(...words: string[]): Promise<Line[]> {
    const out = join(directory, "conversations.jsonl");
    const env = {
      PATH: process.env["PATH"],
      SIGNALBOX_URL: bed.baseUrl,
      SIGNALBOX_OPERATOR_TOKEN: bed.operatorToken,
    };
    const named = [program.path, "conversations", "export", "--agent", agent.agentId, "--out", out, ...words];
    await promisify(execFile)(process.execPath, named, { env });
    const lines = (await readFile(out, "utf8")).split("\n").filter((line) => line !== "");
    return lines.map((line) => JSON.parse(line) as Line);
  }

  it("an export has a line for each conversation, newest first, with its whole timeline", async () => {
    const lines = await exported();
    assert.deepEqual(
      lines.map(({ conversation_id }) => conversation_id),
      begun.toReversed(),
    );
    const said = lines.at(-1)?.list.map(({ kind, text }) => [kind, text]);
    assert.deepEqual(said, [["message", "When do you open?"]]);
  });

  it("an export that goes on from a cursor leaves nothing out and repeats nothing", async () => {
    const before = await exported("--until", "2000-01-01");
    assert.deepEqual(before, [], "an export without a cursor begins the file anew");
    const page = await operatorOf(bed).conversations.search({ agent_id: agent.agentId, limit: 7 });
    const rest = await exported("--cursor", page.next_cursor ?? "");
    assert.deepEqual(
      rest.map(({ conversation_id }) => conversation_id),
      begun.toReversed().slice(7),
    );
  });
});
