import type * as english from "../../studio/skills.ts";

export const skillTexts: typeof english.skillTexts = {
  title: "Habilidades",
  lead: "Instrucciones que los agentes leen cuando una tarea las necesita. Cada carpeta de skills/ tiene un SKILL.md.",
  none: "El espacio de trabajo no tiene habilidades. Pon un SKILL.md en skills/<nombre>/.",
  refresh: "Actualizar",
  name: "Habilidad",
  description: "Descripción",
  agents: "Agentes",
  noAgents: "Ninguno",
  files: "Archivos",
  filesOf: (references, scripts) =>
    `${references === 1 ? "1 referencia" : `${references} referencias`}, ${scripts === 1 ? "1 programa" : `${scripts} programas`}`,
  cantBeUsed: (file) => `No se puede usar ${file}`,
};
