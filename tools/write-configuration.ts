import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Environment, SUBJECTS } from "../packages/server/src/config.ts";
import { wrapMarkdown } from "./wrap-markdown.ts";

const FILE = join(import.meta.dirname, "../docs/reference/configuration.md");

const BEFORE = `# Configuration

Settings are environment variables, read once at start. All mistakes are reported together, and a process with a mistake does not
start. An empty value counts as left out. Seconds may be fractions.
`;

const AFTER = `
\`node packages/server/src/main.ts secrets\` prints fresh values for the two settings that are secrets, and the database passwords of
[deploy/compose.yaml](../../deploy/compose.yaml). \`migrate\` needs \`DATABASE_URL\` or \`MIGRATION_DATABASE_URL\` and nothing else.

To replace a sealing key: add the new one at the end of \`SEALING_KEYS\` and restart every process, so that all can open what it
seals. Move it to the front and restart again. Run \`node packages/server/src/main.ts reseal\`. After 48 hours take the old one away:
until then answers kept for an \`Idempotency-Key\`, and addresses of what was spoken, may still be sealed with it.

Tracing is off until \`OTEL_EXPORTER_OTLP_ENDPOINT\` or \`OTEL_EXPORTER_OTLP_TRACES_ENDPOINT\` is set; these and the other \`OTEL_\`
variables mean what the OpenTelemetry specification says.

Written by \`tools/write-configuration.ts\` from \`packages/server/src/config\`: change the descriptions there and run
\`node tools/write-configuration.ts\`.
`;

type Name = keyof typeof Environment.shape;

interface Described {
  description?: string;
  default?: string | number | boolean;
  enum?: string[];
}

/** One row a setting. A setting that nobody described is a mistake in config/, not a blank cell here. */
function rowOf(name: Name): string {
  const schema = Environment.shape[name];
  // Safe because a setting is text, a number or a choice: a default is never a list or an object before it is read.
  const described = schema.toJSONSchema({ io: "input", unrepresentable: "any" }) as Described;
  if (described.description === undefined)
    throw new Error(`${name} has no description: add .describe() in packages/server/src/config`);
  const choices = described.enum === undefined ? "" : ` (${described.enum.join(", ")})`;
  const isRequired = !schema.safeParse(undefined).success;
  const fallback = isRequired ? "required" : showDefault(described.default);
  return `| \`${name}\` | ${fallback} | ${`${described.description}${choices}`.replaceAll("|", "\\|")} |`;
}

function showDefault(value: Described["default"]): string {
  return value === undefined || value === "" ? "none" : `\`${value}\``;
}

function sectionOf([title, settings]: [string, { shape: object }]): string {
  const rows = (Object.keys(settings.shape) as Name[]).map(rowOf);
  return `\n## ${title}\n\n| Setting | Default | What it does |\n|---|---|---|\n${rows.join("\n")}\n`;
}

const wanted = wrapMarkdown(
  `${BEFORE}${Object.entries(SUBJECTS).map(sectionOf).join("")}\n## Changing secrets, and tracing\n${AFTER}`,
);

if (process.argv.includes("--check")) {
  const present = await readFile(FILE, "utf8").catch(() => "");
  if (present !== wanted) {
    console.error(
      "docs/reference/configuration.md does not match packages/server/src/config; run: node tools/write-configuration.ts",
    );
    process.exitCode = 1;
  }
} else {
  await writeFile(FILE, wanted);
}
