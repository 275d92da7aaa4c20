import { isolated } from "../../isolated.ts";
import type * as english from "../../platform/tenant-runs.ts";

export const invocationTexts: typeof english.invocationTexts = {
  title: (agent) => `Ejecución de ${agent}`,
  run: "Ejecución",
  up: (agent) => `Ejecuciones de ${agent}`,
  list: (agent) => `Ejecuciones de ${agent}`,
  none: "Todavía no hay ejecuciones. Haz una pregunta al agente y la ejecución aparecerá aquí.",
  noneLike: "No hay ejecuciones con este origen.",
  continueSession: "Continuar la sesión",
  startedAt: "Inicio",
  endedAt: "Fin",
  statusHead: "Estado",
  question: "Pregunta",
  answer: "Respuesta",
  error: "Error",
  session: "Sesión",
  duration: "Duración",
  tokens: "Tokens",
  tokensIn: "Tokens de entrada",
  tokensOut: "Tokens de salida",
  credits: "Créditos",
  unpriced: "sin tarifa",
  unpricedNote: "un modelo no tiene tarifa, así que sus tokens fueron gratuitos",
  estimated: "contados por la plataforma",
  version: "Versión",
  subscription: "Se cobra a",
  basePlan: "el plan del cliente",
  notYet: "todavía no",
  stands: "Representa",
  rejections: (count) => `${count} rechazos idénticos en un segundo`,
  facts: "Sobre esta ejecución",
  byModel: "Por modelo",
  noModel: "No se llamó a ningún modelo.",
  wentWrong: "Error",
  waits: "Una llamada a una herramienta espera aprobación.",
  toApprovals: "Abrir aprobaciones",
  steps: "Pasos",
  noSteps: "Los pasos de esta ejecución no se conservan. Las trazas se eliminan después de unos días.",
  noExchange:
    "La pregunta y la respuesta no se guardaron. Para guardarlas, envía trace_content con la solicitud, o define observability.record en el agente.",
};

export const runErrorTexts: typeof english.runErrorTexts = {
  other:
    "Inténtalo de nuevo. Si vuelve a fallar, envía el id de la ejecución a tu operador. Una ejecución fallida solo se cobra por lo que ya había enviado o hecho.",
  advice: {
    credit_budget_exhausted:
      "Los créditos que quedan este mes no alcanzan para esta ejecución. Espera al próximo mes, o pide otro plan a tu operador.",
    subscription_credit_budget_exhausted:
      "Los créditos que le quedan a la suscripción este mes no alcanzan para esta ejecución. Espera al próximo mes, o pide otro plan a tu operador.",
    subscription_inactive: "La suscripción del agente terminó. Elige otra en la página del agente.",
    concurrency_exceeded:
      "Se llegó al límite de ejecuciones simultáneas del plan. Espera a que termine una, o pide otro plan a tu operador.",
    rate_limited:
      "Se llegó al límite de ejecuciones por minuto del plan. Espera un minuto, o pide otro plan a tu operador.",
    cancel_limit:
      "Se llegó al límite de ejecuciones canceladas de este mes. Deja que las ejecuciones terminen, o pregunta a tu operador.",
    agent_not_found: "El agente se eliminó. Elige otro agente.",
    guardrail_blocked:
      "Una barrera de protección del agente bloqueó la ejecución. Reformula la pregunta, o cambia la barrera.",
    runtime_failed: "Inténtalo de nuevo. Si vuelve a fallar, revisa el modelo y las herramientas del agente.",
    runtime_unreachable:
      "No se puede llegar al motor de agentes. La ejecución no se cobró. Inténtalo de nuevo en un momento.",
    agent_not_loaded: "No se pudo cargar el agente. Abre su manifiesto y guárdalo para ver el error.",
    run_unrecorded: "La ejecución no se pudo registrar y no empezó. Inténtalo de nuevo en un momento.",
    limits_unresolved:
      "No se pudieron leer los límites del plan, así que la ejecución no empezó. Inténtalo de nuevo en un momento.",
    run_timeout: "La ejecución superó el límite de tiempo y no se cobró. Haz una pregunta más breve.",
    run_cancelled: "La ejecución se detuvo y no se cobró.",
    interrupted: "El servidor se detuvo durante la ejecución. No se cobró. Pregunta de nuevo.",
    approval_expired: "La aprobación venció después de 24 horas. Pregunta de nuevo.",
    no_provider_available:
      "No hay ningún modelo disponible en este momento. Inténtalo de nuevo, o agrega un modelo de respaldo al agente.",
    provider_failed: "Falló el proveedor del modelo. Inténtalo de nuevo en un momento.",
    context_length_exceeded:
      "La conversación es demasiado larga para el modelo. Empieza una conversación nueva.",
    max_iterations:
      "El agente llegó a su límite de llamadas al modelo. Haz una pregunta más breve, o aclara su prompt.",
  },
};

