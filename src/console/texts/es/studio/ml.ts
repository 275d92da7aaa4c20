import type * as english from "../../studio/ml.ts";

export const mlTexts: typeof english.mlTexts = {
  title: "Modelos de ML",
  lead: "Modelos ONNX registrados en este daemon. Los agentes los usan con el proveedor onnx. Los programas llaman a /v1/ml/models.",
  none: "No hay modelos de ML registrados",
  noneHint: "Copia un archivo ONNX en la carpeta models de la carpeta de datos, y regístralo:",
  command: (origin) => `curl -X POST ${origin}/v1/ml/models \\
  -H 'content-type: application/json' \\
  -d '{"name": "sentimiento", "path": "sentimiento.onnx"}'`,
  status: { registered: "Registrado", loading: "Cargando", ready: "Listo", error: "Con error" },
  format: "Formato",
  task: "Tarea",
  file: "Archivo",
  inputs: "Entradas",
  outputs: "Salidas",
  usedBy: "Lo usan",
  unused: "ningún agente ni colección",
  registered: "Registrado",
  values: (name) => `Entradas de ${name}`,
  valuesHint: "JSON: para cada entrada, su forma y sus valores por filas.",
  notJson: (reason) => `Las entradas no son JSON válido: ${reason}`,
  predict: "Ejecutar predicción",
  failed: "La predicción falló",
  took: (time) => `Predicción en ${time}`,
};
