import { type Static, Type } from "@sinclair/typebox";

export const SkillSummary = Type.Object({
  name: Type.String({ description: "Name of its folder in `skills/`." }),
  file: Type.String({ description: "Its SKILL.md, relative to the workspace." }),
  description: Type.String(),
  references: Type.Array(Type.String()),
  scripts: Type.Array(Type.String()),
  agents: Type.Array(Type.String(), { description: "Agents that have it." }),
  license: Type.Optional(Type.String()),
  compatibility: Type.Optional(Type.String()),
  allowed_tools: Type.Optional(
    Type.String({ description: "Tools that its author expects. It grants nothing." }),
  ),
  problems: Type.Optional(
    Type.Array(
      Type.Object({
        path: Type.String(),
        message: Type.String(),
        line: Type.Optional(Type.Integer()),
        column: Type.Optional(Type.Integer()),
      }),
      { description: "Reasons why it can't be used." },
    ),
  ),
});
export type SkillSummary = Static<typeof SkillSummary>;

export const SkillList = Type.Object({ skills: Type.Array(SkillSummary) });
export type SkillList = Static<typeof SkillList>;
