import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer, request as requestOf, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { pipeline } from "node:stream";
import { json } from "node:stream/consumers";
import type { MadeAgent } from "@signalbox/tests/support/agents.ts";

/** A developer's own server: pages with the widget, tokens for who is signed in, and the way on to the service. */
export type DeveloperSite = AsyncDisposable & {
  url: string;
  /** The person signed in; undefined: a visitor. */
  userId: string | undefined;
  /** What the live channel is answered with in place of handing on, as long as it is set. */
  failing: number | undefined;
  tokensGiven(): number;
  /** Tokens given so far reach the service as ones it does not take. */
  expireTokens(): void;
  /** Cuts every line of the live channel that is open. */
  cut(): void;
};

const BUNDLER = join(import.meta.dirname, "../../packages/widget/bundle.ts");

/** The widget's script, as it is now. */
export function bundleWidget(): string {
  return readFileSync(execFileSync(process.execPath, [BUNDLER], { encoding: "utf8" }).trim(), "utf8");
}

export async function openDeveloperSite(
  agent: Pick<MadeAgent, "baseUrl" | "client">,
  script: string,
): Promise<DeveloperSite> {
  const pages = pagesFor(agent.baseUrl);
  const given: string[] = [];
  const expired = new Set<string>();
  const open = new Set<ServerResponse>();
  const state = { userId: "user-1" as string | undefined, failing: undefined as number | undefined };

  async function giveToken(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { anonymous_id } = (await json(request)) as { anonymous_id: string | null };
    const who = state.userId === undefined ? { anonymous_id } : { user_id: state.userId };
    const minted = await agent.client.chatTokens.mint(who);
    given.push(minted.token);
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(minted));
  }

  function handOn(request: IncomingMessage, response: ServerResponse): void {
    if (state.failing !== undefined) return void response.writeHead(state.failing).end();
    open.add(response);
    const { method, headers } = request;
    const token = headers.authorization?.replace("Bearer ", "") ?? "";
    const authorization = expired.has(token) ? "Bearer expired" : headers.authorization;
    const onward = requestOf(`${agent.baseUrl}${request.url}`, {
      method,
      headers: { ...headers, authorization },
    });
    response.on("close", () => {
      open.delete(response);
      onward.destroy();
    });
    onward.on("response", (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      pipeline(answer, response, () => undefined);
    });
    onward.on("error", () => response.destroy());
    request.pipe(onward);
  }

  const server = createServer((request, response) => {
    const path = new URL(request.url ?? "", "http://site").pathname;
    const page = pages.get(path);
    if (path.startsWith("/chat/v1/")) handOn(request, response);
    else if (path === "/token") void giveToken(request, response);
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

// The strictest policy a page may have: no styles and no HTML from strings, nothing from elsewhere.
const POLICY = "default-src 'self'; style-src 'self'; require-trusted-types-for 'script'";

/** `/inline`, `/inline-zh` and so on; `/elsewhere` speaks to the service itself. */
function pagesFor(serviceUrl: string): Map<string, string> {
  const pages = new Map<string, string>();
  for (const mode of ["inline", "bubble", "page"]) {
    pages.set(`/${mode}`, page(`mode="${mode}"`));
    pages.set(`/${mode}-zh`, page(`mode="${mode}"`, { lang: "zh-CN" }));
  }
  const questions = 'questions="When do you open? | Do you deliver?"';
  pages.set("/adapted", page(`dir="rtl" greeting="Welcome to the shop." ${questions}`));
  const policy = `${POLICY}; connect-src 'self' ${serviceUrl}`;
  return pages.set("/elsewhere", page(`api-host="${serviceUrl}"`, { policy }));
}

function page(attributes: string, { lang = "en", policy = POLICY } = {}): string {
  return `<!doctype html><html lang="${lang}"><head><title>Shop</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${policy}"></head><body><main><h1>Shop</h1>
<a href="#top">A link before</a>
<signalbox-chat token-url="/token" ${attributes}></signalbox-chat></main>
<script type="module" src="/signalbox-chat.js"></script></body></html>`;
}
