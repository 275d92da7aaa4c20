import { createOwnToolProcess } from "../../engine/tools/own/own-tool-process.ts";
import { SkillFiles } from "../../services/daemon/skills/skill-files.ts";
import { OwnToolFiles } from "../../services/daemon/tools/own-tool-files.ts";
import { childCommand } from "../child-command.ts";
import type { Foundation } from "../foundation.ts";
import type { Config } from "../settings/config.ts";

/** What the workspace's own folders offer agents, besides manifests. */
export interface WorkspaceParts {
  ownTools: OwnToolFiles;
  skills: SkillFiles;
}

/** Opens the tools and skills in the workspace's own files. */
export async function openWorkspaceParts(
  foundation: Parameters<typeof openOwnTools>[0],
): Promise<WorkspaceParts> {
  const ownTools = await openOwnTools(foundation);
  const { config, log } = foundation;
  const skills = new SkillFiles({ workspace: config.workspace, programs: ownTools, log });
  skills.look();
  return { ownTools, skills };
}

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
