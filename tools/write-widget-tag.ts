import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const root = dirname(import.meta.dirname);
const PAGE = "docs/how-to/embed-the-widget.md";
const BUNDLER = join(root, "packages/widget/bundle.ts");
const MANIFEST = join(root, "packages/widget/package.json");

/** The page with this version and hash in its script tag; a page without the tag is refused. */
export function pinWidget(page: string, { version, script }: { version: string; script: Buffer }): string {
  const integrity = `sha384-${createHash("sha384").update(script).digest("base64")}`;
  const tag = /(\/widget\/)[\w.-]+(\/signalbox-chat\.js"\s+integrity=")[^"]*"/;
  if (!tag.test(page)) throw new Error(`${PAGE} has no script tag with a version and an integrity`);
  return page.replace(
    tag,
    (_whole, before: string, between: string) => `${before}${version}${between}${integrity}"`,
  );
}

if (import.meta.main) {
  const built = execFileSync(process.execPath, [BUNDLER], { encoding: "utf8" }).trim();
  const { version } = JSON.parse(readFileSync(MANIFEST, "utf8")) as { version: string };
  const found = readFileSync(join(root, PAGE), "utf8");
  const wanted = pinWidget(found, { version, script: readFileSync(built) });
  if (!process.argv.includes("--check")) writeFileSync(join(root, PAGE), wanted);
  else if (found !== wanted) {
    console.error(`${PAGE} names another version or hash of the widget: npm run write-widget-tag`);
    process.exitCode = 1;
  }
}
