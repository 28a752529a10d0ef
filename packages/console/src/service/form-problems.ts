import { type Route, type RouteName, routes } from "@signalbox/contract";

/** What the contract says about a body before it is sent: a sentence a field, by the field's name on the wire. */
export function bodyProblems(name: RouteName, body: object): Record<string, string> {
  const { body: schema }: Route = routes[name];
  const parsed = schema?.safeParse(body);
  if (parsed === undefined || parsed.success) return {};
  const problems: Record<string, string> = {};
  for (const { path, message } of parsed.error.issues) problems[String(path[0] ?? "")] ??= sentence(message);
  return problems;
}

/** The contract's messages go on after a field's name; alone they begin a sentence. */
function sentence(message: string): string {
  const [first = "", ...rest] = message;
  return `${first.toUpperCase()}${rest.join("")}${/[.!?]$/.test(message) ? "" : "."}`;
}
