import { LruMap, type Database } from "../../platform/index.ts";
import type { BaseIndex } from "./base-index.ts";
import { loadBases, type LoadedBase } from "./load-base.ts";
import type { VersionedBase } from "./statistics-cache.ts";

/** Small knowledge bases in memory, each as it was at one version; those used longest ago make room. */
export interface BaseCache {
  /** The base at this very version, or undefined: then PostgreSQL is asked, and the base may be here for the next search. */
  of(base: VersionedBase, pairs: number): BaseIndex | undefined;
}

export interface BaseCacheOptions {
  /** The estimated size of all bases together; 0 keeps none. */
  bytesMax: number;
  onError: (error: unknown) => void;
}

/** Larger bases are searched by the index of terms, which reads a few hundred pairs of them. */
const PAIRS_MAX = 2_000;
/** One base may fill this share: it must not push out all others. */
const SHARE_MAX = 0.25;
/** Bringing in as few pairs costs no more than a search for them; of many bases together, less. */
const FEW_PAIRS = 100;
/** How often a version is searched before it is brought in. */
const SEARCHES_OF_FEW_PAIRS = 1;
const SEARCHES_WITH_ROOM = 2;
const SEARCHES_WITHOUT_ROOM = 16;
const BASES_REMEMBERED_MAX = 10_000;

export function createBaseCache(db: Database, { bytesMax, onError }: BaseCacheOptions): BaseCache {
  const kept = new Map<string, LoadedBase>();
  /** How often versions that are not here were searched; one that is too large is never worth it. */
  const searched = new LruMap<string, { version: number; times: number }>(BASES_REMEMBERED_MAX);
  let bytes = 0;
  /** What the next load brings in, and what the one under way does. */
  const wanted = new Map<string, { base: VersionedBase; pairs: number }>();
  const loading = new Set<string>();

  function forget(key: string): void {
    bytes -= kept.get(key)?.bytes ?? 0;
    kept.delete(key);
  }

  function keep(key: string, loaded: LoadedBase): void {
    forget(key);
    kept.set(key, loaded);
    bytes += loaded.bytes;
    // A Map is iterated in the order of insertion: the first is the one used longest ago.
    for (const oldest of kept.keys()) {
      if (bytes <= bytesMax) break;
      forget(oldest);
      searched.delete(oldest);
    }
  }

  /** A base that is searched once, or changes between any two searches, is not; nor is one that would only push out another. */
  function isWorthLoading(base: VersionedBase, pairs: number): boolean {
    const key = keyOf(base);
    const known = searched.get(key);
    const times = known?.version === base.version ? known.times + 1 : 1;
    searched.set(key, { version: base.version, times });
    const withRoom = pairs <= FEW_PAIRS ? SEARCHES_OF_FEW_PAIRS : SEARCHES_WITH_ROOM;
    return times >= (bytes <= bytesMax * (1 - SHARE_MAX) ? withRoom : SEARCHES_WITHOUT_ROOM);
  }

  /** As many as have the pairs of one large base. */
  function takeWanted(): VersionedBase[] {
    const taken: VersionedBase[] = [];
    let pairs = 0;
    for (const [key, one] of wanted) {
      pairs += one.pairs;
      if (taken.length > 0 && pairs > PAIRS_MAX) break;
      taken.push(one.base);
      loading.add(key);
      wanted.delete(key);
    }
    return taken;
  }

  async function loadWanted(): Promise<void> {
    // One load at a time: searches need the connections meanwhile.
    if (loading.size > 0) return;
    for (let next = takeWanted(); next.length > 0; next = takeWanted()) {
      try {
        await load(next);
      } finally {
        loading.clear();
      }
    }
  }

  async function load(bases: VersionedBase[]): Promise<void> {
    try {
      const loaded = await loadBases(db, bases, PAIRS_MAX);
      for (const [index, base] of bases.entries()) {
        const one = loaded[index];
        if (one !== undefined && one.bytes <= bytesMax * SHARE_MAX) keep(keyOf(base), one);
        else searched.set(keyOf(base), { version: base.version, times: Number.NEGATIVE_INFINITY });
      }
    } catch (error) {
      onError(error);
    }
  }

  return {
    of(base, pairs) {
      const key = keyOf(base);
      const found = kept.get(key);
      if (found?.version === base.version) {
        kept.delete(key);
        kept.set(key, found);
        return found.index;
      }
      if (found !== undefined && found.version < base.version) forget(key);
      const isComing = wanted.has(key) || loading.has(key);
      if (bytesMax > 0 && pairs <= PAIRS_MAX && !isComing && isWorthLoading(base, pairs)) {
        wanted.set(key, { base, pairs });
        void loadWanted();
      }
      return undefined;
    },
  };
}

function keyOf({ agentId, id }: VersionedBase): string {
  return `${agentId} ${id}`;
}
