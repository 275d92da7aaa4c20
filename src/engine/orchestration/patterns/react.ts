import type { Pattern } from "../pattern.ts";
import { toolLoop } from "../tool-loop.ts";

/** Reason and act: calls the model until it answers without calling a tool. */
export const react: Pattern = (run) => toolLoop(run, run.main, { speak: true, turnsMax: run.maxIterations });
