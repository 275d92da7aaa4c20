import { type Language, languageCookie } from "../../contracts/console/language.ts";

/** Names of the languages, each in itself. */
export const languageNames: Readonly<Record<Language, string>> = { en: "English", es: "Español" };

const keptSeconds = 365 * 86_400;

/** Keeps the language in this browser, for all services of the host, and loads the page in it. Drafts and the address stay. */
export function chooseLanguage(language: Language): void {
  const secure = location.protocol === "https:" ? "; Secure" : "";
  // Lax, so that links in e-mails open in it.
  // biome-ignore lint/suspicious/noDocumentCookie: Safari had no Cookie Store API until 2025, and it needs HTTPS
  document.cookie = `${languageCookie}=${language}; Path=/; Max-Age=${keptSeconds}; SameSite=Lax${secure}`;
  location.reload();
}
