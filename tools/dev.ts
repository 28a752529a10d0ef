import { execFileSync, spawn } from "node:child_process";
import { watch } from "node:fs";
import { dirname, join } from "node:path";

const root = dirname(import.meta.dirname);
const BUNDLER = join(root, "packages/widget/bundle.ts");
const SETTLE_MS = 200;

/**
 * `npm run dev`: everything on this machine, as `signalbox dev` runs it. The service restarts when one of its files changes,
 * the widget is bundled again, and the pages are read at each request.
 */
function bundleWidget(): void {
  try {
    execFileSync(process.execPath, [BUNDLER], { stdio: ["ignore", "ignore", "inherit"] });
  } catch {
    // The bundler has said why; the next change tries again.
  }
}

bundleWidget();
let settling: NodeJS.Timeout | undefined;
const watcher = watch(join(root, "packages/widget/src"), { recursive: true }, () => {
  clearTimeout(settling);
  settling = setTimeout(bundleWidget, SETTLE_MS);
});

// Ctrl-C reaches the stack as well, which ends its parts in order.
process.on("SIGINT", () => {});
const words = [join(root, "packages/cli/src/main.ts"), "dev", "--reload", ...process.argv.slice(2)];
const stack = spawn(process.execPath, words, { stdio: "inherit" });
process.on("SIGTERM", () => stack.kill("SIGTERM"));
stack.on("exit", (code) => {
  watcher.close();
  clearTimeout(settling);
  process.exitCode = code ?? 1;
});
