import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { fileFamilies, openFileReader } from "./file-readers.ts";
import { judgeGrowth, processCpuMs } from "./growth.ts";

const FLOOR_MS = 400;
const CEILING_MS = 1_500;
const KINDS = ["pdf", "docx", "xlsx", "csv", "html", "md", "txt"];

describe("cost of reading a hostile file", async () => {
  const reader = await openFileReader();
  after(() => reader[Symbol.dispose]());

  for (const kind of KINDS)
    it(`a hostile ${kind} file costs n log n at most and overflows no stack`, async () => {
      const bad: string[] = [];
      const families = fileFamilies().filter(({ fileName }) => fileName.endsWith(`.${kind}`));
      assert.ok(families.length > 0);
      for (const { name, fileName, of, size } of families) {
        const { kind: verdict, detail } = await judgeGrowth((at) => reader.prepare(fileName, of(at)), {
          size,
          floorMs: FLOOR_MS,
          ceilingMs: CEILING_MS,
          cpuMs: processCpuMs,
        });
        if (verdict !== "fine") bad.push(`${verdict}: ${name}: ${detail}`);
      }
      assert.deepEqual(bad, []);
    });
});
