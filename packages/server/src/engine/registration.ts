import { request } from "undici";

const TIMEOUT_MS = 10_000;

export interface Registration {
  adminUrl: string;
  /** One stable address for all workers: two would make the last registered take everything. */
  serviceUri: string;
  serviceNames: string[];
}

/** Tells the engine what we serve and where. Forced: without it a new handler at a known address is not seen. */
export async function register({ adminUrl, serviceUri }: Registration): Promise<boolean> {
  try {
    const response = await request(new URL("/deployments", adminUrl), {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ uri: serviceUri, force: true }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    await response.body.dump();
    return response.statusCode === 200 || response.statusCode === 201;
  } catch {
    return false;
  }
}

/** An engine that lost its disk answers, and knows nobody. Undefined when it does not answer. */
export async function isRegistered({ adminUrl, serviceNames }: Registration): Promise<boolean | undefined> {
  try {
    for (const name of serviceNames) {
      const response = await request(new URL(`/services/${name}`, adminUrl), {
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      await response.body.dump();
      if (response.statusCode === 404) return false;
      if (response.statusCode !== 200) return undefined;
    }
    return true;
  } catch {
    return undefined;
  }
}
