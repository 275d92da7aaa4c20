import { createOwnToolProcess } from "../../engine/tools/own/own-tool-process.ts";
import { OwnToolFiles } from "../../services/daemon/tools/own-tool-files.ts";
import { childCommand } from "../child-command.ts";
import type { Foundation } from "../foundation.ts";
import type { Config } from "../settings/config.ts";

/** Opens the tools in the workspace's own files. A process starts only if there are any, and not before a run needs them unless `startsPrograms`. */
export async function openOwnTools({
  config,
  clock,
  newId,
  log,
  startsPrograms,
}: Pick<Foundation, "clock" | "newId" | "log" | "startsPrograms"> & {
  config: Pick<Config, "workspace" | "programs">;
}): Promise<OwnToolFiles> {
  const { workspace, programs } = config;
  const command = childCommand("tool-child");
  const process = createOwnToolProcess({ command, clock, newId, workspace });
  const files = new OwnToolFiles({
    workspace,
    process,
    clock,
    log,
    refusal: programs.refusal,
    isAwake: startsPrograms,
  });
  // A failed load is retried at the next look.
  await files.look().catch((thrown) => log.error("tools.look_failed", { err: thrown }));
  return files;
}
