import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { rawFailure, refusalFor } from "./failure-reply.ts";
import { UnreadableBody } from "./json-body.ts";

const thrown = (fields: Record<string, unknown>, message = "planted words of a library") =>
  Object.assign(new Error(message), fields);

describe("failure replies", () => {
  it("every thrown error is answered with its kind of failure", () => {
    const failures: [unknown, string][] = [
      [thrown({ statusCode: 413, code: "FST_ERR_CTP_BODY_TOO_LARGE" }), "tooLarge"],
      [thrown({ statusCode: 415, code: "FST_ERR_CTP_INVALID_MEDIA_TYPE" }), "badParameter"],
      [thrown({ statusCode: 400, code: "FST_ERR_BAD_URL" }), "badParameter"],
      [thrown({ statusCode: 414, code: "FST_ERR_MAX_PARAM_LENGTH" }), "badParameter"],
      [new UnreadableBody("the body is nested too deep"), "badParameter"],
      [thrown({ code: "57P01" }), "notAccepting"],
      [thrown({ code: "ECONNREFUSED" }), "notAccepting"],
      [new AggregateError([thrown({ code: "ECONNREFUSED" })]), "notAccepting"],
      [thrown({ code: "55P03" }), "notAccepting"],
      [thrown({ code: "25P03" }), "notAccepting"],
      [thrown({ code: "23505" }), "internal"],
      [thrown({ statusCode: 500 }), "internal"],
      [new TypeError("undefined is not a function"), "internal"],
      ["a string", "internal"],
      [undefined, "internal"],
    ];
    for (const [error, failure] of failures) assert.equal(refusalFor(error).failure, failure, String(error));
  });

  it("the message of a thrown error is not sent unless it was written for the caller", () => {
    for (const fields of [
      { statusCode: 400 },
      { statusCode: 413 },
      { statusCode: 415 },
      { code: "57P01" },
      {},
    ])
      assert.equal(refusalFor(thrown(fields)).advice?.includes("planted") ?? false, false);
    assert.equal(refusalFor(new UnreadableBody("too deep")).advice, "too deep");
  });

  it("a failure of the database is answered with Retry-After", () => {
    assert.ok((refusalFor(thrown({ code: "57P03" })).retryAfterSeconds ?? 0) >= 1);
  });
});

describe("raw failure replies", () => {
  it("a raw failure reply is valid HTTP, with content-length in bytes", () => {
    const [head = "", body = ""] = rawFailure("badParameter", "schön").split("\r\n\r\n");
    assert.match(head, /^HTTP\/1\.1 400 /);
    assert.deepEqual(JSON.parse(body), { code: 40000, message: "Parameter error: schön" });
    assert.match(head, new RegExp(`^content-length: ${Buffer.byteLength(body)}$`, "m"));
    assert.match(head, /^connection: close$/m);
  });
});
