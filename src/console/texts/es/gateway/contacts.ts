import type * as english from "../../gateway/contacts.ts";
import { isolated } from "../../isolated.ts";
import { counted } from "../counted.ts";

export const contactTexts: typeof english.contactTexts = {
  title: "Contactos",
  lead: "Personas y grupos que escribieron o recibieron mensajes. Cada uno tiene todas las direcciones que nombró su proveedor.",
  search: "Buscar nombres y números",
  none: "Todavía no escribió nadie.",
  noMatch: "Ningún contacto coincide.",
  missing: "Ese contacto no existe. Quizá se olvidó.",
  name: "Nombre",
  unnamed: "Sin nombre",
  address: "Direcciones",
  channel: "Canal",
  tenant: "Cliente",
  created: "Primera vez",
  seen: "Última vez",
  labels: "Etiquetas",
  notes: "Notas",
  noNotes: "Sin notas.",
  nobody: "Operador sin nombre",
  about: "Sobre el contacto",
  conversations: "Conversaciones",
  noConversations: "No hay conversaciones.",
  conversation: (number) => `Conversación ${number}`,
  forget: "Olvidar contacto",
  forgetTitle: (name) => `¿Olvidar a ${isolated(name)}?`,
  forgetText: (conversations) =>
    `Elimina el contacto, ${counted(conversations, "conversación", "conversaciones")} con mensajes, archivos y notas, y lo que los agentes recuerdan de él. Esto no se puede deshacer. Lo que escribió en grupos se conserva.`,
  forgotten: "El contacto se olvidó.",
  forgottenLater: "El contacto ya no está. Todavía se elimina lo que queda de él.",
  kinds: {
    phone: "Número de teléfono",
    bsuid: "Id de WhatsApp",
    chat: "Id de chat",
    scoped: "Id de Instagram",
    visitor: "Id de visitante",
    spelling: "Como se escribió al principio",
  },
};
