import { isolated } from "../../isolated.ts";
import type * as english from "../../platform/tenant.ts";
import { counted } from "../counted.ts";

export const startTexts: typeof english.startTexts = {
  title: "Plataforma",
  lead: "Inicia sesión con tu cuenta de la plataforma para ver tus clientes y agentes.",
};

export const tenantPageTexts: typeof english.tenantPageTexts = {
  missingTitle: "Cliente no encontrado",
  missingText: "El cliente se eliminó o es de otra persona. Elige uno de tus clientes.",
  toTenants: "Abrir tus clientes",
  choose: "Elige un cliente",
  switcher: (name) => `Cliente: ${isolated(name)}. Cambiar a otro`,
  actingFor: (name) => `Actúas en nombre de ${isolated(name)}. Cambiar a otro`,
  switchTo: "Cambiar a",
  manage: "Todos los clientes",
};

export const tenantsTexts: typeof english.tenantsTexts = {
  title: "Clientes",
  lead: "Cada cliente tiene sus propios agentes, claves, conexiones y plan. Puedes tener hasta tres clientes.",
  noneTitle: "Todavía no hay clientes",
  none: "Un cliente tiene sus propios agentes, claves de API, plan y créditos.",
  create: "Nuevo cliente",
  createAction: "Crear cliente",
  created: (name) => `Se creó ${isolated(name)}.`,
  name: "Nombre",
  nameHint: "Lo ven las personas. Puedes cambiarlo en cualquier momento.",
  crName: "Código",
  actions: "Acciones",
  current: "Último usado",
  copyId: (name) => `Copiar el id de ${isolated(name)}`,
  renameTitle: (name) => `Renombrar ${isolated(name)}`,
  renameAction: "Renombrar",
  renamed: (name) => `Ahora se llama ${isolated(name)}.`,
  remove: "Eliminar",
  deleteTitle: (name) => `Eliminar ${isolated(name)}`,
  deleteText:
    "Las claves de API dejan de funcionar de inmediato, los agentes se eliminan y las suscripciones se cancelan. Esto no se puede deshacer.",
  deleteAction: "Eliminar cliente",
  deleted: (name) => `Se eliminó ${isolated(name)}.`,
};

export const keyTexts: typeof english.keyTexts = {
  title: "Claves de API",
  lead: (tenant) => `Claves para programas que ejecutan los agentes de ${isolated(tenant)}.`,
  noneTitle: "Todavía no hay claves",
  none: "Una clave permite a un programa listar y ejecutar los agentes de este cliente. Se muestra una sola vez, al crearla.",
  create: "Nueva clave",
  createAction: "Crear clave",
  name: "Etiqueta",
  nameHint: "Describe dónde se usa la clave, por ejemplo “servidor de la tienda”.",
  hash: "Hash",
  madeBy: "Creada por",
  byMachine: "el propietario de esta máquina",
  expires: "Vence",
  expiresHint:
    "La clave se rechaza desde el comienzo de este día (UTC). Déjalo vacío para una clave que no vence.",
  createdAt: "Creada",
  lastUsed: "Último uso",
  never: "nunca",
  actions: "Acciones",
  createdTitle: (label) => `La clave “${isolated(label)}”`,
  onceTitle: "Copia la clave ahora",
  once: "Esta clave se muestra una sola vez. Si la pierdes, crea una nueva.",
  secret: "Clave de API",
  copy: "Copiar la clave",
  how: "Los programas la envían en la cabecera X-API-Key.",
  kept: "Copié la clave",
  revoke: "Revocar",
  revokeTitle: (label) => `Revocar la clave “${isolated(label)}”`,
  revokeText: "Los programas que usan esta clave dejan de funcionar de inmediato. Esto no se puede deshacer.",
  revokeAction: "Revocar la clave",
  revoked: (label) => `Se revocó “${isolated(label)}”.`,
};

