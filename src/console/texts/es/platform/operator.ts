import { isolated } from "../../isolated.ts";
import type * as english from "../../platform/operator.ts";

const ratings = { up: "Buena respuesta", down: "Mala respuesta" };

export const invocationTexts: typeof english.invocationTexts = {
  status: {
    in_progress: "En curso",
    awaiting_approval: "Espera aprobación",
    ok: "OK",
    error: "Error",
    timeout: "Tiempo agotado",
    cancelled: "Cancelada",
    rejected: "Rechazada",
    interrupted: "Interrumpida",
  },
  pricing: { priced: "con precio", unpriced: "sin tarifa" },
};

export const modelUsageTexts: typeof english.modelUsageTexts = {
  label: "Tokens por modelo",
  model: "Modelo",
  role: "Rol",
  tokensIn: "Entrada",
  cached: "En caché",
  tokensOut: "Salida",
};

export const operatorTexts: typeof english.operatorTexts = {
  overview: "Resumen",
  overviewLead: "Ejecuciones, clientes y tareas abiertas de este mes.",
  runs: "Ejecuciones",
  tokens: "Tokens",
  tokensNote: (input, output) => `${input} de entrada, ${output} de salida`,
  credits: "Créditos cobrados",
  creditsShort: "Créditos",
  providerCost: "Costo de proveedores",
  unknownNote: (runs) =>
    `desconocido en ${runs === 1 ? "1 ejecución" : `${runs} ejecuciones`}: agrega precios a providers.yaml o una tarifa`,
  infraCost: "Máquinas",
  margin: "Margen",
  marginNote: "ingresos menos costos",
  revenue: "Ingresos",
  revenueNote: "cobrados, los meses abiertos hasta hoy",
  anyTenant: "Cualquier cliente",
  chooseTenant: "Nombre, código o id",
  noTenantFound: "Ningún cliente coincide.",
  overrun: "Exceso",
  overrunNote: "usados por encima de los créditos reservados, no cobrados",
  byStatus: "Ejecuciones por estado",
  share: "Proporción",
  byModel: "Modelos",
  tenants: "Clientes por uso",
  attention: "Requiere atención",
  noAttention:
    "No hay tareas abiertas. Todos los meses cerrados están facturados y todos los modelos tienen precio.",
  overdue: (count, isMore) =>
    count === 1
      ? "1 período de facturación está atrasado"
      : `${isMore ? "Más de " : ""}${count} períodos de facturación están atrasados`,
  uninvoiced: (count, isMore) =>
    count === 1 && !isMore
      ? "1 mes cerrado con cargos no está marcado como facturado"
      : `${isMore ? "Al menos " : ""}${count} meses cerrados con cargos no están marcados como facturados`,
  unpriced: (count) => (count === 1 ? "1 modelo no tiene tarifa" : `${count} modelos no tienen tarifa`),
  failing: (count) =>
    count === 1 ? "1 agente falla con frecuencia" : `${count} agentes fallan con frecuencia`,
  noRuns: "No hay ejecuciones en este mes.",
  model: "Modelo",
  tenant: "Cliente",
  status: "Estado",
  deleted: "eliminado",
  active: "activo",

  allTenants: "Todos los clientes",
  allTenantsLead: "Todos los clientes con su uso de este mes.",
  noTenants: "Todavía no hay clientes. Las personas los crean después de registrarse.",
  plan: "Plan",
  agents: "Agentes",
  owner: "Propietario",
  ofCap: (percent) => `${percent} del tope`,
  noCap: "sin tope",
  created: "Creado",
  running: "En curso ahora",
  month: "Este mes",
  allTime: "Desde el inicio",
  subscriptions: "Suscripciones",
  noSubscriptions: "Ninguna.",
  statement: "Estado de cuenta",
  invocations: "Ejecuciones",
  changePlan: "Cambiar plan",
  changePlanHint: "Los límites nuevos valen desde la próxima ejecución, la cuota nueva desde hoy.",
  planChanged: "Plan cambiado.",
  asTenant: "Ver como cliente",
  facts: "Datos",
  code: "Código",

  agentHealth: "Salud de los agentes",
  agentHealthLead:
    "Tasas de error de todos los agentes. Son errores las ejecuciones que fallaron, agotaron el tiempo o se interrumpieron.",
  noAgents: "Ningún agente se ejecutó en este mes.",
  agent: "Agente",
  errorRate: "Errores",
  lastRun: "Última ejecución",

  invocationsLead: "Todas las ejecuciones de todos los clientes, con cargos y costos.",
  noInvocations: "Ninguna ejecución coincide. Elige otro mes o quita un filtro.",
  noInvocationsYet: "En este mes no se ejecutó ningún agente de los clientes.",
  anyStatus: "Cualquier estado",
  anyPricing: "Con o sin precio",
  tenantId: "Id del cliente",
  started: "Inicio",
  question: "Pregunta",
  answer: "Respuesta",
  duration: "Duración",
  cost: "Costo",
  invocation: "Ejecución",
  session: "Sesión",
  version: "Versión",
  held: "Reservado",
  heldNote: (tokens) => `hasta ${tokens} tokens`,
  trace: "Traza",
  logLines: "Líneas del registro",
  runsOfAgent: "Ejecuciones del agente",
  feedback: "Valoración",
  verdict: ({ rating, label, note }) =>
    [rating === undefined ? undefined : ratings[rating], label, note]
      .filter((part) => part !== undefined)
      .map(isolated)
      .join(" · "),
  channelFeedback: "Valoración desde un canal",
  channelVerdict: ({ rating, emoji, channel }) => `${ratings[rating]}: ${isolated(emoji)} en ${channel}`,
  period: "Mes",
  subscription: "Suscripción",
  estimated: "Tokens contados por Argosy",
  yes: "sí",
  no: "no",
  usedOf: "Uso por modelo",
  cached: "En caché",
  notPriced: "sin tarifa",
  error: "Error",
  standsFor: (count) => `representa ${count} ejecuciones idénticas en un segundo`,

  periods: "Períodos de facturación",
  periodsLead:
    "Meses de clientes y suscripciones. Cada uno se cierra automáticamente dos días después de terminar. Después puedes marcarlo como facturado.",
  noPeriods: "Ningún período tiene este estado.",
  noPeriodsYet: "Todavía no se cerró ningún mes. Cada mes de un cliente aparece aquí cuando termina.",
  overdueTitle: "Atrasados",
  overdueMore: "Hay más. `argosy platform periods overdue` los muestra todos.",
  due: "Vence",
  periodStatus: { open: "Abierto", closed: "Cerrado", facturado: "Facturado" },
  anyPeriodStatus: "Cualquier estado",
  closedAt: "Cierre",
  invoicedAt: "Facturado",
  basePlan: "plan base",
  markInvoiced: "Marcar como facturado",
  markTitle: "¿Marcar como facturado?",
  markText: (amount) => `Confirma que se envió la factura de ${amount}. Esto no se puede deshacer.`,
  marked: (tenant, month) => `${month} de ${isolated(tenant)} está marcado como facturado.`,

  statementTitle: (month) => `Estado de cuenta de ${month}`,
  provisional: "Provisional: el mes, o un período suyo, todavía está abierto.",
  final: "Definitivo",
  print: "Imprimir",
  csv: "Descargar CSV",
  noCharges: "No hay cargos en este mes.",
  charge: "Cargo",
  charges: "Cargos en dólares estadounidenses",
  currency: "Dólares estadounidenses",
  creditsByPlan: "Créditos por plan",
  quantity: "Cantidad",
  unitPrice: "Precio unitario",
  amount: "Importe",
  total: "Total",
  chargeTypes: {
    cuota: "Cuota",
    activacion: "Activación",
    excedente_unidad: "Unidades adicionales",
    creditos_extra: "Créditos adicionales",
    recarga: "Recarga",
    ajuste: "Ajuste",
  },
  creditsUsed: "Créditos usados",
  creditsIncluded: "Incluidos",
  creditsGranted: "Otorgados",
  creditsExtra: "Adicionales",

  margins: "Márgenes",
  marginsByTenant: "Márgenes por cliente",
  marginsLead: "Ingresos cobrados a cada cliente, menos los costos de proveedores y máquinas.",
};

