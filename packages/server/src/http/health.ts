/** Whether this node can do its work, asked of the parts themselves and remembered for a moment. */
export interface Health {
  /** 4.4: the service works normally. */
  isNormal(): Promise<boolean>;
  /** A balancer may send requests here. */
  isReady(): Promise<boolean>;
}

export interface HealthParts {
  /** Asks PostgreSQL whether it takes work and how late the oldest due delivery is. */
  askDatabase: () => Promise<{ takesWork: boolean; lateMs: number }>;
  engineSilentMs: () => number;
  draining: AbortSignal;
}

/** Rule 4.4 as decided: a database that refuses is seen within 2 s, and is asked at most once a second. */
const REMEMBERED_MS = 1_000;
const ANSWER_WITHIN_MS = 900;
const ENGINE_SILENT_MAX_MS = 30_000;
const LATE_MAX_MS = 60_000;

export function createHealth({ askDatabase, engineSilentMs, draining }: HealthParts): Health {
  let askedAt = -Infinity;
  let answer = Promise.resolve({ takesWork: false, lateMs: 0 });

  function database(): Promise<{ takesWork: boolean; lateMs: number }> {
    const now = performance.now();
    if (now - askedAt >= REMEMBERED_MS) {
      askedAt = now;
      answer = within(ANSWER_WITHIN_MS, askDatabase()).catch(() => ({ takesWork: false, lateMs: 0 }));
    }
    return answer;
  }

  return {
    async isNormal() {
      const { takesWork, lateMs } = await database();
      return takesWork && lateMs <= LATE_MAX_MS && engineSilentMs() <= ENGINE_SILENT_MAX_MS;
    },
    async isReady() {
      return !draining.aborted && (await database()).takesWork;
    },
  };
}

function within<Value>(ms: number, promise: Promise<Value>): Promise<Value> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error("no answer in time")), ms);
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}
