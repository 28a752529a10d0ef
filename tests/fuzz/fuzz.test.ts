import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { describe, it } from "node:test";
import { codeOf, problemOf, type FuzzReply } from "./judge.ts";
import { runCampaign } from "./campaign.ts";
import type { FuzzRequest } from "./requests.ts";
import { summaryOf } from "./summary.ts";

const request: FuzzRequest = {
  route: "verifyApiKey",
  kind: "good",
  method: "GET",
  path: "/v1/api-key/verify",
  headers: {},
  body: undefined,
};
const json = "application/json; charset=utf-8";

describe("judge of fuzz answers", () => {
  const judge = (reply: Partial<FuzzReply>, changed: Partial<FuzzRequest> = {}) =>
    problemOf(
      { ...request, ...changed },
      { status: 200, contentType: json, body: "", durationMs: 5, ...reply },
    );

  it("the judge accepts every answer that the contract knows", () => {
    const entity_id = crypto.randomUUID();
    assert.equal(judge({ body: JSON.stringify({ entity_type: "agent", entity_id }) }), undefined);
    const failure = '{"code":40000,"message":"Parameter error: name is required"}';
    assert.equal(judge({ status: 400, body: failure }), undefined);
    assert.equal(judge({ status: 404, body: "" }, { method: "HEAD" }), undefined);
    assert.equal(
      judge({ body: "service is normal", contentType: "text/plain" }, { path: "/v1/webhook/service/health" }),
      undefined,
    );
    assert.equal(codeOf({ status: 400, contentType: json, body: failure, durationMs: 5 }), "40000");
  });

  it("the judge reports every other answer", () => {
    const framework = '{"statusCode":404,"error":"Not Found","message":"Route GET:/x not found"}';
    const faults: Record<string, string | undefined> = {
      failed: judge({ status: 500, body: '{"code":50000,"message":"Internal system error"}' }),
      slow: judge({ status: 400, body: '{"code":40000,"message":"Parameter error"}', durationMs: 2_001 }),
      framework: judge({ status: 404, body: framework }),
      "another status": judge({ status: 404, body: '{"code":40000,"message":"Parameter error"}' }),
      "an unknown code": judge({ status: 400, body: '{"code":40099,"message":"Parameter error"}' }),
      "other words": judge({ status: 400, body: '{"code":40000,"message":"Oops"}' }),
      "one field more": judge({
        status: 400,
        body: '{"code":40000,"message":"Parameter error","stack":"x"}',
      }),
      "another type": judge({
        status: 400,
        body: '{"code":40000,"message":"Parameter error"}',
        contentType: "text/html",
      }),
      "another reply": judge({ body: "{}" }),
      "no route": judge({ body: "{}" }, { path: "/v1/nowhere" }),
    };
    for (const [name, fault] of Object.entries(faults)) assert.ok(fault !== undefined, name);
  });
});

/** Other requests with each commit, and the same each time one is tested. */
function seedOfCommit(): number {
  const { stdout } = spawnSync("git", ["rev-parse", "--short=7", "HEAD"], { encoding: "utf8" });
  return Number.parseInt(stdout, 16) || 1;
}

describe("ten thousand generated requests", () => {
  it("ten thousand generated requests give no 5xx, no framework body and no slow answer, and a good part is accepted", async (t) => {
    const seed = Number(process.env["FUZZ_SEED"] ?? seedOfCommit());
    const verdict = await runCampaign({ seed, requests: 10_000 });
    const { text, faults } = summaryOf(verdict);
    t.diagnostic(text);
    assert.deepEqual(faults, [], text);
    assert.equal(verdict.requests, 10_000);
  });
});
