import { HEADERS, type Route, takesIdempotencyKey } from "@signalbox/contract";
import { MissingCredentialError } from "./errors.ts";
import type { ClientOptions } from "./options.ts";
import { userAgent } from "./user-agent.ts";

export type Credentials = Pick<ClientOptions, "apiKey" | "chatToken" | "operatorToken" | "session">;

export interface PreparedRequest {
  /** The method of the client. */
  call: string;
  /** Path and query; the base URL is chosen for each attempt. */
  target: string;
  method: string;
  headers: Record<string, string>;
  body: string | FormData | undefined;
  /** What succeeds is a file. */
  isFile: boolean;
}

/** Takes a caller's one flat object apart into path, query and body, as the route says. */
export function prepareRequest(
  route: Route,
  input: Record<string, unknown>,
  credentials: Credentials,
  idempotencyKey: string | undefined,
): PreparedRequest {
  const rest = { ...input };
  const path = route.path.replaceAll(/:(\w+)/g, (_, parameter: string) => {
    const value = rest[parameter];
    delete rest[parameter];
    return pathSegment(route.sdk, parameter, value);
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
  const headers: Record<string, string> = { accept, ...userAgent() };
  const token = tokenFor(route, credentials);
  if (token !== undefined) headers[HEADERS.authorization] = `Bearer ${token}`;
  if (route.body !== undefined) headers["content-type"] = "application/json";
  if (takesIdempotencyKey(route)) headers[HEADERS.idempotencyKey] = idempotencyKey ?? crypto.randomUUID();

  return {
    call: route.sdk,
    target: query.size === 0 ? path : `${path}?${query.toString()}`,
    method: route.method,
    headers,
    body: bodyOf(route, rest),
    isFile: route.file !== undefined,
  };
}

function bodyOf({ body, form }: Route, fields: Record<string, unknown>): string | FormData | undefined {
  if (form === undefined) return body === undefined ? undefined : JSON.stringify(fields);
  const data = new FormData();
  for (const [name, value] of Object.entries(fields)) {
    if (value instanceof Blob) data.append(name, value);
    else if (typeof value === "string" || typeof value === "number") data.append(name, `${value}`);
  }
  return data;
}

function pathSegment(method: string, parameter: string, value: unknown): string {
  // Dots would walk up the path, and nothing at all would name another route.
  if (typeof value !== "string" || ["", ".", ".."].includes(value))
    throw new TypeError(`${method}: ${parameter} must be an id`);
  return encodeURIComponent(value);
}

function tokenFor({ auth, sdk }: Route, credentials: Credentials): string | undefined {
  if (auth === "none" || auth === "browser") return undefined;
  // A human service may be allowed to call without a key; the service says so if it is not.
  if (auth === "humanService") return credentials.apiKey || undefined;
  const setting = auth === "operator" ? "operatorToken" : auth;
  const token = credentials[setting];
  if (auth === "operator" && !token && credentials.session === true) return undefined;
  if (!token) throw new MissingCredentialError(sdk, setting);
  return token;
}
