import { createServer, request as requestOf, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { pipeline } from "node:stream";
import type { MadeAgent } from "@signalbox/tests/support/agents.ts";

/** A developer's own server: pages with the widget, tokens for who is signed in, and the way on to the service. */
export type DeveloperSite = AsyncDisposable & {
  url: string;
  /** Who is signed in. */
  userId: string;
  /** What the live channel is answered with in place of handing on, as long as it is set. */
  failing: number | undefined;
  tokensGiven(): number;
  /** Tokens given so far reach the service as ones it does not take. */
  expireTokens(): void;
  /** Cuts every line of the live channel that is open. */
  cut(): void;
};

export async function openDeveloperSite(
  agent: Pick<MadeAgent, "baseUrl" | "client">,
  { pages, script }: { pages: ReadonlyMap<string, string>; script: string },
): Promise<DeveloperSite> {
  const given: string[] = [];
  const expired = new Set<string>();
  const open = new Set<ServerResponse>();
  const state = { userId: "user-1", failing: undefined as number | undefined };

  async function giveToken(response: ServerResponse): Promise<void> {
    const { token } = await agent.client.mintChatToken({ user_id: state.userId });
    given.push(token);
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ token }));
  }

  function handOn(request: IncomingMessage, response: ServerResponse): void {
    if (state.failing !== undefined) return void response.writeHead(state.failing).end();
    open.add(response);
    response.on("close", () => open.delete(response));
    const { method, headers } = request;
    const token = headers.authorization?.replace("Bearer ", "") ?? "";
    const authorization = expired.has(token) ? "Bearer expired" : headers.authorization;
    const onward = requestOf(`${agent.baseUrl}${request.url}`, {
      method,
      headers: { ...headers, authorization },
    });
    onward.on("response", (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      pipeline(answer, response, () => undefined);
    });
    pipeline(request, onward, (error) => {
      if (error) response.destroy();
    });
  }

  const server = createServer((request, response) => {
    const path = new URL(request.url ?? "", "http://site").pathname;
    const page = pages.get(path);
    if (path.startsWith("/chat/v1/")) handOn(request, response);
    else if (path === "/token") void giveToken(response);
    else if (path === "/signalbox-chat.js")
      response.writeHead(200, { "content-type": "text/javascript" }).end(script);
    else if (page === undefined) response.writeHead(404).end();
    else response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end(page);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return Object.assign(state, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    tokensGiven: () => given.length,
    expireTokens() {
      for (const token of given) expired.add(token);
    },
    cut() {
      for (const response of open) response.destroy();
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  });
}
