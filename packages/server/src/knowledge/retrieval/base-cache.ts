import { LruMap, type Database } from "../../platform/index.ts";
import type { BaseIndex } from "./base-index.ts";
import { loadBase, type LoadedBase } from "./load-base.ts";
import type { VersionedBase } from "./statistics-cache.ts";

/** Small knowledge bases in memory, each as it was at one version; those used longest ago make room. */
export interface BaseCache {
  /** The base at this very version, or undefined: then PostgreSQL is asked, and the base may be here for the next search. */
  of(base: VersionedBase, pairs: number): BaseIndex | undefined;
}

export interface BaseCacheOptions {
  /** Of all bases together, estimated; 0 keeps none. */
  bytesMax: number;
  onError: (error: unknown) => void;
}

/** Larger bases are searched by the index of terms, which reads a few hundred pairs of them. */
const PAIRS_MAX = 2_000;
/** One base may fill this share: it must not push out all others. */
const SHARE_MAX = 0.25;
/** How often a version is searched before it is brought in. */
const SEARCHES_WITH_ROOM = 2;
const SEARCHES_WITHOUT_ROOM = 16;
const BASES_REMEMBERED_MAX = 10_000;

export function createBaseCache(db: Database, { bytesMax, onError }: BaseCacheOptions): BaseCache {
  const kept = new Map<string, LoadedBase>();
  /** How often versions that are not here were searched; one that is too large is never worth it. */
  const searched = new LruMap<string, { version: number; times: number }>(BASES_REMEMBERED_MAX);
  let bytes = 0;
  let isLoading = false;

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
  function isWorthLoading(base: VersionedBase): boolean {
    const key = keyOf(base);
    const known = searched.get(key);
    const times = known?.version === base.version ? known.times + 1 : 1;
    searched.set(key, { version: base.version, times });
    return times >= (bytes <= bytesMax * (1 - SHARE_MAX) ? SEARCHES_WITH_ROOM : SEARCHES_WITHOUT_ROOM);
  }

  async function load(base: VersionedBase): Promise<void> {
    isLoading = true;
    try {
      const loaded = await loadBase(db, base, PAIRS_MAX);
      if (loaded !== undefined && loaded.bytes <= bytesMax * SHARE_MAX) keep(keyOf(base), loaded);
      else searched.set(keyOf(base), { version: base.version, times: Number.NEGATIVE_INFINITY });
    } catch (error) {
      onError(error);
    } finally {
      isLoading = false;
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
      // One at a time: whoever searches meanwhile needs the connections.
      if (bytesMax > 0 && pairs <= PAIRS_MAX && !isLoading && isWorthLoading(base)) void load(base);
      return undefined;
    },
  };
}

function keyOf({ agentId, id }: VersionedBase): string {
  return `${agentId} ${id}`;
}
