import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  BODY_LIMIT_BYTES,
  buildOpenApi,
  CALL_RULES,
  developerCalls,
  FAILURES,
  failuresOf,
  methodOf,
  RESOURCES,
  routes,
  rulesOf,
  SUBJECTS,
  AUTHORIZATION_MEANING,
  WEBHOOK_HEADER_MEANINGS,
  WEBHOOK_HEADERS,
} from "../packages/contract/src/index.ts";
import type {
  DeveloperCall,
  DeveloperCallName,
  Route,
  RouteName,
  WebhookHeader,
} from "../packages/contract/src/index.ts";
import { curlOf, streamingCurlOf } from "./reference/curl.ts";
import { CALL_EXAMPLES, ROUTE_EXAMPLES } from "./reference/examples.ts";
import type { Field, Schema } from "./reference/fields.ts";
import { createFieldReader } from "./reference/fields.ts";
import { INDEX, VARIANTS } from "./reference/words.ts";
import { linkSections } from "./section-links.ts";
import { wrapMarkdown } from "./wrap-markdown.ts";

const FOLDER = join(import.meta.dirname, "../docs/reference/api");
const WRITTEN =
  "Written by `tools/write-reference.ts` from `packages/contract`: change it there and run `npm run write-reference`.";

type Content = Record<string, { schema: Schema }>;
type Operation = {
  operationId: string;
  parameters?: { name: string; in: string; required: boolean; description?: string; schema: Schema }[];
  requestBody?: { content: Content };
  responses: Record<string, { content?: Content }>;
};

const api = buildOpenApi();
const reader = createFieldReader(api.components.schemas);
// Safe because buildOpenApi writes one operation a method under each path, and each webhook as a POST.
const operations = new Map(
  [...Object.values(api.paths), ...Object.values(api.webhooks)]
    .flatMap((path) => Object.values(path) as Operation[])
    .map((operation) => [operation.operationId, operation]),
);
const operationOf = (name: string): Operation => {
  const operation = operations.get(name);
  if (operation === undefined) throw new Error(`${name} is not in the OpenAPI document`);
  return operation;
};

const json = (value: unknown) => JSON.stringify(value, undefined, 2);
const row = (...cells: string[]) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
const table = (headings: string[], rows: string[][]) =>
  [row(...headings), `|${"---|".repeat(headings.length)}`, ...rows.map((cells) => row(...cells))].join("\n");
const fenced = (language: string, text: string) => `\`\`\`${language}\n${text}\n\`\`\``;
const bullets = (rules: readonly string[]) =>
  rules.length === 0 ? [] : [rules.map((rule) => `- ${rule}`).join("\n")];
const pathOf = (route: Route) => route.path.replaceAll(/:(\w+)/g, "{$1}");

