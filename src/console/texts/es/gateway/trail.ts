import type * as english from "../../gateway/trail.ts";
import { isolated } from "../../isolated.ts";
import { counted } from "../counted.ts";

const outcomes: Readonly<Record<string, string>> = {
  answered: "El agente respondió",
  silent: "El agente se ejecutó y no tuvo nada que decir",
  fallback: "La ejecución falló; se envía el mensaje de respaldo",
  failed: "La ejecución falló, y no hay mensaje de respaldo",
  human: "Queda para la persona que tomó la conversación",
  unbound: "Nadie responde en esta cuenta",
  empty: "El mensaje no tiene texto, respuesta ni archivo",
  limited: "Demasiadas respuestas automáticas en un minuto; esta se omitió",
  stale: "Demasiado antiguo para responderlo",
  parked: "Se abandonó después de cinco intentos fallidos",
  account_deleted: "Se eliminó la cuenta",
};

const reactionOutcomes: Readonly<Record<string, string>> = {
  reaction: "Ningún agente escribió este mensaje, así que no cuenta para ninguna ejecución",
  unknown_run: "La plataforma ya no tiene la ejecución",
  feedback_refused: "No contó: la plataforma rechazó la clave del cliente",
  feedback_lost: "No contó: no se pudo llegar a la plataforma durante un día",
};

const attempts: Readonly<Record<string, string>> = {
  sent: "El proveedor lo aceptó",
  continue: "El proveedor aceptó una parte",
  retry: "El proveedor lo rechazó por ahora",
  final: "El proveedor lo rechazó definitivamente",
  pause: "El proveedor rechazó la cuenta",
  unknown: "El proveedor no dio una respuesta clara",
};

export const trailTexts: typeof english.trailTexts = {
  title: "Recorrido de mensajes",
  lead: "¿Dónde está mi mensaje? Averigua qué pasó con él por cualquier id, o por la dirección de un usuario.",
  field: "Id del mensaje, id del proveedor o dirección",
  find: "Buscar",
  startTitle: "Busca un mensaje",
  start:
    "Escribe el id que recibió un programa, el id que muestra el proveedor, o la dirección de un usuario: un número de teléfono, un id de chat o el id de un visitante.",
  noneTitle: "No se encontró nada",
  none: (id) =>
    `Ningún mensaje tiene el id o la dirección ${isolated(id)}. Los mensajes se conservan 90 días, los entregados 30 días.`,
  found: (count) => counted(count, "mensaje"),
  inbound: "Del usuario",
  outbound: "Al usuario",
  more: "Mostrar más",
  retry: "Procesar de nuevo",
  retried: "El mensaje se procesa de nuevo.",
  openConversation: "Abrir la conversación",
  openRun: "Abrir la ejecución",
  related: "Su respuesta",
  ids: "Ids",
  messageId: "Id del mensaje",
  providerId: "Id del proveedor",
  address: "Dirección",
  after: (duration) => `+${duration}`,
  tries: (count) => counted(count, "intento fallido", "intentos fallidos"),
  events: {
    received: "Recibido del proveedor",
    duplicate: "Entregado otra vez, e ignorado",
    queued: "Puesto en la bandeja de salida",
    run: "El agente se ejecutó",
    forwarded: "Reenviado al callback",
    answered: "Se puso una respuesta en cola",
    parked: "Abandonado después de demasiados intentos fallidos",
    retried: "Un operador lo puso de nuevo en cola",
    closed: "Cerrado sin respuesta",
    attempt: "Intentado",
    sent: "Enviado al proveedor",
    delivered: "Entregado al usuario",
    read: "Leído por el usuario",
    played: "Reproducido por el usuario",
    reacted: "El usuario reaccionó",
    failed: "Falló definitivamente",
  },
  unreacted: "El usuario quitó la reacción",
  rating: (rating, outcome) =>
    (outcome === undefined ? undefined : reactionOutcomes[outcome]) ??
    (rating === "up" ? "Buena respuesta" : rating === "down" ? "Mala respuesta" : "Ni buena ni mala"),
  outcome: (outcome) => outcomes[outcome] ?? outcome,
  attempt: (outcome) => attempts[outcome] ?? outcome,
};
