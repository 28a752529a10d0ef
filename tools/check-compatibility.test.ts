import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { brokenSince } from "./check-compatibility.ts";

interface Shape {
  request?: object;
  reply?: object;
  parameters?: object[];
}

const body = (schema: object) => ({ content: { "application/json": { schema } } });
const documentOf = ({ request = {}, reply = {}, parameters = [] }: Shape) => ({
  paths: {
    "/v1/things": {
      post: { parameters, requestBody: body(request), responses: { "200": body(reply), "400": body({}) } },
    },
  },
  components: {
    schemas: { Thing: { type: "object", properties: { self: { $ref: "#/components/schemas/Thing" } } } },
  },
});
const object = (properties: object, required: string[] = []) => ({ type: "object", properties, required });
const text = { type: "string" };

describe("check of API compatibility", () => {
  const BROKEN: [name: string, before: Shape, after: Shape, sentence: RegExp][] = [
    ["a field of a reply goes", { reply: object({ id: text }) }, { reply: object({}) }, /reply: id is gone/],
    [
      "a field of a reply may be missing",
      { reply: object({ id: text }, ["id"]) },
      { reply: object({ id: text }) },
      /reply: id may be missing now/,
    ],
    [
      "a field of a reply changes its type, deep inside",
      { reply: object({ list: { type: "array", items: object({ id: text }) } }) },
      { reply: object({ list: { type: "array", items: object({ id: { type: "integer" } }) } }) },
      /reply\.list\[\]\.id: the type was "string" and is "integer"/,
    ],
    [
      "a reply has a value nobody knows",
      { reply: { type: "string", enum: ["a"] } },
      { reply: { type: "string", enum: ["a", "b"] } },
      /b is a new value/,
    ],
    [
      "a request needs a new field",
      { request: object({}) },
      { request: object({ name: text }, ["name"]) },
      /request: name is required now/,
    ],
    [
      "a request may not say what it said",
      { request: { type: "string", enum: ["a", "b"] } },
      { request: { type: "string", enum: ["a"] } },
      /b is refused now/,
    ],
    [
      "a parameter becomes required",
      { parameters: [{ name: "limit", in: "query" }] },
      { parameters: [{ name: "limit", in: "query", required: true }] },
      /parameter limit is required now/,
    ],
  ];
  for (const [name, before, after, sentence] of BROKEN)
    it(`a caller of the last release breaks when ${name}`, () => {
      const broken = brokenSince(documentOf(before), documentOf(after));
      assert.equal(broken.length, 1, broken.join("\n"));
      assert.match(broken[0] ?? "", sentence);
    });

  it("a caller of the last release breaks when an endpoint is removed", () => {
    assert.deepEqual(brokenSince(documentOf({}), { paths: {} }), ["POST /v1/things is gone"]);
  });

  const FINE: [name: string, before: Shape, after: Shape][] = [
    ["a request gains an optional field", { request: object({}) }, { request: object({ name: text }) }],
    ["a reply gains a field", { reply: object({}) }, { reply: object({ name: text }, ["name"]) }],
    [
      "a request may say more",
      { request: { type: "string", enum: ["a"] } },
      { request: { type: "string", enum: ["a", "b"] } },
    ],
    [
      "a schema holds itself",
      { reply: { $ref: "#/components/schemas/Thing" } },
      { reply: { $ref: "#/components/schemas/Thing" } },
    ],
  ];
  for (const [name, before, after] of FINE)
    it(`a caller of the last release still works when ${name}`, () => {
      assert.deepEqual(brokenSince(documentOf(before), documentOf(after)), []);
    });

  it("a caller of the last release still works with an unchanged document", () => {
    const file = join(import.meta.dirname, "../packages/contract/openapi.json");
    const now = JSON.parse(readFileSync(file, "utf8")) as Record<string, unknown>;
    assert.deepEqual(brokenSince(now, now), []);
  });
});
