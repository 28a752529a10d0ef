import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { z } from "zod";
import { readWire } from "./reading.ts";
import { identifier, pageFields, text, timestampInput, webUrl, words } from "./values.ts";

function problemOf(schema: z.ZodType, value: unknown): string | undefined {
  const read = readWire(z.object({ field: schema }), { field: value });
  return read.ok ? undefined : read.problem;
}

describe("text", () => {
  it("text length counts Unicode characters as PostgreSQL does, not UTF-16 units", () => {
    assert.equal(problemOf(text(3), "😀😀😀"), undefined);
    assert.equal(problemOf(text(3), "😀😀😀😀"), "field must have at most 3 characters");
    assert.equal(problemOf(text(1000), "x".repeat(1001)), "field must have at most 1,000 characters");
  });

  it("text that PostgreSQL cannot store is refused", () => {
    assert.equal(problemOf(text(9), "a\u0000"), "field must not contain the character U+0000");
    assert.match(problemOf(text(9), "a\ud800") ?? "", /well-formed/);
    assert.equal(problemOf(text(9), ""), "field must not be empty");
    assert.equal(problemOf(text(9), 7), "field must be a string");
    assert.equal(problemOf(text(9), undefined), "field is required");
  });

  it("text may be blank, words may not", () => {
    assert.equal(problemOf(text(9), "\n"), undefined);
    assert.equal(problemOf(words(9), " \n"), "field must not be blank");
    assert.equal(problemOf(words(9), ""), "field must not be empty");
  });
});

describe("identifier", () => {
  it("an identifier is a UUID and becomes lower case", () => {
    assert.equal(
      identifier.parse("0199F3A2-6C1E-7B44-9D0A-5F2F6F1C8E21"),
      "0199f3a2-6c1e-7b44-9d0a-5f2f6f1c8e21",
    );
    assert.equal(problemOf(identifier, "7"), "field must be an id given by this service (a UUID)");
    assert.equal(problemOf(identifier, undefined), "field is required");
    assert.equal(problemOf(identifier, 7), "field must be a string");
  });
});

describe("timestampInput", () => {
  it("a timestamp of ten digits is read as seconds, any other as milliseconds", () => {
    assert.equal(timestampInput.parse(1_679_587_005), 1_679_587_005_000);
    assert.equal(timestampInput.parse(1_742_265_090_895), 1_742_265_090_895);
    assert.equal(timestampInput.parse(9_999_999_999), 9_999_999_999_000);
    assert.equal(timestampInput.parse(999_999_999), 999_999_999);
    assert.equal(timestampInput.parse(10_000_000_000), 10_000_000_000);
    assert.equal(timestampInput.parse(0), 0);
  });

  it("a timestamp that is not a whole number in range is refused", () => {
    assert.equal(problemOf(timestampInput, 1.5), "field must be a whole number");
    assert.equal(problemOf(timestampInput, "1679587005"), "field must be a number");
    assert.equal(problemOf(timestampInput, -1), "field must be at least 0");
    assert.equal(problemOf(timestampInput, 1e15), "field must be at most 253402300799999");
  });
});

describe("webUrl", () => {
  it("a web URL may be http or https", () => {
    for (const url of ["http://localhost:9000", "https://desk.example.com/hook?a=b#c", "https://[::1]/x"]) {
      assert.equal(problemOf(webUrl, url), undefined, url);
    }
  });

  it("a web URL of any other scheme is refused", () => {
    const whole = "field must be a whole URL that starts with http:// or https://";
    assert.equal(problemOf(webUrl, "ftp://example.com"), whole);
    assert.equal(problemOf(webUrl, "example.com"), whole);
    assert.equal(problemOf(webUrl, "http:example.com"), whole);
    assert.equal(problemOf(webUrl, "https://"), whole);
    assert.equal(
      problemOf(webUrl, "https://a:b@example.com"),
      "field must not contain a user name or password",
    );
    assert.equal(
      problemOf(webUrl, " https://example.com"),
      "field must not contain blanks or control characters",
    );
    assert.equal(
      problemOf(webUrl, "https://exa\tmple.com"),
      "field must not contain blanks or control characters",
    );
    assert.equal(
      problemOf(webUrl, `https://e.com/${"x".repeat(2048)}`),
      "field must have at most 2,048 characters",
    );
  });
});

describe("paging", () => {
  const query = z.strictObject(pageFields);

  it("the limit of a page is read from the query string", () => {
    assert.deepEqual(query.parse({}), { limit: 50 });
    assert.deepEqual(query.parse({ limit: "7", cursor: "abc" }), { limit: 7, cursor: "abc" });
  });

  it("the limit of a page is 1 to 100", () => {
    for (const limit of ["0", "101", "1.5", "", "many"])
      assert.equal(query.safeParse({ limit }).success, false, limit);
  });
});
