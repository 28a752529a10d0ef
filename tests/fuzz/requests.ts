import { HEADERS, ROUTE_NAMES, routes, type Route, type RouteName } from "@signalbox/contract";
import fc from "fast-check";
import { oddities, valuesOf, type Json } from "./values.ts";
import type { World } from "./world.ts";

export interface FuzzRequest {
  route: RouteName;
  /** The mutation, for the counts. */
  kind: string;
  method: string;
  path: string;
  headers: Record<string, string>;
  body: Buffer | undefined;
}

/** A request before it is written down. */
interface Plain {
  route: RouteName;
  caller: number;
  params: Json | undefined;
  query: Json | undefined;
  body: Json | undefined;
}

const TOKEN = /^id:(\w+):(ours|theirs|nobodys):(\d+)$/;

/** A word in an id's place, so that values are made once and ids found later. Few are a stranger's: most requests shall be good. */
function idTokens(field: string): fc.Arbitrary<string> {
  const whose = fc.constantFrom(...Array<string>(30).fill("ours"), "theirs", "nobodys");
  return fc.tuple(whose, fc.nat(1_000)).map(([owner, pick]) => `id:${field}:${owner}:${pick}`);
}

function withIds(
  value: Json | undefined,
  idOf: (field: string, owner: string, pick: number) => string,
): Json | undefined {
  if (typeof value === "string") {
    const [, field = "", owner = "", pick = ""] = TOKEN.exec(value) ?? [];
    return field === "" ? value : idOf(field, owner, Number(pick));
  }
  if (Array.isArray(value)) return value.map((item) => withIds(item, idOf) ?? null);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withIds(inner, idOf) ?? null]));
}

function plainRequests(world: World, name: RouteName): fc.Arbitrary<Plain> {
  const route: Route = routes[name];
  const partOf = (schema: Route["body"]): fc.Arbitrary<Json | undefined> =>
    schema === undefined ? fc.constant(undefined) : valuesOf(schema.toJSONSchema({ io: "input" }), idTokens);
  const parts = fc.tuple(partOf(route.params), partOf(route.query), partOf(route.body));
  return fc.tuple(fc.nat(1), fc.nat(1_000), parts).map(([caller, spare, generated]) => {
    const [params, query, body] = generated.map((part) =>
      withIds(part, (field, owner, pick) => {
        if (owner === "nobodys") return crypto.randomUUID();
        const other = owner === "theirs" ? 1 : 0;
        return world.idOf(name, field, caller + other, spare + other, pick);
      }),
    );
    return { route: name, caller, params, query, body: body === undefined ? undefined : mended(name, body) };
  });
}

function pathOf(route: Route, params: Json | undefined): string {
  const values = (params ?? {}) as Record<string, Json>;
  return route.path.replaceAll(/:(\w+)/g, (_, parameter: string) => encoded(values[parameter]));
}

function queryOf(query: Json | undefined): string {
  const entries = Object.entries((query ?? {}) as Record<string, Json>);
  if (entries.length === 0) return "";
  return `?${entries.map(([key, value]) => `${encoded(key)}=${encoded(value)}`).join("&")}`;
}

function encoded(value: Json | undefined): string {
  const text = typeof value === "string" ? value : JSON.stringify(value ?? "");
  return encodeURIComponent(text.slice(0, 3_000).toWellFormed());
}

/** What a schema cannot say: the last message is the user's; and a stream is no reply to be judged as JSON. */
function mended(name: RouteName, body: Json): Json {
  if (name !== "sendMessage" || typeof body !== "object" || body === null || Array.isArray(body)) return body;
  const messages = Array.isArray(body["messages"]) ? body["messages"] : [];
  const said = (messages.at(-1) as { content?: Json } | undefined)?.content;
  const content = typeof said === "string" && said.trim() !== "" ? said : "hello";
  const before = messages.length > 2 ? messages.slice(0, 1) : [];
  const mode = body["response_mode"] === "blocking" ? "blocking" : "webhook";
  return { ...body, response_mode: mode, messages: [...before, { role: "user", content }] };
}

type Mutation = (request: FuzzRequest) => FuzzRequest;

