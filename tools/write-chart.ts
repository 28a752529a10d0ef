import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { CHART, chartSeal, chartVariants, RENDERED, renderedPath, VALUES } from "../tests/support/chart.ts";

const root = join(import.meta.dirname, "..");

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
