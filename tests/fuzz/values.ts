import type { Route } from "@signalbox/contract";
import fc from "fast-check";

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type Schema = Record<string, unknown>;

/** Which ids are known depends on the field. */
export type IdOf = (field: string) => fc.Arbitrary<string>;

const MAX_TRIED_ITEMS = 100;

const words = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom("hello", "reset my password", "Opening hours?", "密码", "مرحبا", "O'Reilly"),
  },
  { weight: 3, arbitrary: fc.string({ minLength: 1, maxLength: 20 }) },
  { weight: 3, arbitrary: fc.string({ unit: "grapheme", minLength: 1, maxLength: 20 }) },
);

/** Many words of several kinds: what is made of each may depend on its script. */
const soughtWords = fc
  .array(fc.constantFrom("密", "密a", "a密", "密1", "open", "・", "12", "O'R:*"), {
    minLength: 2,
    maxLength: 60,
  })
  .chain((sought) => fc.constantFrom(" ", "，").map((blank) => sought.join(blank)));

const urls = fc.oneof(
  fc.constantFrom(
    "https://example.com/hook",
    "http://127.0.0.1:1/closed",
    "https://xn--bcher-kva.example/a?b=c#d",
  ),
  fc.webUrl({ withQueryParameters: true }),
);

/** Values that a schema takes, most of them ordinary, some at its very limits. */
export function valuesOf(schema: Schema, idOf: IdOf): fc.Arbitrary<Json> {
  const definitions = (schema["$defs"] ?? {}) as Record<string, Schema>;

  function of(part: Schema, field: string): fc.Arbitrary<Json> {
    const reference = part["$ref"];
    if (typeof reference === "string")
      return of(definitions[reference.slice("#/$defs/".length)] ?? {}, field);
    if ("const" in part) return fc.constant(part["const"] as Json);
    if (Array.isArray(part["enum"])) return fc.constantFrom(...(part["enum"] as Json[]));
    const alternatives = (part["oneOf"] ?? part["anyOf"]) as Schema[] | undefined;
    if (alternatives !== undefined)
      return fc.oneof(...alternatives.map((alternative) => of(alternative, field)));
    switch (part["type"]) {
      case "null":
        return fc.constant(null);
      case "boolean":
        return fc.boolean();
      case "integer":
      case "number":
        return integers(part);
      case "string":
        return strings(part, field);
      case "array":
        return arrays(part, field);
      case "object":
        return objects(part);
      default:
        return fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<Json>;
    }
  }

  function integers({ minimum = 0, maximum = 1e15 }: Schema): fc.Arbitrary<number> {
    const [min, max] = [minimum as number, maximum as number];
    return fc.oneof(fc.constantFrom(min, max), fc.integer({ min, max: Math.min(max, min + 1e6) }));
  }

  function strings(part: Schema, field: string): fc.Arbitrary<string> {
    if (part["format"] === "uuid") return idOf(field);
    if (part["format"] === "uri") return urls;
    if (typeof part["pattern"] === "string") {
      const matching = fc.stringMatching(new RegExp(part["pattern"]), { size: "small" });
      // A cursor is an id of the list; nothing in its schema says so.
      return field === "cursor" ? fc.oneof(idOf(field), idOf(field), matching) : matching;
    }
    const max = (part["maxLength"] as number | undefined) ?? 200;
    const cut = (text: string) => [...text].slice(0, max).join("");
    const longest = fc.oneof(
      fc.constantFrom("a", "密", "😀").map((character) => character.repeat(max)),
      fc.constant(manySigns(max)),
    );
    return fc.oneof(
      { weight: 150, arbitrary: (field === "text" ? fc.oneof(words, soughtWords) : words).map(cut) },
      { weight: max > 5_000 ? 3 : 5, arbitrary: longest },
    );
  }

  function arrays(part: Schema, field: string): fc.Arbitrary<Json[]> {
    const minLength = (part["minItems"] as number | undefined) ?? 0;
    const maxLength = Math.min((part["maxItems"] as number | undefined) ?? 5, MAX_TRIED_ITEMS);
    const items = of((part["items"] ?? {}) as Schema, field);
    const few = fc.array(items, { minLength, maxLength: Math.min(maxLength, minLength + 2) });
    const many = items.map((item) => Array.from({ length: maxLength }, () => item));
    return fc.oneof({ weight: 40, arbitrary: few }, { weight: 1, arbitrary: many });
  }

  function objects(part: Schema): fc.Arbitrary<Json> {
    const properties = Object.entries((part["properties"] ?? {}) as Record<string, Schema>);
    if (properties.length === 0)
      return fc.dictionary(words, fc.jsonValue({ maxDepth: 1 }), { maxKeys: 3 }) as fc.Arbitrary<Json>;
    const model = Object.fromEntries(properties.map(([name, property]) => [name, of(property, name)]));
    return fc.record(model, { requiredKeys: (part["required"] ?? []) as string[], noNullPrototype: true });
  }

  return of(schema, "");
}

