import { createOwnToolProcess } from "../../engine/tools/own/own-tool-process.ts";
import { OwnToolFiles } from "../../services/daemon/tools/own-tool-files.ts";
import { childCommand } from "../child-command.ts";
import type { Foundation } from "../foundation.ts";
import type { Config } from "../settings/config.ts";

/** Opens the tools in the workspace's own files and loads them once. A process starts only if there are any. */
export async function openOwnTools({
  config,
  clock,
  newId,
  log,
}: Pick<Foundation, "clock" | "newId" | "log"> & {
  config: Pick<Config, "workspace">;
}): Promise<OwnToolFiles> {
  const { workspace } = config;
  const command = childCommand("tool-child");
  const process = createOwnToolProcess({ command, clock, newId, workspace });
  const files = new OwnToolFiles({ workspace, process, clock, log });
  // A failed load is retried at the next look.
  await files.look().catch((thrown) => log.error("tools.look_failed", { err: thrown }));
  return files;
}
