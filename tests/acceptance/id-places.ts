import type { Route } from "@signalbox/contract";

export type Json = Record<string, unknown>;
type Path = string[];

function idPlaces(schema: Json, definitions: Json, path: Path = []): Path[] {
  const reference = schema["$ref"];
  if (typeof reference === "string")
    return idPlaces(definitions[reference.replace("#/$defs/", "")] as Json, definitions, path);
  const within = (["anyOf", "oneOf", "allOf"] as const).flatMap((word) => (schema[word] ?? []) as Json[]);
  const items =
    schema["items"] === undefined ? [] : idPlaces(schema["items"] as Json, definitions, [...path, "0"]);
  const properties = Object.entries((schema["properties"] ?? {}) as Record<string, Json>);
  return [
    ...within.flatMap((alternative) => idPlaces(alternative, definitions, path)),
    ...items,
    ...properties.flatMap(([name, property]) => [
      ...(/(^|_)id$|^doc$/i.test(name) ? [[...path, name]] : []),
      ...(/(^|_)ids$/i.test(name) ? [[...path, name, "0"]] : []),
      ...idPlaces(property, definitions, [...path, name]),
    ]),
  ];
}

/** Every place of a request in which an id can stand, also several levels deep; a list's is its first entry. */
export function placesOf(route: Route): Path[] {
  const found = [route.params, route.query, route.body].flatMap((schema) => {
    if (schema === undefined) return [];
    const written = schema.toJSONSchema({ io: "input" }) as Json;
    return idPlaces(written, (written["$defs"] ?? {}) as Json);
  });
  return [...new Map(found.map((path) => [path.join("."), path])).values()];
}

export function withId(request: object, [first = "", ...rest]: Path, id: string): object {
  const inner = (request as Json)[first];
  const holder = rest[0] === "0" ? [] : {};
  const value = rest.length === 0 ? id : withId(inner ?? holder, rest, id);
  return Array.isArray(request) ? [value] : { ...request, [first]: value };
}
