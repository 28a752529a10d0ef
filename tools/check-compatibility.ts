import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { git } from "./git.ts";

const root = dirname(import.meta.dirname);
const FILE = "packages/contract/openapi.json";
const METHODS = ["get", "put", "post", "delete", "patch"];

type Json = Record<string, unknown>;
/** Callers write requests and read replies: what is safe in one direction breaks them in the other. */
type Direction = "request" | "reply";

/** What a caller of the first document could do and cannot with the second, one sentence each. */
export function brokenSince(before: Json, after: Json): string[] {
  const broken: string[] = [];
  const pathsAfter = objectAt(after, "paths");
  for (const [path, item] of entriesOf(before["paths"]))
    for (const method of METHODS.filter((name) => name in item)) {
      const name = `${method.toUpperCase()} ${path}`;
      const operation = objectAt(objectAt(pathsAfter, path), method);
      if (Object.keys(operation).length === 0) broken.push(`${name} is gone`);
      else broken.push(...compareOperation(name, { before, after }, objectAt(item, method), operation));
    }
  return broken;
}

type Documents = { before: Json; after: Json };

function compareOperation(name: string, documents: Documents, was: Json, is: Json): string[] {
  const broken: string[] = [];
  const parametersWere = (was["parameters"] ?? []) as Json[];
  for (const parameter of (is["parameters"] ?? []) as Json[]) {
    const known = parametersWere.find(
      (each) => each["name"] === parameter["name"] && each["in"] === parameter["in"],
    );
    if (parameter["required"] === true && known?.["required"] !== true)
      broken.push(`${name}: parameter ${String(parameter["name"])} is required now`);
  }
  const requestWas = bodyOf(objectAt(was, "requestBody"));
  const requestIs = bodyOf(objectAt(is, "requestBody"));
  broken.push(...compareSchemas(`${name} request`, "request", documents, requestWas, requestIs, []));
  for (const [status, reply] of entriesOf(was["responses"])) {
    const replyIs = objectAt(objectAt(is, "responses"), status);
    if (status.startsWith("2") && Object.keys(replyIs).length === 0)
      broken.push(`${name}: ${status} is gone`);
    else if (status.startsWith("2"))
      broken.push(...compareSchemas(`${name} reply`, "reply", documents, bodyOf(reply), bodyOf(replyIs), []));
  }
  return broken;
}

function compareSchemas(
  at: string,
  direction: Direction,
  documents: Documents,
  wasGiven: Json,
  isGiven: Json,
  above: readonly Json[],
): string[] {
  const was = resolve(documents.before, wasGiven);
  const is = resolve(documents.after, isGiven);
  // A schema that holds itself was compared where it began.
  if (above.includes(was)) return [];
  const broken: string[] = [];
  if (was["type"] !== undefined && JSON.stringify(was["type"]) !== JSON.stringify(is["type"]))
    broken.push(`${at}: the type was ${JSON.stringify(was["type"])} and is ${JSON.stringify(is["type"])}`);
  const [from, to] = direction === "request" ? [was, is] : [is, was];
  const lost = Array.isArray(to["enum"])
    ? ((from["enum"] ?? []) as unknown[]).filter((value) => !(to["enum"] as unknown[]).includes(value))
    : [];
  if (lost.length > 0)
    broken.push(`${at}: ${lost.join(", ")} ${direction === "request" ? "is refused now" : "is a new value"}`);

  const requiredWas = (was["required"] ?? []) as string[];
  const requiredIs = (is["required"] ?? []) as string[];
  const propertiesIs = objectAt(is, "properties");
  for (const [name, property] of entriesOf(was["properties"])) {
    if (!(name in propertiesIs)) broken.push(`${at}: ${name} is gone`);
    else
      broken.push(
        ...compareSchemas(`${at}.${name}`, direction, documents, property, objectAt(propertiesIs, name), [
          ...above,
          was,
        ]),
      );
  }
  const changed =
    direction === "request"
      ? requiredIs.filter((name) => !requiredWas.includes(name)).map((name) => `${name} is required now`)
      : requiredWas
          .filter((name) => name in propertiesIs && !requiredIs.includes(name))
          .map((name) => `${name} may be missing now`);
  broken.push(...changed.map((what) => `${at}: ${what}`));
  if (was["items"] !== undefined)
    broken.push(
      ...compareSchemas(`${at}[]`, direction, documents, objectAt(was, "items"), objectAt(is, "items"), [
        ...above,
        was,
      ]),
    );
  return broken;
}

function resolve(document: Json, schema: Json): Json {
  const reference = schema["$ref"];
  if (typeof reference !== "string") return schema;
  const found = reference
    .slice("#/".length)
    .split("/")
    .reduce((at, name) => objectAt(at, name), document);
  return resolve(document, found);
}

function bodyOf(holder: Json): Json {
  return objectAt(objectAt(objectAt(holder, "content"), "application/json"), "schema");
}

function objectAt(holder: Json, name: string): Json {
  return (holder[name] ?? {}) as Json;
}

function entriesOf(value: unknown): [string, Json][] {
  return Object.entries((value ?? {}) as Record<string, Json>);
}

if (import.meta.main) {
  const tag = process.argv[2] ?? git("describe", "--tags", "--abbrev=0", "--match", "v*", "HEAD^");
  const released = tag === undefined ? undefined : git("show", `${tag}:${FILE}`);
  if (released === undefined) console.log("there is no release to compare with");
  else {
    const now = JSON.parse(readFileSync(join(root, FILE), "utf8")) as Json;
    const broken = brokenSince(JSON.parse(released) as Json, now);
    for (const sentence of broken) console.log(sentence);
    if (broken.length > 0) {
      console.error(`\n${broken.length} changes break callers of ${tag}: keep /v1 as it was and add /v2`);
      process.exitCode = 1;
    } else console.log(`callers of ${tag} can stay as they are`);
  }
}
