import { and, eq, isNull, lt, or } from "drizzle-orm";
import type { Clock } from "../../../kit/clock.ts";
import type { Storage } from "../../../storage/storage.ts";
import type { PlatformTables } from "../tables.ts";

/** When keys were last used: noted in memory by requests, written together by a worker. */
export class KeyUses {
  readonly #clock: Clock;
  readonly #latest = new Map<string, Date>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Notes a use now; costs a request nothing but this. */
  note(hash: string): void {
    this.#latest.set(hash, this.#clock.now());
  }

  /** Writes what was noted since the last time; what can't be written is kept for the next, unless it was noted anew. */
  async write({ transact, tables: { apiKeys } }: Storage<PlatformTables>): Promise<void> {
    const uses = [...this.#latest].sort(([one], [other]) => (one < other ? -1 : 1));
    if (uses.length === 0) return;
    this.#latest.clear();
    try {
      await transact(
        async (tx) => {
          for (const [hash, usedAt] of uses) {
            // Another process may have seen a later use.
            const isNews = or(isNull(apiKeys.lastUsedAt), lt(apiKeys.lastUsedAt, usedAt));
            await tx
              .update(apiKeys)
              .set({ lastUsedAt: usedAt })
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
