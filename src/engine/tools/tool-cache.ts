import type { Clock } from "../../kit/clock.ts";

/** What `cache_store` keeps its values in; a scope is one session of one agent. */
export interface ToolCache {
  get(scope: string, key: string): Promise<unknown>;
  set(scope: string, key: string, value: unknown): Promise<void>;
  /** Whether there was something to delete. */
  delete(scope: string, key: string): Promise<boolean>;
}

export interface MemoryCacheLimits {
  /** What all values together may hold, in characters of JSON; the least recently used go first. */
  charsMax: number;
  /** How long a value is kept after it was last set. */
  ttlMs: number;
}

const limitsDefault: MemoryCacheLimits = { charsMax: 16 * 1024 * 1024, ttlMs: 24 * 60 * 60 * 1000 };

interface Entry {
  json: string;
  expiresAtMs: number;
}

/** A cache in this process's memory: bounded, and empty after a restart. */
export function createMemoryCache(clock: Clock, limits: MemoryCacheLimits = limitsDefault): ToolCache {
  /** The least recently used first. */
  const entries = new Map<string, Entry>();
  let chars = 0;

  const idOf = (scope: string, key: string) => JSON.stringify([scope, key]);
  const weigh = (id: string, entry: Entry) => id.length + entry.json.length;
  const remove = (id: string): Entry | undefined => {
    const entry = entries.get(id);
    if (entry === undefined) return undefined;
    entries.delete(id);
    chars -= weigh(id, entry);
    return entry.expiresAtMs > clock.monotonicMs() ? entry : undefined;
  };
  const put = (id: string, entry: Entry) => {
    entries.set(id, entry);
    chars += weigh(id, entry);
    for (const oldest of entries.keys()) {
      if (chars <= limits.charsMax) break;
      remove(oldest);
    }
  };

  return {
    async get(scope, key) {
      const id = idOf(scope, key);
      const entry = remove(id);
      if (entry === undefined) return undefined;
      put(id, entry);
      return JSON.parse(entry.json);
    },
    async set(scope, key, value) {
      const id = idOf(scope, key);
      remove(id);
      put(id, { json: JSON.stringify(value), expiresAtMs: clock.monotonicMs() + limits.ttlMs });
    },
    delete: async (scope, key) => remove(idOf(scope, key)) !== undefined,
  };
}
