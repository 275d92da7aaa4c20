import type * as english from "../../cloud/evals.ts";
import { isolated } from "../../isolated.ts";

export const orgEvalTexts: typeof english.orgEvalTexts = {
  lead: (org) =>
    `Pruebas que se puede exigir que superen los agentes de ${isolated(org)} antes de desplegarse.`,
  none: "Una evaluación hace preguntas a un agente y comprueba sus respuestas. El control de publicación en la página de un agente nombra las que debe superar.",
  deleteText: "Sus ejecuciones se conservan. Los agentes que la requieren no se pueden desplegar sin ella.",
  tokens: "Tokens",
  runText:
    "Cada pregunta de un caso es una ejecución del agente. Cuenta para el límite diario y usa las claves de proveedores de la organización.",
  budgetHint:
    "No se inicia otro caso cuando se han usado estos tokens. Déjalo vacío para no fijar un presupuesto.",
  gate: "Control de publicación",
  noGate: "Las versiones nuevas y cambiadas se despliegan sin una evaluación.",
  noGateManager:
    "Define las evaluaciones que debe superar una versión nueva o cambiada antes de desplegarse.",
  setGate: "Definir control",
  changeGate: "Cambiar control",
  accepted: "El agente, tal como está, cumple su control.",
  refused: "El agente, tal como está, todavía no cumple su control.",
  met: "cumplida",
  unmet: "no cumplida",
  showRun: "Mostrar la ejecución",
  showRunOf: (name) => `Mostrar la ejecución de ${isolated(name)}`,
  gateRefuses: "El control de publicación rechaza esta versión",
  gateReasons:
    "“Control de publicación”, en esta página, tiene los motivos. Ejecuta sus evaluaciones y despliega de nuevo.",
  least: (score) => `al menos ${score}`,
  noRegressions: "sin retrocesos",
  runEvals: "Ejecutar sus evaluaciones",
  gateTitle: (agent) => `Control de publicación de ${isolated(agent)}`,
  gateHint:
    "Cada evaluación debe haber preguntado a la versión y alcanzado su puntuación. Solo los propietarios y administradores pueden cambiar u omitir este control.",
  eval: "Evaluación",
  score: "Tasa de éxito mínima, en %",
  scoreHint: "100 exige todos los casos.",
  regressions: "Rechazar retrocesos",
  regressionsHint: "Un caso que superó la última versión desplegada debe superarse de nuevo.",
  add: "Agregar evaluación",
  drop: (name) => `Quitar ${name === "" ? "la fila vacía" : isolated(name)}`,
  noEvals: "Guarda primero una evaluación.",
  toEvals: "Evaluaciones",
  saveGate: "Guardar control",
  gateSaved: "Se guardó el control.",
  override: "Desplegar de todos modos",
  overrideTitle: (agent) => `Desplegar ${isolated(agent)} sin su control`,
  overrideText: "El registro de auditoría guarda el motivo y lo que el control objetó a esta versión.",
  reason: "Motivo",
};
