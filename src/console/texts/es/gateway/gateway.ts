import type * as english from "../../gateway/gateway.ts";

export const channelTexts: typeof english.channelTexts = {
  phone_messenger: "WhatsApp",
  bot_messenger: "Telegram",
  photo_social: "Instagram",
  webchat: "Chat web",
  echo: "Eco",
};

export const gatewayTexts: typeof english.gatewayTexts = {
  title: "Mensajería",
  token: "token de administración de la mensajería (GATEWAY_ADMIN_TOKEN)",
  talk: "Conversaciones",
  connect: "Conectar",
  watch: "Observar",
  stats: "Resumen",
  inbox: "Bandeja de entrada",
  contacts: "Contactos",
  accounts: "Cuentas",
  outbox: "Bandeja de salida",
  reports: "Informes",
  trail: "Recorrido de mensajes",
  phone: "Teléfono emulado",
  anyTenant: "Todos los clientes",
  anyChannel: "Todos los canales",
  chooseTenant: "Elige un cliente",
  tenant: "Cliente",
  channel: "Canal",
  account: "Cuenta",
  live: "En vivo",
  notLive: "Sin actualización en vivo",
  connecting: "Conectando…",
  liveHint: "Los mensajes nuevos aparecen solos.",
  connectingHint: "La transmisión de mensajes nuevos se interrumpió. Se reconecta sola.",
};