export const runTexts: typeof english.runTexts = {
  title: (agent) => `Preguntar a ${agent}`,
  lead: "Cada pregunta es una ejecución. Las ejecuciones terminadas se cobran en créditos.",
  restart: "Nueva conversación",
  empty: "Haz una pregunta. La respuesta, sus llamadas a herramientas y su costo aparecen aquí.",
  emptySession: "No se muestran los mensajes anteriores de esta sesión. El agente puede recordarlos.",
  query: "Pregunta",
  keys: "Ctrl+Intro envía, Escape detiene.",
  ask: "Preguntar",
  stop: "Detener",
  stopped: "Detenido. La ejecución no se cobra.",
  failed: "La ejecución falló",
  notAccepted: "No se aceptó la decisión",
  taken: (code) =>
    code.endsWith("_expired")
      ? "Esta llamada venció antes de la decisión. No se llevó a cabo."
      : approvalTexts.decidedElsewhere,
  retryAfter: (seconds) => `Inténtalo de nuevo en ${seconds} s.`,
  decideFirst: "Aprueba o rechaza primero la llamada de arriba.",
  sessionAndContext: "Sesión y contexto",
  session: "Sesión",
  newSession: "Déjalo vacío para empezar una conversación nueva.",
  sessionHint: "Las preguntas continúan esta conversación.",
  context: "Contexto",
  contextHint: "Opcional. Un objeto JSON para el prompt del agente.",
  unpriced: "No se cobra: el modelo no tiene tarifa",
  credits: (credits) => `${credits} créditos`,
  tokens: (input, output) => `${input} tokens de entrada, ${output} de salida`,
  firstToken: (time) => `primera palabra a los ${time}`,
  invocation: "Abrir la ejecución",
  phases: {
    running: "La ejecución está en curso.",
    waiting: "La ejecución espera una decisión.",
    done: "La respuesta está completa.",
    failed: "La ejecución falló.",
    stopped: "La ejecución se detuvo.",
    taken: "Otra persona decidió sobre la llamada, o venció.",
  },
};

export const approvalTexts: typeof english.approvalTexts = {
  title: "Aprobaciones",
  lead: (tenant) => `Llamadas a herramientas de los agentes de ${isolated(tenant)} que necesitan aprobación.`,
  filter: "Mostrar",
  refresh: "Actualizar",
  status: { pending: "En espera", approved: "Aprobada", rejected: "Rechazada", expired: "Vencida" },
  none: {
    pending:
      "No hay aprobaciones pendientes. Aquí aparecen las llamadas de herramientas con requires_approval.",
    approved: "No hay llamadas aprobadas.",
    rejected: "No hay llamadas rechazadas.",
    expired: "No hay llamadas vencidas.",
  },
  wants: (agent, tool) => `${agent} quiere llamar a ${tool}`,
  unnamedTool: "una herramienta",
  input: "Entrada de la herramienta",
  inputOf: (run) => `Entrada de la herramienta en la ejecución ${run}`,
  noInput: "La entrada de la herramienta ya no está disponible.",
  run: "Ejecución",
  via: "Por medio de",
  since: "Espera desde",
  until: "Hasta",
  decidedAt: "Decidida",
  decidedBy: "Por",
  comment: "Nota",
  resuming: "La ejecución se reanuda…",
  decidedElsewhere: "Esta llamada ya se había decidido. Mira la ejecución para ver su resultado.",
  decidedAs: {
    ok: "Decidida. La ejecución terminó.",
    awaiting_approval: "Decidida. La ejecución espera otra decisión.",
    in_progress: "Decidida. La ejecución está en curso.",
  },
};

export const usageTexts: typeof english.usageTexts = {
  title: "Uso",
  lead: (tenant) => `Uso de los agentes de ${isolated(tenant)}, por mes (UTC).`,
  none: "No hay ejecuciones en este mes.",
  granted: (credits) => `Quedan ${credits} de los créditos otorgados.`,
  planCredits: "Créditos del plan",
  capped: (used, cap, share) => `${used} de ${cap} créditos usados (${share}).`,
  uncapped: (used) => `${used} créditos usados. El plan no tiene límite.`,
  held: (credits) => `Las ejecuciones en curso reservan ${credits} más.`,
  meter: {
    near: "Se usó la mayor parte de los créditos del mes. Tu operador puede darte otro plan.",
    full: "Los créditos del mes se agotaron. Las ejecuciones se rechazan hasta el próximo mes, o hasta que tengas otro plan.",
  },
  credits: "Créditos",
  runs: "Ejecuciones",
  tokens: "Tokens",
  inOut: (input, output) => `${input} de entrada, ${output} de salida`,
  byStatus: "Ejecuciones por estado",
  byAgent: "Por agente",
  agent: "Agente",
  allTime: "Créditos, desde el inicio",
  deleted: "eliminado",
  byDay: "Por día",
  day: "Día",
  chartOf: "Gráfico de",
  measures: { credits: "Créditos", runs: "Ejecuciones", tokens: "Tokens" },
  split: "Dividir por",
  splits: { agent: "Agente", model: "Modelo" },
  others: "Otros",
  asTable: "Mostrar como tabla",
  total: "Total",
};
