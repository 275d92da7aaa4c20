import type { Strategy } from "./strategy.ts";

/** Each call starts with the next candidate; the others follow in order. */
export const roundRobin: Strategy = (candidates, call) => {
  const first = call.number % candidates.length;
  return [...candidates.slice(first), ...candidates.slice(0, first)];
};
