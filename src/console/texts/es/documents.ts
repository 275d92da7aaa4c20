import { readableFiles } from "../../../contracts/daemon/rag/document-types.ts";
import type * as english from "../documents.ts";
import { isolated } from "../isolated.ts";
import { counted } from "./counted.ts";

export const documentTexts: typeof english.documentTexts = {
  table: "Documentos",
  document: "Documento",
  chunks: "Fragmentos",
  characters: "Caracteres",
  losses: "Notas de lectura",
  updated: "Actualizado",
  deleteTitle: (id) => `¿Eliminar ${isolated(id)}?`,
  deleteText:
    "Se eliminan el documento y sus fragmentos. Los agentes ya no pueden buscar en él. Esto no se puede deshacer.",
  deleteOf: (id) => `Eliminar ${isolated(id)}`,
  deleteAction: "Eliminar documento",
  deleted: (id) => `Se eliminó ${isolated(id)}.`,
  nameFault: "Usa de 1 a 63 letras, cifras, “.”, “_” y “-”. Empieza y termina con una letra o una cifra.",
};

export const uploadTexts: typeof english.uploadTexts = {
  title: "Subir",
  drop: "Suelta archivos aquí, o",
  choose: "Elegir archivos",
  kinds: `Archivos: ${readableFiles}; 64 MiB cada uno como máximo. Un archivo reemplaza al documento del mismo nombre.`,
  list: "Subidas",
  states: {
    waiting: "En cola",
    reading: "Subiendo",
    working: "Procesando",
    done: "Listo",
    failed: "Falló",
    cancelled: "Cancelado",
  },
  outcome: { created: "nuevo", replaced: "reemplazado", unchanged: "sin cambios" },
  chunks: (count, shown) => (count === 1 ? "1 fragmento" : `${shown} fragmentos`),
  losses: "Notas de lectura",
  reading: ({ page, pages }) => `Reconociendo texto: página ${page} de ${pages}`,
  cancel: (name) => `Cancelar ${name}`,
  again: "Reintentar",
  clear: "Vaciar la lista",
  tooLarge: "El archivo supera 64 MiB. Divídelo y sube las partes.",
  empty: "El archivo está vacío.",
  ended: (status) => `La tarea terminó con el estado ${status}.`,
  summary: (done, failed, all) => {
    const uploaded =
      done < all ? `${done} de ${counted(all, "archivo")} subidos` : `${counted(all, "archivo")} subidos`;
    return failed === 0 ? uploaded : `${uploaded}, ${failed} con fallo`;
  },
};
