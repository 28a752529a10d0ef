import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const CHART = "deploy/helm/signalbox";
const RENDERED = "tests/deploy/chart";
const VALUES = ".values.yaml";

/** Names of what the chart is rendered with: files NAME.values.yaml beside NAME.yaml. */
export const chartVariants = readdirSync(join(root, RENDERED))
  .filter((name) => name.endsWith(VALUES))
  .map((name) => name.slice(0, -VALUES.length))
  .toSorted();

export const renderedPath = (variant: string) => join(root, RENDERED, `${variant}.yaml`);

/** The first line of a rendered file: it names what the file was rendered from. */
export function chartSeal(variant: string): string {
  const hash = createHash("sha256");
  const names = readdirSync(join(root, CHART), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .toSorted();
  for (const path of [...names, join(root, RENDERED, variant + VALUES)]) hash.update(readFileSync(path));
  return `# npm run write-chart -- HELM; of chart and values with SHA-256 ${hash.digest("hex")}`;
}

if (import.meta.main) {
  const helm = process.argv[2];
  if (helm === undefined) {
    console.error(
      "usage: npm run write-chart -- HELM; HELM is the path of a helm program, version 3.6 or newer",
    );
    process.exit(1);
  }
  for (const variant of chartVariants) {
    const values = join(RENDERED, variant + VALUES);
    const text = execFileSync(
      helm,
      ["template", "signalbox", CHART, "--values", values, "--kube-version", "1.29.0"],
      { cwd: root, encoding: "utf8" },
    );
    writeFileSync(renderedPath(variant), `${chartSeal(variant)}\n${text}`);
  }
}
