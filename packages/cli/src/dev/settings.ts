import { randomBytes } from "node:crypto";
import { readFile, rename, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import type { Home } from "./home.ts";

const PORT_NAMES = [
  "http",
  "pages",
  "database",
  "engineNode",
  "engineIngress",
  "engineAdmin",
  "engineService",
] as const;
export type Ports = Record<(typeof PORT_NAMES)[number], number>;

export interface SeededAgent {
  name: string;
  agentId: string;
  apiKey: string;
  signingSecret: string;
  /** The desk of the pages, as this agent's human service. */
  desk?: { componentId: string; signingSecret: string };
}

/** What must be the same at the next start. */
export interface DevSettings {
  operatorToken: string;
  sealingKeys: string;
  databasePassword: string;
  ports: Ports;
  agents: Record<string, SeededAgent>;
}

/** Those that a person types. */
const EASY_PORTS: Partial<Ports> = { http: 8080, pages: 8081 };

/** Those of the last start, with other ports where somebody else has taken one since. */
export async function openSettings(home: Home): Promise<DevSettings> {
  const stored = await readFile(fileOf(home), "utf8").catch(() => undefined);
  const known = stored === undefined ? undefined : (JSON.parse(stored) as DevSettings);
  const settings: DevSettings = {
    operatorToken: known?.operatorToken ?? randomBytes(36).toString("base64url"),
    sealingKeys: known?.sealingKeys ?? `k1:${randomBytes(32).toString("base64")}`,
    databasePassword: known?.databasePassword ?? randomBytes(24).toString("base64url"),
    ports: await choosePorts(known?.ports),
    agents: known?.agents ?? {},
  };
  await saveSettings(home, settings);
  return settings;
}

export async function saveSettings(home: Home, settings: DevSettings): Promise<void> {
  const unfinished = `${fileOf(home)}.unfinished`;
  await writeFile(unfinished, `${JSON.stringify(settings, null, 2)}\n`, { mode: 0o600 });
  await rename(unfinished, fileOf(home));
}

function fileOf({ path }: Home): string {
  return join(path, "settings.json");
}

async function choosePorts(known: Partial<Ports> = {}): Promise<Ports> {
  const ports = new Map<keyof Ports, number>();
  for (const name of PORT_NAMES) {
    const wanted = [EASY_PORTS[name] ?? [], known[name] ?? []].flat();
    ports.set(name, await firstFree(wanted, new Set(ports.values())));
  }
  // Safe because each name was given a port.
  return Object.fromEntries(ports) as Ports;
}

async function firstFree(wanted: number[], taken: ReadonlySet<number>): Promise<number> {
  for (const port of wanted) if (!taken.has(port) && (await isFree(port))) return port;
  for (;;) {
    const port = await listenOnce(0);
    if (!taken.has(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return listenOnce(port).then(
    () => true,
    () => false,
  );
}

function listenOnce(port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once("error", reject);
    server.listen(port, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : port));
    });
  });
}