/** The names of what a part of a request may hold. */
export function fieldsOf(part: Route["body"]): string[] {
  const schema = (part?.toJSONSchema({ io: "input" }) ?? {}) as Schema;
  const definitions = (schema["$defs"] ?? {}) as Record<string, Schema>;
  const reference = schema["$ref"];
  const object = typeof reference === "string" ? definitions[reference.slice("#/$defs/".length)] : schema;
  return Object.keys(object?.["properties"] ?? {});
}

/** As many different words as a text can have, where each two signs are one. */
function manySigns(length: number): string {
  return Array.from({ length }, (_, index) => String.fromCodePoint(0x4e00 + ((index * 7919) % 20_000))).join(
    "",
  );
}

const nested = (depth: number, open: string, close: string): Json =>
  JSON.parse(open.repeat(depth) + (open === "[" ? "" : "1") + close.repeat(depth)) as Json;

/** Values of another type than the expected one. */
export const oddities: fc.Arbitrary<Json> = fc.oneof(
  fc.constantFrom<Json>(
    null,
    true,
    false,
    0,
    -1,
    1.5,
    1e308,
    -1e308,
    Number.MAX_SAFE_INTEGER + 1,
    2 ** 31,
    10_000_000_000,
  ),
  fc.constantFrom<Json>(
    "",
    " ",
    "\t\n",
    "0",
    "null",
    "NaN",
    "true",
    "\u0000",
    "a\u0000b",
    "\ud800",
    "\udc00\ud800",
    "\ufeff",
    "\u202e",
    "\u200b",
  ),
  fc.constantFrom<Json>("é", "e\u0301", "ﬃ", "👩‍👩‍👧‍👦", "İ", "ß", "\u{10ffff}", "\u{e0001}", "ﷺ", "Z̸̢̛"),
  fc.constantFrom<Json>(
    "'; drop table message; --",
    "$1",
    "%s",
    "../../etc/passwd",
    "{{7*7}}",
    "<script>",
    "javascript:alert(1)",
    "\\",
  ),
  fc.constantFrom<Json>(
    "00000000-0000-0000-0000-000000000000",
    "FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF",
    "not-an-id",
  ),
  fc.constantFrom<Json>([], {}, [[]], [null], [{}], { length: -1 }, { toString: 1 }),
  fc.constantFrom<Json>(JSON.parse('{"__proto__":{"admin":true},"then":1}') as Json, {
    constructor: { prototype: 1 },
  }),
  fc.constantFrom(29, 30, 31, 32, 33, 100).map((depth) => nested(depth, "[", "]")),
  fc.constantFrom(30, 33, 60).map((depth) => nested(depth, '{"a":', "}")),
  fc
    .constantFrom(
      31,
      32,
      33,
      64,
      65,
      100,
      101,
      128,
      129,
      200,
      201,
      254,
      255,
      256,
      257,
      1000,
      1001,
      2048,
      2049,
      25_000,
      25_001,
    )
    .chain((length) =>
      fc.constantFrom("x", "ü", "密", "😀", " ").map((character) => character.repeat(length)),
    ),
  fc
    .tuple(
      words,
      fc.constantFrom("\u0000", "\ud800", "\udfff", "\u0001", "\u007f", "\uffff", "\u2028"),
      words,
    )
    .map((parts) => parts.join("")),
  fc.string({ unit: "binary", maxLength: 30 }),
  fc.double(),
);
