import { decimalSign } from "../../parts/text/locale.ts";
import { isolated } from "../isolated.ts";
import type * as english from "../parts.ts";

export const partTexts: typeof english.partTexts = {
  copy: "Copiar",
  copied: "Copiado",
  refused: "El navegador no lo permitió. Selecciona el texto y cópialo.",
  close: "Cerrar",
  cancel: "Cancelar",
  back: "Volver",
  review: "Revisar",
  typeToConfirm: (text) => `Escribe “${text}” para confirmar`,
  loadingMore: "Cargando más…",
  noneSoFar: "Aún no hay coincidencias. La búsqueda puede seguir leyendo.",
  searchOn: "Seguir buscando",
  noRows: "Sin resultados.",
  problems: "Problemas",
  line: (line) => `Línea ${line}`,
  month: "Mes (UTC)",
  chart: (what) => `Gráfico: ${what}`,
  leaveTitle: "¿Salir sin guardar?",
  leaveText: "Se perderán tus cambios.",
  leaveAction: "Salir",
};

export const tableTexts: typeof english.tableTexts = {
  export: "Descargar CSV",
  exportOf: (table) => `Descargar ${isolated(table)} como CSV`,
  exportFailed: "No se pudieron leer todas las filas, así que no hay archivo. Inténtalo de nuevo.",
  exportCut: (most) => `El archivo tiene las primeras ${most} filas. Filtra la lista para ver otras.`,
};

export const amountTexts: typeof english.amountTexts = {
  unknown: "desconocido",
  partly: (known) => `${known} + desconocido`,
};

const sign = decimalSign === "," ? "una coma" : "un punto";

export const numberTexts: typeof english.numberTexts = {
  needed: "Escribe un número.",
  notNumber: (text) =>
    `Usa cifras y ${sign} para los decimales, como 1234${decimalSign}5. Escribiste ${text}.`,
  separators: (text) =>
    `Usa ${sign} para los decimales y nada entre los miles, como 1234${decimalSign}5. Escribiste ${text}.`,
  exponent: (text) => `Escribe el número sin exponente. Escribiste ${text}.`,
  whole: (text) => `Usa un número entero. Escribiste ${text}.`,
  decimals: (most, got) => `Usa como máximo ${most} decimales. Escribiste ${got}.`,
  atLeast: (least, text) => `Usa ${least} o más. Escribiste ${text}.`,
  atMost: (most, text) => `Usa ${most} o menos. Escribiste ${text}.`,
  notExact: (text) => `Usa menos cifras: ${text} no se puede guardar con exactitud.`,
};

export const schemaFormTexts: typeof english.schemaFormTexts = {
  view: "Formato de entrada",
  form: "Formulario",
  json: "JSON",
  whole: "Entrada",
  nothing: "Esta herramienta no necesita entrada.",
  choose: "Elegir",
  yes: "Sí",
  no: "No",
  notGiven: "Sin valor",
  anyJson: "JSON. Cualquier otra entrada se trata como texto.",
  jsonOf: (types) => `JSON: ${types.join(" o ")}.`,
  element: (place) => `Elemento ${place}`,
  addElement: (label) => `Agregar a ${label}`,
  removeElement: (place) => `Quitar el elemento ${place}`,
  addGroup: (label) => `Agregar ${label}`,
  removeGroup: (label) => `Quitar ${label}`,
  needed: "es obligatorio",
  unknown: "no es un campo conocido",
  unreadable: "debe ser JSON válido",
  noChoice: "debe ser una de las opciones",
  wrongType: (types) => `debe ser de tipo ${types.join(" o ")}`,
  atLeast: (value) => `debe ser ${value} o más`,
  atMost: (value) => `debe ser ${value} o menos`,
  longer: (length) => `debe tener ${length} caracteres o más`,
  shorter: (length) => `debe tener ${length} caracteres o menos`,
  moreItems: (count) => `debe tener ${count} elementos o más`,
  fewerItems: (count) => `debe tener ${count} elementos o menos`,
};

export const scoreTexts: typeof english.scoreTexts = {
  head: "Evaluaciones",
  score: (name, rate) => `${isolated(name)} ${rate}`,
  more: (count) => `y ${count} más`,
};

export const memberKeyTexts: typeof english.memberKeyTexts = {
  revoked: "Se revocan estas claves de API que creó:",
  kept: "Se conservan estas claves de API que creó:",
  keep: "Conservar estas claves",
  keepHint: "Los programas que las usan siguen funcionando. Quien tenga una copia de una clave puede usarla.",
};
