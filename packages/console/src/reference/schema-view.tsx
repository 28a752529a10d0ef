import { useState } from "react";
import { alternativesOf, isNullable, type OpenApi, type Schema, schemaOf } from "./openapi.ts";
import { useReferenceWords } from "./words.ts";

export interface FieldRowProps {
  document: OpenApi;
  name: string;
  schema: Schema;
  required: boolean;
}

/** One property: its name, its kind, what it means, and on demand what it is made of. */
export function FieldRow({ document, name, schema: given, required }: FieldRowProps) {
  const words = useReferenceWords();
  const { schema } = schemaOf(document, given);
  const inner = innerOf(document, given);
  return (
    <li className="border-t border-line py-2.5 first:border-t-0">
      <p className="flex flex-wrap items-baseline gap-x-2 gap-y-0.5">
        <code className="font-mono text-xs font-semibold text-ink wrap-anywhere">{name}</code>
        <span className="font-mono text-2xs text-ink-faint wrap-anywhere">
          {kindOf(document, given)}
          {isNullable(schema) && ` ${words.orNull}`}
        </span>
        {required && <span className="text-2xs font-medium text-warn">{words.required}</span>}
      </p>
      {schema.description !== undefined && (
        <p className="mt-0.5 text-sm text-ink-soft">{schema.description}</p>
      )}
      <Limits schema={schema} />
      {inner.length > 0 && <Inner document={document} schemas={inner} />}
    </li>
  );
}

interface InnerProps {
  document: OpenApi;
  schemas: readonly Schema[];
  opened?: boolean;
}

/** Closed at first: some schemas contain themselves. */
function Inner({ document, schemas, opened = false }: InnerProps) {
  const words = useReferenceWords();
  const [isOpen, setOpen] = useState(opened);
  return (
    <details className="mt-1.5" open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="w-fit cursor-pointer text-xs font-medium text-accent">
        {schemas.length > 1 ? words.oneOf : words.showFields}
      </summary>
      {isOpen &&
        schemas.map((schema, index) => (
          <div key={index} className="mt-1.5 border-l-2 border-line pl-3">
            <SchemaView document={document} schema={schema} />
          </div>
        ))}
    </details>
  );
}

/** The properties of an object; of anything else its kind. */
export function SchemaView({ document, schema: given }: { document: OpenApi; schema: Schema }) {
  const { schema } = schemaOf(document, given);
  const alternatives = alternativesOf(schema);
  if (schema.properties === undefined && alternatives.length > 0)
    return <Inner document={document} schemas={alternatives} opened />;
  if (schema.properties === undefined)
    return (
      <p className="py-2 font-mono text-xs text-ink-soft">
        {kindOf(document, given)}
        {schema.description !== undefined && <span className="font-sans"> · {schema.description}</span>}
      </p>
    );
  return (
    <ul>
      {Object.entries(schema.properties).map(([name, field]) => (
        <FieldRow
          key={name}
          document={document}
          name={name}
          schema={field}
          required={schema.required?.includes(name) ?? false}
        />
      ))}
    </ul>
  );
}

function Limits({ schema }: { schema: Schema }) {
  const values = schema.enum ?? (schema.const === undefined ? [] : [schema.const]);
  const told = [
    schema.default === undefined ? undefined : `default ${JSON.stringify(schema.default)}`,
    schema.minimum === undefined || schema.minimum === 0 ? undefined : `≥ ${schema.minimum}`,
    schema.maximum === undefined || schema.maximum > Number.MAX_SAFE_INTEGER / 2
      ? undefined
      : `≤ ${schema.maximum}`,
    schema.maxLength === undefined ? undefined : `≤ ${schema.maxLength} characters`,
  ].filter((one) => one !== undefined);
  if (values.length === 0 && told.length === 0) return null;
  return (
    <p className="mt-1 flex flex-wrap gap-1 font-mono text-2xs text-ink-soft">
      {values.map((value) => (
        <span key={String(value)} className="rounded-sm bg-hover px-1">
          {JSON.stringify(value)}
        </span>
      ))}
      {told.map((one) => (
        <span key={one} className="rounded-sm px-1 text-ink-faint">
          {one}
        </span>
      ))}
    </p>
  );
}

function kindOf(document: OpenApi, given: Schema): string {
  const { schema, name } = schemaOf(document, given);
  const kinds = [schema.type ?? []].flat().filter((type) => type !== "null");
  if (schema.items !== undefined) return `${kindOf(document, schema.items)}[]`;
  const alternatives = alternativesOf(schema);
  if (kinds.length === 0 && alternatives.length > 0)
    return [...new Set(alternatives.map((one) => kindOf(document, one)))].join(" | ");
  const kind = kinds.join(" | ") || (schema.enum === undefined ? "any" : "string");
  if (name !== undefined) return kind === "object" ? name : `${kind} (${name})`;
  return schema.format === undefined ? kind : `${kind} (${schema.format})`;
}

/** The schemas with properties below this one: itself, its elements, or its alternatives. */
function innerOf(document: OpenApi, given: Schema): Schema[] {
  const { schema } = schemaOf(document, given);
  if (schema.items !== undefined) return innerOf(document, schema.items);
  if (schema.properties !== undefined) return [given];
  return alternativesOf(schema).flatMap((one) => innerOf(document, one));
}
