export type Schema = {
  $ref?: string;
  type?: string | string[];
  format?: string;
  const?: unknown;
  enum?: unknown[];
  default?: unknown;
  description?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  discriminator?: { propertyName: string };
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  minimum?: number;
  maximum?: number;
};

type Schemas = Record<string, Schema>;
/** `required`: yes, no, or in which variants. */
export type Field = { path: string; type: string; required: string; limits: string; meaning: string };
type Variant = { label: string | undefined; fields: Field[] };

const NAME_OF_REF = /^#\/components\/schemas\//;
/** Bounds that only say "a safe integer" or "a time before the year 10000". */
const NO_BOUND = [Number.MAX_SAFE_INTEGER, 253_402_300_799_999];
const number = new Intl.NumberFormat("en-US");

/** Flattens a body into one row a field, and one list a variant where it has several. */
export function createFieldReader(schemas: Schemas) {
  function resolve(schema: Schema): Schema {
    if (schema.$ref === undefined) return schema;
    const { $ref, ...around } = schema;
    return { ...schemas[$ref.replace(NAME_OF_REF, "")], ...around };
  }

  /** Null and the empty string stand for a field left out. */
  function alternativesOf(schema: Schema): Schema[] {
    const given = schema.oneOf ?? schema.anyOf ?? [schema];
    return given.filter((one) => one.type !== "null" && one.const !== "");
  }

  const isNullable = (schema: Schema): boolean =>
    schema.type === "null" ||
    (Array.isArray(schema.type) && schema.type.includes("null")) ||
    (schema.anyOf ?? []).some((one) => one.type === "null");

  function typeOf(given: Schema): string {
    const schema = resolve(given);
    const alternatives = alternativesOf(schema);
    if (schema.oneOf !== undefined || schema.anyOf !== undefined)
      return [...new Set(alternatives.map(typeOf))].join(" or ");
    if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``;
    if (schema.items !== undefined) return `list of ${typeOf(schema.items)}`;
    if (schema.format === "uuid") return "UUID";
    if (schema.format === "uri") return "URL";
    const types = [schema.type].flat().filter((type) => type !== undefined && type !== "null");
    return types.length === 0 ? (schema.type === "null" ? "null" : "any") : types.join(" or ");
  }

  function limitsOf(given: Schema): string {
    const schema = resolve(given);
    const own = [
      range(schema.minLength === 1 ? 1 : undefined, schema.maxLength, " characters"),
      range(schema.minItems, schema.maxItems, " entries"),
      range(schema.minimum, schema.maximum, ""),
    ];
    const inner = schema.anyOf === undefined ? [] : alternativesOf(schema).map(limitsOf);
    return [...own, ...inner].filter(Boolean).join("; ");
  }

  function meaningOf(given: Schema): string {
    const schema = resolve(given);
    const alternatives = alternativesOf(schema).map(resolve);
    const said = schema.description ?? alternatives.find((one) => one.description)?.description;
    const values = [schema, ...alternatives].find((one) => one.enum !== undefined)?.enum;
    return [
      said ?? "",
      values === undefined
        ? ""
        : `One of ${values.map((value) => `\`${JSON.stringify(value)}\``).join(", ")}`,
      schema.default === undefined ? "" : `Default ${JSON.stringify(schema.default)}`,
    ]
      .filter(Boolean)
      .join(". ");
  }

  function fieldsOf(given: Schema, prefix: string): Field[] {
    const schema = resolve(given);
    const alternatives = alternativesOf(schema);
    if (schema.oneOf !== undefined || schema.anyOf !== undefined)
      return merge(withoutLists(alternatives).map((one) => [labelOf(one), fieldsOf(one, prefix)]));
    if (schema.items !== undefined) return fieldsOf(schema.items, `${prefix}[]`);
    return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
      const path = prefix === "" ? name : `${prefix}.${name}`;
      const required = schema.required?.includes(name) ?? false;
      const orNull = required && isNullable(resolve(field)) && typeOf(field) !== "null" ? " or null" : "";
      const row = {
        path,
        type: `${typeOf(field)}${orNull}`,
        required: required ? "yes" : "no",
        limits: limitsOf(field),
        meaning: meaningOf(field),
      };
      return [row, ...fieldsOf(field, path)];
    });
  }

  function variantsOf(given: Schema): Variant[] {
    const schema = resolve(given);
    const alternatives = alternativesOf(schema);
    const [first = schema] = alternatives;
    if (alternatives.length === 1) return [{ label: undefined, fields: fieldsOf(schema, "") }];
    const choice = schema.discriminator?.propertyName;
    if (choice !== undefined && haveSameFields(alternatives.map(resolve))) {
      const type = alternatives.map((one) => typeOf(resolve(one).properties?.[choice] ?? {})).join(" or ");
      const fields = fieldsOf(first, "").map((field) => (field.path === choice ? { ...field, type } : field));
      return [{ label: undefined, fields }];
    }
    return alternatives.map((one) => ({ label: labelOf(one), fields: fieldsOf(one, "") }));
  }

  /** The field that tells the variants apart, or the name of the schema. */
  function labelOf(variant: Schema): string {
    const own = Object.entries(resolve(variant).properties ?? {}).find(
      ([, field]) => field.const !== undefined,
    );
    if (own !== undefined) return `\`${own[0]}\` is \`${JSON.stringify(own[1].const)}\``;
    return variant.$ref?.replace(NAME_OF_REF, "") ?? "Otherwise";
  }

  return { fieldsOf: (schema: Schema) => fieldsOf(schema, ""), variantsOf, typeOf, limitsOf, meaningOf };
}

function range(from: number | undefined, to: number | undefined, unit: string): string {
  const most = to !== undefined && !NO_BOUND.includes(to) ? number.format(to) : undefined;
  if (most !== undefined) return from === undefined ? `at most ${most}${unit}` : `${from} to ${most}${unit}`;
  return from === undefined || from <= 0 || unit === " characters" ? "" : `at least ${from}${unit}`;
}

/** They differ in the value of one field alone. */
function haveSameFields(variants: Schema[]): boolean {
  const names = variants.map(({ properties = {} }) => Object.keys(properties).join());
  return names.every((name) => name === names[0]);
}

/** One entry, or a list of them: the entry's fields are shown once. */
function withoutLists(alternatives: Schema[]): Schema[] {
  return alternatives.filter(
    ({ items }) => items?.$ref === undefined || alternatives.every(({ $ref }) => $ref !== items.$ref),
  );
}

/** The same field in several variants is one row: what differs is joined. */
function merge(variants: [label: string, fields: Field[]][]): Field[] {
  const withFields = variants.filter(([, fields]) => fields.length > 0);
  if (withFields.length <= 1) return withFields.flatMap(([, fields]) => fields);
  const rows = withFields.flatMap(([label, fields]) => fields.map((field) => ({ ...field, label })));
  const joined = (values: string[], by: string) => [...new Set(values.filter(Boolean))].join(by);
  return [...Map.groupBy(rows, ({ path }) => path)].map(([path, same]) => {
    const required = same.filter((field) => field.required === "yes");
    const isAlways = required.length === withFields.length;
    return {
      path,
      type: joined(
        same.map(({ type }) => type),
        " or ",
      ),
      required: isAlways
        ? "yes"
        : joined(
            required.map(({ label }) => `when ${label}`),
            " or ",
          ) || "no",
      limits: joined(
        same.map(({ limits }) => limits),
        "; ",
      ),
      meaning: joined(
        same.map(({ meaning }) => meaning),
        "; ",
      ),
    };
  });
}
