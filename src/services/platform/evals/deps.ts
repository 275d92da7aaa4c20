import type { RuntimeClient } from "../../../contracts/runtime/client.ts";
import type { RunDeps } from "../runs/deps.ts";
import type { EvalWork } from "./eval-work.ts";

/** Dependencies of evals and their runs. */
export interface EvalDeps extends RunDeps {
  runtime: Pick<RuntimeClient, "run" | "decide" | "cancel" | "check" | "register" | "deregister">;
  evalWork: EvalWork;
}
