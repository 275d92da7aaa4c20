import type { Pattern } from "../pattern.ts";
import { parallelFanOut } from "./parallel-fan-out.ts";
import { pipeline } from "./pipeline.ts";
import { planAndExecute } from "./plan-and-execute.ts";
import { react } from "./react.ts";
import { supervisor } from "./supervisor.ts";
import { swarm } from "./swarm.ts";

/** Every orchestration pattern by its name in `spec.orchestration.pattern`. */
export const patterns: ReadonlyMap<string, Pattern> = new Map([
  ["react", react],
  ["plan_and_execute", planAndExecute],
  ["parallel_fan_out", parallelFanOut],
  ["pipeline", pipeline],
  ["supervisor", supervisor],
  ["swarm", swarm],
]);
