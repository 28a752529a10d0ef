import { HEADERS, type Route, takesIdempotencyKey } from "@signalbox/contract";
import { MissingCredentialError } from "./errors.ts";

export interface Credentials {
  apiKey?: string | undefined;
  chatToken?: string | undefined;
  operatorToken?: string | undefined;
  /** In a browser that is signed in to the console: calls of operators carry its cookie instead of a token. */
  session?: boolean | undefined;
}

export interface PreparedRequest {
  /** Path and query; the base URL is chosen for each attempt. */
  target: string;
  method: string;
  headers: Record<string, string>;
  body: string | undefined;
  /** What succeeds is a file. */
  isFile: boolean;
}

/** Takes a caller's one flat object apart into path, query and body, as the route says. */
export function prepareRequest(
  name: string,
  route: Route,
  input: Record<string, unknown>,
  credentials: Credentials,
  idempotencyKey: string | undefined,
): PreparedRequest {
  const rest = { ...input };
  const path = route.path.replaceAll(/:(\w+)/g, (_, parameter: string) => {
    const value = rest[parameter];
    delete rest[parameter];
    return pathSegment(name, parameter, value);
  });

  const query = new URLSearchParams();
  for (const parameter of Object.keys(route.query?.shape ?? {})) {
    const value = rest[parameter];
    delete rest[parameter];
    for (const one of Array.isArray(value) ? value : [value])
      if (typeof one === "string" || typeof one === "number" || typeof one === "boolean")
        query.append(parameter, `${one}`);
  }

  const accept = route.file?.join(", ") ?? (route.plainText ? "text/plain" : "application/json");
  const headers: Record<string, string> = { accept };
  const token = tokenFor(name, route, credentials);
  if (token !== undefined) headers[HEADERS.authorization] = `Bearer ${token}`;
  if (route.body !== undefined) headers["content-type"] = "application/json";
  if (takesIdempotencyKey(route)) headers[HEADERS.idempotencyKey] = idempotencyKey ?? crypto.randomUUID();

  return {
    target: query.size === 0 ? path : `${path}?${query.toString()}`,
    method: route.method,
    headers,
    body: route.body === undefined ? undefined : JSON.stringify(rest),
    isFile: route.file !== undefined,
  };
}

function pathSegment(name: string, parameter: string, value: unknown): string {
  // Dots would walk up the path, and nothing at all would name another route.
  if (typeof value !== "string" || ["", ".", ".."].includes(value))
    throw new TypeError(`${name}: ${parameter} must be an id`);
  return encodeURIComponent(value);
}

function tokenFor(name: string, { auth }: Route, credentials: Credentials): string | undefined {
  if (auth === "none" || auth === "browser") return undefined;
  // A human service may be allowed to call without a key; the service says so if it is not.
  if (auth === "humanService") return credentials.apiKey || undefined;
  const setting = auth === "operator" ? "operatorToken" : auth;
  const token = credentials[setting];
  if (auth === "operator" && !token && credentials.session === true) return undefined;
  if (!token) throw new MissingCredentialError(name, setting);
  return token;
}
