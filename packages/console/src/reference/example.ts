import { alternativesOf, type OpenApi, type Schema, schemaOf } from "./openapi.ts";

const DEPTH_MAX = 7;
const TEXTS: Readonly<Record<string, string>> = {
  uuid: "0199f3a2-6c1e-7b44-9d0a-5f2f6f1c8e21",
  uri: "https://shop.example/hooks",
  email: "ada@example.com",
  "date-time": "2026-11-17T09:00:00Z",
  date: "2026-11-17",
};
const TIME = 1_763_370_000_000;

/** A value the schema allows, made of its own examples, defaults and enums. */
export function exampleOf(document: OpenApi, given: Schema, name = "", depth = 0): unknown {
  const { schema } = schemaOf(document, given);
  const told = schema.examples?.[0] ?? schema.const ?? schema.default ?? schema.enum?.[0];
  if (told !== undefined) return told;
  const [first] = alternativesOf(schema);
  if (first !== undefined) return exampleOf(document, first, name, depth);
  if (schema.allOf !== undefined)
    return Object.assign({}, ...schema.allOf.map((part) => exampleOf(document, part, name, depth)));
  const kind = Array.isArray(schema.type) ? schema.type.find((type) => type !== "null") : schema.type;
  if (kind === "object" || schema.properties !== undefined) {
    if (depth >= DEPTH_MAX) return {};
    const fields = Object.entries(schema.properties ?? {});
    return Object.fromEntries(
      fields.map(([field, one]) => [field, exampleOf(document, one, field, depth + 1)]),
    );
  }
  if (kind === "array")
    return schema.items === undefined || depth >= DEPTH_MAX
      ? []
      : [exampleOf(document, schema.items, name, depth + 1)];
  if (kind === "integer" || kind === "number")
    return /time|timestamp/.test(name)
      ? TIME
      : Math.max(schema.minimum ?? 1, Math.min(1, schema.maximum ?? 1));
  if (kind === "boolean") return true;
  if (kind === "string")
    return TEXTS[schema.format ?? ""] ?? (name.endsWith("url") ? TEXTS["uri"] : name === "" ? "text" : name);
  return null;
}
