import { readFile } from "node:fs/promises";
import { conform, type RuleResult, type RuleState } from "@signalbox/sdk/conform";
import { type Command, oneOf, required, UsageError, wholeNumber } from "../command.ts";
import { exitCodeFor } from "../exit-codes.ts";
import { readReceiver, receiverOptions } from "../receiver-options.ts";

const ROLES = ["message", "human-service", "both"] as const;
const ID_WIDTH = 20;
const ABOUT_WIDTH = 11;
const MARKS: Record<RuleState, string> = { passed: "✔", failed: "✖", skipped: "–" };

export const conformCommand: Command = {
  name: "conform",
  summary: "Test a webhook receiver, in any language, against the specification",
  about: [
    "Sends real requests with made-up ids, so run it against a test system. Prints each rule, what happened, and how to fix it.",
    "Some rules need to know which requests your receiver handled. --effects names a file or URL of yours that shows the text or ids of every handled request; without it these rules are skipped.",
  ],
  arguments: [{ name: "URL", summary: "Receiver URL, as configured in Signalbox", required: true }],
  options: [
    { name: "as", value: "ROLE", summary: "What the receiver handles; message by default", choices: ROLES },
    ...receiverOptions,
    { name: "effects", value: "PLACE", summary: "File or URL that shows which requests were handled" },
    { name: "rule", value: "ID", summary: "Run only this rule", many: true },
    { name: "time-limit", value: "MS", summary: "Response deadline in milliseconds; 5000 by default" },
  ],
  examples: [
    "signalbox conform http://127.0.0.1:3000/hooks --username signalbox --secret s3cret",
    "signalbox conform http://127.0.0.1:3000/hooks --as both --effects handled.log --json",
  ],
  async run(context) {
    const { options, output } = context;
    const place = options.text("effects");
    const rules = options.texts("rule");
    const timeLimitMs = wholeNumber(options.text("time-limit"), "--time-limit");
    const report = await conform(
      {
        ...readReceiver(required(context.arguments[0], "URL"), context),
        as: oneOf(options.text("as"), ROLES, "--as") ?? "message",
        ...(rules.length > 0 && { rules }),
        ...(timeLimitMs !== undefined && { timeLimitMs }),
        ...(place !== undefined && { effects: () => readPlace(place) }),
      },
      ({ state, id, about, title }) =>
        output.progress(`${MARKS[state]} ${id.padEnd(ID_WIDTH)} ${about.padEnd(ABOUT_WIDTH)} ${title}`),
    ).catch((error: unknown) => {
      // The caller asked for something that does not exist, such as a rule.
      if (error instanceof TypeError) throw new UsageError(error.message);
      throw error;
    });
    output.result(report, () => {
      for (const result of report.results.filter(({ state }) => state === "failed"))
        explain(result, output.line);
      output.line(`\n${report.passed} passed, ${report.failed} failed, ${report.skipped} skipped`);
      const skipped = new Set(
        report.results.flatMap(({ state, found }) => (state === "skipped" ? [found] : [])),
      );
      for (const why of skipped) output.note(`– ${why}`);
    });
    return exitCodeFor(report.failed === 0);
  },
};

function explain({ id, found, fix }: RuleResult, line: (text: string) => void): void {
  line(`\n✖ ${id}\n  found: ${found}\n  fix:   ${fix}`);
}

async function readPlace(place: string): Promise<string> {
  try {
    if (!/^https?:\/\//.test(place)) return await readFile(place, "utf8");
    const response = await fetch(place);
    return await response.text();
  } catch (error) {
    throw new UsageError(`Cannot read --effects ${place}: ${error instanceof Error ? error.message : ""}`);
  }
}
