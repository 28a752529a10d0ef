import type { Option, Options } from "./command.ts";

/** How the service proves who it is to a webhook: Bearer with a username alone, Basic with both. */
export const CREDENTIAL_OPTIONS: readonly Option[] = [
  {
    name: "username",
    value: "NAME",
    summary: "Username; sent as a Bearer token, or as HTTP Basic with --secret",
  },
  { name: "secret", value: "SECRET", summary: "Password for HTTP Basic" },
];

export function credentialsOf(options: Options): { username?: string; secret?: string } {
  const username = options.text("username");
  const secret = options.text("secret");
  return { ...(username !== undefined && { username }), ...(secret !== undefined && { secret }) };
}

export function describeCredentials({
  username_set,
  secret_set,
}: {
  username_set: boolean;
  secret_set: boolean;
}): string {
  if (!username_set) return "no credentials";
  return secret_set ? "HTTP Basic" : "Bearer token";
}
