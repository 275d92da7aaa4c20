import { join } from "node:path";
import { SharedFiles } from "../../../services/daemon/shared-files/shared-files.ts";
import { pausePlace, releasePlace } from "../../../services/daemon/shared-files/state-places.ts";
import { workspacePlace } from "../../../services/daemon/shared-files/workspace-place.ts";
import type { Foundation } from "../../foundation.ts";
import type { DaemonAgents } from "./agents.ts";
import type { DaemonState } from "./state.ts";

type Parts = Pick<Foundation, "config" | "folder" | "sealer" | "clock" | "log" | "startsPrograms">;

/** The files that this node shares with others; undefined without a shared database, and in a command, which serves nothing. */
export async function openSharedFiles(
  { config, folder, sealer, clock, log, startsPrograms }: Parts,
  { state, agents, node }: { state: DaemonState; agents: DaemonAgents; node: string },
): Promise<SharedFiles | undefined> {
  const { storage, paused } = state;
  if (!config.sharesWorkspace || !startsPrograms || sealer === undefined) return undefined;
  const shared = new SharedFiles({
    storage,
    sealer,
    places: [
      workspacePlace(config.workspace, clock),
      pausePlace(paused),
      releasePlace(join(config.dataFolder, "releases")),
    ],
    dataFolder: folder.path,
    node,
    clock,
    log,
    changed: () => agents.look(),
  });
  await shared.look();
  return shared;
}
