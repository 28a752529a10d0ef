import type { Schema } from "../reference/fields.ts";

/** What the compiler needs of a schema and the pages do not. */
export type TypedSchema = Schema & {
  allOf?: TypedSchema[];
  additionalProperties?: boolean | TypedSchema;
  prefixItems?: TypedSchema[];
};

const REF = "#/components/schemas/";

export function nameOf({ $ref = "" }: TypedSchema): string {
  return $ref.slice(REF.length);
}

/** Turns a JSON schema into the text of a type, with the meaning of each field in front of it. */
export function createTypeText(docOf: (field: TypedSchema) => string) {
  function typeOf(schema: TypedSchema, indent = ""): string {
    const { oneOf, anyOf, allOf, items, prefixItems, type } = schema;
    if (schema.$ref !== undefined) return nameOf(schema);
    const alternatives = oneOf ?? anyOf;
    if (alternatives !== undefined) return union(alternatives.map((one) => typeOf(one, indent)));
    if (allOf !== undefined) return allOf.map((one) => inBrackets(typeOf(one, indent))).join(" & ");
    if (schema.const !== undefined) return JSON.stringify(schema.const);
    if (schema.enum !== undefined) return union(schema.enum.map((value) => JSON.stringify(value)));
    if (prefixItems !== undefined) return `[${prefixItems.map((one) => typeOf(one, indent)).join(", ")}]`;
    if (items !== undefined) return `${inBrackets(typeOf(items, indent))}[]`;
    if (Array.isArray(type)) return union(type.map((one) => typeOf({ ...schema, type: one }, indent)));
    if (type === "string" && schema.format === "binary") return "Blob";
    if (type === "object") return objectOf(schema, indent);
    if (type === "array") return "unknown[]";
    return (
      { string: "string", number: "number", integer: "number", boolean: "boolean", null: "null" }[
        type ?? ""
      ] ?? "unknown"
    );
  }

  function objectOf({ properties, additionalProperties, required }: TypedSchema, indent: string): string {
    if (properties !== undefined)
      return `{\n${fieldsOf({ properties, required: required ?? [] }, `${indent}  `)}${indent}}`;
    if (typeof additionalProperties === "object")
      return `Record<string, ${typeOf(additionalProperties, indent)}>`;
    return "Record<string, unknown>";
  }

  /** A line for each field. One that may be left out may also be given as undefined. */
  function fieldsOf({ properties = {}, required = [] }: TypedSchema, indent: string): string {
    return Object.entries(properties)
      .map(([name, field]) => {
        const key = /^\w+$/.test(name) ? name : JSON.stringify(name);
        const type = typeOf(field, indent);
        const member = required.includes(name)
          ? `${key}: ${type};`
          : `${key}?: ${type === "unknown" ? type : `${type} | undefined`};`;
        return `${comment(docOf(field), indent)}${indent}${member}\n`;
      })
      .join("");
  }

  return { typeOf, fieldsOf };
}

/** A comment above a declaration; nothing to say is no comment. */
export function comment(text: string, indent = ""): string {
  const lines = text.trim().replaceAll("*/", "*\\/").split("\n");
  if (text.trim() === "") return "";
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`;
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}`.trimEnd()).join("\n")}\n${indent} */\n`;
}

/** A literal beside its own kind says nothing. */
function union(types: string[]): string {
  const once = new Set(types);
  if (once.has("unknown")) return "unknown";
  const isCovered = (type: string) =>
    (once.has("string") && type.startsWith('"')) || (once.has("number") && /^-?\d/.test(type));
  return [...once].filter((type) => !isCovered(type)).join(" | ");
}

function inBrackets(type: string): string {
  return /^[^{("]* [|&] |^".*" \| |\} [|&] /.test(type) ? `(${type})` : type;
}
