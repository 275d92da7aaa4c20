import { type Static, Type } from "@sinclair/typebox";
import type { ManifestReport } from "../schema/manifest-kind.ts";
import { closed, list, mapping, template, text } from "../schema/schema-vocabulary.ts";
import { skillDescriptionCharsMax, skillNameFault } from "../skill/skill-name.ts";

/** Longest body of a skill, and of one of its references. */
export const skillCharsMax = 262_144;

const inlineSkill = closed(
  {
    name: text(64, { description: "The skill's name: lower-case letters, digits and single hyphens." }),
    description: text(skillDescriptionCharsMax, {
      description: "What it does and when to use it; the model always sees it.",
    }),
    instructions: template({ description: "What the model reads when it uses the skill." }),
    references: mapping(
      Type.String({ maxLength: skillCharsMax, description: "The reference's text." }),
      { description: "Further texts by path, which the model reads by themselves.", default: {} },
      "^[A-Za-z0-9_-][A-Za-z0-9._-]*(/[A-Za-z0-9_-][A-Za-z0-9._-]*)*$",
    ),
  },
  { description: "A skill of texts alone." },
);

export type InlineSkill = Static<typeof inlineSkill>;

/** `spec.skills`: folders of the workspace's `skills/` by name, or skills written here. */
export const skillsSection = list(
  Type.Unsafe<string | InlineSkill>(
    Type.Union([text(64, { description: "A folder of `skills/`." }), inlineSkill], {
      description: "The name of a folder in `skills/`, or a skill of texts alone.",
    }),
  ),
  32,
  {
    description:
      "Skills (agentskills.io). The prompt has their names and descriptions; the model reads the rest with `read_skill`.",
  },
);

export const skillName = (skill: string | InlineSkill): string =>
  typeof skill === "string" ? skill : skill.name;

/** Checks the names, which a schema can't express. */
export function checkSkills(skills: readonly (string | InlineSkill)[], report: ManifestReport): void {
  for (const [index, skill] of skills.entries()) {
    const fault = skillNameFault(skillName(skill));
    const at = ["spec", "skills", index];
    if (fault !== undefined) report(typeof skill === "string" ? at : [...at, "name"], fault);
  }
}
