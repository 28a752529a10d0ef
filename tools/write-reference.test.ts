import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { developerCalls, routes, UploadFileFields } from "../packages/contract/src/index.ts";
import type { DeveloperCall, Route } from "../packages/contract/src/index.ts";
import { CALL_EXAMPLES, ROUTE_EXAMPLES } from "./reference/examples.ts";

type Example = { request: object; reply: unknown };

/** The file of a form is not parsed. */
const FORM = {
  parse: (request: object) =>
    UploadFileFields.parse(Object.fromEntries(Object.entries(request).filter(([name]) => name !== "file"))),
};

describe("examples in docs/reference/api", () => {
  it("every call outside /admin/v1 and /chat/v1 has an example", () => {
    const wanted = Object.entries<Route>(routes).filter(
      ([, { path }]) => !/^\/(admin|chat)\/v1\//.test(path),
    );
    assert.deepEqual(Object.keys(ROUTE_EXAMPLES).toSorted(), wanted.map(([name]) => name).toSorted());
  });

  for (const [name, { request, reply }] of Object.entries<Example>(ROUTE_EXAMPLES)) {
    it(`${name}: request and reply fit the schemas of the route`, () => {
      const route: Route = routes[name as keyof typeof ROUTE_EXAMPLES];
      const schema = route.body ?? route.query ?? (route.form && FORM) ?? route.params;
      if (schema === undefined) assert.deepEqual(request, {});
      else schema.parse(request);
      // Its own reading may not change it: what a page shows is what is sent.
      assert.deepEqual(route.reply.parse(reply), reply);
    });
  }

  for (const [name, { request, reply }] of Object.entries<Example>(CALL_EXAMPLES)) {
    it(`${name}: request and answer fit the schemas of the call`, () => {
      const call: DeveloperCall = developerCalls[name as keyof typeof developerCalls];
      assert.deepEqual(call.request.parse(request), request);
      call.reply.parse(reply);
    });
  }
});
