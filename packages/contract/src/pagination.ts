import type { Route } from "./routes/route.ts";

/** How a list goes on: behind the reply's `next_cursor`, or with the next page number while `total` is not reached. */
export interface Pagination {
  by: "cursor" | "page";
  /** The field of the reply that holds the entries. */
  entries: string;
}

/** Follows from the fields of a route: what takes a cursor and gives one is a list, and so is what takes a page number. */
export function paginationOf({ query, body, reply }: Route): Pagination | undefined {
  const asked = query ?? body;
  const takes = (field: string) => Object.hasOwn(shapeOf(asked), field);
  const replied = shapeOf(reply);
  if (takes("cursor") && Object.hasOwn(replied, "next_cursor") && Object.hasOwn(replied, "list"))
    return { by: "cursor", entries: "list" };
  if (!takes("page")) return undefined;
  const lists = Object.entries(replied).filter(([, field]) => isList(field));
  const [entries] = lists[0] ?? [];
  return entries === undefined || lists.length > 1 ? undefined : { by: "page", entries };
}

function shapeOf(schema: object | undefined): Record<string, unknown> {
  const { shape = {} } = (schema ?? {}) as { shape?: Record<string, unknown> };
  return shape;
}

function isList(field: unknown): boolean {
  return (field as { type?: unknown }).type === "array";
}
