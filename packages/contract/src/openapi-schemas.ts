import { z } from "zod";
import { FIELD_EXAMPLES } from "./field-examples.ts";
import { FIELD_MEANINGS } from "./field-meanings.ts";

export type Json = Record<string, unknown>;
export type SchemaOf = (schema: z.ZodType, io: "input" | "output") => Json;

/** Named schemas go to the components, once; anything else is written where it stands. */
export function collectInto(schemas: Record<string, Json>): SchemaOf {
  return (schema, io) => {
    const written = z.toJSONSchema(schema, { io, override: finish }) as Json;
    const {
      $schema: _,
      $defs,
      ...rest
    } = JSON.parse(JSON.stringify(written).replaceAll("#/$defs/", "#/components/schemas/")) as Json & {
      $defs?: Record<string, Json>;
    };
    for (const [name, { $id: __, id: ___, ...definition }] of Object.entries($defs ?? {})) {
      const { variantsBy, ...plain } = definition as Json & { variantsBy?: VariantsBy };
      if (variantsBy === undefined) add(schemas, name, plain);
      else addVariants(schemas, name, plain, variantsBy);
    }
    return rest;
  };
}

function add(schemas: Record<string, Json>, name: string, definition: Json): void {
  const earlier = schemas[name];
  if (earlier !== undefined && JSON.stringify(earlier) !== JSON.stringify(definition))
    throw new Error(`${name} reads differently as a request and as a reply: give the two different names`);
  schemas[name] = definition;
}

/** One object whose field chooses among replies: a generator needs a schema for each choice. */
type VariantsBy = { field: string; ids: Record<string, string> };

function addVariants(
  schemas: Record<string, Json>,
  name: string,
  { description, examples = [], ...definition }: Json,
  { field, ids }: VariantsBy,
): void {
  const properties = definition["properties"] as Record<string, Json>;
  for (const [value, id] of Object.entries(ids)) {
    const chosen = { ...properties[field], enum: undefined, const: value };
    const own = (examples as Json[]).filter((example) => example[field] === value);
    add(schemas, id, {
      ...definition,
      properties: { ...properties, [field]: JSON.parse(JSON.stringify(chosen)) },
      ...(own.length > 0 && { examples: own }),
    });
  }
  const refs = Object.entries(ids).map(([value, id]) => [value, `#/components/schemas/${id}`] as const);
  add(schemas, name, {
    ...(description !== undefined && { description }),
    oneOf: refs.map(([, $ref]) => ({ $ref })),
    discriminator: { propertyName: field, mapping: Object.fromEntries(refs) },
    examples,
  });
}

type Written = { zodSchema: z.core.$ZodTypes; jsonSchema: z.core.JSONSchema.BaseSchema };

/** Replies may gain fields: only bodies that are strict here are closed. `format: uuid` says enough without a pattern. */
function finish({ zodSchema, jsonSchema }: Written): void {
  const { def } = zodSchema._zod;
  if (def.type === "object" && def.catchall === undefined) delete jsonSchema.additionalProperties;
  if (jsonSchema.format === "uuid") delete jsonSchema.pattern;
  // The library leaves examples out wherever reading changes a value; ours show the request as it is sent.
  const examples = z.globalRegistry.get(zodSchema)?.examples as unknown[] | undefined;
  if (examples !== undefined) jsonSchema.examples = examples;
  for (const [name, property] of Object.entries(jsonSchema.properties ?? {})) {
    if (isExampled(name, property))
      jsonSchema.properties![name] = { ...property, examples: [FIELD_EXAMPLES[name]] };
  }
}

/** Whether the field has an example by its name, of its kind, and its schema says nothing nearer. */
function isExampled(
  name: string,
  property: z.core.JSONSchema._JSONSchema,
): property is z.core.JSONSchema.BaseSchema {
  if (typeof property === "boolean" || property.$ref !== undefined) return false;
  if (["examples", "enum", "const", "default", "format", "properties"].some((key) => key in property))
    return false;
  const example = FIELD_EXAMPLES[name];
  const kind = Array.isArray(example) ? "array" : typeof example;
  return [property, ...(property.anyOf ?? [])].some(
    (one) => typeof one === "object" && (one.type === kind || (kind === "number" && one.type === "integer")),
  );
}

/** Says nothing of the field: its own meaning is nearer. */
const GENERIC = "Milliseconds since 1970, UTC";

/** Gives each field its meaning by its name, where its schema says nothing nearer. */
export function describeFields(schemas: Record<string, Json>): void {
  const isDescribed = (schema: Json): boolean => {
    const { description, $ref, anyOf } = schema as { description?: string; $ref?: string; anyOf?: Json[] };
    const component = $ref === undefined ? undefined : schemas[$ref.replace("#/components/schemas/", "")];
    if (description !== undefined) return description !== GENERIC;
    return component?.["description"] !== undefined || (anyOf ?? []).some(isDescribed);
  };
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) return value.forEach(visit);
    if (typeof value !== "object" || value === null) return;
    for (const [key, inner] of Object.entries(value)) {
      if (key === "properties") describe(inner as Record<string, Json>);
      else if (key !== "examples" && key !== "default") visit(inner);
    }
  };
  const describe = (properties: Record<string, Json>): void => {
    for (const [name, property] of Object.entries(properties)) {
      visit(property);
      const meaning = FIELD_MEANINGS[name];
      if (meaning === undefined || isDescribed(property)) continue;
      const { description = "", ...rest } = property;
      const isWhole = description === "" || meaning.includes("milliseconds");
      properties[name] = { description: isWhole ? meaning : `${meaning}. ${description as string}`, ...rest };
    }
  };
  Object.values(schemas).forEach(visit);
}
