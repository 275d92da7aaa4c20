import type { VectorHit } from "./vector-store.ts";

export interface Search {
  limit: number;
  /** Whether a row that the server found is one to return: servers check filters coarsely. */
  passes: (hit: VectorHit) => boolean;
  /** The best `limit` rows by the server's index, perhaps fewer than there are. */
  quickly: (limit: number) => Promise<VectorHit[]>;
  /** The best `limit` rows; fewer only when there are no more. Absent: the quick way is exact. */
  exactly?: ((limit: number) => Promise<VectorHit[]>) | undefined;
}

/** As many hits as asked for, or all that pass: looks further, and without the index, where the quick way gave too few. */
export async function searchAgain({ limit, passes, quickly, exactly }: Search): Promise<VectorHit[]> {
  for (let asked = limit; ; asked *= 4) {
    let found = await quickly(asked);
    if (found.length < asked && exactly) found = await exactly(asked);
    const passing = found.filter(passes);
    if (passing.length >= limit || found.length < asked) return passing.slice(0, limit);
  }
}
