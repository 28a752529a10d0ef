import { appendFileSync } from "node:fs";

/** What `npm run e2e` counts beside tests that pass and fail: a line each, into the file it names. */
export type Tally = { screen: string } | { axe: string[] } | { csp: string[] } | { jsBytes: number };

export function tally(line: Tally): void {
  const file = process.env["SIGNALBOX_E2E_TALLY"];
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(line)}\n`);
}