export const linkTexts: typeof english.linkTexts = {
  mailed: (email) =>
    `Va en camino a ${isolated(email)} por correo. Cópialo solo si el correo no llega. Sirve una sola vez, durante 24 horas.`,
};

export const resetTexts: typeof english.resetTexts = {
  open: "Restablecer contraseña",
  title: "¿Restablecer la contraseña?",
  text: (email) =>
    `Cierra las sesiones de ${isolated(email)} en todas partes. La contraseña deja de funcionar; con un enlace, la persona elige otra. Las claves de API siguen funcionando. Queda en el registro de auditoría.`,
  action: "Restablecer contraseña",
  doneTitle: "Enlace para una contraseña nueva",
  onceTitle: "Este enlace se muestra una sola vez",
  once: (email) => `Envíalo a ${isolated(email)}. Sirve una sola vez, durante 24 horas.`,
  secret: "Enlace",
  copy: "Copiar enlace",
  kept: "Ya lo copié",
};

export const peopleTexts: typeof english.peopleTexts = {
  title: "Personas",
  lead: "Ayuda a quienes no pueden iniciar sesión, y confirma las direcciones de correo que solicitan.",
  resetFor: "Restablecer una contraseña",
  email: "Dirección de correo de la cuenta",
  next: "Continuar",
  changes: "Direcciones de correo solicitadas",
  noneTitle: "No hay solicitudes",
  none: "Las personas solicitan otra dirección de correo en la página de su cuenta. Tú envías el enlace que la confirma.",
  present: "Cuenta",
  wanted: "Dirección nueva",
  expires: "Vence",
  actions: "Acciones",
  link: "Crear enlace",
  linkTitle: (email) => `Crear un enlace para ${isolated(email)}`,
  linkText: (email) =>
    `Envía el enlace a ${isolated(email)} y a nadie más: quien lea ese buzón puede confirmar la dirección.`,
  linkAction: "Crear enlace",
  doneTitle: "Enlace para una dirección de correo",
  onceTitle: "Este enlace se muestra una sola vez",
  once: (email) => `Envíalo a ${isolated(email)}. Sirve una sola vez, durante 24 horas.`,
  secret: "Enlace",
  copy: "Copiar enlace",
  kept: "Ya lo copié",
};
