import { isolated } from "../../isolated.ts";
import type * as english from "../../translator/translator.ts";
import { counted } from "../counted.ts";

export const translatorTexts: typeof english.translatorTexts = {
  title: "Traductor",
  translate: "Traducir",
  reference: "Referencia",
  specs: "Manifiestos",
  accounts: "Cuentas",
  coverage: "Cobertura",
};

export const kindTexts: typeof english.kindTexts = { Agent: "Agente", RAGPipeline: "Pipeline de RAG" };

export const coverageTexts: typeof english.coverageTexts = {
  supported: "Admitido",
  emulated: "Emulado",
  partial: "Parcial",
  unsupported: "No admitido",
};

export const specTexts: typeof english.specTexts = {
  title: "Manifiestos",
  lead: "Manifiestos que se convierten en recursos de una nube. Cada uno se puede planear, aplicar y revisar en busca de desviaciones.",
  create: "Nuevo manifiesto",
  noneTitle: "Traduce el primer manifiesto",
  none: "Pega el manifiesto de un agente o de un pipeline de RAG. Verás en qué recursos de la nube se convierte y qué se pierde.",
  name: "Nombre",
  kind: "Tipo",
  missing: "El manifiesto no existe. Quizá se eliminó.",
  newTitle: "Nuevo manifiesto",
  editTitle: (name) => `Editar ${isolated(name)}`,
  editLead: "El traductor lo comprueba mientras escribes. Nada se guarda ni cambia hasta que guardes.",
  manifest: "Manifiesto",
  save: "Guardar manifiesto",
  saved: (name) => `Se guardó ${isolated(name)}.`,
  edit: "Editar",
  becomes: "En qué se convierte",
  waits: "Aparece cuando el manifiesto es válido.",
  checking: "Comprobando…",
  valid: "Válido",
  invalid: "Tiene errores",
};

export const specPageTexts: typeof english.specPageTexts = {
  account: "Cuenta",
  view: "Vista",
  views: { resources: "Recursos", plan: "Plan", drift: "Desviación", manifest: "Manifiesto" },
  resources: "Recursos",
  noResources: "El manifiesto no se convierte en ningún recurso.",
  graph: "Dependencias",
  graphHint: "Una flecha va de un recurso a otro que lo necesita.",
  outside: "otro manifiesto",
  resource: "Recurso",
  section: "De la sección",
  needs: "Necesita",
  nothing: "–",
  config: "Configuración",
  show: "Mostrar",
  showConfig: (name) => `Mostrar la configuración de ${isolated(name)}`,
  configTitle: (name) => `Configuración de ${isolated(name)}`,
  gaps: "Carencias",
  noGaps: "No se pierde nada.",
  planTitle: (account) => `Cambios en la cuenta ${isolated(account)}`,
  planNone: "Nada que cambiar: la cuenta está como el manifiesto.",
  planCount: (created, updated, deleted) =>
    `${created} por crear, ${updated} por cambiar, ${deleted} por eliminar`,
  refresh: "Actualizar",
  hash: "Hash del plan",
  actions: { create: "Crear", update: "Cambiar", delete: "Eliminar" },
  apply: "Aplicar",
  applyTitle: (account) => `¿Aplicar a ${isolated(account)}?`,
  applyText: (count) =>
    count === 1
      ? "Hace exactamente este cambio, o nada si el manifiesto o la cuenta cambiaron desde entonces."
      : `Hace exactamente estos ${count} cambios, o nada si el manifiesto o la cuenta cambiaron desde entonces.`,
  applyDeletes: (count) =>
    count === 1
      ? "Se eliminará 1 recurso. Esto no se puede deshacer."
      : `Se eliminarán ${count} recursos. Esto no se puede deshacer.`,
  applying: "Aplicando",
  progress: (done, all) => `${done} de ${all} hechos`,
  applied: "Aplicado",
  applyFailed: "La aplicación terminó antes de tiempo",
  steps: {
    waiting: "En espera",
    begun: "En curso",
    done: "Hecho",
    failed: "Falló",
    skipped: "Sin intentar",
  },
  keepsGoing: "Continúa aunque salgas de esta página.",
  driftTitle: (account) => `Desviación en la cuenta ${isolated(account)}`,
  noDrift: "Sin desviación: la cuenta está como se aplicó la última vez.",
  drifted: "La cuenta difiere de lo que se aplicó la última vez. Estos cambios la restaurarían.",
  destroy: "Destruir",
  destroyTitle: (name) => `¿Destruir ${isolated(name)}?`,
  destroyText:
    "Elimina sus recursos en todas las cuentas, con lo que contienen, como sesiones y archivos, y después el manifiesto. Esto no se puede deshacer.",
  destroyAction: "Destruir los recursos y el manifiesto",
  destroyed: (name, count) => `Se destruyó ${isolated(name)} con ${counted(count, "recurso")}.`,
};

export const accountTexts: typeof english.accountTexts = {
  title: "Cuentas",
  lead: "Cuentas de runtime.yaml. La primera de cada proveedor es su cuenta predeterminada.",
  account: "Cuenta",
  provider: "Proveedor",
  driver: "Controlador",
  drivers: { embedded: "Integrado: no llama a ninguna nube", api: "La API de la propia nube" },
  held: (account) => `Recursos de ${isolated(account)}`,
  heldOnlyEmbedded:
    "El traductor muestra los recursos de las cuentas integradas. Los de una nube se ven en su propia consola.",
  noneHeld: "La cuenta no tiene recursos. Aplica un manifiesto para crear algunos.",
  resource: "Recurso",
  type: "Tipo",
  spec: "Manifiesto",
  updated: "Cambiado",
  choose: "Mostrar",
  chooseOf: (account) => `Mostrar los recursos de ${isolated(account)}`,
};

export const coverageMatrixTexts: typeof english.coverageMatrixTexts = {
  title: "Cobertura",
  lead: "Qué pasa con cada sección de un manifiesto.",
  provider: "Proveedor",
  section: "Sección",
  coverage: "Cobertura",
  resources: "Recursos",
};
