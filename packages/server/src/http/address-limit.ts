import type { FastifyRequest } from "fastify";
import { createRateLimiter, refuseBeyond, type Refusal } from "../platform/index.ts";
import type { ClientAddresses } from "./client-address.ts";

/** Counts what one client address asks for, before anything else is known of it. */
export interface AddressLimit {
  refuse(request: FastifyRequest): Refusal | undefined;
  /** A wrong key or token costs more than a request: each is looked up, and guessing has no other price. */
  chargeFailedAuthentication(request: FastifyRequest): void;
}

const FAILED_AUTHENTICATION_COST = 10;

export function createAddressLimit(perSecond: number, { clientOf }: ClientAddresses): AddressLimit {
  const limiter = createRateLimiter(perSecond);
  return {
    refuse(request) {
      const client = clientOf(request);
      if (client === undefined) return undefined;
      const { allowed, limit: most, resetSeconds } = limiter.take(client, performance.now());
      return allowed
        ? undefined
        : refuseBeyond(
            { name: "address", most },
            "too many requests from your IP address; wait until Retry-After has passed",
            resetSeconds,
          );
    },
    chargeFailedAuthentication(request) {
      const client = clientOf(request);
      if (client !== undefined) limiter.charge(client, performance.now(), FAILED_AUTHENTICATION_COST - 1);
    },
  };
}
