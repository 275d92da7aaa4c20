import type { Clock } from "../../kit/clock.ts";

/** Scope of cached values: one session, whose agents share it. */
export interface CacheScope {
  tenant: string;
  sessionId: string;
}

/** Storage for `cache_store`. Values are JSON text. Entries may disappear at any time. */
export interface ToolCache {
  get(scope: CacheScope, key: string): Promise<string | undefined>;
  set(scope: CacheScope, key: string, value: string): Promise<void>;
  /** Returns true if the entry existed. */
  delete(scope: CacheScope, key: string): Promise<boolean>;
}

export interface MemoryCacheLimits {
  entriesMax: number;
  /** Characters of all keys and values. */
  charsMax: number;
  ttlMs: number;
}

const defaults: MemoryCacheLimits = {
  entriesMax: 10_000,
  charsMax: 16 * 1024 * 1024,
  ttlMs: 24 * 60 * 60 * 1000,
};

interface Entry {
  value: string;
  chars: number;
  staleAtMs: number;
}

/** A bounded cache in memory. It evicts the least recently used entry first, and entries expire `ttlMs` after they were set. */
export function createMemoryCache(clock: Clock, limits: MemoryCacheLimits = defaults): ToolCache {
  const entries = new Map<string, Entry>(); // in order of last use
  let chars = 0;

  const remove = (id: string): boolean => {
    chars -= entries.get(id)?.chars ?? 0;
    return entries.delete(id);
  };
  const find = (id: string): Entry | undefined => {
    const entry = entries.get(id);
    if (!entry || entry.staleAtMs > clock.monotonicMs()) return entry;
    remove(id);
    return undefined;
  };

  return {
    async get(scope, key) {
      const id = idOf(scope, key);
      const entry = find(id);
      if (!entry) return undefined;
      entries.delete(id);
      entries.set(id, entry);
      return entry.value;
    },
    async set(scope, key, value) {
      const id = idOf(scope, key);
      remove(id);
      const entry = { value, chars: id.length + value.length, staleAtMs: clock.monotonicMs() + limits.ttlMs };
      entries.set(id, entry);
      chars += entry.chars;
      for (const oldest of entries.keys()) {
        if (entries.size <= limits.entriesMax && chars <= limits.charsMax) break;
        remove(oldest);
      }
    },
    async delete(scope, key) {
      const id = idOf(scope, key);
      return find(id) !== undefined && remove(id);
    },
  };
}

function idOf({ tenant, sessionId }: CacheScope, key: string): string {
  return JSON.stringify([tenant, sessionId, key]);
}
