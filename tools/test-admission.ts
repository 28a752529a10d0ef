import { createServer, type Socket } from "node:net";

/** A test file that asks to begin. */
export interface Candidate {
  file: string;
  /** See `isTimed`: beside it run no more files than there are cores. */
  isTimed: boolean;
}

export interface Load {
  cores: number;
  /** The unused share of all cores, lately. */
  idleShare: number;
  /** The host gives the machine to others: deadlines would pass unseen. */
  isStarved: boolean;
}

/** Files that wait for timers leave this much of the cores unused; a file needs about as much. */
const IDLE_MIN = 0.3;
const FILES_A_CORE_MAX = 2;
const LOOK_EVERY_MS = 4_000;

/** The waiting file that begins beside those running: one a core, and more while the cores are idle. */
export function nextOf(
  waiting: readonly Candidate[],
  running: readonly Candidate[],
  { cores, idleShare, isStarved }: Load,
): Candidate | undefined {
  if (isStarved) return undefined;
  if (running.length < cores) return waiting[0];
  const isFull = running.length >= FILES_A_CORE_MAX * cores || idleShare < IDLE_MIN;
  return isFull || running.some(({ isTimed }) => isTimed)
    ? undefined
    : waiting.find(({ isTimed }) => !isTimed);
}

export interface AdmissionParts {
  /** The path of the socket. */
  path: string;
  cores: number;
  isTimed: (file: string) => boolean;
  /** Called every few seconds: what became of the cores since the call before. */
  look: () => Omit<Load, "cores">;
}

/** Test files connect, name themselves and wait for a byte. They count as running until the connection ends with them. */
export async function openAdmission({
  path,
  cores,
  isTimed,
  look,
}: AdmissionParts): Promise<AsyncDisposable> {
  const sockets = new Map<Candidate, Socket>();
  const waiting: Candidate[] = [];
  const running: Candidate[] = [];
  let load: Load = { cores, idleShare: 0, isStarved: false };

  function admit(): void {
    for (let next = nextOf(waiting, running, load); next; next = nextOf(waiting, running, load)) {
      waiting.splice(waiting.indexOf(next), 1);
      // What it will need shows at the next look.
      if (running.length >= cores) load = { ...load, idleShare: 0 };
      running.push(next);
      sockets.get(next)?.write("\n");
    }
  }

  const server = createServer((socket) => {
    let candidate: Candidate | undefined;
    socket.once("data", (name) => {
      const file = name.toString();
      candidate = { file, isTimed: isTimed(file) };
      sockets.set(candidate, socket);
      waiting.push(candidate);
      admit();
    });
    socket.on("error", () => undefined);
    socket.once("close", () => {
      if (candidate === undefined) return;
      sockets.delete(candidate);
      for (const list of [waiting, running])
        if (list.includes(candidate)) list.splice(list.indexOf(candidate), 1);
      admit();
    });
  });
  const { promise: listening, resolve, reject } = Promise.withResolvers<void>();
  server.once("error", reject).listen(path, resolve);
  await listening;
  const looking = setInterval(() => {
    load = { cores, ...look() };
    admit();
  }, LOOK_EVERY_MS);

  return {
    async [Symbol.asyncDispose]() {
      clearInterval(looking);
      for (const socket of sockets.values()) socket.destroy();
      await new Promise((closed) => server.close(closed));
    },
  };
}
