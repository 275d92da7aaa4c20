const english = {
  title: "Chat",
  greeting: "Hello! How can we help?",
  open: "Open chat",
  close: "Close chat",
  messages: "Messages",
  placeholder: "Write a message",
  send: "Send",
  you: "You",
  agent: "Answer",
  sending: "Sending…",
  failed: "Not sent.",
  retry: "Try again",
  limited: "Too many messages. Wait a minute.",
  offline: "You are offline. Messages are sent when you are back.",
  reconnecting: "Connecting…",
  unread: "{n} new",
  attachment: "Attachment",
  good: "Good answer",
  bad: "Bad answer",
  unrated: "Your rating was not saved. Try again.",
};

/** Texts of the widget, by their names in `data-text-…`. */
export type Texts = typeof english;

const spanish: Texts = {
  title: "Chat",
  greeting: "¡Hola! ¿En qué podemos ayudar?",
  open: "Abrir el chat",
  close: "Cerrar el chat",
  messages: "Mensajes",
  placeholder: "Escriba un mensaje",
  send: "Enviar",
  you: "Usted",
  agent: "Respuesta",
  sending: "Enviando…",
  failed: "No enviado.",
  retry: "Reintentar",
  limited: "Demasiados mensajes. Espere un minuto.",
  offline: "Sin conexión. Los mensajes se enviarán al recuperarla.",
  reconnecting: "Conectando…",
  unread: "{n} nuevos",
  attachment: "Archivo",
  good: "Buena respuesta",
  bad: "Mala respuesta",
  unrated: "Su valoración no se guardó. Inténtelo de nuevo.",
};

/** Returns the texts of a language, English unless it is Spanish, with those that the page gives as `data-text-…` in their place. */
export function readTexts(language: string, given: Readonly<DOMStringMap>): Texts {
  const texts = { ...(/^es\b/i.test(language) ? spanish : english) };
  for (const name of Object.keys(texts) as (keyof Texts)[]) {
    texts[name] = given[`text${name.charAt(0).toUpperCase()}${name.slice(1)}`] ?? texts[name];
  }
  return texts;
}
