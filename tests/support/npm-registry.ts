import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

type Version = { dist: Record<string, string> };
type Packument = { name: string; versions: Record<string, Version>; "dist-tags": Record<string, string> };
type Publication = Packument & { _attachments: Record<string, { data: string }> };

export type NpmRegistry = AsyncDisposable & {
  url: string;
  /** Paths that were asked for, published packages aside. */
  requests(): string[];
  /** For npm: this registry, with the right to publish, and nothing of this machine's settings. */
  environment(home: string): Record<string, string>;
};

/**
 * An npm registry: it takes what `npm publish` sends and serves it. Other packages are at `upstream`, or are not found.
 */
export async function startNpmRegistry(upstream?: string): Promise<NpmRegistry> {
  const packages = new Map<string, Packument>();
  const tarballs = new Map<string, Buffer>();
  const asked: string[] = [];

  const publish = async (request: IncomingMessage) => {
    const { _attachments: attachments, ...sent } = JSON.parse(await textOf(request)) as Publication;
    const known = packages.get(sent.name) ?? { name: sent.name, versions: {}, "dist-tags": {} };
    for (const [file, { data }] of Object.entries(attachments)) {
      const bytes = Buffer.from(data, "base64");
      const path = `/${sent.name}/-/${file.slice(file.lastIndexOf("/") + 1)}`;
      tarballs.set(path, bytes);
      for (const version of Object.values(sent.versions))
        version.dist = { tarball: `${url}${path}`, shasum: createHash("sha1").update(bytes).digest("hex") };
    }
    Object.assign(known.versions, sent.versions);
    Object.assign(known["dist-tags"], sent["dist-tags"]);
    packages.set(sent.name, known);
  };

  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? "");
    if (request.method === "PUT") {
      publish(request).then(
        () => response.writeHead(201).end("{}"),
        (error: unknown) => response.writeHead(400).end(JSON.stringify({ error: String(error) })),
      );
      return;
    }
    asked.push(path);
    const found = tarballs.get(path) ?? JSON.stringify(packages.get(path.slice(1)));
    if (found !== undefined) response.end(found);
    else if (upstream === undefined) response.writeHead(404).end("{}");
    else response.writeHead(302, { location: new URL(request.url ?? "", upstream).href }).end();
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const url = `http://${host}`;
  return {
    url,
    requests: () => asked,
    environment: (home) => ({
      HOME: home,
      npm_config_cache: `${home}/.npm`,
      npm_config_registry: url,
      [`npm_config_//${host}/:_authToken`]: "local",
      npm_config_fetch_retries: "0",
      npm_config_update_notifier: "false",
    }),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function textOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString();
}
