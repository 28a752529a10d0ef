import { globSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { parseSync, Visitor } from "oxc-parser";
import { analyse } from "scslre";

const root = dirname(import.meta.dirname);
const LOOKED_AT = ["packages/**/*.{ts,js}", "examples/**/*.{ts,js}"];
const LEFT_OUT = ["**/node_modules", "**/dist", "**/*.test.ts"];

export interface Regex {
  path: string;
  line: number;
  source: string;
  flags: string;
}

export interface Problem {
  path: string;
  line: number;
  text: string;
}

/** The regular expressions of a file, and the places where one is put together at run time, which nothing here could judge. */
export function regexesIn(path: string, code: string): { regexes: Regex[]; constructed: Problem[] } {
  const regexes: Regex[] = [];
  const constructed: Problem[] = [];
  const at = ({ start }: { start: number }) => ({ path, line: code.slice(0, start).split("\n").length });
  const refuseConstructed = (node: { start: number; callee: { type: string } }) => {
    if (node.callee.type !== "Identifier" || !("name" in node.callee) || node.callee.name !== "RegExp")
      return;
    constructed.push({ ...at(node), text: "write it as a literal: only those are checked for ReDoS" });
  };
  new Visitor({
    Literal(node) {
      if (!("regex" in node)) return;
      regexes.push({ ...at(node), source: node.regex.pattern, flags: node.regex.flags });
    },
    NewExpression: refuseConstructed,
    CallExpression: refuseConstructed,
  }).visit(parseSync(path, code).program);
  return { regexes, constructed };
}

/** Why some text takes more than linear time to match, or undefined. */
export function slownessOf({ source, flags }: Pick<Regex, "source" | "flags">): string | undefined {
  const [report] = analyse(
    { source, flags },
    { reportTypes: { Move: true, Self: true, Trade: true } },
  ).reports;
  if (report === undefined) return undefined;
  const time = report.exponential ? "exponential" : "quadratic";
  const character = JSON.stringify(report.character.pick);
  switch (report.type) {
    case "Self":
      return `many ${character} in a row take ${time} time: \`${report.quant.raw}\` can read them in several ways`;
    case "Trade":
      return `many ${character} in a row take ${time} time: \`${report.startQuant.raw}\` and \`${report.endQuant.raw}\` both read them`;
    case "Move":
      return `many ${character} in a row take ${time} time: \`${report.quant.raw}\` is tried from each of them; a lookbehind lets it begin only where they do`;
  }
}

export function readRegexes(): { regexes: Regex[]; constructed: Problem[] } {
  const paths = globSync(LOOKED_AT, { cwd: root, exclude: LEFT_OUT });
  const read = paths.map((path) => regexesIn(path, readFileSync(`${root}/${path}`, "utf8")));
  return {
    regexes: read.flatMap(({ regexes }) => regexes),
    constructed: read.flatMap(({ constructed }) => constructed),
  };
}

if (import.meta.main) {
  const { regexes, constructed } = readRegexes();
  const slow = regexes.flatMap((regex) => {
    const text = slownessOf(regex);
    return text === undefined ? [] : [{ ...regex, text }];
  });
  const problems = [...constructed, ...slow];
  for (const { path, line, text } of problems) console.log(`${path}:${line}  ${text}`);
  if (problems.length > 0) process.exitCode = 1;
  else console.log(`${regexes.length} regular expressions match in linear time`);
}