const ODD_PATHS = [
  "/",
  "//",
  "/x",
  "/%00",
  "/%zz",
  "/%ff",
  "%2e%2e",
  "/..",
  "/%2F",
  ";a=b",
  "?",
  "??",
  "#",
  "/*",
  "/".repeat(500),
  `/${"a".repeat(600)}`,
  "?limit=0",
  "?limit=101",
  "?limit=1e1",
  "?limit=1&limit=2",
  "?limit=",
  "?cursor=",
  "?cursor=%00",
  `?cursor=${"a".repeat(513)}`,
  "?unknown=1",
  "?__proto__=1",
  "?agent_id=",
  "?a[b]=c",
  `?${"q=1&".repeat(1_500)}`,
];
const ODD_TYPES = [
  "",
  "text/plain",
  "application/xml",
  "application/json; charset=latin1",
  "application/json;charset=utf-8",
  "APPLICATION/JSON",
  "application/jsonx",
  "application/json, text/html",
  "multipart/form-data; boundary=x",
  "application/x-www-form-urlencoded",
  ";;;",
  "application/merge-patch+json",
];
const ODD_AUTHORIZATIONS = [
  "",
  "Bearer",
  "Bearer ",
  "bearer x",
  "Basic dXNlcjpwYXNz",
  `Bearer sbx_${"A".repeat(40)}`,
  `Bearer ${"x".repeat(600)}`,
  "Bearer a b",
  "Digest x",
  "null",
];
const ODD_KEYS = [
  "",
  " ",
  "k".repeat(255),
  "k".repeat(256),
  "a b",
  "\u00e9",
  "key-1",
  "key-2",
  ",",
  '"quoted"',
];
const METHODS = ["GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS", "TRACE", "PROPFIND"];

const inText =
  (change: (text: string, at: number) => string | Buffer) =>
  (at: number): Mutation =>
  (request) => {
    const text = request.body?.toString("utf8") ?? "{}";
    return { ...request, body: Buffer.from(change(text, text.length === 0 ? 0 : at % text.length)) };
  };

