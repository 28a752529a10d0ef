import { readFile } from "node:fs/promises";
import { conform, type RuleResult, type RuleState } from "@signalbox/sdk/conform";
import { type Command, oneOf, type Option, required, UsageError, wholeNumber } from "../command.ts";
import { exitCodeFor } from "../exit-codes.ts";

const ROLES = ["message", "human-service", "both"] as const;
const MARKS: Record<RuleState, string> = { passed: "✔", failed: "✖", skipped: "–" };

/** How a receiver is spoken to; shared with `trigger`. */
export const receiverOptions: readonly Option[] = [
  {
    name: "username",
    value: "NAME",
    summary: "The webhook's username; otherwise SIGNALBOX_WEBHOOK_USERNAME",
  },
  { name: "secret", value: "SECRET", summary: "The webhook's secret; otherwise SIGNALBOX_WEBHOOK_SECRET" },
  {
    name: "signing-secret",
    value: "WHSEC",
    summary: "The webhook's signing secret; otherwise SIGNALBOX_SIGNING_SECRET",
  },
];

export const conformCommand: Command = {
  name: "conform",
  summary: "Hold a receiver, in any language, against every rule of sections 4.5 to 4.8",
  about: [
    "Sends real calls with made-up ids, so use it where they may be handled. Prints each rule, what was seen, and what to change.",
    "Nobody can see from outside whether a test or a repeat was handled. --effects names a file or a URL of yours in which each handled call shows by its text or its ids; without it these rules are skipped.",
  ],
  arguments: [
    { name: "URL", summary: "The receiver's address, as it is configured at the service", required: true },
  ],
  options: [
    { name: "as", value: "ROLE", summary: "What the receiver is for; message by default", choices: ROLES },
    ...receiverOptions,
    { name: "effects", value: "PLACE", summary: "A file or an http URL that shows what was handled" },
    { name: "rule", value: "ID", summary: "Only this rule", many: true },
    { name: "time-limit", value: "MS", summary: "How soon a call must be answered; 5000 by default" },
  ],
  examples: [
    "signalbox conform http://127.0.0.1:3000/hooks --username signalbox --secret s3cret",
    "signalbox conform http://127.0.0.1:3000/hooks --as both --effects handled.log --json",
  ],
  async run({ arguments: [url], options, output, environment }) {
    const address = required(url, "URL");
    if (!/^https?:\/\//.test(address)) throw new UsageError("URL must start with http:// or https://");
    const place = options.text("effects");
    const rules = options.texts("rule");
    const timeLimitMs = wholeNumber(options.text("time-limit"), "--time-limit");
    const report = await conform({
      url: address,
      as: oneOf(options.text("as"), ROLES, "--as") ?? "message",
      username: options.text("username") ?? environment["SIGNALBOX_WEBHOOK_USERNAME"],
      secret: options.text("secret") ?? environment["SIGNALBOX_WEBHOOK_SECRET"],
      signingSecret: options.text("signing-secret") ?? environment["SIGNALBOX_SIGNING_SECRET"],
      ...(rules.length > 0 && { rules }),
      ...(timeLimitMs !== undefined && { timeLimitMs }),
      ...(place !== undefined && { effects: () => readPlace(place) }),
    }).catch((error: unknown) => {
      if (error instanceof TypeError) throw new UsageError(error.message);
      throw error;
    });
    output.result(report, () => {
      const rows = report.results.map(({ state, id, section, title }) => [MARKS[state], id, section, title]);
      output.table(["", "rule", "section", "what is asked"], rows);
      for (const result of report.results.filter(({ state }) => state === "failed"))
        explain(result, output.line);
      output.line(`\n${report.passed} passed, ${report.failed} failed, ${report.skipped} skipped`);
      const [skipped] = report.results.filter(({ state }) => state === "skipped");
      if (skipped?.found !== undefined) output.note(skipped.found);
    });
    return exitCodeFor(report.failed === 0);
  },
};

function explain({ id, found, fix }: RuleResult, line: (text: string) => void): void {
  line(`\n✖ ${id}\n  seen: ${found}\n  fix:  ${fix}`);
}

async function readPlace(place: string): Promise<string> {
  if (!/^https?:\/\//.test(place)) return readFile(place, "utf8");
  const response = await fetch(place);
  return response.text();
}
