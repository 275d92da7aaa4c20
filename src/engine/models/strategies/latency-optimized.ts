import type { Standing, Strategy } from "./strategy.ts";

/** One call in this many is given to the candidate that waited longest, so that the untried and the once slow get a chance. */
const probeEvery = 20;

/** Lowest moving average first, the untried after the measured; now and then the one tried longest ago goes first. */
export const latencyOptimized: Strategy = (candidates, call) => {
  const ranked = candidates.toSorted((a, b) =>
    latencyOf(a) === latencyOf(b) ? 0 : latencyOf(a) - latencyOf(b),
  );
  if (call.number % probeEvery !== probeEvery - 1) return ranked;
  const waiting = ranked.reduce((oldest, candidate) =>
    candidate.triedAtCall < oldest.triedAtCall ? candidate : oldest,
  );
  return [waiting, ...ranked.filter((candidate) => candidate !== waiting)];
};

function latencyOf(candidate: Standing): number {
  return candidate.latencyMs ?? Number.POSITIVE_INFINITY;
}
