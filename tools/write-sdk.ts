import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  buildOpenApi,
  methodOf,
  paginationOf,
  RESOURCES,
  type Resource,
  ROUTE_NAMES,
  type Route,
  type RouteName,
  routes,
} from "../packages/contract/src/index.ts";
import { createFieldReader } from "./reference/fields.ts";
import { comment, createTypeText, nameOf, type TypedSchema } from "./sdk/type-text.ts";

const FOLDER = join(import.meta.dirname, "../packages/sdk/src");
const WRITTEN =
  "// Written by tools/write-sdk.ts from packages/contract: change it there and run npm run write-sdk.";

const IMPORTS = `import type { Call, PagedCall } from "./call.ts";
import type { ChangeStreamEvent } from "./change-stream.ts";
import type { ChatStreamEvent } from "./chat-stream.ts";
import type { FollowOptions } from "./following.ts";
import type { MessageStream, NotStreaming, ReplyIn, StreamMessageRequest } from "./message-stream.ts";
import type { CallOptions } from "./options.ts";
`;

/** Methods whose reply is no single body: what follows the request in their signature. */
const STREAMS: { readonly [Name in RouteName]?: string } = {
  followChat: "options?: FollowOptions): AsyncIterable<ChatStreamEvent>",
  followChanges: 'options?: Omit<FollowOptions, "lastEventId">): AsyncIterable<ChangeStreamEvent>',
};

/** The reply of one method depends on a field of its request. */
const SEND_MESSAGE = `  sendMessage<Mode extends SendMessageRequest["response_mode"]>(
    request: SendMessageRequest & { response_mode: Mode } & NotStreaming<Mode>,
    options?: CallOptions,
  ): Call<ReplyIn<Mode>>;
  /** Send a user's message, and read the reply event by event while it is made. */
  streamMessage(request: StreamMessageRequest, options?: CallOptions): MessageStream;
`;

/** Ends of a stream: the client returns after the first and throws the second. */
const ENDS = new Set(["EndEvent", "StreamFailure"]);

type Content = Record<string, { schema: TypedSchema }>;
type Operation = {
  operationId: RouteName;
  summary: string;
  description: string;
  parameters?: { name: string; in: string; required: boolean; description?: string; schema: TypedSchema }[];
  requestBody?: { required: boolean; content: Content };
  responses: Record<string, { content?: Content }>;
};

const api = buildOpenApi();
const schemas = api.components.schemas as Record<string, TypedSchema>;
const reader = createFieldReader(schemas);
const text = createTypeText((field) => {
  const own = field.$ref === undefined ? [reader.limitsOf(field)] : [];
  const value = field.default === undefined ? "" : `Default ${JSON.stringify(field.default)}`;
  return [withoutLinks(field.description ?? ""), ...own, value]
    .filter(Boolean)
    .map((sentence) => pascal(sentence))
    .join(". ");
});
// Safe because buildOpenApi writes one operation for each method under each path.
const operations = new Map(
  Object.values(api.paths)
    .flatMap((path) => Object.values(path) as Operation[])
    .map((operation) => [operation.operationId, operation]),
);

function pascal(name: string): string {
  return `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`;
}

function withoutLinks(words: string): string {
  return words.replaceAll(/\[([^[\]]+)\]\([^()]+\)/g, "$1");
}

const declare = (name: string, schema: TypedSchema) =>
  schema.properties === undefined
    ? `export type ${name} = ${text.typeOf(schema)};\n`
    : `export interface ${name} {\n${text.fieldsOf(schema, "  ")}}\n`;

interface Method {
  name: RouteName;
  route: Route;
  operation: Operation;
  /** The type of its one argument; undefined when it takes none. */
  request: string | undefined;
  isOptional: boolean;
}

/** Bodies that became part of a request with path and query: nobody needs them alone. */
const merged = new Set<string>();
const requests = new Map<string, string>();
const methods = ROUTE_NAMES.map(readMethod);

function readMethod(name: RouteName): Method {
  const operation = operations.get(name);
  if (operation === undefined) throw new Error(`${name} is not in the OpenAPI document`);
  const parameters = (operation.parameters ?? []).filter(({ in: place }) => place !== "header");
  const { content } = operation.requestBody ?? {};
  const body = (content?.["application/json"] ?? content?.["multipart/form-data"])?.schema;
  const isOptional =
    parameters.every(({ required }) => !required) && operation.requestBody?.required !== true;
  const about = { name, route: routes[name], operation, isOptional };
  if (parameters.length === 0 && body === undefined) return { ...about, request: undefined };
  const request = `${pascal(name)}Request`;
  const fields: TypedSchema = {
    properties: Object.fromEntries(
      parameters.map(({ name: field, description, schema }) => [
        field,
        { ...schema, ...(description !== undefined && { description }) },
      ]),
    ),
    required: parameters.filter(({ required }) => required).map(({ name: field }) => field),
  };
  const doc = comment(
    `What \`${routes[name].sdk}\` takes: ${operation.summary.replace(/^\w/, (letter) => letter.toLowerCase())}`,
  );
  if (body === undefined || nameOf(body) !== request || parameters.length > 0)
    requests.set(request, `${doc}${requestType(request, fields, body, parameters.length > 0)}`);
  return { ...about, request };
}