export const connectionTexts: typeof english.connectionTexts = {
  title: "Conexiones",
  lead: (tenant) =>
    `Credenciales para las herramientas de los agentes de ${isolated(tenant)}. Los secretos guardados nunca se vuelven a mostrar.`,
  noneTitle: "Todavía no hay conexiones",
  none: "Las herramientas usan una conexión para autenticarse. Sus secretos nunca aparecen en prompts, trazas ni registros.",
  add: "Agregar conexión",
  name: "Nombre",
  nameHint: "El nombre que usan los agentes, por ejemplo api_crm. Letras minúsculas, cifras, - y _.",
  nameTaken: (name) =>
    `Ya existe una conexión llamada ${isolated(name)}. Elige otro nombre, o reemplaza esa conexión.`,
  baseUrl: "URL base",
  noBaseUrl: "Sin URL base: no se usa. Reemplaza esta conexión.",
  baseUrlHint: "Los secretos solo se envían a direcciones iguales a esta URL o por debajo de ella.",
  secrets: "Secretos",
  sealed: "Cifrados, nunca se muestran",
  updatedAt: "Cambiada",
  actions: "Acciones",
  secretsHint:
    "Por nombre: token (bearer), api_key (en X-API-Key, o en la cabecera que nombra header), username con password, o headers como objeto JSON.",
  firstSecret: "token",
  secretName: "Nombre del secreto",
  secretValue: "Valor",
  reveal: "Mostrar el valor",
  removeSecret: (name) => `Quitar ${name === "" ? "este secreto" : name}`,
  addSecret: "Agregar secreto",
  faults: {
    empty: "Completa al menos un secreto.",
    nameless: "Pon nombre a cada secreto.",
    twice: "Dos secretos tienen el mismo nombre.",
  },
  save: "Guardar conexión",
  saved: (name) => `Se guardó ${isolated(name)}.`,
  replace: "Reemplazar",
  replaceTitle: (name) => `Reemplazar ${isolated(name)}`,
  replaceAction: "Reemplazar los secretos",
  remove: "Eliminar",
  deleteTitle: (name) => `Eliminar ${isolated(name)}`,
  deleteText:
    "Se eliminan la conexión y sus secretos. Las herramientas que la usan fallarán. Esto no se puede deshacer.",
  deleteAction: "Eliminar conexión",
  deleted: (name) => `Se eliminó ${isolated(name)}.`,
};

export const agentListTexts: typeof english.agentListTexts = {
  title: "Agentes",
  lead: (tenant) => `Los agentes de ${isolated(tenant)}, y lo que usaron este mes.`,
  noneTitle: "Todavía no hay agentes",
  none: "Un agente tiene un modelo, un prompt y herramientas. Empieza con una plantilla.",
  create: "Nuevo agente",
  name: "Nombre",
  shownName: "Nombre visible",
  version: "Versión",
  runs: "Ejecuciones de este mes",
  credits: "Créditos de este mes",
  updatedAt: "Cambiado",
  ask: "Preguntar",
  run: "Preguntar",
  askAgent: (name) => `Preguntar a ${name}`,
};

export const tenantBuilderTexts: typeof english.tenantBuilderTexts = {
  newTitle: "Nuevo agente",
  newLead:
    "Elige una plantilla, cámbiala y pregunta al agente junto al formulario. Al crearlo se guarda la versión 1.",
  up: "Agentes",
  create: "Crear",
  created: (name) => `Se creó ${name}.`,
  title: (name) => `Editar ${name}`,
  lead: "Pregunta al agente junto al formulario mientras lo cambias. Al guardar se crea una versión nueva, que responde de inmediato.",
  save: "Guardar versión nueva",
  saved: (version) => `La versión ${version} es ahora la actual.`,
  template: "Empezar con",
  copyOf: (agent) => `Copia de ${agent} en el Estudio`,
  templates: {
    plain: "Un prompt y un modelo",
    documents: "Respuestas a partir de documentos",
    tools: "Herramientas",
    memory: "Memoria de conversación",
    approval: "Una herramienta que necesita aprobación",
  },
  trialHint:
    "Pregunta al agente tal como está escrito aquí. La ejecución se cobra; la conversación no se guarda.",
  figures: (tokens, duration) => `${counted(tokens, "token")} · ${duration}`,
  waits: "La ejecución se detiene en una llamada que debe aprobar una persona.",
};

