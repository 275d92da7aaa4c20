import type * as english from "../../gateway/reply.ts";
import { isolated } from "../../isolated.ts";
import { counted } from "../counted.ts";

export const replyTexts: typeof english.replyTexts = {
  reply: "Respuesta",
  placeholder: "Escribe una respuesta; / para respuestas guardadas",
  keys: "Ctrl+Intro",
  send: "Enviar",
  agentAnswersToo: "El agente también responde en esta conversación. Tómala para que deje de responder.",
  attach: "Adjuntar archivos",
  files: "Archivos de esta respuesta",
  dropHere: "Suelta los archivos para adjuntarlos.",
  remove: (name) => `Quitar ${isolated(name)}`,
  uploading: (name, share) => `Subiendo ${isolated(name)}: ${share}`,
  tooMany: (max) => `Una respuesta tiene como máximo ${counted(max, "archivo")}.`,
  kinds: { image: "imágenes", audio: "archivos de audio", video: "videos", document: "documentos" },
  emptyFile: (name) => `${isolated(name)} está vacío.`,
  kindRefused: (name, channel, kinds) =>
    `${channel} no acepta ${kinds}, así que no se puede enviar ${isolated(name)}.`,
  tooLarge: (name, size, channel, kinds, max) =>
    `${isolated(name)} tiene ${size}. ${channel} acepta ${kinds} de ${max} como máximo.`,
  noAddress: (channel) =>
    `${channel} descarga los archivos de esta instalación, que no tiene dirección pública. Define GATEWAY_PUBLIC_BASE_URL para enviar archivos.`,
  canned: "Respuestas guardadas",
  noCanned: "Ninguna respuesta guardada tiene este nombre.",
  manageCanned: "Editar respuestas guardadas",
  cannedLead:
    "Textos para quienes responden a los usuarios de este cliente. Escribe / en el campo de respuesta para insertar uno.",
  cannedNone: "Todavía no hay respuestas guardadas.",
  cannedName: "Nombre",
  cannedText: "Texto",
  cannedHint:
    "{{name}}, {{address}}, {{agent}} y {{person}} se reemplazan por el nombre y la dirección del usuario, el agente y tú.",
  saveCanned: "Guardar respuesta",
  deleteCanned: (name) => `Eliminar ${isolated(name)}`,
  window: {
    open: (left) => `Texto libre durante ${left}`,
    short: (left) => `quedan ${left}`,
    closed:
      "La ventana de 24 horas está cerrada: el proveedor solo acepta plantillas hasta que el usuario escriba de nuevo.",
    closedNoTemplates:
      "La ventana de 24 horas está cerrada: el proveedor no acepta mensajes hasta que el usuario escriba de nuevo.",
    closedShort: "Ventana cerrada",
    unknown: "El usuario nunca escribió aquí, así que el proveedor puede aceptar solo plantillas.",
  },
  writeAnyway: "Escribir texto libre de todos modos",
  useTemplate: "Enviar una plantilla",
  backToText: "Escribir texto",
  template: "Plantilla",
  chooseTemplate: "Elige una plantilla",
  noTemplates: "La cuenta no tiene plantillas aprobadas.",
  language: "Idioma",
  preview: "Vista previa",
  sendTemplate: "Enviar plantilla",
  needsFile: (kind) => `El encabezado de esta plantilla necesita un archivo (${kind}). Envíala con la API.`,
  where: {
    header: (name) => `Encabezado: {{${name}}}`,
    body: (name) => `{{${name}}}`,
    button: (name) => `Dirección del botón: {{${name}}}`,
  },
  newMessage: "Mensaje nuevo",
  newTitle: "Mensaje a un usuario",
  tenant: "Cliente",
  account: "Cuenta",
  to: "Para",
  toHint: "Un número de teléfono, un id de chat u otra dirección del canal.",
  message: "Mensaje",
  paused: " (en pausa)",
  noAccounts: "Este cliente no tiene cuentas.",
};