const scopeOf = ({ scopes = [] }: Route) =>
  scopes.length === 0 ? "" : ` Scope: ${scopes.map((scope) => `\`${scope}\``).join(" or ")}.`;

const slugOf = (name: string, { section }: Route | DeveloperCall) =>
  `${section === undefined ? "" : `${section}-`}${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

type Caller = { who: string; proof: string };

const KEY = "`Authorization: Bearer <API key>`";
const CALLERS: Record<Route["auth"], Caller> = {
  apiKey: { who: "the holder of an API key of the agent", proof: KEY },
  humanService: {
    who: "the desk",
    proof: `${KEY} of the handoff's agent, or without a key where the component allows it`,
  },
  chatToken: { who: "a user's browser", proof: "`Authorization: Bearer <chat token>`" },
  operator: { who: "the operator", proof: "`Authorization: Bearer <operator token>`" },
  browser: { who: "anybody, in a browser", proof: "no key" },
  none: { who: "anybody", proof: "no key" },
};

function fieldTable(fields: Field[], presence: "Required" | "Always there"): string {
  const nameless = fields.find(({ meaning }) => meaning === "");
  if (nameless !== undefined)
    throw new Error(
      `${nameless.path} has no meaning: add .describe() in packages/contract, or a line to its field-meanings.ts`,
    );
  return table(
    ["Field", "Type", presence, "Limits", "Meaning"],
    fields.map(({ path, type, required, limits, meaning }) => [
      `\`${path}\``,
      type,
      required,
      limits,
      meaning,
    ]),
  );
}

function bodyFields(schema: Schema, presence: "Required" | "Always there"): string[] {
  return reader
    .variantsOf(schema)
    .flatMap(({ label, fields }) => [
      ...(label === undefined ? [] : [`**${VARIANTS[label] ?? `When ${label}`}**`]),
      ...(fields.length > 0 ? [fieldTable(fields, presence)] : []),
    ]);
}

function parameterFields(operation: Operation, place: "query" | "path"): string[] {
  const parameters = (operation.parameters ?? []).filter((parameter) => parameter.in === place);
  if (parameters.length === 0) return [];
  const fields = parameters.map(({ name, required, description, schema }) => ({
    path: name,
    type: reader.typeOf(schema),
    required: required ? "yes" : "no",
    limits: reader.limitsOf(schema),
    meaning: reader.meaningOf({ ...(description !== undefined && { description }), ...schema }),
  }));
  return [`In the ${place}:`, fieldTable(fields, "Required")];
}

function requestOf(route: Route, operation: Operation): string[] {
  const body = operation.requestBody?.content["application/json"]?.schema;
  const form = operation.requestBody?.content["multipart/form-data"]?.schema;
  const fields = [
    ...parameterFields(operation, "path"),
    ...parameterFields(operation, "query"),
    ...(body === undefined ? [] : bodyFields(body, "Required")),
    ...(form === undefined ? [] : bodyFields(form, "Required")),
  ];
  const limit = (route.bodyLimitBytes ?? BODY_LIMIT_BYTES) / 1024 / 1024;
  return fields.length === 0
    ? ["No parameters and no body."]
    : [
        ...(form === undefined ? [] : ["`multipart/form-data`, each field a part."]),
        ...(body === undefined ? [] : [`JSON, at most ${limit} MiB.`]),
        ...fields,
      ];
}

function replyOf(operation: Operation): string[] {
  const content = operation.responses["200"]?.content ?? {};
  return Object.entries(content).flatMap(([type, { schema }]) => [
    `HTTP 200, \`${type}\`.`,
    ...(type === "text/plain" ? [] : bodyFields(schema, "Always there")),
  ]);
}

function failureTable(route: Route): string {
  if (route.plainText)
    return "HTTP 503 with a line of plain text. Any other status than 200, a timeout or no connection means the same.";
  return table(
    ["Code", "HTTP status", "Message"],
    failuresOf(route).map((name) => {
      const { code, status, message } = FAILURES[name];
      return [`[${code}](../errors/${code}.md)`, String(status), message];
    }),
  );
}

function headersOf(name: string, { method, auth, plainText }: Route): string {
  const rows = [
    ...(auth === "none" ? [] : [["request", "`Authorization`", CALLERS[auth].proof]]),
    ...(method === "POST" || method === "PUT"
      ? [
          [
            "request",
            "`Idempotency-Key`",
            "Optional. The same key within 24 hours returns the same response, so a retry does its work once",
          ],
        ]
      : []),
    ["reply", "`Signalbox-Request-Id`", "Names this call in the service's log"],
    ...(auth === "none" || auth === "operator"
      ? []
      : [
          [
            "reply",
            "`RateLimit-Limit`, `RateLimit-Remaining`, `RateLimit-Reset`",
            "What the caller may still send",
          ],
        ]),
    ...(plainText ? [] : [["reply", "`Retry-After`", "With 42900 and 50300: seconds to wait"]]),
    ...(name === "addQa" || name === "updateQa"
      ? [
          [
            "reply",
            "`Signalbox-Import`",
            "With files: the `import_id` under which [the details](get-document-details.md) say why a file failed",
          ],
        ]
      : []),
  ];
  return table(["In", "Header", "What it says"], rows);
}

function routePage(name: keyof typeof ROUTE_EXAMPLES): string {
  const route: Route = routes[name];
  const operation = operationOf(name);
  const { request, reply } = ROUTE_EXAMPLES[name];
  const section = route.section === undefined ? "" : `${route.section} `;
  return [
    `# ${section}${route.summary}`,
    `\`${route.method} ${pathOf(route)}\``,
    `Who may call: ${CALLERS[route.auth].who}, with ${CALLERS[route.auth].proof}.${scopeOf(route)}`,
    ...bullets(rulesOf(name, route)),
    "## Request",
    ...requestOf(route, operation),
    fenced("sh", curlOf(route, request)),
    "## Reply",
    ...replyOf(operation),
    typeof reply === "string" ? fenced("text", reply) : fenced("json", json(reply)),
    ...(name === "sendMessage" ? streamingCurlOf(route, request) : []),
    "## Headers",
    headersOf(name, route),
    "## Failures",
    failureTable(route),
    WRITTEN,
  ].join("\n\n");
}

const TARGETS: Record<DeveloperCall["target"], string> = {
  message: "the message webhook's URL",
  human_service: "the URL of a human service component",
  operator: "the operator webhook's URL",
};

function callPage(name: DeveloperCallName): string {
  const call: DeveloperCall = developerCalls[name];
  const { event, request, reply } = CALL_EXAMPLES[name];
  const operation = operationOf(name);
  const section = call.section === undefined ? "" : `${call.section} `;
  const target = { message: "/hooks", human_service: "/signalbox", operator: "/alerts" }[call.target];
  const headers = [
    ["Authorization", "Basic c2lnbmFsYm94OnMzY3JldA=="],
    ["Content-Type", "application/json"],
    [WEBHOOK_HEADERS.id, "0199f3a2-b063-7099-8c5f-ae7dbe613d76"],
    [WEBHOOK_HEADERS.timestamp, "1790000000"],
    [WEBHOOK_HEADERS.signature, "v1,…"],
    [WEBHOOK_HEADERS.event, event],
    [WEBHOOK_HEADERS.attempt, "1"],
  ];
  const answered = operation.responses["200"]?.content?.["application/json"]?.schema ?? {};
  return [
    `# ${section}${call.summary}`,
    `\`POST {developer_url}${call.suffix}\`: the developer hosts it and the service calls it. \`{developer_url}\` is ${TARGETS[call.target]}.`,
    ...bullets(CALL_RULES[name]),
    "## Request",
    ...bodyFields(operation.requestBody?.content["application/json"]?.schema ?? {}, "Always there"),
    fenced(
      "http",
      [
        `POST ${target}${call.suffix} HTTP/1.1`,
        ...headers.map((pair) => pair.join(": ")),
        "",
        json(request),
      ].join("\n"),
    ),
    "## Answer",
    "HTTP 200 means taken.",
    ...bodyFields(answered, "Required"),
    fenced("json", json(reply)),
    "## Headers",
    table(
      ["Header", "What it says"],
      [
        ["`Authorization`", AUTHORIZATION_MEANING],
        ...Object.entries(WEBHOOK_HEADER_MEANINGS).map(([name, meaning]) => [
          `\`${WEBHOOK_HEADERS[name as WebhookHeader]}\``,
          meaning,
        ]),
      ],
    ),
    "## Failures",
    call.target === "human_service" && call.suffix === "/conversation/establish"
      ? "Any status but 200, three times within ten seconds, means busy: see [how a desk says busy](../../explanation/handoff.md#how-a-desk-says-busy)."
      : "Any status but 200, a redirect, a timeout or no connection is a failure. The service retries with backoff: [delivery](../../explanation/delivery.md#when-it-fails).",
    WRITTEN,
  ].join("\n\n");
}

/** Calls for operators and browsers: one page each, a table for each subject and no examples. */
function tablePage(title: string, prefix: string, about: string): string {
  const entries = Object.entries<Route>(routes).filter(([, route]) => route.path.startsWith(prefix));
  const bySubject = Map.groupBy(entries, ([, route]): string => RESOURCES[methodOf(route).resource].subject);
  const headings = ["Call", "What it does", "In the SDK", "Who may call", "Fields of the request", "Reply"];
  return [
    `# ${title}`,
    about,
    "Fields in bold are required. `/reference` of every instance shows each call, such as `/reference#listDeliveries`, with the fields of request and reply, as do [packages/contract/openapi.json](../../../packages/contract/openapi.json) and the SDK in an editor. Each code of a failure has [a page](../errors/README.md).",
    ...Object.entries(SUBJECTS).flatMap(([subject, meaning]) => {
      const rows = bySubject.get(subject) ?? [];
      if (rows.length === 0) return [];
      return [`## ${subject}`, `${meaning}.`, table(headings, rows.map(operationRow))];
    }),
    WRITTEN,
  ].join("\n\n");
}

function operationRow([name, route]: [string, Route]): string[] {
  const reply = route.reply.meta()?.id ?? route.events?.meta()?.id;
  return [
    `\`${route.method} ${pathOf(route)}\``,
    `${route.summary} (\`${name}\`)`,
    `\`${route.sdk}\``,
    `${CALLERS[route.auth].who}.${scopeOf(route)}`,
    requestFields(operationOf(name)),
    reply === undefined ? "" : `\`${reply}\``,
  ];
}

/** By name, without those of the path, which the call shows. */
function requestFields({ parameters = [], requestBody }: Operation): string {
  const inQuery = parameters.filter((parameter) => parameter.in === "query");
  const body = requestBody?.content["application/json"]?.schema;
  const ofBody = body === undefined ? [] : reader.fieldsOf(body).filter(({ path }) => /^\w+$/.test(path));
  return [
    ...inQuery.map(({ name, required }) => [name, required] as const),
    ...ofBody.map(({ path, required }) => [path, required === "yes"] as const),
  ]
    .map(([name, isRequired]) => (isRequired ? `**\`${name}\`**` : `\`${name}\``))
    .join(", ");
}

function indexPage(): string {
  const withPages = (Object.keys(ROUTE_EXAMPLES) as (keyof typeof ROUTE_EXAMPLES)[]).map(
    (name) => [name, routes[name]] as [RouteName, Route],
  );
  const line = ([name, route]: [RouteName, Route]) => [
    route.section ?? "",
    `[${route.summary}](${slugOf(name, route)}.md)`,
    `\`${route.method} ${pathOf(route)}\``,
  ];
  const isOfSpecification = ([, { section }]: [RouteName, Route]) => section !== undefined;
  const calls = Object.entries<DeveloperCall>(developerCalls).map(([name, call]) => [
    call.section ?? "",
    `[${call.summary}](${slugOf(name, call)}.md)`,
    `\`POST {developer_url}${call.suffix}\``,
  ]);
  const headings = ["Section", "Call", "Where"];
  return [
    "# API reference",
    INDEX.about,
    "## Calls you make",
    table(headings, withPages.filter(isOfSpecification).map(line)),
    "Beside them:",
    table(headings, withPages.filter((entry) => !isOfSpecification(entry)).map(line)),
    "The calls of [operators](operator.md) and of [the live channel](live-channel.md) have a table each.",
    "## Calls you receive",
    table(headings, calls),
    ...INDEX.everyCall,
    WRITTEN,
  ].join("\n\n");
}

const drafts: [string, string][] = [
  ["README.md", indexPage()],
  ...(Object.keys(ROUTE_EXAMPLES) as (keyof typeof ROUTE_EXAMPLES)[]).map((name): [string, string] => [
    `${slugOf(name, routes[name])}.md`,
    routePage(name),
  ]),
  ...(Object.keys(developerCalls) as DeveloperCallName[]).map((name): [string, string] => [
    `${slugOf(name, developerCalls[name])}.md`,
    callPage(name),
  ]),
  ["operator.md", tablePage("Calls of operators", "/admin/v1/", INDEX.operator)],
  ["live-channel.md", tablePage("Calls of the live channel", "/chat/v1/", INDEX.live)],
];
const pages = new Map(
  drafts.map(([name, text]) => [name, wrapMarkdown(linkSections(`docs/reference/api/${name}`, `${text}\n`))]),
);

const present = await readdir(FOLDER).catch(() => []);
const idle = present.filter((name) => !pages.has(name));

if (process.argv.includes("--check")) {
  const texts = await Promise.all(
    [...pages.keys()].map((name) => readFile(join(FOLDER, name), "utf8").catch(() => "")),
  );
  const differing = [...pages].filter(([, page], at) => texts[at] !== page).map(([name]) => name);
  if (differing.length + idle.length > 0) {
    console.error(
      `docs/reference/api does not match packages/contract (${[...differing, ...idle].join(", ")}); run: npm run write-reference`,
    );
    process.exitCode = 1;
  }
} else {
  await mkdir(FOLDER, { recursive: true });
  await Promise.all(idle.map((name) => rm(join(FOLDER, name))));
  await Promise.all([...pages].map(([name, page]) => writeFile(join(FOLDER, name), page)));
}
