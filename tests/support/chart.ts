import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "../..");
export const CHART = "deploy/helm/signalbox";
export const RENDERED = "tests/deploy/chart";
export const VALUES = ".values.yaml";

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
