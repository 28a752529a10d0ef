import { parseArgs } from "node:util";
import { randomFamily } from "./hostile-texts.ts";
import { badTexts } from "./judge-texts.ts";
import { TEXT_READERS } from "./text-readers.ts";

const USAGE = `usage: npm run complexity -- [--minutes N] [--seed N] [--reader NAME]
  --minutes   how long generated texts are read; 1 unless given
  --seed      the first text; the same seed gives the same texts
  --reader    only readers whose file or name holds this`;

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "1" },
    seed: { type: "string", default: String(Math.floor(Math.random() * 1_000_000_000)) },
    reader: { type: "string", default: "" },
    help: { type: "boolean", default: false },
  },
});

if (values.help) console.log(USAGE);
else {
  const untilMs = performance.now() + Number(values.minutes) * 60_000;
  const readers = TEXT_READERS.filter(({ reader }) => reader.includes(values.reader));
  let bad = 0;
  let seed = Number(values.seed);
  for (; performance.now() < untilMs; seed += 1)
    for (const reader of readers)
      for (const problem of await badTexts(reader, [randomFamily(seed)])) {
        bad += 1;
        console.log(`${reader.reader}: ${problem}`);
      }
  console.log(`${seed - Number(values.seed)} texts, ${readers.length} readers, ${bad} problems`);
  process.exitCode = bad === 0 ? 0 : 1;
}
