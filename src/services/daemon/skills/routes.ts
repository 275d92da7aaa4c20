import { Elysia } from "elysia";
import { SkillList, type SkillSummary } from "../../../contracts/daemon/skills.ts";
import { jsonRoutes } from "../../../http/route-plugins.ts";
import type { AgentCatalog } from "../agents/agent-catalog.ts";
import type { SkillFiles, SkillFolder } from "./skill-files.ts";

export interface SkillDeps {
  catalog: AgentCatalog;
  skills: SkillFiles;
}

/** Skills in the workspace's `skills/` folder, with their faults. */
export const skillRoutes = ({ catalog, skills }: SkillDeps) =>
  new Elysia()
    .use(jsonRoutes())
    .get("/v1/skills", async () => ({ skills: skills.list().map((one) => presentSkill(catalog, one)) }), {
      response: SkillList,
      detail: { tags: ["tools"], operationId: "listSkills", summary: "Lists the skills of the workspace" },
    });

function presentSkill(
  catalog: AgentCatalog,
  { name, file, skill, about, problems }: SkillFolder,
): SkillSummary {
  const { license, compatibility, allowedTools } = about ?? {};
  return {
    name,
    file,
    description: skill?.description ?? "",
    references: [...(skill?.references ?? [])],
    scripts: [...(skill?.scripts ?? [])],
    agents: catalog
      .list()
      .filter(({ manifest }) => manifest?.spec.skills?.includes(name))
      .map((entry) => entry.name),
    ...(license !== undefined && { license }),
    ...(compatibility !== undefined && { compatibility }),
    ...(allowedTools !== undefined && { allowed_tools: allowedTools }),
    ...(problems.length > 0 && { problems: [...problems] }),
  };
}