const TEXT_CHANGES = [
  inText((text, at) => text.slice(0, at)),
  inText((text, at) =>
    Buffer.concat([Buffer.from(text.slice(0, at)), Buffer.from([0xff, 0xc0]), Buffer.from(text.slice(at))]),
  ),
  inText((text) => `\ufeff${text}`),
  inText((text) => `${text}}`),
  inText((text) => `${text} // comment`),
  inText((text) => text.replaceAll('"', "'")),
  inText((text) => Buffer.from(text, "utf16le")),
  inText(() => ""),
  inText((text) => ` \n\t${text}\r\n `),
  inText((text) => text.replace(/^\{("\w+":)/, '{$1"first",$1')),
  inText((text) => text.replace(/^\{/, '{"name":"twice","name":"again",')),
  inText((text) => text.replace(/:("[^"]*"|\d+)/, ":1e400")),
  inText((text) => text.replace(/:("[^"]*"|\d+)/, `:${"9".repeat(400)}`)),
  inText((text) => text.replace(/:("[^"]*"|\d+)/, ":-0")),
  inText((text) => text.replace(/:("[^"]*"|\d+)/, ":NaN")),
  inText((text) =>
    text.replace(
      /"(\w)(\w*)":/,
      (_, first: string, rest: string) => `"\\u00${first.charCodeAt(0).toString(16)}${rest}":`,
    ),
  ),
  inText((text) => "[".repeat(5_000) + text),
  inText((text) => text.replace(/\}$/, `,"pad":"${"x".repeat(60_000)}"}`)),
  inText((text) => text.replace(/\}$/, `,"pad":"${"x".repeat(1_100_000)}"}`)),
];

const withHeader =
  (name: string) =>
  (value: string): Mutation =>
  (request) => ({
    ...request,
    headers: { ...request.headers, [name]: value },
  });

function withoutHeader(name: string): Mutation {
  return (request) => ({
    ...request,
    headers: Object.fromEntries(Object.entries(request.headers).filter(([key]) => key !== name)),
  });
}

const wireMutations: fc.Arbitrary<[string, Mutation]> = fc.oneof(
  named(
    "text",
    fc.tuple(fc.constantFrom(...TEXT_CHANGES), fc.nat()).map(([change, at]) => change(at)),
  ),
  named(
    "path",
    fc.constantFrom(...ODD_PATHS).map((suffix): Mutation => (request) => ({
      ...request,
      path: request.path + suffix,
    })),
  ),
  named(
    "path",
    fc.constantFrom<Mutation>(
      (request) => ({ ...request, path: request.path.toUpperCase() }),
      (request) => ({ ...request, path: `/${request.path}` }),
    ),
  ),
  named(
    "method",
    fc.constantFrom(...METHODS).map((method): Mutation => (request) => ({ ...request, method })),
  ),
  named(
    "content type",
    fc.oneof(
      fc.constantFrom(...ODD_TYPES).map(withHeader("content-type")),
      fc.constant(withoutHeader("content-type")),
    ),
  ),
  named(
    "authorization",
    fc.oneof(
      fc.constantFrom(...ODD_AUTHORIZATIONS).map(withHeader("authorization")),
      fc.constant(withoutHeader("authorization")),
    ),
  ),
  named("idempotency key", fc.constantFrom(...ODD_KEYS).map(withHeader(HEADERS.idempotencyKey))),
  named(
    "headers",
    fc
      .constantFrom<[string, string]>(
        ["content-encoding", "gzip"],
        ["accept", "text/html"],
        ["x-http-method-override", "DELETE"],
        ["range", "bytes=0-1"],
        ["x-long", "x".repeat(20_000)],
        ["traceparent", "00-zz-zz-zz"],
      )
      .map(([name, value]) => withHeader(name)(value)),
  ),
);

function named(kind: string, mutations: fc.Arbitrary<Mutation>): fc.Arbitrary<[string, Mutation]> {
  return mutations.map((mutation) => [kind, mutation]);
}

type Change = { at: number; how: "replace" | "remove" | "add"; value: Json; key: string };

const changes: fc.Arbitrary<Change> = fc.record({
  at: fc.nat(),
  how: fc.constantFrom("replace", "replace", "replace", "remove", "add"),
  value: oddities,
  key: fc.constantFrom("extra", "__proto__", "constructor", "id", "agent_id", "", "a\u0000", "x".repeat(300)),
});

/** One place of the value is another; which one is counted through the whole tree. */
function changed(value: Json, { at, how, value: odd, key }: Change): Json {
  const places = placesIn(value);
  const [path = []] = [places[at % places.length]];
  const parent = path.slice(0, -1);
  const last = path.at(-1);
  return rewritten(value, how === "replace" ? path : parent, (found) => {
    if (how === "replace") return odd;
    if (typeof found !== "object" || found === null) return odd;
    if (Array.isArray(found))
      return how === "add" ? [...found, odd] : found.filter((_, index) => String(index) !== last);
    const entries = Object.entries(found).filter(([name]) => how === "add" || name !== last);
    return Object.fromEntries(how === "add" ? [...entries, [key, odd]] : entries);
  });
}

function placesIn(value: Json): string[][] {
  if (typeof value !== "object" || value === null) return [[]];
  return [
    [],
    ...Object.entries(value).flatMap(([key, inner]) => placesIn(inner).map((path) => [key, ...path])),
  ];
}

function rewritten(value: Json, [first, ...rest]: string[], change: (value: Json) => Json): Json {
  if (first === undefined) return change(value);
  if (Array.isArray(value))
    return value.map((item, index) => (String(index) === first ? rewritten(item, rest, change) : item));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      key === first ? rewritten(inner, rest, change) : inner,
    ]),
  );
}

/** One place of the path, the query or the body is another. */
function changedSomewhere(request: Plain, change: Change): Plain {
  const parts = (["body", "query", "params"] as const).filter((part) => request[part] !== undefined);
  const part = parts[change.at % 5 === 0 ? parts.length - 1 : 0];
  if (part === undefined) return request;
  return { ...request, [part]: changed(request[part] ?? null, change) };
}

/** Good ones alone, of these routes; ids of what they may not see are few. */
export function validRequests(world: World, names: readonly RouteName[]): fc.Arbitrary<FuzzRequest> {
  return fc.oneof(
    ...names.map((name) => plainRequests(world, name).map((plain) => wired(world, "good", plain))),
  );
}

function wired(world: World, kind: string, { route, params, query, body, caller }: Plain): FuzzRequest {
  return {
    route,
    kind,
    method: routes[route].method,
    path: pathOf(routes[route], params) + queryOf(query),
    headers: {
      ...world.headersOf(route, caller),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    body: body === undefined ? undefined : Buffer.from(JSON.stringify(body)),
  };
}

/** Most are good or good but for one place; the rest are broken as requests come to be broken on their way. */
export function requestsFor(world: World): fc.Arbitrary<FuzzRequest> {
  const plain = fc.oneof(
    ...ROUTE_NAMES.map((name) => ({
      weight: routes[name].auth === "apiKey" ? 6 : 2,
      arbitrary: plainRequests(world, name),
    })),
  );
  const wire = (kind: string, request: Plain) => wired(world, kind, request);
  const withOneOther = fc
    .tuple(plain, changes)
    .map(([request, change]) => wire("one place", changedSomewhere(request, change)));
  const broken = fc
    .tuple(plain, wireMutations)
    .map(([request, [kind, mutate]]) => mutate(wire(kind, request)));
  return fc.oneof(
    { weight: 45, arbitrary: plain.map((request) => wire("good", request)) },
    { weight: 35, arbitrary: withOneOther },
    { weight: 20, arbitrary: broken },
  );
}
