import type { z } from "zod";
import type { InputOf, Route, RouteName } from "./routes.ts";
import { routes } from "./routes.ts";

export type Read<Value> = { ok: true; value: Value } | { ok: false; problem: string };

const PROBLEMS_TOLD = 3;
const SUBJECT_MAX_LENGTH = 100;

/** Reads an object that came over the wire. A problem is a sentence for its sender, and never repeats a value. */
export function readWire<Schema extends z.ZodType>(schema: Schema, value: unknown): Read<z.output<Schema>> {
  const parsed = schema.safeParse(value, { error: predicateOf });
  if (parsed.success) return { ok: true, value: parsed.data };
  const sentences = parsed.error.issues.map((issue) => sentenceOf(issue));
  return { ok: false, problem: [...new Set(sentences)].slice(0, PROBLEMS_TOLD).join("; ") };
}

export interface RequestParts {
  params?: unknown;
  query?: unknown;
  body?: unknown;
}

/** Path, query and body as one object; the contract's own tests keep their names apart. */
export function readRequest<Name extends RouteName>(name: Name, parts: RequestParts): Read<InputOf<Name>> {
  return readParts(routes[name], parts) as Read<InputOf<Name>>;
}

/** For a route that is known only at run time: the union of all inputs is too large for the compiler. */
export function readParts(route: Route, parts: RequestParts): Read<object> {
  const input = {};
  for (const part of ["params", "query", "body"] as const) {
    const schema = route[part];
    if (schema === undefined) continue;
    const read = readWire(schema, parts[part] ?? {});
    if (!read.ok) return read;
    Object.assign(input, read.value);
  }
  return { ok: true, value: input };
}

function sentenceOf(issue: z.core.$ZodIssue, above: PropertyKey[] = []): string {
  const path = [...above, ...issue.path];
  const nested = issue.code === "invalid_union" ? closestBranch(issue.errors) : undefined;
  if (nested !== undefined) return sentenceOf(nested, path);
  return `${subjectOf(path)} ${issue.message}`;
}

/** The sender meant the branch of a union that got furthest. */
function closestBranch(branches: z.core.$ZodIssue[][]): z.core.$ZodIssue | undefined {
  const firsts = branches.flatMap((issues) => issues.slice(0, 1)).filter((issue) => issue.path.length > 0);
  return firsts.toSorted((a, b) => b.path.length - a.path.length)[0];
}

function subjectOf(path: PropertyKey[]): string {
  if (path.length === 0) return "the request body";
  let subject = "";
  for (const step of path) {
    if (typeof step === "number") subject += `[${step}]`;
    else subject += `${subject === "" ? "" : "."}${String(step)}`;
  }
  return shorten(subject);
}

function shorten(name: string): string {
  const short = name.length > SUBJECT_MAX_LENGTH ? `${name.slice(0, SUBJECT_MAX_LENGTH)}…` : name;
  return short.toWellFormed();
}

const KINDS: Record<string, string> = {
  string: "a string",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  record: "an object",
};

/** What follows the name of the field. A schema's own words come before these. */
function predicateOf(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case "invalid_type":
      return issue.input === undefined ? "is required" : `must be ${KINDS[issue.expected] ?? issue.expected}`;
    case "invalid_value": {
      const choices = listOf((issue.values as unknown[]).map(String));
      return issue.input === undefined ? `is required: ${choices}` : `must be ${choices}`;
    }
    case "invalid_union": {
      if (!Array.isArray(issue["options"])) return "has none of the accepted forms";
      const given = (issue.input as Record<string, unknown>)[String(issue["discriminator"])];
      const choices = listOf(issue["options"].map(String));
      return given === undefined ? `is required: ${choices}` : `must be ${choices}`;
    }
    case "too_big":
      return `must ${limitOf(issue, "at most", issue.maximum)}`;
    case "too_small":
      return `must ${limitOf(issue, "at least", issue.minimum)}`;
    case "unrecognized_keys":
      return `has no field ${issue.keys.slice(0, PROBLEMS_TOLD).map(shorten).join(", ")}`;
    default:
      return "does not have the expected form";
  }
}

function limitOf(issue: z.core.$ZodRawIssue, bound: string, limit: unknown): string {
  if (issue["origin"] === "string")
    return `have ${bound} ${String(limit)} ${limit === 1 ? "character" : "characters"}`;
  if (issue["origin"] === "array")
    return `have ${bound} ${String(limit)} ${limit === 1 ? "entry" : "entries"}`;
  return `be ${bound} ${String(limit)}`;
}

function listOf(choices: string[]): string {
  if (choices.length < 2) return choices.join("");
  return `${choices.slice(0, -1).join(", ")} or ${choices.at(-1)}`;
}
