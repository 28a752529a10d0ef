import { Resolver, lookup } from "node:dns/promises";
import type { LookupAddress } from "node:dns";
import { setTimeout as sleep } from "node:timers/promises";

/** The name has no address, or nobody could be asked. */
export class LookupFailed extends Error {
  readonly isNotFound: boolean;

  constructor(hostname: string, isNotFound: boolean, cause: unknown) {
    super(`${hostname} ${isNotFound ? "does not exist" : "could not be looked up"}`, { cause });
    this.isNotFound = isNotFound;
  }
}

const ASK_MS = 2_000;
const TRIES = 2;
const SECOND_FAMILY_MS = 300;

/**
 * Asks DNS for the name as it stands. The system's own lookup has two places for the whole process: two developers whose
 * name servers are silent would hold up every new connection of all others.
 */
export async function lookUpInDns(hostname: string): Promise<LookupAddress[]> {
  // Made anew each time, so that a change of the name servers is seen.
  const resolver = new Resolver({ timeout: ASK_MS, tries: TRIES });
  const found: LookupAddress[] = [];
  const keep = (family: 4 | 6) => (addresses: string[]) =>
    void found.push(...addresses.map((address) => ({ address, family })));
  const asking = [resolver.resolve4(hostname).then(keep(4)), resolver.resolve6(hostname).then(keep(6))];
  const all = Promise.allSettled(asking);
  // A family that is silent does not hold up the one that has answered.
  const soon = Promise.any(asking).then(
    () => sleep(SECOND_FAMILY_MS, undefined, { ref: false }),
    () => undefined,
  );
  await Promise.race([all, soon]);
  if (found.length > 0) {
    resolver.cancel();
    return found;
  }
  const failures = (await all).flatMap((one) => (one.status === "rejected" ? [one.reason as unknown] : []));
  throw new LookupFailed(hostname, failures.every(isNotFound), failures[0]);
}

/** As the machine itself would, with its hosts file and search domains: for names inside the operator's own network. */
export async function lookUpLocally(hostname: string): Promise<LookupAddress[]> {
  try {
    return await lookup(hostname, { all: true });
  } catch (error) {
    throw new LookupFailed(hostname, isNotFound(error), error);
  }
}

function isNotFound(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return code === "ENOTFOUND" || code === "ENODATA" || code === "EBADNAME";
}
