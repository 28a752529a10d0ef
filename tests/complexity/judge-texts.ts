import { judgeGrowth, threadCpuMs } from "./growth.ts";
import type { TextFamily } from "./hostile-texts.ts";
import { loadReader, type TextReader } from "./text-readers.ts";

const FLOOR_MS = 25;
/** An event loop that waits longer answers nobody. */
const CEILING_MS = 100;

/** The families of text that a reader takes too long for, or throws on. */
export async function badTexts(reader: TextReader, families: readonly TextFamily[]): Promise<string[]> {
  const read = await loadReader(reader);
  const bad: string[] = [];
  for (const { name, of } of families) {
    const { kind, detail } = await judgeGrowth(
      (size) => {
        const text = of(size);
        return () => read(text);
      },
      { size: reader.charactersMax, floorMs: FLOOR_MS, ceilingMs: CEILING_MS, cpuMs: threadCpuMs },
    );
    if (kind !== "fine") bad.push(`${kind}: ${name}: ${detail}`);
  }
  return bad;
}
