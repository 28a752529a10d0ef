import { randomBytes } from "node:crypto";
import { readFile, rename, writeFile } from "node:fs/promises";
import { createServer, type AddressInfo, type Server } from "node:net";
import { join } from "node:path";
import { generateIdentityKey } from "@signalbox/server/identity-key";
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
  /** An earlier start switched its inbox on; it stays off if somebody has switched it off since. */
  hasInbox?: boolean;
  /** The sample desk, as this agent's human service, while it is wanted. */
  desk?: { componentId: string; signingSecret: string } | undefined;
}

/** What Restate signs its calls with, and how the service knows them. */
export interface EngineIdentity {
  privateKey: string;
  publicKey: string;
}

/** What must be the same at the next start. */
export interface DevSettings {
  /** OPERATOR_TOKEN of the service: it makes the named one below, and is then good for nothing. */
  bootstrapToken: string;
  /** Empty until the service runs for the first time. */
  operatorToken: string;
  /** The password of the developer's account in the console; nobody types it. */
  consolePassword: string;
  sealingKeys: string;
  databasePassword: string;
  engineIdentity: EngineIdentity;
  ports: Ports;
  agents: Record<string, SeededAgent>;
}

/** Gives up ports that were kept from others, each when its own part is about to listen there. */
export type ReleasePorts = (...names: (keyof Ports)[]) => Promise<void>;

/** Those that a person types. */
const EASY_PORTS: Partial<Ports> = { http: 8080, pages: 8081 };

/** Those of the last start, with other ports where somebody else has taken one since. */
export async function openSettings(
  home: Home,
): Promise<{ settings: DevSettings; releasePorts: ReleasePorts }> {
  const stored = await readFile(fileOf(home), "utf8").catch(() => undefined);
  const known = stored === undefined ? undefined : (JSON.parse(stored) as Partial<DevSettings>);
  const held = await holdPorts(known?.ports);
  const settings: DevSettings = {
    // Settings of a start before there were named tokens hold the service's own under the other name.
    bootstrapToken: known?.bootstrapToken ?? known?.operatorToken ?? randomBytes(36).toString("base64url"),
    operatorToken: known?.bootstrapToken === undefined ? "" : (known.operatorToken ?? ""),
    consolePassword: known?.consolePassword ?? randomBytes(36).toString("base64url"),
    sealingKeys: known?.sealingKeys ?? `k1:${randomBytes(32).toString("base64")}`,
    databasePassword: known?.databasePassword ?? randomBytes(24).toString("base64url"),
    // Not in the settings of a first start before there was one.
    engineIdentity: known?.engineIdentity ?? makeEngineIdentity(),
    ports: portsOf(held),
    agents: known?.agents ?? {},
  };
  await saveSettings(home, settings);
  const releasePorts: ReleasePorts = async (...names) => {
    for (const name of names) await new Promise((resolve) => held[name].close(resolve));
  };
  return { settings, releasePorts };
}

export async function saveSettings(home: Home, settings: DevSettings): Promise<void> {
  const unfinished = `${fileOf(home)}.unfinished`;
  await writeFile(unfinished, `${JSON.stringify(settings, null, 2)}\n`, { mode: 0o600 });
  await rename(unfinished, fileOf(home));
}

function makeEngineIdentity(): EngineIdentity {
  const { privateKeyPem: privateKey, publicKey } = generateIdentityKey();
  return { privateKey, publicKey };
}

function fileOf({ path }: Home): string {
  return join(path, "settings.json");
}

type HeldPorts = Record<keyof Ports, Server>;

/** Held until our parts listen: a program that starts in these seconds must find the ports taken. */
async function holdPorts(known: Partial<Ports> = {}): Promise<HeldPorts> {
  const held = new Map<keyof Ports, Server>();
  for (const name of PORT_NAMES)
    held.set(name, await holdFirstFree([EASY_PORTS[name] ?? [], known[name] ?? []].flat()));
  // Safe because each name was given a port.
  return Object.fromEntries(held) as HeldPorts;
}

function portsOf(held: HeldPorts): Ports {
  const ports = PORT_NAMES.map((name) => [name, (held[name].address() as AddressInfo).port]);
  return Object.fromEntries(ports) as Ports;
}

async function holdFirstFree(wanted: number[]): Promise<Server> {
  for (const port of wanted) {
    const held = await hold(port).catch(() => undefined);
    if (held !== undefined) return held;
  }
  return hold(0);
}

function hold(port: number): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy()).once("error", reject);
    server.unref().listen(port, "127.0.0.1", () => resolve(server));
  });
}
