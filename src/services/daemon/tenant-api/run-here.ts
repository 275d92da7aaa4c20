import type { RuntimeClient } from "../../../contracts/runtime/client.ts";
import { RuntimeRun } from "../../../contracts/runtime/runs.ts";
import { invalidPart } from "../../../http/errors/validation-problems.ts";
import { toAppError } from "../../../kit/app-error.ts";
import type { NewId } from "../../../kit/id.ts";
import { schemaChecker } from "../../../kit/json/schema-checker.ts";
import { endedOtherwise } from "./run-ended.ts";
import type { RuntimeDeps } from "./runtime-deps.ts";
import { runTenantAgent } from "./tenant-run.ts";

const checker = schemaChecker(RuntimeRun);

/** Runs agents for control planes of this process as the route does for others. The frames are passed on as they are, not as text. */
export function runsHere(deps: RuntimeDeps, newId: NewId): RuntimeClient["run"] {
  return async function* (name, run) {
    if (!checker.fits(run)) throw invalidPart("The body", checker.faultsOf(run), RuntimeRun);
    const found = await deps.agents.ready(name, run.checksum);
    const frames = runTenantAgent(deps, found, run, { requestId: newId() });
    let hasBegun = false;
    let isOver = false;
    try {
      for (let next = await frames.next(); next.done !== true; next = await frames.next()) {
        hasBegun = true;
        // After the last frame there is nothing to cancel, and readers stop there.
        isOver = next.value.type === "ended";
        yield next.value;
      }
      isOver = true;
    } catch (thrown) {
      isOver = true;
      if (!hasBegun) throw thrown;
      yield endedOtherwise(toAppError(thrown), { usage: [], duration_ms: 0 }, { isStopping: false });
    } finally {
      // A reader that stops early cancels the run.
      if (!isOver) deps.cancels.cancel(run.run_id);
      await frames.return();
    }
  };
}
