import { readableFiles } from "../../../../contracts/daemon/rag/document-types.ts";
import { isolated } from "../../isolated.ts";
import type * as english from "../../platform/documents.ts";

export const documentsTexts: typeof english.documentsTexts = {
  title: "Documentos",
  lead: (tenant) =>
    `Colecciones de ${isolated(tenant)}. Los agentes buscan en una con una herramienta de tipo rag que la nombra.`,
  collections: "Colecciones",
  name: "Colección",
  count: "Documentos",
  chunks: "Fragmentos",
  created: "Creada",
  actions: "Acciones",
  status: { ready: "Lista", unavailable: "No disponible" },
  unavailableHint: "El almacén de vectores no tiene estos documentos ahora. Avisa al operador.",
  used: "Documentos usados",
  usedOf: (documents, max) => `${documents} de ${max}`,
  noLimit: "sin límite",
  largest: "Documento más grande",
  collectionsUsed: "Colecciones usadas",
  noneTitle: "Todavía no hay documentos",
  none: "Sube documentos para crear una colección.",
  upload: "Subir documentos",
  uploadText: "Nombra una colección nueva o existente. Una colección nueva se crea con su primer documento.",
  nameLabel: "Nombre",
  open: "Continuar",
  remove: "Eliminar",
  deleteOf: (name) => `Eliminar ${isolated(name)}`,
  deleteCollectionTitle: (name) => `¿Eliminar ${isolated(name)}?`,
  deleteCollectionText: (documents) =>
    `Se eliminan la colección y sus documentos (${documents}). Los agentes ya no pueden buscar en ellos. Esto no se puede deshacer.`,
  deleteCollection: "Eliminar colección",
  deleted: (name) => `Se eliminó ${isolated(name)}.`,
};

export const tenantCollectionTexts: typeof english.tenantCollectionTexts = {
  up: "Documentos",
  lead: (name) => `Los agentes buscan en ella con la opción de herramienta collection: ${name}.`,
  newAgent: "Nuevo agente con ella",
  notYet: "Esta colección todavía no existe. Se crea con su primer documento.",
  views: "Vista",
  documents: "Documentos",
  search: "Búsqueda de prueba",
  none: "Todavía no hay documentos. Suelta archivos arriba.",
  kinds: (largest) =>
    `Archivos: ${readableFiles}; ${largest} cada uno como máximo. Un archivo reemplaza al documento del mismo nombre.`,
  tooLarge: (largest) => `El archivo supera ${largest}. Divídelo y sube las partes.`,
  question: "Pregunta",
  find: "Buscar",
  noQuestion: "Escribe una pregunta para ver qué pasajes encontraría un agente.",
  nothing: "Ningún pasaje coincide.",
  results: (count) => (count === 1 ? "1 pasaje" : `${count} pasajes`),
  score: "Puntuación",
  place: (chunk, start, end) => `fragmento ${chunk}, caracteres ${start} a ${end}`,
};
