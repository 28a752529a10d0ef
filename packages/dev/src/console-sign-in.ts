import { randomBytes, timingSafeEqual } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createClient } from "@signalbox/sdk";
import type { DevSettings } from "./settings.ts";

// The service knows nothing of this: an account like any other, signed in by its password. ADR 0034 says why that is safe.

const PERSON = { email: "developer@example.com", name: "Developer" };

/** Unless an earlier start made it: the owner whose password lies in the settings, where only this user reads it. */
export async function seedAccount({ ports, operatorToken, consolePassword }: DevSettings): Promise<void> {
  const baseUrl = serviceUrl(ports.http);
  const operator = createClient({ baseUrl, operatorToken });
  const { list } = await operator.accounts.list({ limit: 100 });
  if (list.some(({ email }) => email === PERSON.email)) return;
  const { invitation_token: token } = await operator.invitations.create({
    email: PERSON.email,
    role: "owner",
  });
  const made = await post(baseUrl, "/admin/v1/invitations/accept", {
    token,
    ...PERSON,
    password: consolePassword,
  });
  if (!made.ok) throw new Error(`the console's account was not created: HTTP ${made.status}`);
}

export interface ConsoleLink {
  url: string;
  /** Leads to the console; signs in the first browser that brings the token. */
  follow(token: string, request: IncomingMessage, response: ServerResponse): Promise<void>;
}

/** Made anew at each start and kept in memory alone, so that it is worth nothing once it was used or dev has ended. */
export function createConsoleLink({ ports, consolePassword, agents }: DevSettings): ConsoleLink {
  const token = randomBytes(32).toString("base64url");
  const shops = Object.fromEntries(
    Object.entries(agents).map(([language, { agentId }]) => [language, agentId]),
  );
  let isUsed = false;

  async function signIn(userAgent: string | undefined): Promise<string[]> {
    isUsed = true;
    try {
      const input = { email: PERSON.email, password: consolePassword };
      const replied = await post(serviceUrl(ports.http), "/admin/v1/session", input, userAgent);
      // Refused where the password was changed since: then its owner knows it, and the console asks for it.
      return replied.headers.getSetCookie();
    } catch (error) {
      isUsed = false;
      throw error;
    }
  }

  return {
    url: `http://127.0.0.1:${ports.pages}/console/${token}`,
    async follow(given, { headers }, response) {
      const broken = !isSame(given, token) ? "old" : isUsed ? "used" : undefined;
      const cookies = broken === undefined ? await signIn(headers["user-agent"]) : [];
      // A cookie knows no ports: the service on this host is sent what was set here.
      const told = new URLSearchParams({ dev: String(ports.pages), ...shops });
      // The page says this to a browser that has no session yet.
      if (broken !== undefined) told.set("link", broken);
      const location = `${serviceUrl(ports.http)}/console/#${told.toString()}`;
      response.writeHead(303, { location, "set-cookie": cookies }).end();
    },
  };
}

function serviceUrl(port: number): string {
  return `http://127.0.0.1:${port}`;
}

/** As the service's own page would: it takes these calls from no other. */
function post(baseUrl: string, path: string, body: object, userAgent = "signalbox dev"): Promise<Response> {
  return fetch(`${baseUrl}${path}`, {
    method: "POST",
    headers: { origin: baseUrl, "content-type": "application/json", "user-agent": userAgent },
    body: JSON.stringify(body),
  });
}

function isSame(given: string, token: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(token)];
  return one.length === other.length && timingSafeEqual(one, other);
}
