import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { INTAKE_LIMITS, readQaFile, type IncomingPair } from "../intake/index.ts";
import type { PairTexts } from "../pairs/pair-versions.ts";
import { writeWorkbook } from "./write-workbook.ts";

describe("a workbook of pairs", () => {
  let directory: string;
  before(async () => (directory = await mkdtemp(join(tmpdir(), "signalbox-workbook-"))));
  after(() => rm(directory, { recursive: true }));

  async function readBack(pairs: PairTexts[]): Promise<PairTexts[]> {
    const alternates = pairs.map((pair) => Buffer.byteLength(pair.alternates.join("\n")));
    const pieces: Buffer[] = [];
    async function* all() {
      yield* pairs;
    }
    for await (const piece of writeWorkbook(all(), { alternatesBytes: Math.max(0, ...alternates) }))
      pieces.push(piece);
    const bytes = Buffer.concat(pieces);
    const path = join(directory, "pairs.xlsx");
    await writeFile(path, bytes);
    const read: IncomingPair[] = [];
    const file = { path, fileName: "pairs.xlsx", sizeBytes: bytes.length, contentType: undefined };
    const options = { headerRow: undefined, splitter: undefined, limits: INTAKE_LIMITS };
    const report = await readQaFile(file, options, async (batch) => void read.push(...batch));
    assert.equal(report.kind, "read", JSON.stringify(report));
    return read.map(({ question, answer, alternates: others, tags = [] }) => ({
      question,
      answer,
      alternates: others,
      tags,
    }));
  }

  it("texts with markup, formulas, line breaks and any script come back from a workbook", async () => {
    const pairs = [
      {
        question: "=1+1?",
        answer: '<b>&amp; "2"</b>\r\nor\ttwo\n@all',
        alternates: ["-1", "+1", "'=x"],
        tags: ["a", "b"],
      },
      { question: "如何退款？", answer: "在订单页面 👍", alternates: [], tags: ["退款"] },
      { question: "_x0041_?", answer: "0.15", alternates: ["a]]>b"], tags: [] },
    ];
    assert.deepEqual(await readBack(pairs), pairs);
  });

  it("fifty alternates of a thousand characters fill several cells of a workbook and come back", async () => {
    const alternates = Array.from({ length: 50 }, (_, at) => `${at} ${"长".repeat(990)}`);
    const pairs = [{ question: "Which?", answer: "All.", alternates, tags: ["many"] }];
    assert.deepEqual(await readBack(pairs), pairs);
  });

  it("five thousand rows come back from a workbook that is written in pieces", async () => {
    const pairs = Array.from({ length: 5_000 }, (_, at) => ({
      question: `What is part ${at} for?`,
      answer: `It turns wheel ${(at * 7919) % 5_000} by ${at % 13} teeth.`,
      alternates: [],
      tags: [],
    }));
    assert.deepEqual(await readBack(pairs), pairs);
  });
});
