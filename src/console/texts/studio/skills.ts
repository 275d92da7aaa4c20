/** Texts of the page of skills. */
export const skillTexts = {
  title: "Skills",
  lead: "Instructions that agents read when a task needs them. Each folder of skills/ has a SKILL.md.",
  none: "The workspace has no skills. Put a SKILL.md into skills/<name>/.",
  refresh: "Refresh",
  name: "Skill",
  description: "Description",
  agents: "Agents",
  noAgents: "None",
  files: "Files",
  filesOf: (references: number, scripts: number) =>
    `${references === 1 ? "1 reference" : `${references} references`}, ${scripts === 1 ? "1 script" : `${scripts} scripts`}`,
  cantBeUsed: (file: string) => `${file} can't be used`,
};