export const agentTexts: typeof english.agentTexts = {
  channels: "Canales",
  channelsHint:
    "Permite que tus usuarios lleguen al agente, o conecta un teléfono emulado para probarlo como uno de ellos.",
  connectPhone: "Conectar teléfono emulado",
  putOn: { webchat: "En mi sitio web", phone_messenger: "En WhatsApp", bot_messenger: "En Telegram" },
  up: "Agentes",
  versionMark: (version) => `Versión ${version}`,
  run: "Preguntar",
  edit: "Editar",
  remove: "Eliminar",
  tabs: { overview: "Resumen", versions: "Versiones", runs: "Ejecuciones" },
  manifest: "Manifiesto",
  usage: "Uso",
  allTime: "Desde el inicio",
  deleteTitle: (name) => `Eliminar ${name}`,
  deleteText:
    "El agente ya no puede ejecutarse. Sus versiones y ejecuciones se pueden seguir leyendo, y su nombre queda libre. Esto no se puede deshacer.",
  deleteAction: "Eliminar agente",
  deleted: (name) => `Se eliminó ${name}.`,
  deletedMark: "Eliminado",
  deletedLead: "Este agente ya no puede ejecutarse. Sus versiones y ejecuciones se conservan.",
};

export const subscriptionTexts: typeof english.subscriptionTexts = {
  title: "Créditos",
  none: "Las ejecuciones usan los créditos del cliente.",
  has: "Las ejecuciones cuentan además para la suscripción",
  code: "Código de suscripción",
  codeHint: "El código de tu suscripción, por ejemplo shop. Pregunta a tu operador.",
  find: "Buscar la suscripción",
  plan: "Plan",
  since: "Desde",
  credits: (period) => `Créditos en ${period}`,
  of: (used, cap) => `${used} de ${cap}`,
  units: (used, included) => `${used} usadas, ${included} incluidas`,
  nextPlan: "Desde el próximo mes",
  already: "Este agente ya usa esta suscripción.",
  use: "Usar para este agente",
  used: "Las ejecuciones nuevas de este agente cuentan para la suscripción.",
  leave: "Usar el plan base",
  left: "Las ejecuciones nuevas de este agente cuentan solo para el plan base.",
};

export const authorTexts: typeof english.authorTexts = {
  you: "tú",
  person: "otra persona",
  key: (hash) => `clave ${hash}`,
};

export const versionTexts: typeof english.versionTexts = {
  note: "Nota",
  title: "Versiones",
  from: "De",
  to: "A",
  version: "Versión",
  createdAt: "Creada",
  author: "Por",
  checksum: "Suma de comprobación",
  actions: "Acciones",
  current: "Actual",
  compareFrom: (version) => `Comparar desde la versión ${version}`,
  compareTo: (version) => `Comparar con la versión ${version}`,
  restore: "Restaurar",
  restoreTitle: (version) => `Restaurar la versión ${version}`,
  restoreText: (version, next) =>
    `Crea la versión ${next} con el manifiesto de la versión ${version} y la hace la actual. Las demás versiones se conservan.`,
  restoreAction: "Restaurar versión",
  restored: (version, next) => `La versión ${version} se restauró como versión ${next}.`,
  diffTitle: (from, to) => `De la versión ${from} a la ${to}`,
  diffView: "Formato de las diferencias",
  asText: "Como texto",
  asFields: "Por campo",
  same: "Ambas versiones son idénticas.",
  field: "Campo",
  change: "Cambio",
  before: "Antes",
  after: "Después",
  changes: { added: "agregado", removed: "quitado", changed: "cambiado" },
};
