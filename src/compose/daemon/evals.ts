import { daemonClient } from "../../contracts/daemon/client.ts";
import type { FileRuns } from "../../evals/files/file-runs.ts";
import { EvalFiles } from "../../services/daemon/evals/eval-files.ts";
import type { DaemonEvals } from "../../services/daemon/evals/eval-routes.ts";
import { EvalRuns } from "../../services/daemon/evals/eval-runs.ts";
import { createEvalPerformer } from "../../services/daemon/evals/perform-evals.ts";
import type { PinnedRunsDeps } from "../../services/daemon/evals/pinned-runs.ts";
import { childCommand } from "../child-command.ts";
import type { Foundation } from "../foundation.ts";
import { type LocalApp, localAddress } from "../peers.ts";

/** Sets up the evals of the workspace and their runs, which call `app`. */
export function assembleEvals(
  { config, clock, log, random }: Pick<Foundation, "config" | "clock" | "log" | "random">,
  { app, runs, store }: { app: LocalApp; runs: PinnedRunsDeps; store: FileRuns },
): DaemonEvals {
  const client = daemonClient(localAddress(app, "control"));
  const performer = createEvalPerformer({
    client,
    runs,
    config,
    store,
    templateCommand: childCommand("template-child"),
    random,
  });
  return {
    files: new EvalFiles(config.workspace),
    runs: new EvalRuns({ store, performer, clock, log }),
    performer,
    async caseOfTrace(id) {
      const { caseOfTrace } = await import("../../evals/files/add-from-trace.ts");
      return caseOfTrace(client, id);
    },
    agents: () => runs.catalog.list().map(({ name }) => name),
  };
}
