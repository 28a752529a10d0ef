import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { makeAgent, type MadeAgent } from "../support/agents.ts";
import { openBed, type Bed } from "../support/bed.ts";
import { startFileServer, type FileServer } from "../support/file-server.ts";
import { HOSTILE_FILE_MS_MAX, hostileFiles } from "../support/hostile-files.ts";
import { eventually } from "../support/processes.ts";
import { atMost } from "../support/machine.ts";

const MEGABYTES_MAX = 600;
const ANSWER_MS_MAX = 2_000;
const TICKS_A_SECOND = 100;

describe("hostile files imported by the service", () => {
  const open = new AsyncDisposableStack();
  let bed: Bed;
  let files: FileServer;
  let attacker: MadeAgent;
  let other: MadeAgent;

  before(async () => {
    files = open.use(await startFileServer());
    bed = open.use(await openBed({ apis: 1, workers: 1 }));
    attacker = await makeAgent(bed, { webhook: false });
    other = await makeAgent(bed, { webhook: false });
  });
  after(() => open.disposeAsync());

  const megabytesOf = (field: "VmRSS" | "VmHWM") => {
    const status = readFileSync(`/proc/${bed.worker().pid()}/status`, "utf8");
    return Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1]) / 1024;
  };

  /** CPU time of the worker with all its threads. */
  const cpuSeconds = () => {
    const stat = readFileSync(`/proc/${bed.worker().pid()}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return (Number(fields[11]) + Number(fields[12])) / TICKS_A_SECOND;
  };

  it("each hostile file is refused or read, the worker stays within its memory, and other agents are served", async (context) => {
    // Made beforehand, since making them keeps this process from answering anybody.
    const hostile = hostileFiles(4).map((file) => ({ ...file, bytes: file.content() }));
    const idle = megabytesOf("VmRSS");
    let isOver = false;
    let slowestMs = 0;
    let served = 0;
    const serving = (async () => {
      while (!isOver) {
        const askedAt = performance.now();
        const { doc } = await other.client.knowledge.add({
          purpose: "QA_TEXT",
          name: `note ${served}`,
          qaList: [{ question: `Where is note ${served}?`, answer: "Here." }],
        });
        assert.equal(doc.length, 1);
        slowestMs = Math.max(slowestMs, performance.now() - askedAt);
        served += 1;
        await sleep(200);
      }
    })();

    try {
      for (const { what, fileName, bytes, ends, as } of hostile) {
        const url = files.put(fileName, { bytes });
        const [beganAt, cpuBefore] = [performance.now(), cpuSeconds()];
        const entry = { file_name: fileName, ...(as === "pairs" ? { file_url: url } : { source_url: url }) };
        const { headers } = await attacker.client.knowledge
          .add({ purpose: as === "pairs" ? "QA_FILE" : "FILE_2_QA", files: [entry] })
          .withResponse();
        const import_id = headers.get("signalbox-import") ?? "";
        const ended = await eventually(
          `${what} is over`,
          async () => {
            const [detail] = await attacker.client.knowledge.getDocuments({ import_id });
            if (detail?.data_status === "AVAILABLE") return "read";
            return detail?.data_status === "FAILED" ? (detail.last_import?.cause ?? "failed") : undefined;
          },
          { timeoutMs: 120_000, everyMs: 50 },
        );
        const [seconds, ofCpu] = [(performance.now() - beganAt) / 1000, cpuSeconds() - cpuBefore];
        context.diagnostic(
          `${what}: ${ended} in ${seconds.toFixed(1)} s, ${ofCpu.toFixed(1)} s of CPU, ${(megabytesOf("VmHWM") - idle).toFixed(0)} MB over idle at most`,
        );
        // On a busy machine the clock counts the work of others; what the file itself cost does not change.
        atMost(1000 * Math.min(seconds, ofCpu), HOSTILE_FILE_MS_MAX, what);
        assert.ok([...ends, "read"].includes(ended), `${what}: ${ended}`);
      }
    } finally {
      isOver = true;
    }
    await serving;
    context.diagnostic(`${served} notes of another agent, the slowest in ${slowestMs.toFixed(0)} ms`);
    assert.ok(megabytesOf("VmHWM") - idle < MEGABYTES_MAX, `${megabytesOf("VmHWM") - idle} MB over idle`);
    atMost(slowestMs, ANSWER_MS_MAX, "the slowest note");
  });
});
