import type * as english from "../../operations/operations.ts";
import { counted } from "../counted.ts";

export const operationsTexts: typeof english.operationsTexts = {
  title: "Operación",
  process: "Este proceso",
  data: "Datos",
  workers: "Procesos de fondo",
  logs: "Registros",
  storage: "Almacenamiento",
  backups: "Copias de seguridad",
};

export const workerTexts: typeof english.workerTexts = {
  title: "Procesos de fondo",
  lead: "Trabajo de fondo de este proceso, y las concesiones para el trabajo que hace un solo proceso a la vez.",
  refresh: "Actualizar",
  running: "En curso",
  ofAll: (all) => `de ${counted(all, "proceso de fondo", "procesos de fondo")}`,
  failures: "Fallos desde el inicio",
  leases: "Concesiones",
  heldLeases: "Concesiones en uso",
  node: "Nodo",
  worker: "Proceso",
  service: "Servicio",
  state: "Estado",
  round: "Última vuelta",
  failure: "Último fallo",
  statuses: {
    idle: "Sin iniciar",
    running: "En curso",
    stuck: "Atascado",
    waiting: "Se reinicia pronto",
    stopped: "Detenido",
  },
  lease: "Concesión",
  owner: "Titular",
  until: "Hasta",
  held: "En uso",
  free: "Libre",
  shared: "Las concesiones están en PostgreSQL: son las de todos los procesos de esta base de datos.",
  noLeases: "Hasta ahora ningún trabajo de este proceso necesitó una concesión.",
};

export const logTexts: typeof english.logTexts = {
  title: "Registros",
  lead: "Líneas del registro de este proceso. Conserva en memoria las 5000 más recientes; los secretos se ocultan.",
  level: "Nivel mínimo",
  levels: {
    debug: "Todos",
    info: "Información",
    warning: "Advertencia",
    error: "Errores",
  },
  text: "Contiene",
  textHint: "Un evento, un servicio, un cliente, el id de una traza",
  time: "Hora",
  ownLevel: "Nivel",
  event: "Evento",
  pause: "Pausar",
  resume: "Reanudar",
  copy: "Copiar líneas",
  lines: "Líneas",
  trace: "Abrir la traza",
  showAll: (chars) => `Mostrar los ${chars} caracteres`,
  showLess: "Mostrar menos",
  none: "Ninguna línea coincide.",
  noneKept: "El registro todavía no tiene líneas.",
};
