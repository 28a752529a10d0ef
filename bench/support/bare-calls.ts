import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { Engine } from "@signalbox/tests/support/engine.ts";
import { freePort } from "@signalbox/tests/support/processes.ts";
import { Pool, request } from "undici";
import type { Arrivals } from "./arrivals.ts";
import { inFlight, measure, type Measured } from "./measured.ts";

const CALLS_PER_KEY = 20;
const CONNECTIONS = 64;

/** The engine with a service that does nothing but post: one call a message. */
export async function measureBareCalls(engine: Engine, arrivals: Arrivals, count: number): Promise<Measured> {
  const program = fileURLToPath(new URL("bare-engine.ts", import.meta.url));
  const port = await freePort();
  const child = spawn(process.execPath, [program, String(port), arrivals.url], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    await once(child.stdout, "data");
    const registered = await request(new URL("/deployments", engine.adminUrl), {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ uri: `http://127.0.0.1:${port}`, force: true }),
    });
    await registered.body.dump();
    const ingress = new Pool(new URL(engine.ingressUrl).origin, { connections: CONNECTIONS });
    const keys = Array.from({ length: count / CALLS_PER_KEY }, () => crypto.randomUUID());
    const result = await measure(arrivals, count, { engine: engine.pid(), service: child.pid ?? 0 }, () =>
      inFlight(count, async (index) => {
        const response = await ingress.request({
          method: "POST",
          path: `/bare/${keys[index % keys.length]}/post/send`,
        });
        await response.body.dump();
      }),
    );
    await ingress.close();
    return result;
  } finally {
    child.kill("SIGKILL");
  }
}
