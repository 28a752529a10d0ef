import { CauseName, DeliveryEvent, DeliveryState, type Cause } from "@signalbox/contract";

/** The filters of deliveries as they stand in the address. */
export interface DeliverySearch {
  state?: DeliveryState | undefined;
  cause?: Cause | undefined;
  event?: DeliveryEvent | undefined;
  webhook?: string | undefined;
  conversation?: string | undefined;
  message?: string | undefined;
  since?: Since | undefined;
}

export const SINCE_MS = { "1h": 3_600_000, "24h": 86_400_000, "7d": 604_800_000 };
export type Since = keyof typeof SINCE_MS;

const IDENTIFIER = /^[0-9a-f-]{36}$/i;

function identifierOf(value: unknown): string | undefined {
  return typeof value === "string" && IDENTIFIER.test(value) ? value.toLowerCase() : undefined;
}

function sinceOf(value: unknown): Since | undefined {
  return typeof value === "string" && Object.hasOwn(SINCE_MS, value) ? (value as Since) : undefined;
}

/** A filter that is not understood is left out: an old link shows more, not an error. */
export function readDeliverySearch(search: Record<string, unknown>): DeliverySearch {
  return {
    state: DeliveryState.safeParse(search["state"]).data,
    cause: CauseName.safeParse(search["cause"]).data,
    event: DeliveryEvent.safeParse(search["event"]).data,
    webhook: identifierOf(search["webhook"]),
    conversation: identifierOf(search["conversation"]),
    message: identifierOf(search["message"]),
    since: sinceOf(search["since"]),
  };
}

/** As the route wants them. The beginning of the time is rounded, so that it is the same question for a minute. */
export function filterOf(search: DeliverySearch, agentId: string | undefined, now: number) {
  const minute = 60_000;
  return {
    agent_id: agentId,
    webhook_id: search.webhook,
    conversation_id: agentId === undefined ? undefined : search.conversation,
    message_id: search.message,
    cause: search.cause,
    event: search.event,
    from_time:
      search.since === undefined ? undefined : Math.floor((now - SINCE_MS[search.since]) / minute) * minute,
  };
}

export function isFiltered(search: DeliverySearch): boolean {
  return Object.values(search).some((value) => value !== undefined);
}
