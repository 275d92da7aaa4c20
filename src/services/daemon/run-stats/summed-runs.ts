/** Sums over runs, with the duration of each. */
export interface RunSums {
  errors: number;
  inputTokens: number;
  outputTokens: number;
  costMicros: number;
  unpricedCalls: number;
  durations: readonly number[];
}

/** Figures of some runs. */
export interface SummedFigures extends Omit<RunSums, "durations"> {
  runs: number;
  p50Ms: number;
  p95Ms: number;
}

/** Sums of runs by group and bucket. */
export class SummedRuns {
  readonly #groups = new Map<string, Map<number, RunSums[]>>();

  add(key: string, bucket: number, sums: RunSums): void {
    const group = this.#groups.get(key) ?? new Map<number, RunSums[]>();
    this.#groups.set(key, group);
    group.set(bucket, [...(group.get(bucket) ?? []), sums]);
  }

  /** The groups, the one with most runs first, ties in the order of their names. */
  get keys(): string[] {
    const sizes = [...this.#groups].map(([key, group]) => ({
      key,
      runs: [...group.values()].flat().reduce((sum, { durations }) => sum + durations.length, 0),
    }));
    return sizes
      .sort((one, other) => other.runs - one.runs || (one.key < other.key ? -1 : 1))
      .map(({ key }) => key);
  }

  /** Figures of these groups together; undefined without runs. */
  total(keys: readonly string[]): SummedFigures | undefined {
    return figuresOf(keys.flatMap((key) => [...(this.#groups.get(key)?.values() ?? [])].flat()));
  }

  /** Figures of these groups together by bucket, for those with runs, in order. */
  buckets(keys: readonly string[]): [bucket: number, SummedFigures][] {
    const byBucket = new Map<number, RunSums[]>();
    for (const key of keys)
      for (const [bucket, sums] of this.#groups.get(key) ?? [])
        byBucket.set(bucket, [...(byBucket.get(bucket) ?? []), ...sums]);
    return [...byBucket]
      .sort(([one], [other]) => one - other)
      .flatMap(([bucket, sums]) => {
        const figures = figuresOf(sums);
        return figures === undefined ? [] : [[bucket, figures] as [number, SummedFigures]];
      });
  }
}

function figuresOf(all: readonly RunSums[]): SummedFigures | undefined {
  const runs = all.reduce((sum, { durations }) => sum + durations.length, 0);
  if (runs === 0) return undefined;
  const durations = new Float64Array(runs);
  let at = 0;
  for (const sums of all) {
    durations.set(sums.durations, at);
    at += sums.durations.length;
  }
  durations.sort();
  const sumOf = (name: "errors" | "inputTokens" | "outputTokens" | "costMicros" | "unpricedCalls") =>
    all.reduce((sum, one) => sum + one[name], 0);
  // The nearest rank of a share of n runs is the share of n, rounded up.
  const rank = (share: number) => durations[Math.ceil((runs * share) / 100) - 1] ?? 0;
  return {
    runs,
    errors: sumOf("errors"),
    inputTokens: sumOf("inputTokens"),
    outputTokens: sumOf("outputTokens"),
    costMicros: sumOf("costMicros"),
    unpricedCalls: sumOf("unpricedCalls"),
    p50Ms: rank(50),
    p95Ms: rank(95),
  };
}
