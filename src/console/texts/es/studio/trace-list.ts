import type * as english from "../../studio/trace-list.ts";

export const traceListTexts: typeof english.traceListTexts = {
  search: "Buscar",
  searchHint: "Texto de la pregunta o de la respuesta",
  anyModel: "Cualquier modelo",
  until: "Hasta",
  tenant: "Cliente",
  ownTenant: "Este daemon",
  sort: "Orden",
  sorts: {
    newest: "Primero las más recientes",
    oldest: "Primero las más antiguas",
    slowest: "Primero las más lentas",
    fastest: "Primero las más rápidas",
    costliest: "Primero las más caras",
    cheapest: "Primero las más baratas",
  },
  textless:
    "Las preguntas y respuestas de estas ejecuciones no se grabaron. La consola graba las suyas; para las demás, define observability.record en el manifiesto del agente.",
  noneFound:
    "Ninguna ejecución coincide. La búsqueda solo lee las preguntas y respuestas que conservan las trazas, y las trazas se conservan por tiempo limitado.",
};

export const compareTexts: typeof english.compareTexts = {
  title: "Comparar ejecuciones",
  lead: "Dos ejecuciones lado a lado: cifras, pregunta, respuesta y pasos.",
  select: (agent, began) => `Comparar la ejecución de ${agent}, ${began}`,
  column: "Comparar",
  compare: "Comparar",
  compareHint: "Elige dos ejecuciones de la lista para compararlas.",
  none: "Elige dos ejecuciones de la lista de trazas y pulsa “Comparar”.",
  choose: "Abrir las trazas",
  swap: "Intercambiar",
  figures: "Cifras",
  measure: "Medida",
  first: "Primera",
  second: "Segunda",
  difference: "Diferencia",
  inputTokens: "Tokens de entrada",
  outputTokens: "Tokens de salida",
  same: "Igual en ambas ejecuciones.",
  neither: "Ninguna de las ejecuciones conserva este texto.",
  onlyFirst: "Solo la primera ejecución conserva este texto.",
  onlySecond: "Solo la segunda ejecución conserva este texto.",
  differencesOf: (title) => `Diferencias: ${title}`,
  steps: "Pasos",
  sameSteps: "Ambas ejecuciones tienen los mismos pasos.",
  firstDifference: (equal, a, b) =>
    `${equal === 0 ? "Ningún paso es igual antes de la primera diferencia" : equal === 1 ? "1 paso es igual" : `${equal} pasos son iguales`}. Primera diferencia: ${a} | ${b}.`,
  noStep: "ningún paso",
  failed: "falló",
};

export const viewTexts: typeof english.viewTexts = {
  open: "Vistas",
  title: "Columnas y vistas guardadas",
  columns: "Columnas",
  name: "Nombre",
  nameHint: "Guarda los filtros, el orden y las columnas en este navegador.",
  full: (most) => `Este navegador guarda como máximo ${most} vistas. Elimina antes una.`,
  save: "Guardar vista",
  saved: "Vistas guardadas",
  none: "Todavía no hay vistas guardadas. La dirección de la página también tiene todos los filtros, así que puedes compartirla.",
  actions: "Acciones",
  rename: "Renombrar",
  renameOf: (name) => `Renombrar la vista ${name}`,
  newName: (name) => `Nombre nuevo de la vista ${name}`,
  delete: "Eliminar",
  deleteOf: (name) => `Eliminar la vista ${name}`,
  taken: (name) => `Otra vista se llama “${name}”. Elige otro nombre.`,
  notStored: "El navegador no pudo guardar la vista. Permite datos de sitios, o libera espacio.",
};
