import type * as english from "../quality.ts";

export const verdictTexts: typeof english.verdictTexts = {
  up: "Buena",
  down: "Mala",
  correct: "Corregirla",
  corrected: "Corregida",
  correctTitle: "¿Cuál debió ser la respuesta?",
  correction: "Respuesta correcta",
  note: "Qué estuvo mal (opcional)",
  save: "Guardar veredicto",
  failed: "No se guardó el veredicto",
};

export const sourceTexts: typeof english.sourceTexts = {
  source: "Origen",
  filters: {
    traffic: "Uso real",
    all: "Todas las ejecuciones",
    production: "Producción",
    trigger: "Disparadores",
    playground: "Zona de pruebas",
    eval: "Evaluaciones",
  },
};

export const addCaseTexts: typeof english.addCaseTexts = {
  add: "Agregar a la prueba",
  title: "Agregar a una prueba",
  action: "Agregar caso",
  eval: "Evaluación",
  evalHint: "Una que existe, o el nombre de una nueva.",
  question: "Pregunta",
  expected: "Respuesta correcta (opcional)",
  expectedHint: "Se guarda con el caso para las personas; deciden las comprobaciones.",
  added: (name) => `El caso se agregó a ${name}.`,
  unreadable: "El documento de la evaluación no tiene una lista de casos.",
};
