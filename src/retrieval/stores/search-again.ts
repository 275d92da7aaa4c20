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

/** The last search looks at 65,536 times the limit. */
const roundsMax = 9;

/** Returns as many hits as requested, or all that pass. If the quick search gives too few, searches further and without the index. */
export async function searchAgain({ limit, passes, quickly, exactly }: Search): Promise<VectorHit[]> {
  for (let round = 1, wanted = limit; ; round++, wanted *= 4) {
    let hits = await quickly(wanted);
    if (hits.length < wanted && exactly) hits = await exactly(wanted);
    const passing = hits.filter(passes);
    if (passing.length >= limit || hits.length < wanted || round === roundsMax)
      return passing.slice(0, limit);
  }
}
