import type { Pattern } from "../pattern.ts";
import { toolLoop } from "../tool-loop.ts";

/** Reason and act: calls the model until it answers without calling a tool. */
export const react: Pattern = async function* (run) {
  const end = yield* toolLoop(run, run.main, { speak: true, turnsMax: run.maxIterations });
  return { outcome: end.stop === "answered" ? "answered" : "max_iterations" };
};
