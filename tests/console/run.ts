import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";

const USAGE = `usage: npm run e2e -- [--screenshots FOLDER] [--json]
       npm run e2e -- --pictures FOLDER
  --screenshots    write a picture of every screen into this folder
  --pictures       write the pictures of the README into this folder, and run nothing else
  --json           the last line is the figures as one JSON object`;

const { values } = parseArgs({
  options: {
    screenshots: { type: "string" },
    pictures: { type: "string" },
    json: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});

interface Figures {
  journeys_passed: number;
  journeys: number;
  screens: number;
  axe_serious: number;
  csp_reports: number;
  js_kb_gzip: number;
}

type Line = { screen?: string; axe?: string[]; csp?: string[]; jsBytes?: number };

/** Runs the tests of this folder and counts what they saw. */
async function run(directory: string): Promise<{ figures: Figures; isGood: boolean }> {
  const file = join(directory, "tally");
  writeFileSync(file, "");
  const results = join(directory, "results");
  const { pictures } = values;
  const child = spawn(
    process.execPath,
    [
      "--test",
      "--test-concurrency=1",
      "--test-reporter=spec",
      "--test-reporter-destination=stdout",
      "--test-reporter=tap",
      `--test-reporter-destination=${results}`,
      ...(pictures === undefined ? [] : ["--test-name-pattern=pictures of the README"]),
      join(import.meta.dirname, "console.test.ts"),
    ],
    {
      stdio: "inherit",
      env: {
        ...process.env,
        SIGNALBOX_E2E_TALLY: file,
        ...(pictures !== undefined && { SIGNALBOX_E2E_PICTURES: resolve(pictures) }),
        ...(values.screenshots !== undefined && { SCREENSHOTS: values.screenshots }),
      },
    },
  );
  const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
  const lines = readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Line);
  const journeys = journeysOf(readFileSync(results, "utf8"));
  return {
    isGood: code === 0,
    figures: {
      journeys_passed: journeys.filter((isPassed) => isPassed).length,
      journeys: journeys.length,
      screens: new Set(lines.flatMap(({ screen }) => screen ?? [])).size,
      axe_serious: lines.flatMap(({ axe = [] }) => axe).length,
      csp_reports: lines.flatMap(({ csp = [] }) => csp).length,
      js_kb_gzip: Math.round(Math.max(0, ...lines.map(({ jsBytes = 0 }) => jsBytes)) / 100) / 10,
    },
  };
}

/** Whether each test below the suite of the journeys passed. */
function journeysOf(tap: string): boolean[] {
  const [, indent = "", suite = ""] =
    /^( *)# Subtest: journeys in Chromium\n([^]*?)\n\1(?:not )?ok /m.exec(tap) ?? [];
  const ended = new RegExp(`^${indent} {4}(not )?ok \\d+ - `, "gm");
  return [...suite.matchAll(ended)].map(([, failed]) => failed === undefined);
}

if (values.help) {
  console.log(USAGE);
} else {
  const directory = mkdtempSync(join(tmpdir(), "signalbox-e2e-"));
  try {
    const { figures, isGood } = await run(directory);
    if (values.json) console.log(JSON.stringify(figures));
    process.exitCode = isGood ? 0 : 1;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
