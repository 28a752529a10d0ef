import { CUT, openTcpProxy, type Watcher } from "./tcp-proxy.ts";

/** `before`: the other side never got what was asked. `after`: it got it, and its answer was thrown away. */
export type EngineCutMoment = "before" | "after";

/** `ingress`: the service calls Restate. `service`: Restate calls a worker. */
export type EnginePath = "ingress" | "service";

export type EngineCut = { moment: EngineCutMoment; path: EnginePath; bytes: number };

export type EngineProxy = AsyncDisposable & {
  ingressPort: number;
  servicePort: number;
  /** Cuts the next connection of the path on which something is asked; fails if nothing is within the time. */
  cutNext(moment: EngineCutMoment, path: EnginePath, withinMs?: number): Promise<EngineCut>;
};

const WITHIN_MS = 10_000;
/** HTTP/2 says less than this to keep a connection alive or open; a call is longer. */
const CALL_BYTES_MIN = 64;

type Armed = { moment: EngineCutMoment; path: EnginePath; isTaken: boolean; done: (cut: EngineCut) => void };

/** Stands between the service and Restate in both directions. Both stay up. */
export async function openEngineProxy(ingressPort: number, servicePort: number): Promise<EngineProxy> {
  let armed: Armed | undefined;
  const takes = (path: EnginePath) => {
    if (armed?.path !== path || armed.isTaken) return undefined;
    armed.isTaken = true;
    return armed;
  };
  await using opening = new AsyncDisposableStack();
  const ingress = opening.use(await openTcpProxy(ingressPort, () => watch("ingress", takes)));
  const service = opening.use(await openTcpProxy(servicePort, () => watch("service", takes)));
  const open = opening.move();
  return {
    ingressPort: ingress.port,
    servicePort: service.port,
    cutNext(moment, path, withinMs = WITHIN_MS) {
      if (armed !== undefined) throw new Error("one connection is cut at a time");
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          armed = undefined;
          reject(new Error(`no connection of ${path} was cut ${moment} within ${withinMs} ms`));
        }, withinMs);
        const done = (cut: EngineCut) => {
          clearTimeout(timer);
          armed = undefined;
          resolve(cut);
        };
        armed = { moment, path, isTaken: false, done };
      });
    },
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

function watch(path: EnginePath, takes: (path: EnginePath) => Armed | undefined): Watcher {
  let after: Armed | undefined;
  let isOpened = false;
  return {
    toServer(chunk) {
      // The first bytes of a connection may be its greeting.
      const isCall = isOpened && chunk.length >= CALL_BYTES_MIN;
      isOpened = true;
      const by = isCall ? takes(path) : undefined;
      if (by === undefined) return chunk;
      if (by.moment === "after") {
        after = by;
        return chunk;
      }
      by.done({ moment: "before", path, bytes: chunk.length });
      return CUT;
    },
    toClient(chunk) {
      if (after === undefined) return chunk;
      after.done({ moment: "after", path, bytes: chunk.length });
      return CUT;
    },
    ended() {
      if (after !== undefined) after.isTaken = false;
    },
  };
}
