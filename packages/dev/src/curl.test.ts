import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { it } from "node:test";
import { promisify } from "node:util";
import { asCurl } from "./curl.ts";

it("a generated curl command passes the exact request through a shell, whatever its body holds", async () => {
  const body = `{"text":"it's \\"$HOME\\" \`date\` \\\\ 你好 !!\\n"}`;
  const text = asCurl({
    url: "http://127.0.0.1:3000/hooks?a=b&c='d'",
    method: "POST",
    headers: { "content-type": "application/json", "webhook-id": "a b" },
    body,
  });
  // In place of curl: every word it would be given, each on a line of its own.
  const { stdout } = await promisify(execFile)("sh", ["-c", `curl() { printf '%s\\0' "$@"; }\n${text}`]);
  assert.deepEqual(stdout.split("\0").slice(0, -1), [
    "-i",
    "http://127.0.0.1:3000/hooks?a=b&c='d'",
    "-H",
    "content-type: application/json",
    "-H",
    "webhook-id: a b",
    "--data-binary",
    body,
  ]);
});
