import type * as english from "../../operations/backups.ts";
import { counted } from "../counted.ts";

export const backupTexts: typeof english.backupTexts = {
  title: "Copias de seguridad",
  lead: "Copias de seguridad de la carpeta de datos, y cómo restaurarlas. El servidor responde como siempre mientras hace una.",
  refresh: "Actualizar",
  start: "Hacer una copia ahora",
  starting: "Nueva copia de seguridad",
  place: "Lugar",
  placeHint:
    "Ruta absoluta de un archivo nuevo, o s3://bucket/key. Déjalo vacío para un archivo en la carpeta de abajo.",
  defaultFolder: (folder) => `Carpeta predeterminada: ${folder}`,
  sameDisk: "La carpeta predeterminada está en el disco de los datos: copia el archivo a otro lugar.",
  keys: "Una copia de seguridad contiene las claves de esta instalación. Protégela igual que la carpeta de datos.",
  last: "Última copia",
  never: "Todavía ninguna",
  count: "Copias",
  present: (count) => `${counted(count, "archivo")} presentes`,
  job: "Progreso",
  jobs: {
    running: "En curso",
    done: "Lista",
    failed: "Falló",
  },
  copying: "Copiando y comprobando las bases de datos",
  progress: (files, of, bytes, ofBytes) => `${files} de ${counted(of, "archivo")}, ${bytes} de ${ofBytes}`,
  percent: "Progreso de la copia de seguridad",
  failure: "La copia de seguridad falló",
  list: "Copias conocidas",
  none: "No se conoce ninguna copia de esta carpeta de datos. “Hacer una copia ahora” o `argosy backup` crea una.",
  taken: "Hecha",
  size: "Tamaño",
  content: "Contenido",
  contentOf: (databases, files) =>
    `${counted(databases, "base de datos", "bases de datos")}, ${counted(files, "archivo más", "archivos más")}`,
  checked:
    "Cada base de datos superó la comprobación de integridad de SQLite. El paquete tiene una suma SHA-256 de cada archivo.",
  state: "Estado",
  states: {
    present: "Presente",
    changed: "Cambió de tamaño",
    missing: "Falta",
    elsewhere: "Almacén de objetos",
  },
  restore: "Restaurar",
  restoreOf: (taken) => `Restaurar la copia de ${taken}`,
  restoreLead: "Restaurar reemplaza la carpeta de datos; por eso es un comando y no un botón.",
  trial: "Para comprobarla antes, restáurala en una carpeta nueva. El servidor puede seguir funcionando.",
  replace: "Para reemplazar los datos actuales, detén el servidor y ejecuta:",
  kept: "Los datos actuales se mueven a before-restore-… en la carpeta de datos; no se eliminan.",
  missing: "No está en las copias",
  copy: "Copiar el comando",
};
