import type { VectorHit } from "./vector-store.ts";

export interface Search {
  limit: number;
  /** Returns true if a row found by the server may be returned: servers apply filters coarsely. */
  passes: (hit: VectorHit) => boolean;
  /** Returns the best `limit` rows by the server's index, possibly fewer than exist. */
  quickly: (limit: number) => Promise<VectorHit[]>;
  /** Returns the best `limit` rows, fewer only if no more exist. Absent: `quickly` is exact. */
  exactly?: ((limit: number) => Promise<VectorHit[]>) | undefined;
}

/** Returns as many hits as requested, or all that pass. If the quick search gives too few, searches further and without the index. */
export async function searchAgain({ limit, passes, quickly, exactly }: Search): Promise<VectorHit[]> {
  for (let asked = limit; ; asked *= 4) {
    let found = await quickly(asked);
    if (found.length < asked && exactly) found = await exactly(asked);
    const passing = found.filter(passes);
    if (passing.length >= limit || found.length < asked) return passing.slice(0, limit);
  }
}
