import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { redactFields } from "./redact-fields.ts";

describe("redaction of log fields", () => {
  it("a field that may carry a secret is redacted, also in an object among the fields", () => {
    const body = { text: "hello" };
    assert.deepEqual(
      redactFields({ event: "x", token: "sbx_1", headers: { cookie: "a" }, body, status: 200 }),
      {
        event: "x",
        token: "[redacted]",
        headers: "[redacted]",
        body: "[redacted]",
        status: 200,
      },
    );
    assert.deepEqual(redactFields({ request: { method: "POST", authorization: "Bearer sbx_1" } }), {
      request: { method: "POST", authorization: "[redacted]" },
    });
  });

  it("the fields that were given are left as they are", () => {
    const request = { secret: "s" };
    const fields = { request, password: "p" };
    redactFields(fields);
    assert.deepEqual(fields, { request: { secret: "s" }, password: "p" });
  });

  it("an error is left to its serializer", () => {
    const err = Object.assign(new Error("refused"), { headers: { authorization: "x" } });
    assert.equal((redactFields({ err }) as { err: Error }).err, err);
  });

  it("fields without a secret are passed on as the same object", () => {
    const fields = { event: "http_request", status: 200, conversationIds: ["a", "b"], traceId: undefined };
    assert.equal(redactFields(fields), fields);
  });
});
