import { DEVELOPER_CALL_NAMES, developerCalls } from "./developer-calls.ts";
import { developerOperationOf, operationOf } from "./openapi-operations.ts";
import { collectInto, describeFields, type Json } from "./openapi-schemas.ts";
import { SUBJECTS } from "./resources.ts";
import { type Route, ROUTE_NAMES, routes } from "./routes.ts";
import { CONTRACT_VERSION } from "./version.ts";

export { failuresOf } from "./openapi-operations.ts";

/** The whole contract as OpenAPI 3.1: what we host as paths, what a developer hosts as webhooks. */
export function buildOpenApi() {
  const schemas: Record<string, Json> = {};
  const responses: Record<string, Json> = {};
  const schemaOf = collectInto(schemas);
  const paths: Record<string, Json> = {};
  for (const name of ROUTE_NAMES) {
    const route: Route = routes[name];
    const path = route.path.replaceAll(/:(\w+)/g, "{$1}");
    paths[path] = {
      ...paths[path],
      [route.method.toLowerCase()]: operationOf(name, route, schemaOf, responses),
    };
  }
  const webhooks: Record<string, Json> = {};
  for (const name of DEVELOPER_CALL_NAMES)
    webhooks[name] = { post: developerOperationOf(name, developerCalls[name], schemaOf) };
  describeFields(schemas);
  return {
    openapi: "3.1.1",
    info: {
      title: "Signalbox",
      version: CONTRACT_VERSION,
      description: "QA knowledge, message delivery and human handoff of a conversational agent.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [
      {
        url: "{baseUrl}",
        description: "Your installation",
        variables: {
          baseUrl: {
            default: "http://127.0.0.1:8080",
            description: "Scheme, host and port. The default is a service on this machine",
          },
        },
      },
    ],
    tags: Object.entries(SUBJECTS).map(([name, description]) => ({ name, description })),
    paths,
    webhooks,
    components: {
      schemas: sortedByName(schemas),
      responses: sortedByName(responses),
      securitySchemes: SECURITY_SCHEMES,
    },
  };
}

export function sortedByName(entries: Record<string, Json>): Record<string, Json> {
  return Object.fromEntries(Object.entries(entries).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

export const SECURITY_SCHEMES = {
  apiKey: { type: "http", scheme: "bearer", description: "An API key of the agent: sbx_ and 40 characters" },
  chatToken: {
    type: "http",
    scheme: "bearer",
    description: "One user's token, minted by the developer's server",
  },
  operator: { type: "http", scheme: "bearer", description: "A named operator token: sbo_ and 40 characters" },
  webhookBearer: {
    type: "http",
    scheme: "bearer",
    description: "The webhook username, when no secret is set",
  },
  webhookBasic: { type: "http", scheme: "basic", description: "The webhook username and secret" },
};
