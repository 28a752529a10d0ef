import { z } from "zod";

const count = new Intl.NumberFormat("en-US");

/** Characters are Unicode code points, as in PostgreSQL and in JSON Schema, so all three agree on what is too long. */
function isLongerThan(value: string, max: number): boolean {
  if (value.length <= max) return false;
  if (value.length > max * 2) return true;
  let characters = 0;
  for (const _ of value) characters += 1;
  return characters > max;
}

export function textProblem(value: string, max: number): string | undefined {
  if (value === "") return "must not be empty";
  if (isLongerThan(value, max)) return `must have at most ${count.format(max)} characters`;
  if (value.includes("\u0000")) return "must not contain the character U+0000";
  if (!value.isWellFormed()) return "must be well-formed Unicode: it contains half of a surrogate pair";
  return undefined;
}

/** A field some other field asks for is missed in those words: "is required when purpose is QA_TEXT". */
function stringRequired(when: string | undefined) {
  const isMissing = (input: unknown) => input === undefined || input === null;
  return z.string({
    error: ({ input }) => (when !== undefined && isMissing(input) ? `is required ${when}` : undefined),
  });
}

/** Any characters PostgreSQL can store, at least one; blanks count. */
export function text(max: number, requiredWhen?: string) {
  return stringRequired(requiredWhen)
    .check(({ value, issues }) => {
      const problem = textProblem(value, max);
      if (problem !== undefined)
        issues.push({ code: "custom", input: value, message: problem, continue: true });
    })
    .meta({ minLength: 1, maxLength: max });
}

/** Text in which something can be read: names, questions, answers. */
export function words(max: number, requiredWhen?: string) {
  return text(max, requiredWhen)
    .check(({ value, issues }) => {
      if (value !== "" && value.trim() === "")
        issues.push({ code: "custom", input: value, message: "must not be blank", continue: true });
    })
    .meta({ minLength: 1, maxLength: max });
}

/** An id minted by the service: a UUID, always handed on in lower case. */
export const identifier = z
  .uuid({
    error: (issue) =>
      typeof issue.input === "string" ? "must be an id given by this service (a UUID)" : undefined,
  })
  .toLowerCase();

const END_OF_YEAR_9999_MS = 253_402_300_799_999;

/** Milliseconds since 1970, UTC. */
export const timestamp = z.int().min(0).max(END_OF_YEAR_9999_MS).describe("Milliseconds since 1970, UTC");

/** What a caller sends: a value of ten digits is in seconds. What the service works with: always milliseconds. */
export const timestampInput = z
  .int()
  .min(0)
  .max(END_OF_YEAR_9999_MS)
  .describe("Milliseconds since 1970, UTC. A value of ten digits is read as seconds")
  .transform((value) => (value >= 1_000_000_000 && value <= 9_999_999_999 ? value * 1000 : value));

/** In a query a number is a text. */
export const queryTime = z.coerce
  .number<number>({ error: "must be a time in milliseconds since 1970" })
  .pipe(timestampInput);

function webUrlProblem(value: string, max: number): string | undefined {
  if (value.length > max) return `must have at most ${count.format(max)} characters`;
  // The URL parser drops these silently, so what was checked would differ from what was written.
  if (/[\s\p{Cc}]/u.test(value) || !value.isWellFormed())
    return "must not contain blanks or control characters";
  const url = /^https?:\/\//i.test(value) ? URL.parse(value) : null;
  if (url === null) return "must be a whole URL that starts with http:// or https://";
  if (url.username !== "" || url.password !== "") return "must not contain a user name or password";
  return undefined;
}

function urlOfAtMost(max: number) {
  return z
    .string()
    .check(({ value, issues }) => {
      const problem = webUrlProblem(value, max);
      if (problem !== undefined)
        issues.push({ code: "custom", input: value, message: problem, continue: true });
    })
    .meta({ format: "uri", maxLength: max });
}

/** An address that somebody configures. */
export const webUrl = urlOfAtMost(2048);

/** Where a file lies. A presigned URL carries a policy and a signature, and is often longer than any other. */
export const fileUrl = urlOfAtMost(4096);

/** An optional field of a caller's: clients that fill in every field send an empty string for one they leave out. */
export function absentIfEmpty<Schema extends z.ZodType<unknown, unknown>>(schema: Schema) {
  return z
    .union([z.literal(""), schema, z.null()], {
      // The error is about the value itself: nobody who sends one meant the empty string.
      error: ({ code, errors }) => (code === "invalid_union" ? errors[1]?.[0]?.message : undefined),
    })
    .optional()
    .transform((value) => (value === "" ? undefined : value));
}

/** The reply of calls that have nothing else to say. */
export const Acknowledged = z
  .strictObject({ code: z.literal(0), message: z.literal("OK") })
  .meta({ id: "Acknowledged" });
export type Acknowledged = z.output<typeof Acknowledged>;

export const ACKNOWLEDGED: Acknowledged = { code: 0, message: "OK" };

/** Lists are read page by page: `next_cursor` of one page is the `cursor` of the next, null after the last. */
export const pageFields = {
  limit: z.coerce
    .number<number>({ error: "must be a whole number from 1 to 100" })
    .int()
    .min(1)
    .max(100)
    .default(50)
    .describe("Entries per page"),
  cursor: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,512}$/, "must be the next_cursor of an earlier page of this list")
    .optional(),
};

export function pageOf<Entry extends z.ZodType>(entry: Entry) {
  return z.object({ list: z.array(entry), next_cursor: z.string().nullable() });
}

/** In a query, where everything is text. */
export const wholeNumber = (least: number, most: number) =>
  z.coerce
    .number<number>({ error: `must be a whole number from ${least} to ${most}` })
    .int()
    .min(least)
    .max(most);

export const PageQuery = z.strictObject(pageFields);
