import type * as english from "../../gateway/outbox.ts";
import { isolated } from "../../isolated.ts";

export const outboxTexts: typeof english.outboxTexts = {
  title: "Bandeja de salida",
  lead: "Mensajes a usuarios, primero los más recientes. Cada uno se intenta hasta que el proveedor lo acepta o lo rechaza definitivamente.",
  view: "Estado",
  all: "Todos",
  none: "Todavía no se enviaron mensajes.",
  noneStatus: "Ningún mensaje tiene este estado.",
  noMatch: "Ningún mensaje coincide con estos filtros.",
  message: "Mensaje",
  to: "Para",
  status: "Estado",
  reason: "Motivo",
  channel: "Canal",
  created: "En cola desde",
  tries: "Intentos fallidos",
  actions: "Acciones",
  retry: "Reenviar",
  retryOne: (to) => `Reenviar el mensaje a ${isolated(to)}`,
  retried: "El mensaje está de nuevo en cola.",
  trail: "Pasos",
  trailOf: (to) => `Pasos del mensaje a ${isolated(to)}`,
  template: (name) => `Plantilla ${isolated(name)}`,
  statuses: { pending: "En espera", sending: "Enviando", sent: "Enviado", failed: "Falló" },
  delivery: {
    delivered: "Entregado",
    read: "Leído",
    played: "Reproducido",
    failed: "No entregado",
    resent: "Enviado de nuevo",
    sent: "Enviado",
  },
  sources: {
    agent_reply: "Respuesta de un agente",
    platform_proactive: "Enviado por un agente",
    api: "Enviado por un programa o un operador",
    inbound_forward: "Reenviado al callback",
    desk_notice: "Aviso a webhooks",
  },
};

const byItself = "Se reintenta solo.";
const newCredentials = "Reemplaza las credenciales de la cuenta y reanúdala.";

export const reasonTexts: typeof english.reasonTexts = {
  "4": { text: "Se llegó al límite del proveedor.", advice: byItself },
  "10": { text: "A la cuenta le falta un permiso.", advice: "Revisa los permisos de su token de acceso." },
  "130429": { text: "Se llegó al límite del proveedor.", advice: byItself },
  "131026": {
    text: "El proveedor no puede entregar a este número.",
    advice: "Comprueba que el número use WhatsApp.",
  },
  "131047": {
    text: "El usuario escribió hace más de 24 horas.",
    advice: "WhatsApp solo acepta entonces plantillas. Envía una.",
  },
  "131051": { text: "El proveedor no admite este tipo de mensaje." },
  "131056": {
    text: "Demasiados mensajes a este usuario en poco tiempo.",
    advice: byItself,
  },
  "190": { text: "El token de acceso venció.", advice: newCredentials },
  "400": { text: "El proveedor rechazó el mensaje por no ser válido." },
  "401": { text: "El proveedor rechazó el token.", advice: newCredentials },
  "403": { text: "El usuario bloqueó la cuenta." },
  "429": { text: "El proveedor pidió esperar.", advice: byItself },
  closed_window: {
    text: "El usuario escribió hace demasiado tiempo.",
    advice: "El proveedor acepta respuestas por tiempo limitado. Espera a que el usuario escriba de nuevo.",
  },
  expired: { text: "No se pudo enviar en 24 horas.", advice: "Reenvíalo si todavía importa." },
  account_deleted: { text: "Se eliminó su cuenta." },
  taken_over: {
    text: "Una persona tomó la conversación antes de que se enviara.",
    advice: "Reenvíalo si el usuario todavía debe recibirlo.",
  },
  outcome_unknown: {
    text: "No se sabe si el proveedor lo aceptó.",
    advice: "Pregunta al usuario antes de reenviarlo: podría recibirlo dos veces.",
  },
  interrupted: { text: "El proceso terminó mientras se enviaba.", advice: byItself },
  credentials_unreadable: {
    text: "Las credenciales de la cuenta no se pueden abrir con las claves de cifrado.",
    advice: newCredentials,
  },
  internal: {
    text: "Hubo un fallo interno al enviar el mensaje.",
    advice: "Mira el registro del servidor.",
  },
};
