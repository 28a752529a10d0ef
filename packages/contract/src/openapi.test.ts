import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { SendMessageRequest } from "./conversations.ts";
import { DEVELOPER_CALL_NAMES } from "./developer-calls.ts";
import { AddQaRequest } from "./knowledge.ts";
import { buildOpenApi } from "./openapi.ts";
import type { Route } from "./routes.ts";
import { ROUTE_NAMES, routes } from "./routes.ts";
import { CONTRACT_VERSION } from "./version.ts";

type Operation = {
  operationId: string;
  security: unknown;
  responses: Record<string, unknown>;
  parameters?: { name: string; in: string }[];
};
const document = buildOpenApi();
const text = JSON.stringify(document);
const operations = Object.values(document.paths).flatMap((path) => Object.values(path) as Operation[]);
const folder = join(import.meta.dirname, "..");

describe("OpenAPI document", () => {
  it("the OpenAPI document has every route once, with its parameters", () => {
    assert.deepEqual(operations.map(({ operationId }) => operationId).toSorted(), ROUTE_NAMES.toSorted());
    for (const route of Object.values<Route>(routes)) {
      const path = route.path.replaceAll(/:(\w+)/g, "{$1}");
      const operation = document.paths[path]?.[route.method.toLowerCase()] as Operation;
      const inPath = (operation.parameters ?? []).filter((parameter) => parameter.in === "path");
      assert.deepEqual(
        inPath.map(({ name }) => `{${name}}`),
        path.match(/\{\w+\}/g) ?? [],
      );
    }
  });

  it("the OpenAPI document has every developer call as a webhook", () => {
    assert.deepEqual(Object.keys(document.webhooks), DEVELOPER_CALL_NAMES);
  });

  it("every $ref of the OpenAPI document points at an existing component", () => {
    const references = [...text.matchAll(/"\$ref":"#\/components\/(\w+)\/(\w+)"/g)];
    assert.ok(references.length > 100);
    for (const [, kind = "", name = ""] of references) {
      assert.ok(name in document.components[kind as "schemas"], `${kind}/${name}`);
    }
    assert.equal(references.length, text.split('"$ref"').length - 1);
  });

  it("the OpenAPI document has no keywords of the schema library", () => {
    assert.doesNotMatch(text, /"\$(id|schema|defs)"|"~standard"/);
  });

  it("the OpenAPI schema of 2.5 allows no additional properties at any depth", () => {
    for (const name of ["AgentResponseMessage", "OutputItem", "Usage"]) {
      const schema = JSON.stringify(document.components.schemas[name]);
      assert.equal(
        schema.split('"type":"object"').length,
        schema.split('"additionalProperties":false').length,
        name,
      );
    }
  });

  it("a field of the OpenAPI document that is described as a time or a number is a number", () => {
    const wrong: string[] = [];
    const look = (value: unknown, place: string) => {
      if (typeof value !== "object" || value === null) return;
      const { description, type } = value as { description?: unknown; type?: unknown };
      const isNumber =
        typeof description === "string" && /^(Time|Number|Count|Milliseconds) (of|since)/.test(description);
      if (isNumber && typeof type === "string" && !["integer", "number"].includes(type)) wrong.push(place);
      for (const [key, inner] of Object.entries(value)) look(inner, `${place}/${key}`);
    };
    look(document.components, "");
    assert.deepEqual(wrong, []);
  });

  it("the OpenAPI document lists the failures of each route by status", () => {
    const { responses } = operations.find(({ operationId }) => operationId === "sendMessage")!;
    assert.deepEqual(Object.keys(responses), ["200", "400", "401", "403", "409", "413", "429", "500", "503"]);
    assert.deepEqual(responses["403"], { $ref: "#/components/responses/Failure40300Or40356Or40378" });
  });

  it("every example in the OpenAPI document fits its schema", () => {
    for (const [name, schema] of [
      ["AddQaRequest", AddQaRequest],
      ["SendMessageRequest", SendMessageRequest],
    ] as const) {
      const { examples } = document.components.schemas[name] as { examples: unknown[] };
      assert.ok(examples.length > 0);
      for (const example of examples) assert.equal(schema.safeParse(example).success, true, name);
    }
  });

  it("the committed openapi.json is up to date", async () => {
    const committed = await readFile(join(folder, "openapi.json"), "utf8");
    assert.equal(committed, `${JSON.stringify(document, null, 2)}\n`, "run: node tools/write-openapi.ts");
  });

  it("the contract version is the version of the package", async () => {
    const { version } = JSON.parse(await readFile(join(folder, "package.json"), "utf8")) as {
      version: string;
    };
    assert.equal(version, CONTRACT_VERSION);
  });
});
