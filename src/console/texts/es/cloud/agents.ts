import type * as english from "../../cloud/agents.ts";
import { isolated } from "../../isolated.ts";
import { counted } from "../counted.ts";

export const agentTexts: typeof english.agentTexts = {
  title: "Agentes",
  lead: (name, plan) => `Agentes de ${isolated(name)} con el plan ${isolated(plan)}.`,
  places: (used, most) => `${used} de ${counted(most, "agente")}`,
  create: "Nuevo agente",
  full: (plan) => `El plan ${isolated(plan)} no permite más agentes. Elimina uno, o elige un plan mayor.`,
  noneTitle: "Crea el primer agente",
  none: "Empieza con una plantilla, pregúntale junto a su formulario y publícalo. El modelo integrado responde sin una clave.",
  agent: "Agente",
  model: "Modelo",
  status: "Estado",
  created: "Creado",
  noModel: "sin elegir",
  edit: "Editar",
  hasDraft: "Borrador",
  publish: "Publicar borrador",
  published: (name) => `El borrador de ${isolated(name)} está vigente.`,
  publishFailed: "No se publicó el borrador",
  discard: "Descartar borrador",
  discardTitle: (name) => `¿Descartar el borrador de ${isolated(name)}?`,
  discardText: "Elimina el borrador. La versión desplegada se conserva. Esto no se puede deshacer.",
  discarded: (name) => `Se descartó el borrador de ${isolated(name)}.`,
  rename: "Renombrar",
  renameTitle: "Renombrar el agente",
  renameHint:
    "Es parte de su dirección: las llamadas con el nombre anterior fallan. La memoria, el uso y las evaluaciones se conservan. Letras minúsculas, cifras y guiones.",
  newName: "Nombre nuevo",
  renamed: (name) => `El agente se llama ahora ${isolated(name)}.`,
  formerNames: "Nombres anteriores",
  deploy: "Desplegar",
  deployed: (name) => `${isolated(name)} está desplegado y acepta ejecuciones.`,
  deployFailed: "No se desplegó el agente",
  pause: "Pausar",
  pauseTitle: (name) => `¿Pausar ${isolated(name)}?`,
  pauseText:
    "El agente no acepta ejecuciones hasta que lo despliegues de nuevo. Su configuración y su memoria se conservan.",
  paused: (name) => `${isolated(name)} está en pausa.`,
  remove: "Eliminar",
  removeTitle: (name) => `¿Eliminar ${isolated(name)}?`,
  removeText:
    "Elimina el agente, su configuración y su memoria. El uso se conserva. Esto no se puede deshacer.",
  removeAction: "Eliminar agente",
  removed: (name) => `Se eliminó ${isolated(name)}.`,
  facts: "Configuración",
  manifest: "Manifiesto compilado",
  agentId: "Id en el motor",
  deployedAt: "Desplegado",
  updatedAt: "Cambiado",
  fallback: "Modelo de respaldo",
  persona: "Personalidad",
  prompt: "Prompt del sistema",
  tools: "Herramientas",
  memory: "Memoria",
  window: (count) => counted(count, "mensaje"),
  guardrails: "Barreras de protección",
  input: "entrada",
  output: "salida",
  maxTokens: "Máximo de tokens de salida",
  nothing: "ninguno",
  call: "Llamarlo",
  address: "https://tu-nube.example",
  callHint: "Crea una clave en Claves de API y envíala como X-API-Key.",
  missing: "El agente no existe. Quizá se eliminó.",
};

export const tryTexts: typeof english.tryTexts = {
  publishedVersion: "Responde la versión desplegada. Prueba el borrador en su editor.",
  title: "Probar",
  draft: "Despliega el agente para probarlo.",
  mode: "Tipo de ejecución",
  test: "Prueba",
  testHint: "Se ejecuta como una llamada, y no cuenta para el límite diario.",
  stream: "Transmisión",
  streamHint: "Muestra la respuesta mientras se escribe. Cuenta para el límite diario.",
  query: "Tu pregunta",
  placeholder: "Pregunta algo al agente",
  ask: "Ejecutar",
  stop: "Detener",
  stopped: "Detenido.",
  newSession: "Sesión nueva",
  session: "La próxima pregunta continúa la misma sesión.",
  conversation: "Conversación",
  you: "Tú",
  tool: (name) => `Llamó a ${isolated(name)}`,
  figures: (tokens, model, duration) => `${counted(tokens, "token")} · ${isolated(model)} · ${duration}`,
  remaining: (count) =>
    `Hoy ${count === 1 ? "queda" : "quedan"} ${counted(count, "ejecución", "ejecuciones")}`,
};

export const orgManifestTexts: typeof english.orgManifestTexts = {
  notKept: "no se conserva en la nube; quítalo",
  oneMemory: "tiene dos tipos de memoria a largo plazo; un agente en la nube tiene uno",
  builtinOnly: "debe ser builtin: los agentes en la nube tienen herramientas integradas",
};

export const orgBuilderTexts: typeof english.orgBuilderTexts = {
  newTitle: "Nuevo agente",
  newLead:
    "Elige una plantilla, cámbiala y pregunta al agente junto al formulario. Nada es público hasta que publiques.",
  editTitle: (name) => `Editar ${isolated(name)}`,
  editLead:
    "Pregunta al agente junto al formulario mientras lo cambias. Las llamadas usan la versión publicada hasta que publiques esta.",
  template: "Empezar con",
  templates: {
    plain: "Un asistente sencillo",
    shop: "El asistente de una tienda",
    support: "Atención al cliente",
    writer: "Un redactor de textos breves",
  },
  saveDraft: "Guardar borrador",
  create: "Crear",
  publish: "Publicar",
  created: (name) => `Se creó ${isolated(name)}. Todavía no es público.`,
  saved: (name) => `Se guardó el borrador de ${isolated(name)}.`,
  published: (name) => `${isolated(name)} está publicado y responde llamadas.`,
  savedNotPublished: "El borrador se guardó, pero no se publicó:",
  trialHint:
    "Pregunta al agente tal como está escrito aquí, con las claves de la organización. No cuenta y no se guarda nada.",
  figures: (tokens, model, duration) => `${counted(tokens, "token")} · ${isolated(model)} · ${duration}`,
  needsKey: (provider) => `${isolated(provider)} necesita una clave de la organización.`,
  toProviders: "Agregar la clave",
};

export const orgKeyTexts: typeof english.orgKeyTexts = {
  "metadata.name": "Parte de su dirección: letras minúsculas, cifras y guiones.",
  "spec.identity.display_name": "El nombre que ven las personas.",
  "spec.identity.personality": "Unas palabras sobre su manera de ser.",
  "spec.model.primary.provider":
    "Quién ofrece el modelo. La mayoría necesita una clave en Claves de proveedores; rehearsal no necesita ninguna.",
  "spec.model.primary.model": "El nombre que el proveedor da al modelo.",
  "spec.model.primary.parameters.max_tokens": "Respuesta más larga, en tokens. Predeterminado: 1000.",
  "spec.model.fallback.provider": "Responde si falla el modelo de arriba.",
  "spec.model.fallback.model": "El nombre que el proveedor da al modelo.",
  "spec.memory.conversational.max_turns": "Mensajes de la conversación que ve el modelo. Predeterminado: 20.",
};
