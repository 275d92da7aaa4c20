import type { ForEach } from "../../src/retrieval/rag/upkeep/sweep-leftovers.ts";

/** Sweeps every row without counting interruptions. */
export const inTurn: ForEach = async (rows, _keyOf, work) => {
  for (const row of rows) await work(row);
};
