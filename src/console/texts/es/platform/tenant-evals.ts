import { isolated } from "../../isolated.ts";
import type * as english from "../../platform/tenant-evals.ts";

export const tenantEvalTexts: typeof english.tenantEvalTexts = {
  lead: (tenant) =>
    `Pruebas que se puede exigir que superen las versiones nuevas de los agentes de ${isolated(tenant)}.`,
  none: "Una evaluación hace preguntas a un agente y comprueba sus respuestas. Con spec.release.requires, un agente publica solo las versiones que la superan.",
  deleteText: "Sus ejecuciones se conservan. Las versiones que la requieren no se pueden publicar sin ella.",
  numbered: (version) => `versión ${version}`,
  candidate: (checksum) => `sin publicar (${checksum.slice(0, 8)})`,
  credits: "Créditos",
  runText:
    "Cada pregunta de un caso es una ejecución del agente. Cuenta para los límites del cliente y se cobra.",
  manifest: "Manifiesto",
  manifestHint:
    "Pregunta a esta versión, que no está publicada. Déjalo vacío para preguntar a la versión actual.",
  budgetHint:
    "No se inicia otro caso cuando se han cobrado estos créditos. Déjalo vacío para no fijar un presupuesto.",
  gateTitle: "El control de publicación rechaza esta versión",
  gateText: "Ejecuta con este manifiesto las evaluaciones que requiere y guarda de nuevo.",
  askGate: "Ejecutar sus evaluaciones",
};
