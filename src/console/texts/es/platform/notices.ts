import { isolated } from "../../isolated.ts";
import type * as english from "../../platform/notices.ts";

export const noticeTexts: typeof english.noticeTexts = {
  title: "Avisos",
  operatorLead:
    "Webhooks y direcciones de correo que reciben avisos sobre todos los clientes. Los avisos fallidos se reintentan durante 24 horas.",
  tenantLead: (tenant) =>
    `Webhooks y direcciones de correo que reciben avisos sobre ${isolated(tenant)}. Los avisos fallidos se reintentan durante 24 horas.`,
  add: "Agregar webhook",
  addTitle: (url) => (url === undefined ? "Agregar webhook" : "Webhook agregado"),
  none: "Todavía no hay webhooks. Agrega uno para enterarte de créditos agotados, ejecuciones rechazadas y meses cerrados.",
  url: "Dirección",
  urlHint:
    "https:// para un POST firmado, o mailto:nombre@example.org si esta instalación tiene un servidor de correo.",
  events: "Avisos",
  event: {
    "credits.80": "Se usó el 80 % de los créditos",
    "credits.100": "Se usaron todos los créditos",
    "run.refused": "Se rechazó una ejecución",
    "period.closed": "Se cerró un período de facturación",
    "subscription.ending": "Termina una suscripción",
    "model.unpriced": "Se usó un modelo sin tarifa",
    "storage.80": "Se usó el 80 % del almacenamiento",
    "agent.alert": "Fallan muchas ejecuciones de un agente",
    "desk.needs_person": "Una conversación necesita a una persona",
    "desk.message": "Un mensaje nuevo en una conversación asignada",
    "desk.mention": "Una nota menciona a una persona",
  },
  created: "Creado",
  remove: "Eliminar",
  removeTitle: "¿Eliminar este webhook?",
  removeText: (url) => `${url} no recibirá más avisos. Sus avisos en espera se pierden.`,
  removed: "Webhook eliminado.",
  log: "Entregas",
  logOf: (url) => `Entregas a ${url}`,
  logNone: "Todavía no hay avisos.",
  back: "Todos los webhooks",
  at: "Hora",
  tenant: "Cliente",
  text: "Aviso",
  status: "Estado",
  statuses: { pending: "En espera", sending: "Enviando", sent: "Enviado", failed: "Falló" },
  attempts: (count) => (count === 1 ? "1 intento fallido" : `${count} intentos fallidos`),
  retry: "Próximo intento",
  secret: {
    onceTitle: "Copia el secreto ahora",
    once: "Se muestra una sola vez.",
    secret: "Secreto",
    copy: "Copiar el secreto",
    how: "Cada POST lleva la cabecera X-Gateway-Signature-256: sha256= y el HMAC-SHA-256 del cuerpo con este secreto, en hexadecimal. Un correo no lleva firma.",
    kept: "Listo",
  },
};
