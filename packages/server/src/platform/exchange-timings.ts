import { subscribe } from "node:diagnostics_channel";
import type { Dispatcher, Pool } from "undici";

/** How long each step of opening a connection took, in milliseconds. */
export interface ConnectionTimings {
  dnsMs?: number;
  connectMs?: number;
  tlsMs?: number;
}

/** The same of an exchange; a step that did not happen has none, as on a connection that was reused. */
export interface Timings extends ConnectionTimings {
  /** From the request to the first byte of the answer. */
  firstByteMs?: number;
}

export interface ExchangeClock {
  connection: ConnectionTimings | undefined;
  sentAt: number | undefined;
  answeredAt: number | undefined;
}

/** By the socket until its first request, or by the error that opening it ended with. */
const connections = new WeakMap<object, ConnectionTimings>();
const clocks = new WeakMap<object, ExchangeClock>();
let starting: ExchangeClock | undefined;

// undici tells nobody which socket a request went out on, except on these channels. Both are published synchronously: the
// first while pool.request() runs, so that it is known whose request it is.
subscribe("undici:request:create", (event) => {
  if (starting !== undefined) clocks.set((event as { request: object }).request, starting);
});
subscribe("undici:client:sendHeaders", (event) => {
  const { request, socket } = event as { request: object; socket: object };
  const clock = clocks.get(request);
  if (clock === undefined) return;
  clock.sentAt = performance.now();
  clock.connection = connections.get(socket);
  connections.delete(socket);
});

export function noteConnection(socketOrError: object, timings: ConnectionTimings): void {
  connections.set(socketOrError, timings);
}

export function startClock(): ExchangeClock {
  return { connection: undefined, sentAt: undefined, answeredAt: undefined };
}

/** The request, with the clock set to when it was sent and answered, and to how its connection came about. */
export async function timedRequest(
  pool: Pool,
  options: Dispatcher.RequestOptions,
  clock: ExchangeClock,
): Promise<Dispatcher.ResponseData> {
  try {
    const response = await startedWith(clock, () => pool.request(options));
    clock.answeredAt = performance.now();
    return response;
  } catch (error) {
    if (error instanceof Error) clock.connection ??= connections.get(error);
    throw error;
  }
}

function startedWith<Result>(clock: ExchangeClock, start: () => Result): Result {
  starting = clock;
  try {
    return start();
  } finally {
    starting = undefined;
  }
}

export function timingsOf({ connection, sentAt, answeredAt }: ExchangeClock): Timings {
  return sentAt === undefined || answeredAt === undefined
    ? { ...connection }
    : { ...connection, firstByteMs: answeredAt - sentAt };
}
