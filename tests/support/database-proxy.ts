import { answerReader, isIdle, requestReader, tagOf, type Request } from "./postgres-wire.ts";
import { CUT, openTcpProxy, type TcpProxy, type Watcher } from "./tcp-proxy.ts";

/**
 * `before`: PostgreSQL never got the statement. `after`: it got it and had begun to answer. `commit`: it has committed, and said so
 * to nobody.
 */
export type CutMoment = "before" | "after" | "commit";

/** One connection that was cut, as the proxy saw it. */
export type Cut = {
  moment: CutMoment;
  /** The statement at which it was cut; of a commit, the last one that wrote. */
  statement: string;
  /** PostgreSQL said that it had committed, and its client was not told. */
  isAnswerLost: boolean;
};

export type CutWish = {
  moment: CutMoment;
  /** Only at statements that match. */
  of?: RegExp;
  /** How many matching statements are let through first. */
  skip?: number;
  withinMs?: number;
};

export type DatabaseProxy = TcpProxy & {
  /** Cuts the next connection that fits; fails if none does within the time. */
  cutNext(wish: CutWish): Promise<Cut>;
};

const WITHIN_MS = 10_000;

type Armed = Required<CutWish> & { isTaken: boolean; done: (cut: Cut) => void };

/** Stands between the service and PostgreSQL, follows what both say, and cuts a connection at a chosen moment. PostgreSQL stays up. */
export async function openDatabaseProxy(databasePort: number): Promise<DatabaseProxy> {
  let armed: Armed | undefined;
  const takes = (moment: CutMoment, { text }: Request): Armed | undefined => {
    if (armed === undefined || armed.isTaken || armed.moment !== moment || !armed.of.test(text))
      return undefined;
    armed.skip -= 1;
    if (armed.skip >= 0) return undefined;
    armed.isTaken = true;
    return armed;
  };
  const proxy = await openTcpProxy(databasePort, () => watchConnection(takes));
  return {
    ...proxy,
    cutNext({ moment, of = /./, skip = 0, withinMs = WITHIN_MS }) {
      if (armed !== undefined) throw new Error("one connection is cut at a time");
      return new Promise<Cut>((resolve, reject) => {
        const timer = setTimeout(() => {
          armed = undefined;
          reject(new Error(`no connection was cut ${moment} within ${withinMs} ms`));
        }, withinMs);
        const done = (cut: Cut) => {
          clearTimeout(timer);
          armed = undefined;
          resolve(cut);
        };
        armed = { moment, of, skip, withinMs, isTaken: false, done };
      });
    },
  };
}

function watchConnection(takes: (moment: CutMoment, request: Request) => Armed | undefined): Watcher {
  const readRequests = requestReader();
  const readAnswers = answerReader();
  /** Asked and not answered, in order. */
  const asked: Request[] = [];
  let isInTransaction = false;
  let lastWrite: Request | undefined;
  /** Whose answer is to be cut off: `after`, from its first byte; `commit`, once PostgreSQL has committed. */
  let doomed: { request: Request; by: Armed } | undefined;
  let held: Buffer[] = [];

  const isService = ({ text }: Request) => text !== "" && text !== "startup";
  /** Ends a transaction that wrote, or is one by itself. */
  const commits = (request: Request) =>
    request.isCommit ? isInTransaction && lastWrite !== undefined : !isInTransaction && request.writes;

  function toServer(chunk: Buffer): Buffer | typeof CUT {
    const wasIdle = asked.length === 0;
    const requests = readRequests(chunk);
    const first = requests.find(isService);
    const isBefore = wasIdle && first !== undefined;
    const wanted = isBefore ? (requests.find(({ writes }) => writes) ?? first) : undefined;
    const before = wanted && takes("before", wanted);
    if (before !== undefined && wanted !== undefined) {
      before.done({ moment: "before", statement: wanted.text, isAnswerLost: false });
      return CUT;
    }
    for (const request of requests) {
      asked.push(request);
      if (doomed !== undefined || !isService(request) || !request.writes) continue;
      const by = takes("after", request);
      if (by !== undefined) doomed = { request, by };
    }
    return chunk;
  }

  function toClient(chunk: Buffer): Buffer | typeof CUT {
    if (doomed?.by.moment === "after" && asked[0] === doomed.request) return cutAfter(doomed);
    let passed = held.length > 0 ? 0 : chunk.length;
    for (const frame of readAnswers(chunk)) {
      const [request] = asked;
      if (request === undefined) continue;
      if (frame.type === "C" && commits(request) && tagOf(frame) !== "ROLLBACK") {
        const about = request.isCommit ? (lastWrite ?? request) : request;
        const by = doomed === undefined ? takes("commit", about) : undefined;
        if (by !== undefined) {
          doomed = { request: about, by };
          passed = Math.max(0, frame.at);
        }
      }
      if (frame.type === "E" && doomed?.by.moment === "commit") {
        // It did not commit after all.
        doomed.by.isTaken = false;
        doomed = undefined;
        passed = chunk.length;
      }
      if (frame.type !== "Z") continue;
      if (doomed?.by.moment === "commit" && isIdle(frame)) {
        doomed.by.done({ moment: "commit", statement: doomed.request.text, isAnswerLost: true });
        return CUT;
      }
      isInTransaction = !isIdle(frame);
      lastWrite = !isInTransaction ? undefined : request.writes ? request : lastWrite;
      asked.shift();
      if (doomed?.by.moment === "after" && asked[0] === doomed.request) {
        // The rest of this chunk is its answer already.
        if (frame.at + 6 < chunk.length) return cutAfter(doomed);
      }
    }
    const bytes = held.length === 0 ? chunk : Buffer.concat([...held, chunk]);
    held = [];
    if (doomed?.by.moment !== "commit") return bytes;
    const heldFrom = bytes.length - chunk.length + passed;
    held = [bytes.subarray(heldFrom)];
    return bytes.subarray(0, heldFrom);
  }

  function cutAfter({ request, by }: { request: Request; by: Armed }): typeof CUT {
    by.done({ moment: "after", statement: request.text, isAnswerLost: false });
    return CUT;
  }

  return {
    toServer,
    toClient,
    ended() {
      // Somebody else was quicker: the next connection that fits is cut.
      if (doomed !== undefined) doomed.by.isTaken = false;
    },
  };
}
