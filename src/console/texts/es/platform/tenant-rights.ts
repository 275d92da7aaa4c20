import type * as english from "../../platform/tenant-rights.ts";

export const rightTexts: typeof english.rightTexts = {
  purposes: {
    agents: "cambiar o ejecutar agentes",
    approvals: "decidir aprobaciones",
    connections: "cambiar conexiones",
    documents: "cambiar documentos o buscar en ellos",
    keys: "crear o revocar claves",
    members: "invitar o cambiar miembros",
    runs: "ejecutar agentes",
    webhooks: "cambiar webhooks",
  },
  reason: ({ purpose, needed, own }) =>
    `Para ${purpose} necesitas el rol ${needed} o uno superior. Tu rol en este cliente es ${own}. Los propietarios y administradores pueden cambiarlo.`,
  title: "Tu rol no es suficiente",
};
