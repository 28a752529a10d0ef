import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { buildOpenApi, ROUTE_NAMES, type Route, routes } from "@signalbox/contract";
import { exampleOf } from "./example.ts";
import { entriesOf, type OpenApi } from "./openapi.ts";

const document = buildOpenApi() as unknown as OpenApi;

describe("examples of the API reference", () => {
  it("every operation and every call that a developer hosts has an example", () => {
    const names = new Set(entriesOf(document).map(({ operation }) => operation.operationId));
    assert.deepEqual(
      ROUTE_NAMES.filter((name) => !names.has(name)),
      [],
    );
    assert.ok(names.has("deliverMessage"));
  });

  it("every example of a reply is a reply that the route may give", () => {
    const wrong = entriesOf(document).flatMap(({ operation }) => {
      const route = (routes as Record<string, Route>)[operation.operationId];
      const schema = operation.responses["200"]?.content?.["application/json"]?.schema;
      // A file may be sent in other forms than JSON.
      if (route === undefined || schema === undefined || route.file !== undefined) return [];
      const parsed = route.reply.safeParse(exampleOf(document, schema));
      return parsed.success ? [] : [`${operation.operationId}: ${parsed.error.message}`];
    });
    assert.deepEqual(wrong, []);
  });

  it("no example names a text field after itself", () => {
    const told = JSON.stringify(
      entriesOf(document).map(({ operation }) =>
        exampleOf(document, operation.responses["200"]?.content?.["application/json"]?.schema ?? {}),
      ),
    );
    assert.deepEqual(
      [...told.matchAll(/"(\w+)":"\1"/g)].map(([, name]) => name),
      [],
    );
  });
});
