import type { Standing, Strategy } from "./strategy.ts";

/** Every n-th call goes to the candidate that has waited longest, so that untried and formerly slow ones get a chance. */
const probeEvery = 20;

/** Lowest moving average first, untried candidates last. Every `probeEvery` calls, the one tried longest ago goes first. */
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
