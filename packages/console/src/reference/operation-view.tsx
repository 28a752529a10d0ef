import { Badge, type BadgeTone, CodeView, CopyLine, Panel } from "../design/index.ts";
import { exampleOf } from "./example.ts";
import { type Entry, type OpenApi, type Operation, replyOf, type Schema } from "./openapi.ts";
import { FieldRow, SchemaView } from "./schema-view.tsx";
import { useReferenceWords } from "./words.ts";

const JSON_TYPE = "application/json";
const FORM_TYPE = "multipart/form-data";
const TONES: Readonly<Record<string, BadgeTone>> = {
  GET: "accent",
  POST: "good",
  PUT: "warn",
  DELETE: "bad",
};

export function Method({ method }: { method: string }) {
  return (
    <Badge tone={TONES[method] ?? "neutral"} className="font-mono text-2xs!">
      {method}
    </Badge>
  );
}

/** One call as a developer needs it: who may, what goes in, what comes back, with an example of both. */
export function OperationView({ document, entry }: { document: OpenApi; entry: Entry }) {
  const words = useReferenceWords();
  const { operation, method, path } = entry;
  const form = operation.requestBody?.content[FORM_TYPE]?.schema;
  const body = operation.requestBody?.content[JSON_TYPE]?.schema ?? form;
  const success = Object.entries(operation.responses).find(([status]) => status.startsWith("2"));
  const reply = success === undefined ? undefined : firstSchema(replyOf(document, success[1]).content);
  return (
    <article className="flex min-w-0 flex-col gap-4">
      <header>
        <p className="text-xs text-ink-faint">{operation.operationId}</p>
        <h1 className="mt-0.5 text-xl font-semibold tracking-tight text-ink">{operation.summary}</h1>
        {operation.description !== undefined && <Description text={operation.description} />}
        <div className="mt-3 flex min-w-0 items-center gap-2">
          <Method method={method} />
          <CopyLine className="flex-1" text={path ?? words.yourAddress} />
        </div>
      </header>
      <div className="grid items-start gap-4 xl:grid-cols-2">
        <div className="flex min-w-0 flex-col gap-4">
          <Security operation={operation} />
          <Parameters document={document} operation={operation} />
          {body !== undefined && (
            <Panel title={words.requestBody}>
              <SchemaView document={document} schema={body} />
            </Panel>
          )}
          <Replies document={document} operation={operation} />
        </div>
        <div className="flex min-w-0 flex-col gap-4 xl:sticky xl:top-4">
          {path !== undefined && (
            <CodeView label={words.exampleRequest} code={curlOf(document, entry, body, form !== undefined)} />
          )}
          {path === undefined && body !== undefined && (
            <CodeView label={words.exampleRequest} code={written(document, body)} json />
          )}
          {success !== undefined && reply !== undefined && (
            <CodeView label={words.exampleReply(success[0])} code={written(document, reply)} json />
          )}
        </div>
      </div>
    </article>
  );
}

/** Paragraphs and bullets, which is all the Markdown that descriptions have. */
function Description({ text }: { text: string }) {
  return text.split("\n\n").map((block) =>
    block.startsWith("- ") ? (
      <ul key={block} className="mt-2 list-disc pl-5 text-sm text-ink-soft">
        {block.split("\n").map((line) => (
          <li key={line}>
            <Words text={line.slice(2)} />
          </li>
        ))}
      </ul>
    ) : (
      <p key={block} className="mt-2 text-sm text-ink-soft">
        <Words text={block} />
      </p>
    ),
  );
}

function Words({ text }: { text: string }) {
  return text.split("`").map((part, at) =>
    // Text between two backticks is at an odd place.
    at % 2 === 1 ? (
      <code key={`${at} ${part}`} className="text-xs text-ink">
        {part}
      </code>
    ) : (
      part
    ),
  );
}

function Security({ operation }: { operation: Operation }) {
  const words = useReferenceWords();
  const byScheme = Map.groupBy(
    operation.security.flatMap((one) => Object.entries(one)),
    ([scheme]) => scheme,
  );
  const told = [...byScheme].map(([scheme, uses]) => {
    const scopes = uses.flatMap(([, wanted]) => wanted);
    const name = words.schemes[scheme] ?? scheme;
    return scopes.length === 0 ? name : `${name}, ${words.scope(scopes.join(" / "))}`;
  });
  return (
    <p className="text-sm text-ink-soft">
      <span className="font-medium text-ink">{words.authentication}: </span>
      {told.length === 0 ? words.noAuthentication : told.join(" · ")}
    </p>
  );
}

function Parameters({ document, operation }: { document: OpenApi; operation: Operation }) {
  const words = useReferenceWords();
  const byPlace = Map.groupBy(operation.parameters ?? [], (parameter) => parameter.in);
  return [...byPlace].map(([place, parameters]) => (
    <Panel key={place} title={words.parameters[place] ?? place}>
      <ul>
        {parameters.map(({ name, schema, required = false, description }) => (
          <FieldRow
            key={name}
            document={document}
            name={name}
            schema={description === undefined ? schema : { ...schema, description }}
            required={required}
          />
        ))}
      </ul>
    </Panel>
  ));
}

function Replies({ document, operation }: { document: OpenApi; operation: Operation }) {
  const words = useReferenceWords();
  return (
    <Panel title={words.responses}>
      <ul>
        {Object.entries(operation.responses).map(([status, given]) => {
          const reply = replyOf(document, given);
          const schema = firstSchema(reply.content);
          return (
            <li key={status} className="border-t border-line py-2.5 first:border-t-0">
              <p className="flex flex-wrap items-baseline gap-2 text-sm">
                <Badge tone={status.startsWith("2") ? "good" : "neutral"} className="font-mono">
                  {status}
                </Badge>
                <span className="min-w-0 text-ink-soft">{reply.description}</span>
              </p>
              {status.startsWith("2") && schema !== undefined && (
                <SchemaView document={document} schema={schema} />
              )}
            </li>
          );
        })}
      </ul>
    </Panel>
  );
}

function firstSchema(content: Record<string, { schema: Schema }> | undefined): Schema | undefined {
  return Object.values(content ?? {})[0]?.schema;
}

function written(document: OpenApi, schema: Schema): string {
  return JSON.stringify(exampleOf(document, schema));
}

/** By security scheme. The first two are what `signalbox dev` exports. */
const TOKENS: Readonly<Record<string, string>> = {
  apiKey: "SIGNALBOX_API_KEY",
  operator: "SIGNALBOX_OPERATOR_TOKEN",
  chatToken: "CHAT_TOKEN",
};

function curlOf(
  document: OpenApi,
  { method, path = "", operation }: Entry,
  body: Schema | undefined,
  isForm: boolean,
): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => `$${name.toUpperCase()}`);
  const [scheme] = Object.keys(operation.security[0] ?? {});
  return [
    `curl -X ${method} "${location.origin}${filled}"`,
    ...(scheme === undefined ? [] : [`  -H "authorization: Bearer $${TOKENS[scheme] ?? "TOKEN"}"`]),
    ...(isForm ? ['  -F "file=@faq.xlsx"'] : []),
    ...(body === undefined || isForm
      ? []
      : [
          `  -H "content-type: application/json"`,
          `  -d '${JSON.stringify(exampleOf(document, body), null, 2).replaceAll("'", String.raw`'\''`)}'`,
        ]),
  ].join(" \\\n");
}
