import { readFileSync } from "node:fs";

/** Sentences of users, written for this test: which ask for a person, and which do not though most sound like it. */
export function personRequests(language: "en" | "zh-CN"): { asks: string[]; other: string[] } {
  const read = (kind: string) =>
    readFileSync(new URL(`person-requests/${kind}.${language}.txt`, import.meta.url), "utf8")
      .split("\n")
      .filter((line) => line !== "");
  return { asks: read("asks"), other: read("other") };
}
