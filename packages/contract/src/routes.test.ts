import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { z } from "zod";
import { developerCallUrl } from "./developer-calls.ts";
import type { Handlers, InputOf, ReplyOf, RequestOf, Route } from "./routes.ts";
import { routes } from "./routes.ts";

const table = Object.entries<Route>(routes);

function formsOf(body: z.ZodType): z.ZodObject[] {
  if (body instanceof z.ZodObject) return [body];
  if (body instanceof z.ZodPipe) return formsOf(body.def.in as z.ZodType);
  assert.ok(body instanceof z.ZodUnion, "a body is an object or one of several");
  return body.options.flatMap((option) => formsOf(option as z.ZodType));
}

describe("routes", () => {
  it("no two routes share a method and path", () => {
    assert.equal(new Set(table.map(([, { method, path }]) => `${method} ${path}`)).size, table.length);
  });

  it("no two routes share a method of the SDK, and each names its resource and verb", () => {
    assert.equal(new Set(table.map(([, { sdk }]) => sdk)).size, table.length);
    for (const [, { sdk }] of table) assert.match(sdk, /^[a-z][A-Za-z]+\.[a-z][A-Za-z]+$/);
  });

  it("every route reads exactly the parameters that its path names", () => {
    for (const [name, { path, params }] of table) {
      const named = [...path.matchAll(/:(\w+)/g)].map((match) => match[1]);
      assert.deepEqual(Object.keys(params?.shape ?? {}), named, name);
    }
  });

  it("no field name occurs twice in path, query and body of a route", () => {
    for (const [name, { params, query, body }] of table) {
      const outside = [...Object.keys(params?.shape ?? {}), ...Object.keys(query?.shape ?? {})];
      assert.equal(new Set(outside).size, outside.length, name);
      for (const form of body === undefined ? [] : formsOf(body)) {
        for (const field of Object.keys(form.shape)) assert.ok(!outside.includes(field), `${name}: ${field}`);
      }
    }
  });

  it("only POST and PUT routes take a body", () => {
    for (const [name, { method, body }] of table)
      assert.ok(body === undefined || method === "POST" || method === "PUT", name);
  });

  it("only the health probe needs no authentication, and only /admin/ routes are for operators", () => {
    assert.deepEqual(
      table.filter(([, { auth }]) => auth === "none").map(([name]) => name),
      ["serviceHealth"],
    );
    for (const [name, { path, auth }] of table)
      assert.equal(path.startsWith("/admin/"), auth === "operator" || auth === "browser", name);
  });

  it("4.1 and 4.2 take bodies of up to 10 MB", () => {
    assert.equal(routes.addQa.bodyLimitBytes, 10 * 1024 * 1024);
    assert.equal(routes.updateQa.bodyLimitBytes, 10 * 1024 * 1024);
  });

  it("the types of requests, inputs, replies and handlers are inferred from a route", () => {
    const request: RequestOf<"updateAgent"> = { agent_id: "a", name: "Shop" };
    const added: RequestOf<"addQa"> = { purpose: "QA_TEXT", name: "n", qaList: [] };
    const input: InputOf<"listApiKeys"> = { agent_id: "a", limit: 5 };
    const health: ReplyOf<"serviceHealth"> = "service is normal";
    // @ts-expect-error qaList is missing
    const incomplete: RequestOf<"addQa"> = { purpose: "QA_TEXT", name: "n" };
    type Callers = {
      apiKey: { agentId: string };
      humanService: unknown;
      chatToken: unknown;
      operator: "operator";
      browser: unknown;
      none: undefined;
    };
    const some: Pick<Handlers<Callers>, "verifyApiKey" | "deleteAgent"> = {
      verifyApiKey: async (caller) => ({ entity_type: "agent", entity_id: caller.agentId }),
      deleteAgent: async (caller, { agent_id }) => {
        assert.ok(caller === "operator" && agent_id !== "");
        return { code: 0, message: "OK" };
      },
    };
    assert.ok(request && added && input && health && incomplete && some);
  });
});

describe("developer calls", () => {
  it("a developer call goes to the configured URL or to a path below it", () => {
    assert.equal(developerCallUrl("https://a.example/hook/", "deliverMessage"), "https://a.example/hook/");
    assert.equal(developerCallUrl("https://a.example", "sendHandoffChat"), "https://a.example/chat");
    assert.equal(
      developerCallUrl("https://a.example/desk/?team=1", "establishHandoff"),
      "https://a.example/desk/conversation/establish?team=1",
    );
  });
});
