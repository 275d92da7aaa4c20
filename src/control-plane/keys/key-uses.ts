import { and, eq, isNull, lt, or } from "drizzle-orm";
import type { AnyPgColumn, PgTable } from "drizzle-orm/pg-core";
import { type Clock, sleep } from "../../kit/clock.ts";
import { roundMaxMs, type Worker } from "../../kit/worker.ts";
import type { Storage } from "../../storage/storage.ts";

/** Tables of a service with API keys, which are found by their digest. */
export interface KeyTables {
  apiKeys: PgTable & { hash: AnyPgColumn; lastUsedAt: AnyPgColumn };
}

/** Last uses of keys. Requests record them in memory, and a worker writes them together. */
export class KeyUses {
  readonly #clock: Clock;
  readonly #latest = new Map<string, Date>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Records a use now, in memory only. */
  note(hash: string): void {
    this.#latest.set(hash, this.#clock.now());
  }

  /** Writes the uses since the last write. If a write fails, keeps them for the next one, except those replaced by newer uses. */
  async write({ transact, tables: { apiKeys } }: Storage<KeyTables>): Promise<void> {
    const uses = [...this.#latest].sort(([one], [other]) => (one < other ? -1 : 1));
    if (uses.length === 0) return;
    this.#latest.clear();
    try {
      await transact(
        async (tx) => {
          for (const [hash, usedAt] of uses) {
            // Another process may have written a later use.
            const isNews = or(isNull(apiKeys.lastUsedAt), lt(apiKeys.lastUsedAt, usedAt));
            await tx
              .update(apiKeys)
              .set({ lastUsedAt: usedAt } as never)
              .where(and(eq(apiKeys.hash, hash), isNews));
          }
        },
        { isolation: "read committed" },
      );
    } catch (thrown) {
      for (const [hash, usedAt] of uses) if (!this.#latest.has(hash)) this.#latest.set(hash, usedAt);
      throw thrown;
    }
  }
}

const everyMs = 3_000;

/** Worker that writes the last uses of keys every three seconds, each key once, and once more at the end. */
export function keyUseWriter({
  storage,
  clock,
  keyUses,
}: {
  storage: Storage<KeyTables>;
  clock: Clock;
  keyUses: KeyUses;
}): Worker {
  return {
    name: "key-uses",
    silenceMaxMs: everyMs + roundMaxMs,
    async run(signal, beat) {
      while (!signal.aborted) {
        await sleep(clock, everyMs, signal).catch(() => undefined);
        await keyUses.write(storage);
        beat?.();
      }
    },
  };
}