function requestType(
  name: string,
  fields: TypedSchema,
  body: TypedSchema | undefined,
  hasFields: boolean,
): string {
  if (body === undefined) return declare(name, fields);
  const whole = body.$ref === undefined ? body : (schemas[nameOf(body)] ?? {});
  if (whole.properties === undefined)
    return `export type ${name} = ${hasFields ? `${text.typeOf({ ...fields, type: "object" })} & ` : ""}${text.typeOf(body)};\n`;
  if (!hasFields) return declare(name, body);
  if (nameOf(body) === name) merged.add(name);
  return declare(name, {
    properties: { ...fields.properties, ...whole.properties },
    required: [...(fields.required ?? []), ...(whole.required ?? [])],
  });
}

function replyOf({ route, operation }: Method): string {
  if (route.file !== undefined) return "Blob";
  const content = operation.responses[String(route.status ?? 200)]?.content ?? {};
  return text.typeOf(content["application/json"]?.schema ?? content["text/plain"]?.schema ?? {}, "  ");
}

function callOf(method: Method): string {
  const reply = replyOf(method);
  const pagination = paginationOf(method.route);
  if (pagination === undefined) return `Call<${reply}>`;
  const entry = schemas[reply]?.properties?.[pagination.entries]?.items;
  const isNamed = entry?.$ref !== undefined;
  return `PagedCall<${reply}, ${isNamed ? nameOf(entry) : `${reply}["${pagination.entries}"][number]`}>`;
}

function signatureOf(method: Method): string {
  const { name, route, operation, request, isOptional } = method;
  const { verb } = methodOf(route);
  const doc = comment(`${operation.summary}.\n\n${operation.description}`, "  ");
  if (name === "sendMessage") return `${doc}${SEND_MESSAGE}`;
  const given =
    request === undefined ? "request?: Record<string, never>" : `request${isOptional ? "?" : ""}: ${request}`;
  const rest = STREAMS[name] ?? `options?: CallOptions): ${callOf(method)}`;
  return `${doc}  ${verb}(${given}, ${rest};\n`;
}

const classNameOf = (resource: Resource) => `${pascal(resource)}Methods`;

function resourceText(resource: Resource, own: Method[]): string {
  return `${comment(RESOURCES[resource].about)}export interface ${classNameOf(resource)} {\n${own.map(signatureOf).join("\n")}}\n`;
}

function schemaText(name: string, schema: TypedSchema): string {
  const shown =
    name === "MessageStreamEvent"
      ? { ...schema, anyOf: (schema.anyOf ?? []).filter((one) => !ENDS.has(nameOf(one))) }
      : schema;
  return `${comment(withoutLinks(schema.description ?? ""))}${declare(name, shown)}`;
}

const byResource = Map.groupBy(methods, ({ route }) => methodOf(route).resource);
// Safe because the table has a line for each resource and no other.
const names = Object.keys(RESOURCES) as Resource[];
const resources = names.map((resource) => resourceText(resource, byResource.get(resource) ?? []));
const members = names.map(
  (resource) =>
    `${comment(RESOURCES[resource].about, "  ")}  readonly ${resource}: ${classNameOf(resource)};\n`,
);
for (const name of requests.keys())
  if (name in schemas && !merged.has(name)) throw new Error(`${name} would be two types: rename the body`);
const types = Object.entries(schemas)
  .filter(([name]) => !merged.has(name) && !ENDS.has(name))
  .map(([name, schema]) => schemaText(name, schema));

const typesFile = [
  `${WRITTEN}\n`,
  ...[...requests].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, declared]) => declared),
  ...types,
].join("\n");
const imported = [...requests.keys(), ...Object.keys(schemas)];
const clientText = [
  `/** A method for each endpoint, under what it is about. Path, query and body are one object, named as on the wire. */\nexport interface Client {\n${members.join("")}}\n`,
  ...resources,
].join("\n");
const code = clientText.replaceAll(/\/\*\*[^]*?\*\//g, "");
const used = [...new Set(imported)].filter((name) => new RegExp(`[ (<]${name}\\b`).test(code)).toSorted();
const clientFile = [
  `${WRITTEN}\n${IMPORTS}import type {\n${used.map((name) => `  ${name},\n`).join("")}} from "./bodies.generated.ts";\n`,
  clientText,
].join("\n");

const files: [name: string, wanted: string][] = [
  ["bodies.generated.ts", typesFile],
  ["client.generated.ts", clientFile],
];
for (const [name, wanted] of files) {
  const path = join(FOLDER, name);
  if (!process.argv.includes("--check")) await writeFile(path, wanted);
  else if ((await readFile(path, "utf8").catch(() => "")) !== wanted) {
    console.error(`packages/sdk/src/${name} does not match packages/contract; run: npm run write-sdk`);
    process.exitCode = 1;
  }
}
